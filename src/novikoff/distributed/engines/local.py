"""Threads of this process: the reference that other engines are compared with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff._validation import thread_count
from novikoff.errors import input_error

from ..block import Block, checked_block
from ..protocol import Step, tree_sum
from ..rounds import Data, Rounds, on_block
from .tables import check_columns

ADDRESS = re.compile(r"local(?::([0-9]+))?")


class LocalEngine:
    """Threads of this process.

    Parameters
    ----------
    threads : int
        The number of threads. The result does not depend on it.
    """

    name = "local"

    def __init__(self, threads: int) -> None:
        self.threads = threads

    @classmethod
    def of(cls, where: str, on: Any) -> LocalEngine | None:
        match = ADDRESS.fullmatch(on) if isinstance(on, str) else None
        if match is None:
            return None
        if match[1] is not None and not 1 <= int(match[1]) <= 1024:
            raise input_error(where, f'on="{on}" must have a number of threads from 1 to 1024.')
        return cls(int(match[1]) if match[1] else thread_count(where, -1))

    def data(self, where: str, X: Any, y: Any, sample_weight: Any) -> Data:
        """Return arrays in memory as one partition per thread, or lists of arrays as they are divided."""
        if isinstance(X, list) and X and all(hasattr(part, "shape") and len(part.shape) == 2 for part in X):
            ys = [None] * len(X) if y is None else list(y)
            weights = [None] * len(X) if sample_weight is None else list(sample_weight)
            if not len(X) == len(ys) == len(weights):
                raise input_error(where, "X, y and sample_weight must be lists of the same length.")
            parts = [(f"{where}: partition {k}", *part) for k, part in enumerate(zip(X, ys, weights, strict=True))]
            return Data(checked_block, parts)
        if hasattr(X, "columns"):
            X, y, sample_weight = _without_columns(where, X, y, sample_weight)
        given, X = type(X).__name__, X if sp.issparse(X) or hasattr(X, "shape") else np.asarray(X)
        if X.shape == ():
            raise input_error(where, f"X must be rows, or the path of files, but it is a {given}.")
        names = tuple(getattr(X, "columns", ()))
        is_named = bool(names) and all(isinstance(name, str) for name in names)
        if len(X.shape) != 2:
            raise input_error(where, f"X must have two dimensions, but its shape is {X.shape}.")
        X = X.tocsr() if sp.issparse(X) else np.asarray(X)
        parts = cut(where, X, y, sample_weight, self.threads)
        return Data(checked_block, parts, feature_names=names if is_named else None)

    def workers(self) -> int:
        return self.threads

    def memory(self) -> int | None:
        return None

    def open(self, data: Data) -> Rounds:
        return LocalRounds(data, self.threads)


def _without_columns(where: str, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Return a data frame without the columns that hold the labels and the weights, if they are given by names."""
    columns, found = [str(column) for column in X.columns], []
    for name, given in (("y", y), ("sample_weight", sample_weight)):
        if isinstance(given, str):
            check_columns(where, name, given, columns)
            given = X[given]
        found.append(given)
    named = [given for given in (y, sample_weight) if isinstance(given, str)]
    return (X[[column for column in X.columns if column not in named]] if named else X), *found


def cut(where: str, X: Any, y: Any, sample_weight: Any, count: int) -> list[tuple[Any, ...]]:
    """Return the arguments of `checked_block` for so many partitions of arrays, or one per row if there are fewer."""
    rows = int(X.shape[0])
    for name, values in (("y", y), ("sample_weight", sample_weight)):
        if values is not None and np.ndim(values) > 0 and len(values) != rows:
            raise input_error(where, f"X has {rows} rows, but {name} has {len(values)}.")
    starts = np.linspace(0, rows, max(1, min(count, rows)) + 1).astype(int).tolist()
    y, weights = (None if values is None else np.asarray(values) for values in (y, sample_weight))
    parts = []
    for number, (first, last) in enumerate(pairwise(starts)):
        own = [None if values is None else values[first:last] if values.ndim else values for values in (y, weights)]
        parts.append((f"{where}: partition {number}", X[first:last], *own))
    return parts


class LocalRounds(Rounds):
    """Rounds on threads.

    Parameters
    ----------
    data : Data
        The partitions.
    threads : int
        The number of threads.
    """

    def __init__(self, data: Data, threads: int) -> None:
        super().__init__(len(data.parts))
        self._data = data
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="novikoff-partition")
        self._states: list[Any] = list(range(self.count))
        self._blocks: list[Block] | None = None

    def _map(self, step: Step, command: Any) -> Any:
        make, is_kept = self._data.make, self._data.is_kept
        if is_kept and self._blocks is None:
            self._blocks = self._all([self._pool.submit(make, *part) for part in self._data.parts])
        parts: Sequence[Any] = self._blocks if is_kept and self._blocks is not None else self._data.parts
        found = self._all(
            [
                self._pool.submit(on_block, step, make, is_kept, part, state, command)
                for part, state in zip(parts, self._states, strict=True)
            ]
        )
        self._states = [state for state, _ in found]
        return tree_sum([reply for _, reply in found])

    @staticmethod
    def _all(futures: list[Any]) -> list[Any]:
        """Return all results. If one fails, the others are cancelled before its error is raised."""
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            raise

    def states(self) -> list[Any]:
        return list(self._states)

    def restore(self, states: Sequence[Any]) -> None:
        self._states = list(states)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._states, self._blocks = [], None
