"""Reading at an offset, as on systems without pread."""

import os

import pytest

from novikoff._handles import NOT_INHERITED, read_at, read_by_seeking


@pytest.mark.parametrize("read", [read_at, read_by_seeking])
def test_bytes_at_an_offset_are_read_without_moving_the_position(tmp_path, read):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    with open(path, "rb", buffering=0) as file:
        file.read(3)
        assert [read(file.fileno(), *place) for place in [(4, 5), (4, 8), (4, 20)]] == [b"5678", b"89", b""]
        assert file.read(2) == b"34"


def test_the_position_is_kept_if_reading_fails(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    handle = os.open(path, os.O_WRONLY | NOT_INHERITED)
    try:
        os.lseek(handle, 7, os.SEEK_SET)
        with pytest.raises(OSError, match="Bad file descriptor"):
            read_by_seeking(handle, 1, 0)
        assert os.lseek(handle, 0, os.SEEK_CUR) == 7
    finally:
        os.close(handle)


def test_a_child_process_does_not_get_the_file(tmp_path):
    handle = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT | NOT_INHERITED)
    try:
        assert not os.get_inheritable(handle)
    finally:
        os.close(handle)
