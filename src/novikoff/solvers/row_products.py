"""The products of all rows of a training set with each other, computed once and shared.

If there are fewer rows than columns, the matrix K of the products x_i.x_j is smaller than the data, and a problem that
is solved over K reads the data only to make K and to prove its result. All classes, pairs of classes, values of C and
folds share one matrix: those of some of the rows have a part of it.
"""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._threads import in_threads
from novikoff.theory.geometry import Floats

MAX_ROWS = 3000  # whose products take 72 MB
FEW_ROWS, MAX_FEW_ROWS_RATIO = 100, 3  # so few may be more than the columns, so many times
BLOCK_ROWS, BLOCK_COLUMNS = 128, 1 << 15  # of the parts that are copied as doubles and multiplied at a time
MIN_DENSITY = 0.05  # of sparse rows that may be multiplied as dense ones
MAX_SQUARED_EXPONENT = 400  # powers of two, up or down, of rows whose products cannot overflow
# Nanoseconds for each multiplication, as measured: by BLAS, of sparse rows, and in a visit of coordinate descent. A
# sparse row that is written as a dense one takes some more for each value.
NS_BY_BLAS, NS_IF_SPARSE, NS_TO_DENSE, NS_OF_VISIT, NS_OF_SPARSE_VISIT = 0.07, 1.2, 2.5, 1.2, 2.6
NS_OF_SOLVING = 20.0  # for each pair of rows, after the matrix is known


class RowProducts:
    """The matrix of products of the rows of a training set, computed when it is first needed.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The rows.
    rows : Rows
        The same rows, as the kernels read them.
    scale : float
        The power of two by which the rows are scaled.
    whole : RowProducts, default=None
        The products of more rows, of which these are a part.
    chosen : ndarray of int, default=None
        The numbers of these rows among those of ``whole``.

    Attributes
    ----------
    uses : int
        The number of problems that share the matrix. Must be set before they are solved, so that their choice of a
        method does not depend on the order in which they are.
    """

    def __init__(
        self,
        X: Any,
        rows: _core.Rows,
        scale: float,
        whole: RowProducts | None = None,
        chosen: NDArray[np.intp] | None = None,
    ) -> None:
        self.X, self.rows, self.scale = X, rows, scale
        self.uses: int = 1 if whole is None else whole.uses
        self._whole, self._chosen = whole, chosen
        self._lock = threading.Lock()
        self._matrix: Floats | None = None
        self._passes: float | None = None

    @property
    def is_suitable(self) -> bool:
        """Whether there are so few rows that their products are worth having."""
        columns = self.rows.columns
        return 1 < self.rows.count <= max(min(MAX_ROWS, columns), min(FEW_ROWS, MAX_FEW_ROWS_RATIO * columns))

    def part(self, X: Any, rows: _core.Rows, chosen: NDArray[np.intp]) -> RowProducts:
        """Return the products of some of the rows. ``X`` and ``rows`` are these rows, perhaps without columns of 0."""
        if not self.is_suitable:
            return RowProducts(X, rows, self.scale)
        return RowProducts(X, rows, self.scale, self, chosen)

    def matrix(self, threads: int) -> Floats:
        """Return the products of the scaled rows, in an array that is not to be modified."""
        with self._lock:
            if self._matrix is None:
                if self._whole is not None and self._chosen is not None:
                    self._matrix = np.ascontiguousarray(self._whole.between(self._chosen, self._chosen, threads))
                else:
                    self._matrix = _products(self.X, self.rows, self.scale, threads)
                self._matrix.setflags(write=False)
            return self._matrix

    def between(self, some: NDArray[np.intp], others: NDArray[np.intp], threads: int) -> Floats:
        """Return the products of some rows with others."""
        products: Floats = self.matrix(threads)[np.ix_(some, others)]
        return products

    @property
    def passes(self) -> float:
        """The expected time of a problem, in passes of coordinate descent: its share of the matrix, and solving."""
        if self._passes is None:
            source = self if self._whole is None else self._whole
            sparse, dense = _work(source.X)
            visit = NS_OF_SPARSE_VISIT * source.X.nnz if sp.issparse(source.X) else NS_OF_VISIT * source.X.size
            self._passes = min(sparse, dense) / max(1.0, visit)
        elements: int = self.X.nnz if sp.issparse(self.X) else self.X.size
        visit = (NS_OF_SPARSE_VISIT if sp.issparse(self.X) else NS_OF_VISIT) * max(1, elements)
        return self._passes / self.uses + NS_OF_SOLVING * float(self.rows.count) ** 2 / visit


def _work(X: Any) -> tuple[float, float]:
    """Return the expected nanoseconds for the products of all rows: of sparse rows as they are, and as dense ones."""
    count, columns = X.shape
    dense = NS_BY_BLAS * count * count * columns
    if not sp.issparse(X):
        return math.inf, dense
    lengths = np.bincount(X.indices[: X.nnz], minlength=1).astype(np.float64)
    sparse = NS_IF_SPARSE * 0.5 * float(lengths @ lengths)
    if X.nnz < MIN_DENSITY * count * columns:
        return sparse, math.inf
    return sparse, dense + NS_TO_DENSE * count * columns * (1 + 0.5 * count / BLOCK_ROWS)


def _products(X: Any, rows: _core.Rows, scale: float, threads: int) -> Floats:
    """Return the products of the scaled rows. Each block is computed by one thread, so threads do not change bits."""
    count, columns = X.shape
    products = np.zeros((count, count))
    sparse, dense = _work(X)
    if sparse < dense:
        _core.sparse_products(rows, scale, threads, products)
        return products
    exponent = math.frexp(scale)[1]
    before = scale if abs(exponent) > MAX_SQUARED_EXPONENT else 1.0
    step = count if count <= 2 * BLOCK_ROWS else BLOCK_ROWS
    cuts = [slice(first, min(first + step, count)) for first in range(0, count, step)]
    pieces = [slice(first, min(first + BLOCK_COLUMNS, columns)) for first in range(0, columns, BLOCK_COLUMNS)]

    def multiply(place: int) -> None:
        cut = cuts[place]
        for piece in pieces:
            own = _block(X, cut, piece, before)
            for other in cuts[:place]:
                products[cut, other] += own @ _block(X, other, piece, before).T
            products[cut, cut] += own @ own.T
        for other in cuts[:place]:
            products[other, cut] = products[cut, other].T

    with in_threads(min(threads, len(cuts))) as each:
        each(multiply, len(cuts))
    if before == 1.0:
        products *= scale * scale
    return products


def _block(X: Any, cut: slice, piece: slice, scale: float) -> Floats:
    """Return some rows and columns as a dense array of doubles."""
    block = X[cut, piece].toarray() if sp.issparse(X) else X[cut, piece]
    values: Floats = block.astype(np.float64, copy=False)
    return values if scale == 1.0 else values * scale
