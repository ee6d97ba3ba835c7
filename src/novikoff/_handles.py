"""Operations on open files for which Windows lacks a function that other systems have."""

from __future__ import annotations

import os
import sys


def read_by_seeking(handle: int, count: int, offset: int, /) -> bytes:
    """Read up to ``count`` bytes at an offset, and leave the position of the file as it was.

    Other threads must not read from the same handle meanwhile.
    """
    position = os.lseek(handle, 0, os.SEEK_CUR)
    try:
        os.lseek(handle, offset, os.SEEK_SET)
        return os.read(handle, count)
    finally:
        os.lseek(handle, position, os.SEEK_SET)


if sys.platform == "win32":
    NOT_INHERITED = os.O_NOINHERIT | os.O_BINARY  # flags of os.open for a file that child processes do not get
    read_at = read_by_seeking
else:
    NOT_INHERITED = os.O_CLOEXEC
    read_at = os.pread
