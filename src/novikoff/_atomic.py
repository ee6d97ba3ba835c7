"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from .errors import unreadable

WRITABLE = "A file that can be written."


@contextmanager
def replacing(where: str, path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write a file beside its place, flush it to the disk, and only then put it there.

    A crash, a full disk or an exception on the way leaves what was there before. Links are followed, and the
    permissions of a file that is replaced are kept.
    """
    place = os.path.realpath(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(place), prefix=f".{os.path.basename(place)}.")
    except OSError as error:
        raise unreadable(where, os.fspath(path), error, WRITABLE) from None
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), _mode(place))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place)
        _flush_directory(os.path.dirname(place))
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        if type(error) is OSError or isinstance(error, PermissionError | IsADirectoryError):
            raise unreadable(where, os.fspath(path), error, WRITABLE) from None
        raise


def _mode(place: str) -> int:
    try:
        return os.stat(place).st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _flush_directory(directory: str) -> None:
    """A rename is on the disk once its directory is; not every file system can be asked for that."""
    with suppress(OSError):
        handle: Any = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
