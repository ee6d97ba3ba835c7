"""Files that are written as a whole or not at all: what is left after a failure, and what is kept of the old file."""

import errno
import os
import shutil
import stat
import threading

import numpy as np
import pytest

import novikoff as nk
from novikoff import _atomic
from novikoff._atomic import replacing


class WentWrongError(Exception):
    pass


def write(path, then=lambda: None):
    with replacing(path) as file:
        file.write(b"new")
        then()


def failing(error):
    def fail(*_):
        raise error

    return fail


def names(folder):
    return sorted(os.listdir(folder))


def test_nothing_is_at_its_place_before_all_of_it_is(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("failure", [WentWrongError(), KeyboardInterrupt(), SystemExit(1), MemoryError()])
@pytest.mark.parametrize("there", [True, False], ids=["replaced", "new"])
def test_a_failure_leaves_what_was_there_and_no_other_file(tmp_path, failure, there):
    path = tmp_path / "file"
    if there:
        path.write_bytes(b"old")
    with pytest.raises(type(failure)):
        write(path, failing(failure))
    assert names(tmp_path) == (["file"] if there else [])
    assert not there or path.read_bytes() == b"old"


full = failing(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))


@pytest.mark.parametrize("when", ["write", "flush to the disk", "rename"])
def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, when):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    if when == "flush to the disk":
        monkeypatch.setattr(_atomic.os, "fsync", full)
    if when == "rename":
        monkeypatch.setattr(_atomic.os, "replace", full)
    with pytest.raises(nk.FileError) as caught:
        write(path, full if when == "write" else lambda: None)
    assert str(caught.value) == f"{path}: the file cannot be written: No space left on device."
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is missing (run the tests on Linux)")
@pytest.mark.parametrize("rows", [1, 20_000])
def test_a_device_that_is_full_is_told(rows):
    with pytest.raises(nk.FileError) as caught:
        nk.write_svmlight(np.ones((rows, 3)), np.ones(rows), "/dev/full")
    assert str(caught.value) == "/dev/full: the file cannot be written: No space left on device."
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_devices_and_pipes_are_written_to_and_not_replaced(tmp_path):
    write("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    got = []
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    write(path)
    reader.join()
    assert got == [b"new"]
    assert stat.S_ISFIFO(os.stat(path).st_mode)
    assert names(tmp_path) == ["pipe"]


def test_a_pipe_by_the_name_of_its_descriptor_is_written_to():
    read_end, write_end = os.pipe()
    try:
        write(f"/dev/fd/{write_end}")
        assert os.read(read_end, 10) == b"new"
    finally:
        os.close(read_end)
        os.close(write_end)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o444])
def test_permissions_of_the_old_file_are_kept(tmp_path, mode):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(mode)
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o000])
def test_a_new_file_has_the_permissions_of_new_files(tmp_path, mask):
    previous = os.umask(mask)
    try:
        write(tmp_path / "file")
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o666 & ~mask


def test_the_mask_of_the_process_is_never_touched(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", failing(AssertionError("files of other threads would be open to everyone")))
    write(tmp_path / "file")


@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing"])
def test_a_link_is_followed_and_stays(tmp_path, there):
    (tmp_path / "deep").mkdir()
    target, link = tmp_path / "deep" / "target", tmp_path / "link"
    if there:
        target.write_bytes(b"old")
    link.symlink_to("deep/target")
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert names(tmp_path / "deep") == ["target"]


def test_a_name_without_a_folder_is_in_the_current_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("file")
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("name", ["x" * 255, "ü" * 127, "-", " ", "a\nb"])
def test_any_name_that_a_file_may_have_will_do(tmp_path, name):
    write(tmp_path / name)
    assert names(tmp_path) == [name]


def test_what_cannot_be_written_is_told_with_its_path(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    for path, why in (
        (tmp_path, "Is a directory"),
        (tmp_path / "none" / "file", "No such file or directory"),
        (tmp_path / "file" / "file", "Not a directory"),
        (tmp_path / ("x" * 256), "File name too long"),
    ):
        with pytest.raises(nk.FileError) as caught:
            write(path)
        assert str(caught.value) == f"{path}: the file cannot be written: {why}."
    with pytest.raises(nk.FileError, match="embedded null byte"):
        write("a\0b")
    assert names(tmp_path) == ["file"]


def test_a_folder_that_goes_away_is_told(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(nk.FileError, match="No such file or directory"):
        write(folder / "file", lambda: shutil.rmtree(folder))


def test_a_folder_without_permission_is_told(tmp_path):
    tmp_path.chmod(0o500)
    user = os.geteuid()
    os.seteuid(user or 65534)  # root may write everywhere
    try:
        with pytest.raises(nk.FileError, match="Permission denied"):
            write(tmp_path / "file")
    finally:
        os.seteuid(user)
        tmp_path.chmod(0o700)


def test_errors_of_other_files_keep_their_words(tmp_path):
    with pytest.raises(nk.MissingFileError, match=r"^elsewhere:"):
        write(tmp_path / "file", failing(nk.MissingFileError("elsewhere: no file.")))
