"""Errors of the log: each failure of SQLite or the disk has a code and says what to do."""

import errno
from pathlib import Path

import apsw
import pytest

from novikoff.serve.log.errors import CorruptRecord, store_error


@pytest.mark.parametrize(
    ("error", "number", "code", "words"),
    [
        (apsw.FullError("x"), 0, "disk_full", "Free space"),
        (apsw.ReadOnlyError("x"), 0, "read_only", "writable"),
        (apsw.BusyError("x"), 0, "locked", "another process"),
        (apsw.NotADBError("x"), 0, "format", "not a log"),
        (apsw.CorruptError("x"), 0, "corrupt", "damaged"),
        (apsw.IOError("disk I/O error"), errno.EIO, "io", "disk I/O error"),
        (apsw.IOError("x"), errno.ENOSPC, "disk_full", "Free space"),
        (apsw.IOError("x"), errno.EROFS, "read_only", "writable"),
        (OSError(errno.ENOSPC, "x"), 0, "disk_full", "Free space"),
        (PermissionError(errno.EACCES, "x"), 0, "read_only", "writable"),
        (NotADirectoryError(errno.ENOTDIR, "x"), errno.ENOSPC, "io", "x"),
    ],
)
def test_the_code_says_what_failed_and_the_message_what_to_do(error, number, code, words):
    found = store_error(Path("state", "log.sqlite"), error, number)
    assert found.code == code
    assert found.message == str(found)
    assert found.message.startswith("state/log.sqlite: ")
    assert words in found.message


def test_a_damaged_record_is_an_error_of_the_store():
    error = CorruptRecord(7, "Record 7 is damaged.")
    assert (error.sequence, error.code, str(error)) == (7, "corrupt", "Record 7 is damaged.")
