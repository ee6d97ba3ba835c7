"""How far a stream has come in its files, so that another run continues there.

A position is a number of rows, not of bytes: readers are ahead of the learner by some blocks, and compressed files,
Parquet and quoted fields have no byte where a row begins. To continue, the rows before are read again and dropped,
which takes a fraction of the time that it took to learn from them.

The files are known by their content: their size, and hashes of their first and last bytes. A file that has grown since
is the same file, and so is a copy of it under another name or on another disk. A file that was replaced, cut or
changed in these places is another one.
"""

from __future__ import annotations

import glob
import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from novikoff._counts import counted
from novikoff._handles import read_at
from novikoff.errors import file_error, input_error

from .compression import LONGEST_MAGIC, compression_of
from .formats import sources_of
from .formats.sql import SQL
from .source import is_path, is_pipe, name_of

HASHED_BYTES = 1 << 16  # at the beginning and at the end of a file


@dataclass(frozen=True)
class FileIdentity:
    """What tells a file from others, of the time when a position in it was taken.

    Parameters
    ----------
    size : int
        Its size in bytes.
    head : str
        SHA-256 of its first bytes, up to 65,536.
    tail : str
        SHA-256 of its last bytes, up to 65,536.
    """

    size: int
    head: str
    tail: str

    @classmethod
    def of(cls, name: str, file: int, size: int | None = None) -> FileIdentity:
        """Return the identity of an open file, as it was when it had ``size`` bytes; None for all bytes of now."""
        try:
            size = os.fstat(file).st_size if size is None else size
            count = min(size, HASHED_BYTES)
            head, tail = _hash(file, count, 0), _hash(file, count, size - count)
        except OSError as error:
            raise file_error(name, error) from None
        return cls(size, head, tail)


def _hash(file: int, count: int, begin: int) -> str:
    return hashlib.sha256(read_at(file, count, begin)).hexdigest()


@dataclass(frozen=True)
class Position:
    """How far a stream has come.

    Parameters
    ----------
    rows : int
        Number of rows that were learned, of all files together.
    files : tuple of FileIdentity
        The files in their order.
    options : dict of str to str
        The options of the command line that the stream began with, which a run that continues must repeat or leave out.
    may_cut_line : bool, default=False
        Whether a last line without a line end may have been learned, because its reader did not wait for more.
    """

    rows: int
    files: tuple[FileIdentity, ...]
    options: dict[str, str]
    may_cut_line: bool = False

    def __post_init__(self) -> None:
        if self.rows < 0 or any(file.size < 0 for file in self.files):
            raise input_error("position", "numbers of rows and bytes must be at least 0.")


class SourceFiles:
    """The files of a source, held open so that their identity is that of what is read, whatever happens to their names.

    Parameters
    ----------
    source : path, pattern, list of paths, SQL, "-" or other source of ``scan``
        The source. Only regular files have an identity.
    """

    def __init__(self, source: Any) -> None:
        self._names = _paths(source)
        self._files: list[Any] = []
        try:
            for name in self._names:
                self._files.append(open(name, "rb", buffering=0))  # noqa: SIM115  # ``close`` closes it
        except OSError as error:
            self.close()
            raise file_error(str(name), error) from None

    @property
    def are_known(self) -> bool:
        """Whether a run can continue in this source."""
        return bool(self._files)

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()
        self._files = []

    def are_in_place(self) -> bool:
        """Return whether the names still lead to the files that are held open."""
        with suppress(OSError):
            pairs = zip(self._names, self._files, strict=True)
            return all(os.path.samestat(os.stat(name), os.fstat(file.fileno())) for name, file in pairs)
        return False

    def identities(self) -> tuple[FileIdentity, ...]:
        """Return what the files are now."""
        pairs = zip(self._names, self._files, strict=True)
        return tuple(FileIdentity.of(name_of(name), file.fileno()) for name, file in pairs)

    def check(self, position: Position, model: str) -> None:
        """Refuse other files than those of a position. The last one may have grown, and others may have been added.

        Parameters
        ----------
        position : Position
            The position.
        model : str
            What error messages call the model file.
        """
        known = position.files
        if not self._files:
            message = "only files can be continued, not standard input, pipes and queries."
            raise input_error("--resume", f"{message} Leave out --resume to learn from all rows of DATA.")
        for place, (name, file) in enumerate(zip(self._names, self._files, strict=True)):
            if place == len(known):
                break
            size, before = os.fstat(file.fileno()).st_size, known[place]
            may_grow = place == len(known) - 1
            found = None
            if size == before.size or (may_grow and size > before.size):
                found = FileIdentity.of(name_of(name), file.fileno(), before.size)
            if found != before:
                self._refuse(name_of(name), size, before, position.rows, model)
            if position.may_cut_line and size > before.size and _cuts_a_line(file.fileno(), before.size):
                message = f"when {model} learned the last line, it was not finished. Learn from all rows anew"
                raise input_error(name_of(name), f"{message}, and use --follow for a file that grows.")
        if len(self._files) < len(known):
            learned = f"{model} learned from {counted(len(known), 'file')}"
            raise input_error("--resume", f"{learned}, but DATA has {len(self._files)}.")

    def _refuse(self, name: str, size: int, before: FileIdentity, rows: int, model: str) -> None:
        what = f"is smaller than it was, {size:,} of {before.size:,} bytes" if size < before.size else "is another file"
        learned = f"{model} has learned {counted(rows, 'row')} of the one before"
        remedy = "Use --resume with that file, under the name that it has now, and -i without --resume for a new one"
        raise input_error(name, f"this {what}: {learned}. {remedy}.")


def _cuts_a_line(file: int, size: int) -> bool:
    """Return whether a file of plain text had half a line when it had this size."""
    if size == 0 or compression_of(read_at(file, LONGEST_MAGIC, 0)) is not None:
        return False
    last, after = read_at(file, 2, size - 1)
    return last not in b"\n" and after not in b"\r\n"


def _paths(source: Any) -> list[Any]:
    """Return the regular files of a source in their order; none if one part of it is anything else."""
    if SQL.takes(source):
        return []
    found: list[Any] = []
    for part in sources_of(source):
        if not is_path(part) or is_pipe(part):
            return []
        path = os.fspath(part)
        found += [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    return found if all(os.path.isfile(path) for path in found) else []
