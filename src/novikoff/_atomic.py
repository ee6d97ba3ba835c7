"""Atomic writes: a file is replaced as a whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from novikoff._handles import NOT_INHERITED
from novikoff.errors import NovikoffError, file_error


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a temporary file in the same directory, flush it to disk after the block, and rename it to ``path``.

    A crash, a full disk or an exception in the block leaves the old file as it was. Links are followed, and the
    permissions of a file that is replaced are kept. Pipes and devices cannot be replaced, and are written to directly.
    """
    temporary = None
    try:
        mode = _mode(path)
        if mode is not None and not stat.S_ISREG(mode):
            with open(path, "wb") as file:  # raises IsADirectoryError for a directory
                yield file
            return
        place = os.path.realpath(path)
        handle, temporary = _create_beside(place, mode)
        with os.fdopen(handle, "wb") as file:
            if mode is not None and sys.platform != "win32":
                os.fchmod(handle, stat.S_IMODE(mode) & 0o777)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place)
        _flush_directory(os.path.dirname(place))
    except BaseException as error:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        if isinstance(error, OSError) and not isinstance(error, NovikoffError):
            raise file_error(os.fspath(path), error, "written") from None
        raise


def check_place(path: str | os.PathLike[str]) -> None:
    """Refuse a path that cannot be written, before the work whose result would go there."""
    mode = _mode(path)
    directory = os.path.dirname(os.path.realpath(path))
    wrong = None
    if mode is not None and stat.S_ISDIR(mode):
        wrong = errno.EISDIR
    elif mode is None or stat.S_ISREG(mode):
        wrong = errno.ENOENT if not os.path.isdir(directory) else None
        wrong = wrong or (None if os.access(directory, os.W_OK) else errno.EACCES)
    if wrong is not None:
        raise file_error(os.fspath(path), OSError(wrong, os.strerror(wrong)), "written")


def _mode(path: str | os.PathLike[str]) -> int | None:
    """Return the type and permissions of a file; None if it does not exist."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
    except ValueError as error:  # a zero byte in the name
        raise file_error(repr(os.fspath(path)), error, "written") from None


def _create_beside(place: str, mode: int | None) -> tuple[int, str]:
    """Open a new file in the same directory, with the permissions of the old one, or those of new files."""
    directory, name = os.path.split(place)
    temporary = os.path.join(directory, f".{name[:40]}.{os.urandom(8).hex()}")  # a name may have at most 255 bytes
    permissions = 0o666 if mode is None else stat.S_IMODE(mode) & 0o777
    return os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOT_INHERITED, permissions), temporary


def _flush_directory(directory: str) -> None:
    """Flush a directory, so that a rename in it survives a crash; not every file system supports that."""
    with suppress(OSError):
        handle: Any = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
