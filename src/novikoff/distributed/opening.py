"""A data set of the user on an engine: what ``fit`` and ``verify`` begin with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from novikoff._one_core import one_core
from novikoff.errors import input_error

from .engine import Engine, choose_engine
from .files import OF_SVMLIGHT, OF_TABLES, files_data, is_files
from .rounds import Data, Rounds


@contextmanager
def opened(
    where: str, X: Any, y: Any, sample_weight: Any, on: Any, reading: dict[str, Any]
) -> Iterator[tuple[Engine, Data, Rounds]]:
    """Yield the engine, the data and the rounds of a call. BLAS has one thread meanwhile, as in the steps.

    Parameters
    ----------
    where : str
        The name of the caller, for error messages.
    X, y, sample_weight, on : object
        As for ``novikoff.distributed.fit``.
    reading : dict
        Options of files.
    """
    engine = choose_engine(where, on, X)
    if is_files(X):
        data = files_data(where, X, y, sample_weight, memory=engine.memory(), **reading)
    elif reading:
        name = next(iter(reading))
        is_known = name in ("format", *OF_TABLES, *OF_SVMLIGHT)
        message = f"{name} is an option of files, but X is not a path." if is_known else f"there is no option {name}."
        raise input_error(where, message)
    else:
        data = engine.data(where, X, y, sample_weight)
    with one_core.throughout(), engine.open(data) as rounds:
        yield engine, data, rounds
