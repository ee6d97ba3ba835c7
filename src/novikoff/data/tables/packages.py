"""Optional packages that tables need: imported on first use, and their errors shortened to one sentence."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from novikoff._printable import printable
from novikoff._room import check_room
from novikoff.errors import NovikoffError, input_error

MAX_LENGTH = 300  # characters of the message of another package
ROOM_FOR_THREADS = 256 << 20  # bytes that the threads of pyarrow take at least; it ends the process if it gets none


def library(where: str, name: str) -> Any:
    """Import pyarrow, duckdb or one of their modules. MemoryError if a limit leaves too little for their threads."""
    try:
        module = importlib.import_module(name)
        check_room(ROOM_FOR_THREADS, name)
        return module
    except ModuleNotFoundError as error:  # not memory that is short while it is imported
        package = name.partition(".")[0]
        message = f"tables need the package {package}. Install it with: pip install 'novikoff[tables]'"
        raise input_error(where, message) from error


@contextmanager
def explaining(where: str, problem: str) -> Iterator[None]:
    """Turn any error of another package into ``where: problem: what it says.``."""
    try:
        yield
    except (NovikoffError, MemoryError):
        raise
    except Exception as error:
        raise input_error(where, f"{problem}: {sentence(error)}.") from error


def sentence(error: Exception) -> str:
    """Return the message of an error on one printable line, without the source excerpt that DuckDB adds below it."""
    return (one_line(str(error).partition("\n\n")[0]) or type(error).__name__).rstrip(".")


def one_line(text: str) -> str:
    """Return what another package says as one line of printable characters, and not too many of them."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= MAX_LENGTH else line[: MAX_LENGTH - 3] + "..."
