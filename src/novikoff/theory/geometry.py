"""The vectors u of the theorems, computed from rows x in NumPy, independently of the kernels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._short_floats import as_array

Floats = NDArray[np.float64]
Extended = Annotated[float, "or an infinity"]  # a bound is infinite where nothing is known


@dataclass(frozen=True)
class Dimensions:
    """Metadata of an array type: its number of dimensions, if it is not 1."""

    count: int


Matrix = Annotated[Floats, Dimensions(2)]
MAY_BE_WIDE = "or a WideArray"  # metadata of an array type: the array is a WideArray where it is wide
Weights = Annotated[Floats, MAY_BE_WIDE]
WeightRows = Annotated[Floats, Dimensions(2), MAY_BE_WIDE]
INTERCEPTS = ("free", "penalized", "none")  # of a support vector machine
BLOCK_ENTRIES = 1 << 22  # entries of a table that are processed at a time, about 32 MB


@dataclass(frozen=True)
class Geometry:
    """How an example x becomes the vector u of the theorems.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether u is (x, 1) instead of x.
    normalize : bool, default=False
        Whether u is scaled to unit length.
    slack_feature : float, default=0.0
        Value of an additional feature that is 0 in all other examples; 0 for none.
    scale : {"running", "centred"} or None, default=None
        Whether x is divided, column by column, by the root mean square of the values other than 0 so far; "centred"
        subtracts the mean of frequent columns first.

    Examples
    --------
    >>> from novikoff.theory import Geometry
    >>> Geometry(normalize=True)
    Geometry(fit_intercept=True, normalize=True, slack_feature=0.0, scale=None)
    """

    fit_intercept: bool = True
    normalize: bool = False
    slack_feature: float = 0.0
    scale: str | None = None


def as_table(X: Any) -> Any:
    """Return a sparse matrix as CSR without duplicate entries, all else as an array; two-byte floats as float32."""
    if not sp.issparse(X):
        return as_array(X)
    table = X.tocsr()
    if not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    return table


def blocks(X: Any, width: int = 1) -> Iterator[tuple[slice, Any]]:
    """Yield blocks of rows as float64, so that a large table of another type is never converted as a whole.

    ``width`` is the number of values per row that the caller computes, if it may exceed the number of columns.
    """
    rows, columns = X.shape
    entries, enough = rows * columns, BLOCK_ENTRIES
    if sp.issparse(X):
        # A sum over a sparse block is a vector of all columns, so smaller blocks would not save work.
        entries, enough = X.nnz, max(BLOCK_ENTRIES, columns * width)
    entries = max(entries, rows * width if width > 1 else 0)
    step = math.ceil(rows / math.ceil(entries / enough)) if entries else max(rows, 1)
    for start in range(0, rows, step):
        cut = slice(start, min(start + step, rows))
        block = X if step >= rows else _rows_of(X, cut)
        yield cut, block.astype(np.float64, copy=False)


def _rows_of(X: Any, cut: slice) -> Any:
    """Return rows of a table without a copy, which a slice of a sparse matrix would be."""
    if not sp.issparse(X) or X.format != "csr":
        return X[cut]
    offsets = X.indptr[cut.start : cut.stop + 1]
    part = slice(int(offsets[0]), int(offsets[-1]))
    shape = (cut.stop - cut.start, X.shape[1])
    return _with_arrays(type(X)(shape, dtype=X.dtype), X.data[part], X.indices[part], offsets - offsets[0])


def each_row(X: Any) -> Iterator[tuple[Any, Floats]]:
    """Yield each row as its columns and values."""
    if not sp.issparse(X):
        yield from ((slice(None), row) for row in np.asarray(X, dtype=np.float64))
        return
    for begin, end in zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True):
        yield X.indices[begin:end], X.data[begin:end].astype(np.float64, copy=False)


def transposed(X: Any) -> Any:
    """Return the transpose of a table without a copy, which SciPy makes of the arrays of a block of rows."""
    if not sp.issparse(X) or X.format != "csr":
        return X.T
    return _with_arrays(sp.csc_array(X.shape[::-1], dtype=X.dtype), X.data, X.indices, X.indptr)


def _with_arrays(matrix: Any, data: Any, indices: Any, offsets: Any) -> Any:
    """Give an empty sparse matrix its arrays. The constructor of SciPy copies those that are small parts of others."""
    matrix.data, matrix.indices, matrix.indptr = data, indices, offsets
    return matrix


class Lifted:
    """The vectors u of a data set. They are not stored: products with them are computed from x."""

    def __init__(self, X: Any, geometry: Geometry) -> None:
        self._X = X if X.dtype == np.float64 else X.astype(np.float64)
        self._one = 1.0 if geometry.fit_intercept else 0.0
        squares = self._X.multiply(self._X).sum(axis=1) if sp.issparse(X) else np.einsum("ij,ij->i", self._X, self._X)
        lengths = np.sqrt(np.asarray(squares, dtype=np.float64).ravel() + self._one)
        self._scale = np.ones_like(lengths)
        if geometry.normalize:
            self._scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
            lengths = np.where(lengths > 0, 1.0, 0.0)
        self._delta = geometry.slack_feature
        self.lengths: Floats = np.sqrt(lengths**2 + geometry.slack_feature * geometry.slack_feature)

    def __len__(self) -> int:
        return len(self._scale)

    def scores(self, weights: Floats, intercept: float) -> Floats:
        """Return v.u for every example, without its private feature."""
        return self._scale * (np.asarray(self._X @ weights).ravel() + self._one * intercept)

    def as_matrix(self) -> Any:
        """Return the vectors u as the rows of an array, or of a CSR array if x are sparse or have private features.

        The columns are the features, then the constant feature, if there is an intercept, then the private ones.
        """
        one = np.full((len(self), 1), self._one) if self._one else np.empty((len(self), 0))
        if not sp.issparse(self._X) and self._delta == 0:
            return self._scale[:, None] * np.hstack([self._X, one])
        parts = [sp.diags_array(self._scale) @ sp.hstack([sp.csr_array(self._X), sp.csr_array(one)])]
        if self._delta:
            parts.append(self._delta * sp.eye_array(len(self)))
        return sp.csr_array(sp.hstack(parts))


def length_of(weights: Floats, intercept: float, private: Floats | None = None, slack_feature: float = 0.0) -> float:
    """Return |v|, with the private part delta a where there is one."""
    squares = float(weights @ weights) + intercept * intercept  # * overflows to inf where ** would raise
    if private is not None:
        squares += slack_feature * slack_feature * float(private @ private)
    return float(np.sqrt(squares))


def copies_apart(weights: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return row numbers, each repeated as often as its weight says, and the weight of each copy.

    A copy has weight 1, the last one the fraction that remains. Copies are needed where each example has a private
    feature, because each copy has its own.
    """
    copies = np.maximum(1, np.ceil(weights)).astype(np.int64)
    index = np.repeat(np.arange(len(weights)), copies)
    earlier = np.arange(len(index)) - np.repeat(np.cumsum(copies) - copies, copies)
    return index, np.ascontiguousarray(np.minimum(1.0, weights[index] - earlier))
