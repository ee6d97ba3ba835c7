"""Compressed bytes: recognised by their content, in bounded steps, and refused where they are damaged."""

import bz2
import contextlib
import functools
import gzip
import io
import lzma
import sys

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.compression import (
    COMPRESSIONS,
    MAX_STEP_OUTPUT,
    DamagedError,
    compressing,
    compression_of,
    decompressed,
    is_undecided,
)

KINDS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": functools.partial(lzma.compress, preset=0),
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}
BY_NAME = {compression.name: compression for compression in COMPRESSIONS}
ENDINGS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
LINES = b"".join(b"%d %d:%d.%d\n" % (k % 2, k % 97 + 1, k, 7 * k) for k in range(120_000))  # several blocks of bzip2
SOME = LINES[:300_000]
every_kind = pytest.mark.parametrize("kind", KINDS)


@functools.cache
def packed_lines(kind):
    return KINDS[kind](LINES)


def unpacked(kind, *chunks):
    return b"".join(decompressed(BY_NAME[kind], iter(chunks)))


def refusal(source):
    with pytest.raises(nk.InvalidInputError) as caught:
        nk.read_svmlight(source)
    return str(caught.value)


@every_kind
@given(data=st.binary(max_size=300), size=st.integers(1, 50))
def test_bytes_come_out_as_they_went_in_however_they_are_cut(kind, data, size):
    packed = KINDS[kind](data)
    assert compression_of(packed).name == kind
    assert unpacked(kind, *(packed[k : k + size] for k in range(0, len(packed), size))) == data


def test_a_beginning_that_may_become_a_kind_is_undecided():
    for kind, pack in KINDS.items():
        packed = pack(b"x")
        whole = next(k for k in range(11) if compression_of(packed[:k]) is BY_NAME[kind])
        assert all(is_undecided(packed[:k]) for k in range(whole))
        assert not is_undecided(packed[:whole])
    assert not is_undecided(b"1 1:2")


@every_kind
def test_files_joined_end_to_end_are_one(kind):
    first, second = KINDS[kind](b"1 1:2\n"), KINDS[kind](b"-1 2:3\n")
    assert unpacked(kind, first + second + first) == b"1 1:2\n-1 2:3\n1 1:2\n"
    assert unpacked(kind, first, second) == b"1 1:2\n-1 2:3\n"
    assert unpacked(kind, *(bytes([byte]) for byte in first + second)) == b"1 1:2\n-1 2:3\n"


@every_kind
def test_zero_bytes_between_and_behind_files_are_padding(kind):
    packed = KINDS[kind](b"1 1:2\n")
    for chunks in ([packed + bytes(512)], [packed, bytes(3), bytes(3)], [packed + bytes(1 << 20)]):
        assert unpacked(kind, *chunks) == b"1 1:2\n"
    assert unpacked(kind, packed + bytes(100) + packed + bytes(4)) == b"1 1:2\n1 1:2\n"


@every_kind
def test_other_bytes_behind_a_file_are_damage(kind):
    with pytest.raises(DamagedError):
        unpacked(kind, KINDS[kind](b"1 1:2\n") + b"1 1:2\n" * 20)


@every_kind
def test_a_step_gives_a_bounded_number_of_bytes(kind):
    size = 1 << (26 if kind == "zstd" else 24)
    packed = KINDS[kind](bytes(size))
    assert len(packed) < size / 500
    sizes = [len(chunk) for chunk in decompressed(BY_NAME[kind], iter([packed]))]
    assert sum(sizes) == size
    assert max(sizes) <= (1 << 25 if kind == "zstd" else MAX_STEP_OUTPUT)


@every_kind
def test_an_empty_chunk_is_passed_on_and_none_is_made(kind):
    packed = packed_lines(kind)
    half = len(packed) // 2
    assert b"" not in decompressed(BY_NAME[kind], iter([packed]))
    assert list(decompressed(BY_NAME[kind], iter([packed[:half], b"", packed[half:]]))).count(b"") == 1


# ---- damage ----------------------------------------------------------------------------------------------------------


@every_kind
def test_a_truncated_file_is_refused_at_the_line_where_it_ends(tmp_path, kind):
    path = tmp_path / "rows"
    packed = packed_lines(kind)
    for part in (0.6, 0.95):
        path.write_bytes(packed[: int(part * len(packed))])
        message = refusal(path)
        start, end = f"{path}, line ", f": the {kind} data ends too early."
        assert message.startswith(start)
        assert message.endswith(end)
        assert 1 < int(message.removeprefix(start).removesuffix(end)) < 120_000


@every_kind
def test_every_beginning_of_a_file_is_refused(kind):
    packed = KINDS[kind](b"1 1:2\n" * 5)
    for length in range(10, len(packed)):
        assert refusal(packed[:length]).endswith(f": the {kind} data ends too early.")


@every_kind
def test_any_flipped_bit_is_refused_or_changes_nothing(kind):
    packed = bytearray(KINDS[kind](b"1 1:2 2:3\n-1 7:0.25\n" * 10))
    X, y = nk.read_svmlight(bytes(packed))
    for place in range(6, len(packed)):
        packed[place] ^= 16
        with contextlib.suppress(nk.InvalidInputError):
            Z, z = nk.read_svmlight(bytes(packed))  # a bit that means nothing, as the date in a gzip file
            assert (Z != X).nnz == 0
            assert (z == y).all()
        packed[place] ^= 16


@every_kind
def test_a_damaged_middle_is_refused_with_a_line(tmp_path, kind):
    path = tmp_path / "rows"
    packed = bytearray(packed_lines(kind))
    packed[len(packed) // 2 : len(packed) // 2 + 50] = bytes(50)
    path.write_bytes(packed)
    assert f"{path}, line " in refusal(path)


@every_kind
def test_a_bad_line_before_the_damage_comes_first(kind):
    packed = KINDS[kind](b"1 1:2\nx\n" + LINES)
    expected = "<bytes>, line 2: the label must be a finite number, but there is 'x'."
    assert refusal(packed[: len(packed) * 3 // 4]) == expected


def test_readers_and_writers_name_a_missing_zstandard(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    message = "zstd needs the package zstandard. Install it with: pip install zstandard."
    assert refusal(KINDS["zstd"](b"1 1:2\n")) == f"<bytes>, line 1: {message}"
    with pytest.raises(nk.InvalidInputError) as caught:
        nk.write_svmlight([[1.0]], [1], tmp_path / "rows.zst")
    assert str(caught.value) == f"{tmp_path / 'rows.zst'}: {message}"
    assert list(tmp_path.iterdir()) == []


# ---- writing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_compressed_comes_out_again(ending):
    file = io.BytesIO()
    with compressing(f"rows{ending}", file) as compressed:
        for begin in range(0, len(SOME), 99_999):
            compressed.write(SOME[begin : begin + 99_999])
    assert not file.closed
    assert compression_of(file.getvalue()).name == ENDINGS[ending]
    assert unpacked(ENDINGS[ending], file.getvalue()) == SOME


@pytest.mark.parametrize("ending", ENDINGS)
def test_equal_lines_are_equal_bytes_whatever_the_name(ending):
    files = io.BytesIO(), io.BytesIO()
    for name, file in zip((f"a{ending}", f"b{ending}"), files, strict=True):
        with compressing(name, file) as compressed:
            compressed.write(LINES[:1000])
    assert files[0].getvalue() == files[1].getvalue()


def test_other_names_are_not_compressed():
    file = io.BytesIO()
    with compressing("rows.svm", file) as same:
        assert same is file
