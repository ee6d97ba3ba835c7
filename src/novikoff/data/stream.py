"""Any source of rows as a stream of batches, or as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike

from novikoff._validation import check_flag, check_integer

from .batch import Batch
from .svmlight import Layout, SvmlightScan


class Batches(Protocol):
    """What a stream is made of."""

    def width(self) -> int | None:
        """How many features all batches have; None where that shows only on the way."""

    def batches(self, width: int | None) -> Iterator[Batch]:
        """One batch after the other, as wide as asked for, or as the features seen so far ask for."""


class Scan:
    """A stream of batches of bounded size. What can be read again, a file say, is read anew in each loop.

    Every batch unpacks as ``X, y``, or as ``X, y, weights``.
    """

    def __init__(self, rows: Batches) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[Batch]:
        return self._rows.batches(self._rows.width())

    def widening(self) -> Iterator[Batch]:
        """The batches as they come, the first pass over the file: each is as wide as the features seen so far."""
        return self._rows.batches(None)


def scan(
    source: Any,
    *,
    batch_size: int = 8192,
    n_features: int | None = None,
    index_base: int = 1,
    dtype: DTypeLike = np.float64,
    follow: bool = False,
    n_jobs: int | None = -1,
) -> Scan:
    """Open."""
    where = "scan"
    sources = list(source) if isinstance(source, list | tuple) else [source]
    layout = Layout.of(where, n_features, index_base, dtype, n_jobs)
    check_integer(where, "batch_size", batch_size, at_least=1)
    return Scan(SvmlightScan(where, sources, layout, batch_size, check_flag(where, "follow", follow)))
