"""Where checkpoints are kept: a directory, or an address that fsspec knows."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import Any, Protocol

from novikoff._atomic import replacing
from novikoff.errors import FileError, file_error, missing_package

NAME = re.compile(r"novikoff-checkpoint-[0-9]{8}\.(?:replies|states)")
TEMPORARY = re.compile(r"\.novikoff-checkpoint-[\w.-]*\.[0-9a-f]{16}")  # of a write that was killed, see `replacing`


class Store(Protocol):
    """Files of checkpoints under one address. Other files there are neither read nor removed."""

    name: str

    def names(self) -> list[str]:
        """Return the names of the files of checkpoints."""

    def read(self, name: str) -> bytes:
        """Return the content of a file."""

    def write(self, name: str, content: bytes) -> None:
        """Write a file. A failure raises FileError, and leaves no file with half of the content under this name."""

    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""


class Directory:
    """A directory of this machine, which is made if it does not exist.

    Parameters
    ----------
    path : path
        The directory.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.fspath(path)
        try:
            os.makedirs(self.name, exist_ok=True)
            for name in os.listdir(self.name):
                if TEMPORARY.fullmatch(name):
                    os.unlink(self._path(name))
        except OSError as error:
            raise file_error(self.name, error, "written") from None

    def _path(self, name: str) -> str:
        return os.path.join(self.name, name)

    def names(self) -> list[str]:
        return [name for name in os.listdir(self.name) if NAME.fullmatch(name)]

    def read(self, name: str) -> bytes:
        try:
            with open(self._path(name), "rb") as file:
                return file.read()
        except OSError as error:
            raise file_error(self._path(name), error) from None

    def write(self, name: str, content: bytes) -> None:
        with replacing(self._path(name)) as file:
            file.write(content)

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._path(name))


class Remote:
    """A folder of an object store or another file system that fsspec knows. Object stores write files as a whole.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages.
    address : str
        Such as ``"s3://bucket/folder"``.
    """

    def __init__(self, where: str, address: str) -> None:
        self.name = address
        try:
            from fsspec.core import url_to_fs
        except ModuleNotFoundError as error:
            raise missing_package(where, error.name, "fsspec") from None
        self._files, self._root = self._calling(url_to_fs, address)
        self._calling(self._files.makedirs, self._root, exist_ok=True)

    def _calling(self, function: Any, *arguments: Any, action: str = "written", **options: Any) -> Any:
        """Call a function of fsspec, whose file systems raise errors of many kinds."""
        try:
            return function(*arguments, **options)
        except FileError:
            raise
        except (OSError, ValueError) as error:
            raise file_error(self.name, error, action) from None
        except Exception as error:
            raise file_error(self.name, OSError(f"{type(error).__name__}: {error}"), action) from error

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"

    def names(self) -> list[str]:
        self._files.invalidate_cache()
        try:
            listed = self._calling(self._files.ls, self._root, detail=False, action="read")
        except FileNotFoundError:  # object stores have no empty folders
            return []
        found = [path.rstrip("/").rpartition("/")[2] for path in listed]
        return [name for name in found if NAME.fullmatch(name)]

    def read(self, name: str) -> bytes:
        content: bytes = self._calling(self._files.cat_file, self._path(name), action="read")
        return content

    def write(self, name: str, content: bytes) -> None:
        self._calling(self._files.pipe_file, self._path(name), content)

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self._calling(self._files.rm_file, self._path(name))


def open_store(where: str, address: str | os.PathLike[str]) -> Store:
    """Return the store of a path, or of an address with ``://``."""
    if isinstance(address, str) and "://" in address:
        return Remote(where, address)
    return Directory(address)
