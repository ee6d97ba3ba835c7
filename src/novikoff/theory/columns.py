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
        occurs = np.zeros(width, dtype=bool)
        for vector in vectors:
            occurs |= vector != 0
        step = max(CHUNK_ENTRIES, width)
        for first in range(0, X.nnz, step):
            for chunk in _chunks(X.indices[first : min(first + step, X.nnz)]):
                occurs[chunk.astype(np.intp)] = True  # indices of this type are three times as fast
            if occurs.all():
                return None
        occurs[:1] |= not occurs.any()  # the kernels need a column
        return None if occurs.all() else cls(np.flatnonzero(occurs), width)

    def cut(self, X: Any) -> Any:
        """Return a sparse matrix with these columns only, which must be all that occur in X. Values are shared."""
        places = np.zeros(self.width, dtype=np.int32)
        places[self.indices] = np.arange(len(self.indices), dtype=np.int32)
        indices = np.empty(X.nnz, dtype=np.int32)
        for source, target in zip(_chunks(X.indices[: X.nnz]), _chunks(indices), strict=True):
            places.take(source, out=target, mode="clip")  # this mode needs no copy of the output
        return sp.csr_array((X.data[: X.nnz], indices, X.indptr), shape=(X.shape[0], len(self.indices)))

    def restore(self, X: Any) -> Any:
        """Return a matrix of these columns with all columns. Values are shared."""
        return sp.csr_array((X.data, self.indices[X.indices], X.indptr), shape=(X.shape[0], self.width))

    def narrow(self, vector: NDArray[Any]) -> NDArray[Any]:
        """Return the entries of a vector in these columns."""
        return vector[self.indices]

    def widen(self, vector: NDArray[Any]) -> NDArray[Any]:
        """Return a vector of all columns, given its entries in these and 0 elsewhere."""
        full = np.zeros(self.width, dtype=vector.dtype)
        full[self.indices] = vector
        return full


def compact(X: Any, *vectors: NDArray[Any]) -> tuple[Any, ...]:
    """Return X and vectors of its width, without the columns in which all of them are 0 if X is sparse."""
    columns = Columns.occurring(X, *vectors)
    return (X, *vectors) if columns is None else (columns.cut(X), *map(columns.narrow, vectors))


def _chunks(entries: NDArray[Any]) -> list[NDArray[Any]]:
    return [entries[first : first + CHUNK_ENTRIES] for first in range(0, len(entries), CHUNK_ENTRIES)]
