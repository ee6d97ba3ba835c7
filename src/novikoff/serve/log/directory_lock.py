"""A lock on the state directory, so that two servers never write one log."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from novikoff._handles import NOT_INHERITED, read_at
from novikoff._printable import printable
from novikoff.serve.log.errors import StoreError, store_error

NAME = "lock"


class DirectoryLock:
    """A lock on the file ``lock`` in a directory, which ends with the process that holds it.

    The file contains the number of that process, for people. It is never removed: a process that waits for a file
    that another one removes would hold a lock that nobody else sees.

    Parameters
    ----------
    directory : Path
        An existing directory.

    Raises
    ------
    StoreError
        "locked" if another process, or another part of this one, holds the lock.
    """

    def __init__(self, directory: Path) -> None:
        path = directory / NAME
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | NOT_INHERITED, 0o644)
        except OSError as error:
            raise store_error(path, error) from None
        try:
            _lock(self._handle)
        except OSError:
            holder = _holder(self._handle)
            os.close(self._handle)
            message = f"{directory}: another server{holder} uses this directory. Stop it, or give another directory."
            raise StoreError("locked", printable(message)) from None
        try:
            os.ftruncate(self._handle, 0)
            os.write(self._handle, f"{os.getpid()}\n".encode())
        except OSError:
            pass  # on a full disk the lock holds without the number

    def release(self) -> None:
        """Release the lock; a second call does nothing."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _holder(handle: int) -> str:
    try:
        text = read_at(handle, 20, 0).strip()
    except OSError:
        return ""
    return f" (process {int(text)})" if text.isdigit() else ""
