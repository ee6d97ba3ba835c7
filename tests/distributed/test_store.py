"""Where checkpoints are kept: only files of their own names are read and removed."""

import os

import pytest

from novikoff.distributed.store import Directory, Remote, open_store
from novikoff.errors import FileError, InvalidInputError

NAMES = ["novikoff-checkpoint-00000005.replies", "novikoff-checkpoint-00000005.states"]


@pytest.fixture(params=["directory", "memory"])
def store(request, tmp_path):
    if request.param == "directory":
        return open_store("test", tmp_path / "a" / "b")
    pytest.importorskip("fsspec", reason="fsspec is not installed (.venv/bin/pip install fsspec)")
    return open_store("test", f"memory://{tmp_path}")


def test_files_are_written_replaced_read_and_removed(store):
    assert store.names() == []
    for content in (b"one", b"another"):
        for name in NAMES:
            store.write(name, content)
        assert sorted(store.names()) == NAMES
        assert [store.read(name) for name in NAMES] == [content] * 2
    store.remove(NAMES[0])
    store.remove(NAMES[0])
    assert store.names() == NAMES[1:]
    with pytest.raises(FileNotFoundError):
        store.read(NAMES[0])


def test_other_files_are_not_listed(tmp_path):
    for name in ("novikoff-checkpoint-1.states", "novikoff-checkpoint-00000005.states.bak", "model.nvk", ".hidden"):
        (tmp_path / name).write_bytes(b"")
    assert Directory(tmp_path).names() == []
    assert len(os.listdir(tmp_path)) == 4


def test_files_that_a_killed_write_has_left_are_removed(tmp_path):
    left = tmp_path / f".{NAMES[1][:40]}.0123456789abcdef"
    left.write_bytes(b"half")
    Directory(tmp_path)
    assert not left.exists()


def test_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileError, match="file: the file cannot be written"):
        open_store("test", tmp_path / "file")


def test_address_that_no_file_system_knows_is_refused():
    pytest.importorskip("fsspec", reason="fsspec is not installed (.venv/bin/pip install fsspec)")
    with pytest.raises(FileError, match="nosuch://a"):
        open_store("test", "nosuch://a/b")


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(InvalidInputError, match=r"pip install 'novikoff\[fsspec\]'"):
        Remote("test", "memory://a")
