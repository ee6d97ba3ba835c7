"""The row cache: the same bits come back, and a file that is damaged in any way is refused."""

import json
import os
import shutil
import struct
import sys
import tempfile
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import novikoff as nk
import novikoff._core as _core
from novikoff.data.batch import Batch
from novikoff.data.formats import cache as caches
from novikoff.data.formats import svmlight
from novikoff.data.formats.cache import MAGIC, PREAMBLE, VERSION, CacheFile, CacheWriter
from snapshots import learned, plain
from strategies import cuts, finite_floats, sparse_rows

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

TEXT = b"+1 1:0.5 3:2\n-1 2:1e-3\n+1\n-1 1:-7 2:0.1 3:0\n"


def bits(batch):
    """All that a batch holds, as plain values; a sparse matrix as its arrays."""
    X = batch.X
    parts = (X.data, X.indices, X.indptr) if sp.issparse(X) else (np.asarray(X, order="C"),)
    return plain((X.shape, parts, np.array(batch.y), batch.weights, batch.feature_names, batch.index_base))


def written(batches, folder):
    """The path of a cache of these batches."""
    path = Path(folder, "rows.nvk")
    CacheWriter("cache", path).write(iter(batches), None)
    return path


def rejoined(batches):
    """Batches as one."""
    X = [batch.X for batch in batches]
    X = sp.vstack(X, format="csr") if sp.issparse(X[0]) else np.vstack(X)
    y = np.concatenate([batch.y for batch in batches])
    weights = None if batches[0].weights is None else np.concatenate([batch.weights for batch in batches])
    return Batch(X, y, weights, feature_names=batches[0].feature_names, index_base=batches[0].index_base)


def refusal(path, read=nk.read):
    """What is said about a file, in one sentence."""
    with pytest.raises(nk.InvalidInputError) as caught:
        read(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


# ---- the same bits come back ----------------------------------------------------------------------------------------

LABELS = {
    "integers": st.integers(-(2**63), 2**63 - 1),
    "fractions": finite_floats(np.float64),
    "booleans": st.booleans(),
    "words": st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
}


@st.composite
def batches(draw):
    """Rows of any kind in a few batches, some of them weighted and with names."""
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    if draw(st.booleans()):
        X, _ = draw(sparse_rows(dtype))
        names, base = None, draw(st.sampled_from([None, 0, 1]))
    else:
        shape = (draw(st.integers(1, 8)), draw(st.integers(1, 4)))
        X, base = draw(hnp.arrays(dtype, shape, elements=finite_floats(dtype))), None
        names = draw(st.none() | st.just(tuple(f"ü{k}" for k in range(shape[1]))))
    rows = X.shape[0]
    labels = LABELS[draw(st.sampled_from(sorted(LABELS)))]
    y = np.array(draw(st.lists(labels, min_size=rows, max_size=rows)))
    weights = draw(st.none() | hnp.arrays(np.float64, rows, elements=finite_floats(np.float64)))
    edges = [0, *draw(cuts(rows)), rows]
    return [
        Batch(X[a:b], y[a:b], None if weights is None else weights[a:b], feature_names=names, index_base=base)
        for a, b in pairwise(edges)
    ]


@given(parts=batches(), size=st.integers(1, 9))
def test_what_was_written_reads_back_to_the_same_bits(parts, size):
    with tempfile.TemporaryDirectory() as folder:
        path = written(parts, folder)
        whole = rejoined(parts)
        assert bits(nk.read(path)) == bits(whole)
        again = list(nk.scan(path, batch_size=size))
        assert [len(batch.y) for batch in again[:-1]] == [size] * (len(again) - 1)
        assert bits(rejoined(again)) == bits(whole)
        assert os.listdir(folder) == ["rows.nvk"]


@given(text=st.lists(st.sampled_from(["1", "-3", "0.5", "1e300", "0"]), min_size=1, max_size=30))
def test_whole_numbers_at_first_and_fractions_later_are_all_fractions(text):
    with tempfile.TemporaryDirectory() as folder:
        lines = "".join(f"{label} {k + 1}:1\n" for k, label in enumerate(text)).encode()
        parts = list(nk.scan(lines, n_features=40, batch_size=4))
        X, y = nk.read(written(parts, folder))
        expected = nk.read(lines, n_features=40)
        assert bits(Batch(X, y, index_base=1)) == bits(expected)


def test_every_source_can_be_kept(tmp_path):
    frame = pd.DataFrame(
        {"a": [1.0, 2.0, 3.0], "job": ["x", "yy", "x"], "w": [1.0, 0.5, 0.0], "y": ["no", "yes", "no"]}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "t.svm").write_bytes(TEXT)
    hashing = nk.Hashing(n_bits=6)
    for source, options in (
        (tmp_path / "t.svm", {"dtype": np.float32}),
        ([tmp_path / "t.svm", TEXT], {}),
        (TEXT, {"index_base": 0, "n_features": 10}),
        (tmp_path / "t.csv", {"hashing": hashing, "weight": "w"}),
        (frame, {"features": ["a"], "weight": "w"}),
        ((tmp_path / "t.csv").read_bytes(), {"format": "csv", "features": ["a"]}),
    ):
        kept = nk.cache(source, tmp_path / "rows.nvk", **options)
        assert bits(kept) == bits(nk.read(source, **options)) == bits(nk.read(tmp_path / "rows.nvk"))
    assert bits(nk.cache(tmp_path / "rows.nvk", tmp_path / "copy.nvk")) == bits(nk.read(tmp_path / "rows.nvk"))


def test_the_widest_hashing_is_kept_with_large_indices(tmp_path):
    frame = pd.DataFrame({"job": ["x", "yy"], "y": [0, 1]})
    options = {"hashing": nk.Hashing(n_bits=31)}
    assert bits(nk.cache(frame, tmp_path / "rows", **options)) == bits(nk.read(frame, **options))


def test_arrays_cannot_be_written_to_and_are_learned_from_in_place(tmp_path, make):
    whole = nk.read(TEXT)
    X, y = nk.cache(TEXT, tmp_path / "rows.nvk")
    for array in (X.data, X.indices, y):
        assert not array.flags.writeable
        assert not isinstance(array.base, np.memmap)  # which would end the process if the file were cut
    assert learned(make().partial_fit(X, y), X) == learned(make().partial_fit(*whole), X)
    assert learned(make(max_iter=2).fit(X, y), X) == learned(make(max_iter=2).fit(*whole), X)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_arrays_are_handed_to_the_kernels_without_a_copy(tmp_path, monkeypatch, kind):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [0.5, 0.0, -1.0], "y": [0, 1, 0]})
    X, y = nk.cache(frame if kind == "dense" else TEXT, tmp_path / "rows.nvk")
    handed, view = [], getattr(_core, kind)
    monkeypatch.setattr(_core, kind, lambda array, *beside: handed.append(array) or view(array, *beside))
    nk.Perceptron().partial_fit(X, y)
    assert np.shares_memory(handed[0], X if kind == "dense" else X.data)


@pytest.mark.parametrize("harm", [os.unlink, lambda path: os.truncate(path, 0)], ids=["removed", "cut"])
@pytest.mark.parametrize("open_again", [False, True], ids=["written", "read"])
def test_rows_outlive_the_file(tmp_path, harm, open_again):
    X, y = nk.cache(TEXT, tmp_path / "rows.nvk")
    if open_again:
        X, y = nk.read(tmp_path / "rows.nvk")
    harm(tmp_path / "rows.nvk")
    assert y.tolist() == [1, -1, 1, -1]
    assert X.toarray().tolist() == nk.read(TEXT).X.toarray().tolist()


def changed_while_read(tmp_path, harm):
    """The error of a stream whose file is changed after its first batch."""
    path = tmp_path / "rows.nvk"
    nk.cache(b"".join(b"%d 1:1 3:2\n" % (row % 2) for row in range(400)), path)
    stream = iter(nk.scan(path, batch_size=100))
    next(stream)
    harm(path, CacheFile(path))
    with pytest.raises(nk.InvalidInputError) as caught:
        for _ in stream:
            pass
    return str(caught.value)


def set_number(name, place, number):
    """Change a number of an array in place, as another process might, so soon that the time of the file stays."""

    def harm(path, cache):
        found = os.stat(path)
        with open(path, "r+b") as file:
            size = np.dtype(cache.places[name].type).itemsize
            file.seek(cache.places[name].offset + place * size)
            file.write(np.array(number, cache.places[name].type).tobytes())
        os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))

    return harm


HARMS = {
    "cut": (lambda path, _: os.truncate(path, 3000), "was truncated while it was read"),
    "a column": (set_number("columns", 799, 2**31 - 1), "the array columns has indices outside 0 to 2"),
    "a negative column": (set_number("columns", 799, -1), "the array columns has indices outside 0 to 2"),
    "a row that ends far beyond": (
        set_number("row_ends", 399, 2**60),
        "the array values was changed while it was read",
    ),
    "a row that ends too early": (set_number("row_ends", 250, 3), "a row ends before the previous one"),
    "the first row of a batch": (set_number("row_ends", 100, 3), "a row ends before the previous one"),
}


@pytest.mark.parametrize(("harm", "words"), HARMS.values(), ids=HARMS.keys())
def test_a_file_that_is_changed_while_it_is_read_is_refused(tmp_path, harm, words):
    assert words in changed_while_read(tmp_path, harm)


@pytest.mark.parametrize(("name", "number"), [("values", 9.0), ("labels", 7), ("columns", 1)])
def test_a_file_whose_time_changes_while_it_is_read_is_refused(tmp_path, name, number):
    def harm(path, cache):
        set_number(name, 399, number)(path, cache)  # an allowed number, in the last of the batches
        os.utime(path, ns=(0, 0))

    message = f"{tmp_path / 'rows.nvk'}: the cache was changed while it was read. Read it again."
    assert changed_while_read(tmp_path, harm) == message


# ---- when it is written anew ----------------------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path):
    """A source, and a cache of it; calling it says whether the cache was written anew."""
    source, path = tmp_path / "rows.svm", tmp_path / "rows.nvk"
    source.write_bytes(TEXT)

    def keep(given=source, **options):
        before = os.stat(path).st_ino if path.exists() else None
        guard = path.with_suffix(".held")
        if before is not None:
            os.link(path, guard)  # so that its number is not given to another
        batch = nk.cache(given, path, **options)
        anew = os.stat(path).st_ino != before
        guard.unlink(missing_ok=True)
        assert bits(batch) == bits(nk.read(given, **options))
        return anew

    keep.source, keep.path = source, path
    assert keep()
    return keep


def test_an_unchanged_source_is_not_read_again(kept, monkeypatch):
    assert not kept()
    assert not kept(os.path.relpath(kept.source))
    monkeypatch.setattr(svmlight, "line_blocks", None)
    assert nk.cache(kept.source, kept.path).y.tolist() == [1, -1, 1, -1]


def test_a_changed_source_is_read_again(kept):
    kept.source.write_bytes(TEXT + b"+1 9:1\n")
    assert kept()
    assert not kept()
    kept.source.write_bytes(TEXT[:-2] + b"5\n" + b"+1 9:1\n")  # the same size, at another time
    stat = os.stat(kept.source)
    os.utime(kept.source, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert kept()
    shutil.copy2(kept.source, kept.source.with_suffix(".copy"))
    assert kept(kept.source.with_suffix(".copy"))
    assert kept([kept.source, kept.source])


@pytest.mark.parametrize(
    "options", [{"n_features": 5}, {"index_base": 0}, {"dtype": np.float32}, {"format": "svmlight"}]
)
def test_other_options_are_another_cache(kept, options):
    assert kept(**options)
    assert not kept(**options)
    assert kept()


def test_what_is_no_file_is_read_each_time(kept):
    assert kept(TEXT)
    assert kept(TEXT)
    assert kept()


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: MAGIC + b"\x09" + data[8:], lambda data: MAGIC]
)
def test_a_damaged_cache_whose_source_is_at_hand_is_written_anew(kept, damage):
    kept.path.write_bytes(damage(kept.path.read_bytes()))
    assert kept()
    assert not kept()


def test_the_source_itself_is_never_replaced(kept):
    link = kept.source.with_name("link")
    link.symlink_to(kept.source)
    for path in (kept.source, str(kept.source), link):
        with pytest.raises(nk.InvalidInputError, match="is the source itself"):
            nk.cache(kept.source, path)
        with pytest.raises(nk.InvalidInputError, match="is the source itself"):
            nk.cache([TEXT, kept.source], path)
    assert kept.source.read_bytes() == TEXT


def test_a_file_that_is_no_cache_is_never_replaced(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("years of work")
    with pytest.raises(nk.InvalidInputError, match=r"^cache: .*thesis\.txt exists and is not a cache"):
        nk.cache(TEXT, path)
    assert path.read_text() == "years of work"


@pytest.mark.parametrize("path", ["-", 7, b"rows", None, "a\0b"])
def test_a_place_that_is_no_path_is_refused(path):
    with pytest.raises(nk.InvalidInputError, match=r"^cache: path must be the path of a file"):
        nk.cache(TEXT, path)


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    for path in (tmp_path, tmp_path / "none" / "rows.nvk", "/dev/null/rows.nvk"):
        with pytest.raises(nk.FileError, match="the file cannot be written"):
            nk.cache(TEXT, path)
    assert os.listdir(tmp_path) == []


def test_options_that_are_not_for_it_are_refused(tmp_path):
    for option in ({"batch_size": 3}, {"follow": True}, {"bogus": 1}):
        with pytest.raises(nk.InvalidInputError, match=rf"^cache: there is no option {next(iter(option))}\."):
            nk.cache(TEXT, tmp_path / "rows.nvk", **option)
    assert os.listdir(tmp_path) == []


# ---- what goes wrong while it is written ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "failure",
    [KeyboardInterrupt(), MemoryError(), OSError(28, "No space left on device"), nk.InvalidInputError("x: y.")],
)
@pytest.mark.parametrize("when", ["reading", "spilling", "joining"])
def test_interrupted_writing_leaves_the_old_file_and_nothing_else(kept, monkeypatch, failure, when):
    before = kept.path.read_bytes()

    def fail(*_):
        raise failure

    first = nk.read(TEXT)

    def some(*_):
        yield first
        fail()

    if when == "reading":
        monkeypatch.setattr(svmlight.SvmlightBatches, "batches", some)
    elif when == "spilling":
        monkeypatch.setattr(CacheWriter, "_spill", fail)
    else:
        monkeypatch.setattr(caches, "_parts", fail)
    with pytest.raises(type(failure)) as caught:
        nk.cache(TEXT, kept.path)
    if isinstance(failure, OSError):
        assert isinstance(caught.value, nk.FileError)
        assert str(caught.value) == f"{kept.path}: the file cannot be written: No space left on device."
    assert kept.path.read_bytes() == before
    assert sorted(os.listdir(kept.path.parent)) == ["rows.nvk", "rows.svm"]


def test_a_bad_line_leaves_no_cache(tmp_path):
    with pytest.raises(nk.InvalidInputError, match="<bytes>, line 5"):
        nk.cache(TEXT + b"what\n", tmp_path / "rows.nvk")
    assert os.listdir(tmp_path) == []


def test_a_table_without_rows_leaves_no_cache(tmp_path):
    with pytest.raises(nk.InvalidInputError, match=r"^cache: the source has no rows\.$"):
        nk.cache(pd.DataFrame({"a": [1.0], "y": [1]}).iloc[:0], tmp_path / "rows.nvk")
    assert os.listdir(tmp_path) == []


# ---- incomplete caches -----------------------------------------------------------------------------------------

KINDS = {
    "sparse": lambda: [Batch(*nk.read(TEXT), index_base=1)],
    "dense": lambda: [Batch(np.eye(3), np.array(["a", "b", "ä"]), np.ones(3), feature_names=["x", "y", "z"])],
}
every_kind = pytest.mark.parametrize("kind", KINDS)
every_place = pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)])


@every_kind
@every_place
def test_a_changed_byte_is_noticed(tmp_path, kind, step):
    path = written(KINDS[kind](), tmp_path)
    data = path.read_bytes()
    for place in [*range(PREAMBLE.size), *range(PREAMBLE.size, len(data), step)]:
        for byte in {data[place] ^ 1, data[place] ^ 0x80, 0, 0xFF} - {data[place]} if step == 1 else {data[place] ^ 1}:
            path.write_bytes(data[:place] + bytes([byte]) + data[place + 1 :])
            with pytest.raises(nk.InvalidInputError) as caught:
                CacheFile(path)
            assert "\n" not in str(caught.value)
    path.write_bytes(data)
    CacheFile(path)


@every_kind
@every_place
def test_another_length_is_noticed(tmp_path, kind, step):
    path = written(KINDS[kind](), tmp_path)
    data = path.read_bytes()
    for length in range(0, len(data), step):
        path.write_bytes(data[:length])
        with pytest.raises(nk.InvalidInputError):
            CacheFile(path)
    for more in (b"\0", b"\0" * 64, data):
        path.write_bytes(data + more)
        assert f"it has {len(data) + len(more)} bytes instead of {len(data)}" in refusal(path)


def test_another_version_is_refused_by_its_number(tmp_path):
    path = written(KINDS["dense"](), tmp_path)
    data = path.read_bytes()
    path.write_bytes(MAGIC + bytes([VERSION + 1]) + data[8:])
    for read in (nk.read, nk.scan):
        assert f"{path}: the cache has version {VERSION + 1}" in refusal(path, read)


@given(st.binary(max_size=200))
def test_any_bytes_behind_the_mark_are_refused(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.nvk")
        for beginning in (MAGIC, MAGIC + bytes([VERSION])):
            path.write_bytes(beginning + data)
            refusal(path)
            refusal(path, nk.scan)


@pytest.mark.parametrize("content", [b"", b"\0", b"PK\x03\x04" * 99, b"NVKROW", os.urandom(999)], ids=range(5))
def test_the_file_of_another_program_is_refused(tmp_path, content):
    path = tmp_path / "rows.nvk"
    path.write_bytes(content)
    assert str(path) in refusal(path, lambda path: nk.read(path, format="cache"))
    assert str(path) in refusal(path)  # not known as a cache, and no svmlight either


def test_what_is_no_file_is_no_cache(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", "/dev/null"):
        assert "a cache must be a regular file" in refusal(path, lambda path: nk.scan(path, format="cache"))
    with pytest.raises(nk.MissingFileError):
        nk.read(tmp_path / "none.nvk")
    with pytest.raises(nk.MissingFileError):
        nk.scan(tmp_path / "none.nvk", format="cache")
    assert r"a\x00b" in refusal("a\0b", lambda path: nk.scan(path, format="cache"))


def test_a_cache_is_read_by_its_path_and_one_at_a_time(tmp_path):
    path = written(KINDS["sparse"](), tmp_path)
    assert bits(nk.read([path])) == bits(nk.read(path))
    with open(path, "rb") as file:
        for source in (path.read_bytes(), file, "-"):
            assert "a cache can only be read from a file, by its path" in refusal(
                source, lambda source: nk.scan(source, format="cache")
            )
    assert "only one cache can be read at a time" in refusal([path, path])
    for several in ([path, path], [TEXT, path]):
        assert "only one cache can be read at a time" in refusal(
            several, lambda several: nk.scan(several, format="cache")
        )


def test_a_cache_that_was_replaced_since_it_was_opened_is_read_as_it_is_now(tmp_path):
    path = tmp_path / "rows.nvk"
    nk.cache(TEXT, path)
    stream = nk.scan(path, batch_size=2)
    before = iter(stream)
    first = next(before)
    nk.cache(b"+1 1:7\n-1 9:7\n+1 2:7\n", path)
    now = nk.read(path)
    assert bits(rejoined(list(stream))) == bits(now)
    assert bits(rejoined([first, *before])) == bits(nk.read(TEXT))  # which is still open, and goes on
    path.write_bytes(path.read_bytes()[:-64])
    assert "bytes instead of" in refusal(stream, list)


def test_a_cache_that_is_cut_short_under_a_scan_gives_no_wrong_row(tmp_path):
    path = tmp_path / "rows.nvk"
    nk.cache(b"+1 1:7\n-1 9:7\n" * 9000, path)
    batches = iter(nk.scan(path, batch_size=10))
    next(batches)
    os.truncate(path, 4096)
    assert "was truncated while it was read" in refusal(batches, list)


# ---- files that were made on purpose --------------------------------------------------------------------------------


def opened(path):
    """The header of a cache and the bytes behind it."""
    data = path.read_bytes()
    length = struct.unpack_from("<Q", data, 8)[0]
    return json.loads(data[PREAMBLE.size : PREAMBLE.size + length]), data[PREAMBLE.size + length :]


def forge(path, header, arrays):
    """A cache with any header, whose hashes are right."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text = text.ljust(-(-(PREAMBLE.size + len(text)) // 64) * 64 - PREAMBLE.size)
    path.write_bytes(PREAMBLE.pack(MAGIC, VERSION, len(text), _core.hash_bytes(text)) + text + arrays)


def hashes(data):
    return [
        f"{_core.hash_bytes(data[k : k + caches.HASHED_BYTES]):016x}" for k in range(0, len(data), caches.HASHED_BYTES)
    ]


def read_if_whole(path):
    """The rows of a file, or None where it is refused."""
    with suppress(nk.InvalidInputError):
        return nk.read(path)


HUGE = (2**31, 2**32, 2**61, 2**63, 2**64, 10**30)
STRANGE = (None, True, -1, 0, 1.0, 4.0, 1e308, float("nan"), "4", [4], {}, [], [[]], *HUGE)
PLACES = (
    *((name,) for name in ("rows", "columns", "sparse", "classes", "feature_names", "index_base", "source", "arrays")),
    *(("arrays", name) for name in ("values", "columns", "row_ends", "labels")),
    *(("arrays", name, part) for name in ("values", "columns", "row_ends", "labels") for part in ("type", "shape")),
    ("arrays", "values", "hashes"),
    ("arrays", "row_ends", "shape", 0),
    ("arrays", "values", "shape", 0),
)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_a_header_that_says_anything_else_is_refused_or_means_the_same_rows(tmp_path, place):
    path = written(KINDS["sparse"](), tmp_path)
    header, arrays = opened(path)
    rows = plain((nk.read(path).X.toarray(), nk.read(path).y))
    for value in STRANGE:
        changed = json.loads(json.dumps(header))
        *way, last = place
        inner = changed
        for step in way:
            inner = inner[step]
        inner[last] = value
        forge(path, changed, arrays)
        batch = read_if_whole(path)
        if batch is None:
            continue
        width = batch.X.shape[1]
        if place == ("columns",) and width > 3:  # a wider matrix of the same rows is one
            assert width <= 2**31
            continue
        assert plain((batch.X.toarray(), batch.y)) == rows
        assert changed == header or place in (("index_base",), ("source",)) or value in (None, 4, 4.0)


@pytest.mark.parametrize("kind", ["|O", "O", "V8", "<U2", "S8", "<c16", "<M8[s]", ">f8", "<f2", "<f16", "3<f8"])
def test_arrays_of_other_types_are_refused(tmp_path, kind):
    path = written(KINDS["sparse"](), tmp_path)
    header, arrays = opened(path)
    for name in ("values", "labels", "columns"):
        changed = json.loads(json.dumps(header))
        changed["arrays"][name]["type"] = kind
        forge(path, changed, arrays)
        assert f"the array {name} has type {kind!r}" in refusal(path)


@pytest.mark.parametrize("rows", HUGE)
@pytest.mark.parametrize("columns", [0, 1, 3, *HUGE])
def test_a_huge_matrix_of_few_bytes_is_refused_at_once(tmp_path, rows, columns):
    path = written(KINDS["dense"](), tmp_path)
    header, _ = opened(path)
    header |= {"rows": rows, "columns": columns, "feature_names": None}
    header["arrays"]["values"]["shape"] = [rows, columns]
    for name in ("labels", "weights"):
        header["arrays"][name]["shape"] = [rows]
    for array in header["arrays"].values():
        array["hashes"] = []
    for content in (b"", bytes(64)):
        forge(path, header, content)
        refusal(path)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"7",
        b'"rows"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"9" * 100_000,
        b"{}",
        b'{"rows": 1}',
    ],
    ids=range(12),
)
def test_a_header_that_is_no_header_is_refused(tmp_path, text):
    forge(tmp_path / "rows.nvk", text, b"")
    refusal(tmp_path / "rows.nvk")
    refusal(tmp_path / "rows.nvk", nk.scan)


@pytest.mark.parametrize("length", [0, 1, 40, 104, 2**28, 2**62, 2**64 - 1])
def test_a_header_of_another_length_is_refused(tmp_path, length):
    path = tmp_path / "rows.nvk"
    path.write_bytes(PREAMBLE.pack(MAGIC, VERSION, length, _core.hash_bytes(b"")) + b" " * 40)
    refusal(path)


BAD_INDICES = {
    "columns below 0": ("columns", np.array([0, 2, -1, 0, 1, 2], "<i4"), "indices outside 0 to 2"),
    "columns beyond the last": ("columns", np.array([0, 2, 1, 0, 1, 3], "<i4"), "indices outside 0 to 2"),
    "rows that go back": ("row_ends", np.array([2, 1, 3, 6], "<i8"), "a row ends before the previous one"),
    "rows below 0": ("row_ends", np.array([-2, 3, 3, 6], "<i8"), "a row ends before the previous one"),
    "rows beyond the values": (
        "row_ends",
        np.array([2, 3, 3, 7], "<i8"),
        "the last row does not end with the last value",
    ),
    "rows that end early": ("row_ends", np.array([2, 3, 3, 5], "<i8"), "the last row does not end with the last value"),
}


@pytest.mark.parametrize("case", BAD_INDICES.values(), ids=BAD_INDICES)
def test_indices_that_lead_out_of_the_arrays_are_refused(tmp_path, case):
    name, numbers, why = case
    path = written(KINDS["sparse"](), tmp_path)
    header, arrays = opened(path)
    at = 64 * list(header["arrays"]).index(name)
    data = numbers.tobytes().ljust(64, b"\0")
    header["arrays"][name]["hashes"] = hashes(data)
    forge(path, header, arrays[:at] + data + arrays[at + 64 :])
    assert why in refusal(path)


@pytest.mark.parametrize("codes", [[0, 1, 3], [0, -1, 1], [2**62, 0, 0]])
def test_labels_that_have_no_name_are_refused(tmp_path, codes):
    path = written(KINDS["dense"](), tmp_path)
    header, arrays = opened(path)
    at = 128  # values of 72 bytes are before
    data = np.array(codes, "<i8").tobytes().ljust(64, b"\0")
    header["arrays"]["labels"]["hashes"] = hashes(data)
    forge(path, header, arrays[:at] + data + arrays[at + 64 :])
    assert "the array labels has indices outside 0 to 2" in refusal(path)


def test_arrays_of_several_hashed_parts_are_checked_to_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(caches, "HASHED_BYTES", 128)
    whole = nk.read(b"".join(b"%d %d:1 %d:0.5\n" % (k % 3, k % 7 + 1, k % 5 + 9) for k in range(100)))
    path = written([whole], tmp_path)
    assert bits(nk.read(path)) == bits(whole)
    data = bytearray(path.read_bytes())
    for place in range(len(data) - 900, len(data), 17):
        data[place] ^= 4
        path.write_bytes(data)
        refusal(path)
        data[place] ^= 4


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is missing (run the tests on Linux)")
def test_no_file_stays_open(tmp_path):
    path = tmp_path / "rows.nvk"
    nk.cache(TEXT, path)
    stream = nk.scan(path, batch_size=1)
    list(stream)
    batches = iter(stream)
    next(batches)
    del batches
    path.write_bytes(path.read_bytes()[:-1])
    refusal(path)
    assert not any(opens(number, path) for number in os.listdir("/proc/self/fd"))


def opens(number, path):
    """Whether a number of an open file stands for a path."""
    with suppress(OSError):  # that of the listing itself is closed
        return os.path.samefile(f"/proc/self/fd/{number}", path)


def test_labels_that_are_not_valid_unicode_are_refused(tmp_path):
    with pytest.raises(nk.InvalidInputError, match="labels and names of features must be valid Unicode"):
        written([Batch(np.eye(2), np.array(["a", "\ud800"]))], tmp_path)
    assert os.listdir(tmp_path) == []
