"""Where bytes come from and go to: paths, pipes, memory and file objects, cut where lines end."""

import bz2
import gzip
import io
import lzma
import os
import resource
import sys
import tempfile
import threading

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.compression import DamagedError
from novikoff.data.source import is_lasting, line_blocks, name_of, opened, writable

TEXT = b"+1 1:0.5 3:2  # first\n\n-1 2:1e-3\n"
PACK = {
    "plain": bytes,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
every_kind = pytest.mark.parametrize("pack", PACK.values(), ids=PACK)


def whole(source, size=1000):
    """All that a source gives."""
    parts = []
    with opened("read", source) as fill:
        buffer = bytearray(size)
        while count := fill(memoryview(buffer)):
            parts.append(bytes(buffer[:count]))
    return b"".join(parts)


def refusal(source):
    with pytest.raises(nk.InvalidInputError) as caught:
        whole(source)
    return str(caught.value)


def fed(path, *chunks):
    """Write chunks to a named pipe from another thread."""

    def write():
        with open(path, "wb", buffering=0) as pipe:
            for chunk in chunks:
                pipe.write(chunk)

    thread = threading.Thread(target=write)
    thread.start()
    return thread


# ---- sources ---------------------------------------------------------------------------------------------------------


@every_kind
def test_every_source_gives_the_same_bytes(tmp_path, pack):
    data = pack(TEXT)
    path = tmp_path / "rows.txt"  # the name says nothing
    path.write_bytes(data)
    assert whole(str(path)) == whole(path) == TEXT
    assert whole(data) == whole(bytearray(data)) == whole(memoryview(data)) == whole(io.BytesIO(data)) == TEXT
    with path.open("rb") as file:
        assert whole(file) == TEXT
    with path.open("rb", buffering=0) as file:
        assert whole(file) == TEXT
    with tempfile.SpooledTemporaryFile() as file:
        file.write(data)
        file.seek(0)
        assert whole(file) == TEXT
    assert whole(memoryview(b"".join(bytes([byte, 0]) for byte in data))[::2]) == TEXT


@every_kind
def test_a_named_pipe_gives_the_same_bytes(tmp_path, pack):
    path, data = tmp_path / "pipe", pack(TEXT)
    os.mkfifo(path)
    for chunks in ([data], [data[:1], data[1:3], data[3:]], [bytes([byte]) for byte in data]):
        writer = fed(path, *chunks)
        assert whole(path) == TEXT
        writer.join()


def test_a_plain_name_never_hides_compressed_bytes(tmp_path):
    path = tmp_path / "rows.gz"
    path.write_bytes(TEXT)
    assert nk.read_svmlight(path).X.shape == (2, 3)


def test_an_open_file_is_read_from_where_it_stands_and_stays_open(tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(TEXT)
    with path.open("rb") as file:
        file.readline()
        assert whole(file) == TEXT[TEXT.index(b"\n") + 1 :]
        assert not file.closed


def test_a_missing_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    expected = 'a path, bytes, a binary file object or "-" (standard input)'
    assert refusal("-") == f"read: the source must be {expected}, but it is None."


@pytest.mark.parametrize("content", [TEXT, b"\xff\xfe"], ids=["text", "no text"])
def test_a_file_object_in_text_mode_is_refused(tmp_path, content):
    path = tmp_path / "rows"
    path.write_bytes(content)
    with path.open(encoding="utf-8") as file:
        assert refusal(file) == f"{path}: the file object must be opened in binary mode, but it returns str."
    message = "<file>: the file object must be opened in binary mode, but it returns str."
    assert refusal(io.StringIO("1 1:2")) == message


def test_a_file_object_that_returns_no_bytes_is_refused():
    class Strange:
        def read(self, size):
            return [1, 2, 3]

    message = "<file>: the file object must be opened in binary mode, but it returns list."
    assert refusal(Strange()) == message


def test_an_error_names_the_file_that_cannot_be_read(tmp_path):
    path = tmp_path / "rows"
    assert refusal(path) == f"{path}: the file cannot be read: No such file or directory."
    with pytest.raises(FileNotFoundError):
        whole(path)
    assert refusal(tmp_path) == f"{tmp_path}: the file cannot be read: Is a directory."
    assert "embedded null byte" in refusal("a\0b")
    with path.open("wb") as file:
        assert refusal(file) == f"{path}: the file cannot be read: read1."
    with path.open("rb") as file:
        pass
    assert refusal(file) == f"{path}: the file cannot be read: read of closed file."


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything (run the tests as another user)")
def test_a_file_without_permission_is_refused(tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(TEXT)
    path.chmod(0)
    assert refusal(path) == f"{path}: the file cannot be read: Permission denied."


def test_an_error_of_the_system_while_reading_is_reported():
    class Broken(io.RawIOBase):
        def read(self, size=-1):
            raise OSError(5, "Input/output error")

    assert refusal(Broken()) == "<file>: the file cannot be read: Input/output error."


def test_an_error_in_the_middle_of_a_compressed_pipe_is_reported():
    class Broken(io.RawIOBase):
        chunks = iter([gzip.compress(TEXT * 1000)[:100]])

        def read(self, size=-1):
            for chunk in self.chunks:
                return chunk
            raise OSError(5, "Input/output error")

    assert refusal(Broken()) == "<file>: the file cannot be read: Input/output error."


def test_a_pipe_may_have_a_large_file_descriptor():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    number = 2000  # beyond what select can take
    if hard not in (resource.RLIM_INFINITY, -1) and hard <= number:
        pytest.skip(f"no more than {hard} files may be open (ulimit -n unlimited)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, number + 1), hard))
    read_end, write_end = os.pipe()
    try:
        os.dup2(read_end, number)
        os.close(read_end)
        os.write(write_end, TEXT)
        os.close(write_end)
        with os.fdopen(number, "rb") as file:
            assert whole(file) == TEXT
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_sources_have_names_for_error_messages(tmp_path):
    assert name_of("-") == "<stdin>"
    assert name_of(b"1") == name_of(memoryview(b"1")) == name_of(bytearray(b"1")) == "<bytes>"
    assert name_of(tmp_path) == str(tmp_path)
    assert name_of(io.BytesIO()) == "<file>"
    with open(os.devnull, "rb") as file:
        assert name_of(file) == os.devnull
    with os.fdopen(os.open(os.devnull, os.O_RDONLY)) as file:
        assert name_of(file) == "<file>"  # its name is a number


def test_files_and_bytes_last_and_pipes_do_not(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    assert is_lasting(tmp_path / "file")
    assert is_lasting(str(tmp_path / "file"))
    assert is_lasting(b"1")
    for source in (tmp_path / "pipe", tmp_path, tmp_path / "none", "-", io.BytesIO()):
        assert not is_lasting(source)


# ---- lines -----------------------------------------------------------------------------------------------------------


def filler(chunks):
    """Fill from chunks, one a call, cut where the room ends."""
    pending = [chunk for chunk in chunks if chunk]

    def fill(room):
        if not pending:
            return 0
        count = min(len(room), len(pending[0]))
        room[:count] = pending[0][:count]
        pending[0] = pending[0][count:]
        if not pending[0]:
            pending.pop(0)
        return count

    return fill


@given(
    st.lists(st.binary(max_size=12).map(lambda b: b.replace(b"\0", b"\n").replace(b"\1", b"\n"))), st.integers(1, 20)
)
def test_blocks_are_whole_lines_and_together_the_text(chunks, size):
    blocks = [bytes(block) for block in line_blocks(filler(chunks), size)]
    assert b"".join(blocks) == b"".join(chunks)
    assert all(block.endswith(b"\n") for block in blocks[:-1])
    assert all(blocks)


def test_a_line_longer_than_a_block_makes_the_block_larger():
    text = b"x" * 1000 + b"\n" + b"y\n"
    assert b"".join(bytes(block) for block in line_blocks(filler([text]), 10)) == text


def test_a_line_longer_than_allowed_is_refused():
    blocks = line_blocks(filler([b"a\n" + b"x" * 1000]), 16, max_size=64)
    assert bytes(next(blocks)) == b"a\n"
    with pytest.raises(DamagedError, match="the line is longer than 64 bytes"):
        next(blocks)


def test_a_line_longer_than_a_block_is_text():
    with pytest.raises(DamagedError, match="the file is not text: it has a zero byte"):
        list(line_blocks(filler([b"x" * 10 + b"\0" + b"x" * 20]), 16))


def test_the_lines_before_damage_come_first():
    fills = iter([b"a\nb\nhalf"])

    def fill(room):
        for data in fills:
            room[: len(data)] = data
            return len(data)
        raise DamagedError("damaged")

    blocks = line_blocks(fill, 100)
    assert bytes(next(blocks)) == b"a\nb\n"
    with pytest.raises(DamagedError):
        next(blocks)


# ---- targets ---------------------------------------------------------------------------------------------------------


def test_a_file_object_is_written_to_and_stays_open(tmp_path):
    file = io.BytesIO(b"before")
    file.seek(6)
    with writable("write", file) as target:
        target.write(b"after")
    assert file.getvalue() == b"beforeafter"


def test_a_file_object_that_takes_little_at_a_time_gets_all():
    class Slow(io.RawIOBase):
        data = b""

        def writable(self):
            return True

        def write(self, data):
            self.data += bytes(data[:3])
            return min(len(data), 3)

    file = Slow()
    nk.write_svmlight([[1.0, 2.0], [3.0, 4.0]], [1, 2], file)
    assert file.data == b"1 1:1 2:2\n2 1:3 2:4\n"


@pytest.mark.parametrize("target", [io.StringIO(), 3, None, "-", b"bytes"])
def test_a_target_that_takes_no_bytes_is_refused(target):
    words = r"the target must be a path or a binary|must be opened in binary mode"
    with pytest.raises(nk.InvalidInputError, match=words), writable("write", target):
        pass


def test_a_text_file_is_refused_before_anything_is_written(tmp_path):
    path = tmp_path / "rows"
    with path.open("w", encoding="utf-8") as file, pytest.raises(nk.InvalidInputError) as caught:
        nk.write_svmlight([[1.0]], [1], file)
    assert str(caught.value) == f"{path}: the file object must be opened in binary mode, but it takes str."
    assert path.read_bytes() == b""
