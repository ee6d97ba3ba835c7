"""Sparse rows cut to the columns that occur in them, so that nothing costs more because a matrix is wide.

Let J be the columns in which some row has an entry, and let w have the parts w_J and w_E in J and in the other columns.
Then w.x = w_J.x_J for every row x, and |w|^2 = |w_J|^2 + |w_E|^2. Hence

- an objective of the scores that grows with |w| has its minimum at w_E = 0, so both spaces have the same minimum;
- products of rows are the same in both spaces, and so is a bound that follows from a sum of rows;
- a plane has the same rows on its sides as w_J has, and its margin is largest for w_E = 0.

So what is proven of w_J and the rows in J holds for the full space, with w_E = 0. docs/theory.md E6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff import _wide_array
from novikoff._wide_array import is_wide, narrowed, stored, widened

MIN_THINNED_ENTRIES = 100_000  # of a dense table; smaller ones remain dense
MAX_DENSITY = 0.1  # of a table that is treated as sparse
SAMPLE_ROWS = 100  # from which the density of a table is estimated
CHUNK_ENTRIES = 1 << 16  # column indices that are read at a time; they stay in the cache


@dataclass(frozen=True)
class Columns:
    """Some columns of a wide matrix.

    Parameters
    ----------
    indices : ndarray of int64
        The columns in ascending order. There is at least one.
    width : int
        The number of columns of the matrix.
    """

    indices: NDArray[np.int64]
    width: int

    @classmethod
    def occurring(cls, X: Any, *vectors: NDArray[Any]) -> Columns | None:
        """Return the columns of X that have a stored entry, or where a vector is not 0; None if they are all columns.

        X must have valid indices. The columns of a dense array all occur.
        """
        if not sp.issparse(X):
            return None
        width = X.shape[1]
        if is_wide(width, X.nnz + sum(map(np.size, map(stored, vectors)))):
            found = np.unique(X.indices[: X.nnz])
            for vector in vectors:
                found = np.union1d(found, _wide_array.occurring(vector))
            return cls(found.astype(np.int64) if len(found) else np.zeros(1, dtype=np.int64), width)
        occurs = np.zeros(width, dtype=bool)
        for vector in vectors:
            occurs[_wide_array.occurring(vector)] = True
        step = max(CHUNK_ENTRIES, width)
        for first in range(0, X.nnz, step):
            for chunk in _chunks(X.indices[first : min(first + step, X.nnz)]):
                occurs[chunk.astype(np.intp)] = True  # indices of this type are three times as fast
            if occurs.all():
                return None
        return cls.marked(occurs)

    @classmethod
    def marked(cls, occurs: NDArray[Any]) -> Columns | None:
        """Return the columns whose entry is not 0; None if they are all columns. If there is none, the first is taken.

        ``occurs`` may be overwritten.
        """
        occurs[:1] |= not occurs.any()  # the kernels need a column
        return None if occurs.all() else cls(np.flatnonzero(occurs), len(occurs))

    def cut(self, X: Any) -> Any:
        """Return a sparse matrix with these columns only, which must be all that occur in X. Values are shared."""
        if is_wide(self.width, max(X.nnz, len(self.indices))):
            indices = np.searchsorted(self.indices, X.indices[: X.nnz]).astype(np.int32)
            return sp.csr_array((X.data[: X.nnz], indices, X.indptr), shape=(X.shape[0], len(self.indices)))
        places = np.zeros(self.width, dtype=np.int32)
        places[self.indices] = np.arange(len(self.indices), dtype=np.int32)
        indices = np.empty(X.nnz, dtype=np.int32)
        for source, target in zip(_chunks(X.indices[: X.nnz]), _chunks(indices), strict=True):
            places.take(source, out=target, mode="clip")  # this mode needs no copy of the output
        return sp.csr_array((X.data[: X.nnz], indices, X.indptr), shape=(X.shape[0], len(self.indices)))

    def only(self, X: Any) -> Any:
        """Return a sparse matrix with these columns only. Entries in other columns become zeros in the first one."""
        if len(self.indices) == 0:
            return sp.csr_array((X.shape[0], 0), dtype=X.dtype)
        places = np.searchsorted(self.indices, X.indices[: X.nnz])
        is_held = self.indices.take(places, mode="clip") == X.indices[: X.nnz]
        values, places = np.where(is_held, X.data[: X.nnz], 0), np.where(is_held, places, 0)
        return sp.csr_array((values.astype(X.dtype), places, X.indptr), shape=(X.shape[0], len(self.indices)))

    def restore(self, X: Any) -> Any:
        """Return a matrix of these columns with all columns. Values are shared."""
        return sp.csr_array((X.data, self.indices[X.indices], X.indptr), shape=(X.shape[0], self.width))

    def narrow(self, vector: NDArray[Any]) -> NDArray[Any]:
        """Return the entries of a vector in these columns."""
        return narrowed(vector, self.indices)

    def widen(self, vector: NDArray[Any]) -> NDArray[Any]:
        """Return a vector of all columns, given its entries in these and 0 elsewhere; a wide one is kept compactly."""
        return widened(vector, self.indices, self.width)


def without_zeros(X: Any) -> Any:
    """Return a large dense table that is mostly zeros, such as indicators, as a sparse one; others as they are."""
    if sp.issparse(X) or X.ndim != 2 or X.dtype.kind not in "biuf" or X.size < MIN_THINNED_ENTRIES:
        return X
    sample = X[:: max(1, len(X) // SAMPLE_ROWS)]
    if np.count_nonzero(sample) > MAX_DENSITY * sample.size or np.count_nonzero(X) > MAX_DENSITY * X.size:
        return X
    entries = np.ascontiguousarray(X).ravel()
    places = np.flatnonzero(entries != 0)
    ends = np.searchsorted(places, np.arange(X.shape[0] + 1) * X.shape[1])
    return sp.csr_array((entries[places], places % X.shape[1], ends), shape=X.shape)


def compact(X: Any, *vectors: NDArray[Any]) -> tuple[Any, ...]:
    """Return X and vectors of its width, without the columns in which all of them are 0 if X is sparse."""
    columns = Columns.occurring(X, *vectors)
    return (X, *vectors) if columns is None else (columns.cut(X), *map(columns.narrow, vectors))


def _chunks(entries: NDArray[Any]) -> list[NDArray[Any]]:
    return [entries[first : first + CHUNK_ENTRIES] for first in range(0, len(entries), CHUNK_ENTRIES)]
