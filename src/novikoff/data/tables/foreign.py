"""Packages that tables need: imported when first used, and their errors said in one sentence."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from novikoff.errors import NovikoffError, invalid


def library(where: str, name: str) -> Any:
    """Import pyarrow, duckdb or a part of them, which novikoff itself works without."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        need = f"The package {package}, which tables need (pip install 'novikoff[tables]')."
        raise invalid(where, need, f"no {package} that can be imported") from error


@contextmanager
def refusing(where: str, need: str, got: str) -> Iterator[None]:
    """Turn whatever another package raises into an error of ours."""
    try:
        yield
    except (NovikoffError, MemoryError):
        raise
    except Exception as error:
        raise invalid(where, need, f"{got}: {sentence(error)}") from error


def sentence(error: Exception) -> str:
    """What an error says, on one line and without the drawings that DuckDB adds below."""
    return " ".join(str(error).partition("\n\n")[0].split()) or type(error).__name__
