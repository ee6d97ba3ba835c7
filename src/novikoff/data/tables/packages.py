"""Optional packages that tables need: imported on first use, and their errors shortened to one sentence."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from novikoff.errors import NovikoffError, input_error


def library(where: str, name: str) -> Any:
    """Import pyarrow, duckdb or one of their modules."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
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
    """Return the message of an error on one line, without the source excerpt that DuckDB adds below it."""
    return (" ".join(str(error).partition("\n\n")[0].split()) or type(error).__name__).rstrip(".")
