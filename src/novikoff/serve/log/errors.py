"""Errors of the log, and how those of SQLite and the operating system become one of them."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

import apsw

from novikoff._printable import printable
from novikoff.errors import NovikoffError


class CorruptBlock(NovikoffError, ValueError):
    """Bytes that are not a block of examples."""


class StoreError(NovikoffError):
    """The log cannot be opened, read or written.

    Parameters
    ----------
    code : {"disk_full", "read_only", "io", "locked", "format", "corrupt"}
        A word for programs. "format": the file is not a log, or one of a newer version; "corrupt": it is damaged.
    message : str
        One or two sentences for people: what is wrong, and what to do.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


class CorruptRecord(StoreError):
    """A record whose content is not what was written, or that is missing.

    Parameters
    ----------
    sequence : int
        The number of the record.
    message : str
        One or two sentences for people.
    """

    def __init__(self, sequence: int, message: str) -> None:
        super().__init__("corrupt", message)
        self.sequence = sequence


RESTORE: Final = "Restore the state directory from a copy."
REMEDIES = {
    "disk_full": "the disk is full. Free space on it; nothing that was acknowledged is lost.",
    "read_only": "it cannot be written. Make the directory writable for this user, or give another one.",
    "io": "the disk reports an error ({reason}). Check the disk, then restart the server.",
    "locked": "another process keeps it locked. Stop that process first.",
    "format": "it is not a log of novikoff. Give another state directory.",
    "corrupt": f"the database is damaged ({{reason}}). {RESTORE}",
}
FAILURES: Final = (apsw.Error, OSError, UnicodeDecodeError)  # what reading and writing may raise
CODES: tuple[tuple[type[BaseException], str], ...] = (
    (apsw.FullError, "disk_full"),
    (apsw.ReadOnlyError, "read_only"),
    (apsw.PermissionsError, "read_only"),
    (apsw.AuthError, "read_only"),
    (apsw.BusyError, "locked"),
    (apsw.LockedError, "locked"),
    (apsw.NotADBError, "format"),
    (apsw.CorruptError, "corrupt"),
    (apsw.SQLError, "corrupt"),  # a table that is not in the schema
    (apsw.FormatError, "corrupt"),
    (UnicodeDecodeError, "corrupt"),  # a payload that damage has turned into text
)
CODES_OF_ERRNO = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EFBIG: "disk_full",
    errno.EROFS: "read_only",
    errno.EACCES: "read_only",
    errno.EPERM: "read_only",
}


def store_error(path: Path, error: BaseException, system_errno: int = 0) -> StoreError:
    """Return the StoreError of an error of SQLite or the operating system.

    Parameters
    ----------
    path : Path
        The file that was to be read or written.
    error : BaseException
        One of `FAILURES`.
    system_errno : int, default=0
        The error number of the last system call of SQLite, which tells why an input or output failed.
    """
    code = next((code for kind, code in CODES if isinstance(error, kind)), "io")
    if code == "io":
        number = error.errno if isinstance(error, OSError) else system_errno
        code = CODES_OF_ERRNO.get(number or 0, "io")
    return StoreError(code, printable(f"{path}: {REMEDIES[code].format(reason=str(error).rstrip('.'))}"))
