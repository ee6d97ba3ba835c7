"""Files that are there as a whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from novikoff.errors import NovikoffError, unreadable

WRITABLE = "A file that can be written."


@contextmanager
def replacing(where: str, path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write a file beside its place, flush it to the disk, and only then put it there.

    A crash, a full disk or an exception on the way leaves what was there before. Links are followed, and the
    permissions of a file that is replaced are kept. Pipes and devices, which nothing can stand in for, are written to.
    """
    temporary = None
    try:
        mode = _mode(where, path)
        if mode is not None and not stat.S_ISREG(mode):
            with open(path, "wb") as file:  # of a directory, the system says what it is
                yield file
            return
        place = os.path.realpath(path)
        handle, temporary = _create_beside(place, mode)
        with os.fdopen(handle, "wb") as file:
            if mode is not None:
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
            raise unreadable(where, os.fspath(path), error, WRITABLE) from None
        raise


def check_place(where: str, path: str | os.PathLike[str]) -> None:
    """Refuse a place where no file can be put, before the work is done whose result would go there."""
    mode = _mode(where, path)
    directory = os.path.dirname(os.path.realpath(path))
    wrong = None
    if mode is not None and stat.S_ISDIR(mode):
        wrong = errno.EISDIR
    elif mode is None or stat.S_ISREG(mode):
        wrong = errno.ENOENT if not os.path.isdir(directory) else None
        wrong = wrong or (None if os.access(directory, os.W_OK) else errno.EACCES)
    if wrong is not None:
        raise unreadable(where, os.fspath(path), OSError(wrong, os.strerror(wrong)), WRITABLE)


def _mode(where: str, path: str | os.PathLike[str]) -> int | None:
    """What a file is and who may do what with it; None if it is not there."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
    except ValueError as error:  # a zero byte in the name
        raise unreadable(where, repr(os.fspath(path)), error, WRITABLE) from None


def _create_beside(place: str, mode: int | None) -> tuple[int, str]:
    """Open a new file in the same directory, with the permissions of the old one, or those that new files have."""
    directory, name = os.path.split(place)
    temporary = os.path.join(directory, f".{name[:40]}.{secrets.token_hex(8)}")  # names of 255 bytes leave no room
    permissions = 0o666 if mode is None else stat.S_IMODE(mode) & 0o777
    return os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, permissions), temporary


def _flush_directory(directory: str) -> None:
    """A rename is on the disk once its directory is; not every file system can be asked for that."""
    with suppress(OSError):
        handle: Any = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
