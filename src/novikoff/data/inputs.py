"""The files that a source is read from, known before it is opened."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterable
from typing import Any

from .formats import sources_of
from .formats.sql import SQL, named_files
from .source import is_path


def reads_file(where: str, path: str, source: Any, databases: Iterable[str] = ()) -> bool:
    """Return whether a source is read from this file, under whatever name: a pattern, a link, SQL, standard input.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages.
    path : str
        The file.
    source : path, pattern, list of paths, SQL, "-" or other source of ``scan``
        The source.
    databases : iterable of str, default=()
        Databases that SQL may read.
    """
    if not os.path.isfile(path):
        return False
    wanted = os.stat(path)
    if any(_is_same(wanted, database.removeprefix("sqlite:")) for database in databases):
        return True
    if SQL.takes(source):
        return any(_is_same(wanted, name) for name in named_files(where, source))
    return any(_is_same(wanted, name) for part in sources_of(source) for name in _files_of(part))


def _files_of(source: Any) -> list[Any]:
    """Return the paths behind one path, pattern or "-"; none for other sources."""
    if isinstance(source, str) and source == "-":
        try:
            return [sys.stdin.fileno()]
        except (AttributeError, ValueError, OSError):  # no standard input, or one that a program has replaced
            return []
    if not is_path(source):
        return []
    path = os.fspath(source)
    return [path] if os.path.exists(path) else glob.glob(path, recursive=True)


def _is_same(wanted: os.stat_result, path: Any) -> bool:
    try:
        return os.path.samestat(wanted, os.stat(path))
    except (OSError, ValueError):  # a name in a query may be that of a table, and contain any character
        return False
