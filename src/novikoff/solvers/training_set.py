"""A training set as the solvers see it: validated rows, classes and weights.

Sparse rows are cut to the columns that occur in them. Solvers work in that space; ``TrainingSet.widen`` returns their
weights to the columns of the user. ``novikoff.theory.columns`` proves that both problems are the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._class_weights import row_weights
from novikoff._estimators import BaseEstimator
from novikoff._labels import Codes, encode
from novikoff._multiclass import OneVsRest
from novikoff._validation import check_labels, check_rows, check_weights, describe_bad_row
from novikoff._wide_array import is_wide
from novikoff.data.rows import as_rows
from novikoff.errors import input_error, quote
from novikoff.theory.columns import Columns
from novikoff.theory.geometry import Floats

from .problem import Table, scale_of
from .row_products import RowProducts


@dataclass(frozen=True)
class TrainingSet:
    """A validated data set.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The rows, without the columns that do not occur if they are sparse.
    rows : Rows
        The same rows, as the kernels read them.
    largest : float
        The largest absolute value.
    classes : ndarray
        The labels in ascending order.
    codes : ndarray of int32
        The index in ``classes`` of the label of each row; -1 for a label that only rows of weight 0 have.
    weights : ndarray or None
        The weight of each row; None if every weight is 1.
    columns : Columns or None, default=None
        The columns of X among those of the user; None if X has all of them.
    counts : ndarray of shape (n_classes,) or None, default=None
        The sum of the sample weights of each class, without class weights.
    products : RowProducts
        The products of the rows, computed when a solver needs them.
    """

    X: Any
    rows: _core.Rows
    largest: float
    classes: NDArray[Any]
    codes: Codes
    weights: NDArray[np.float64] | None
    columns: Columns | None = None
    counts: Floats | None = None
    products: RowProducts = field(default=None, repr=False)  # type: ignore[assignment]  # set below unless it is given

    def __post_init__(self) -> None:
        if self.products is None:
            scale = scale_of(self.largest, self.elements / self.rows.count)
            object.__setattr__(self, "products", RowProducts(self.X, self.rows, scale))

    @property
    def elements(self) -> int:
        """The number of stored values."""
        return int(self.X.nnz if sp.issparse(self.X) else self.X.size)

    def sharing_products(self, uses: int) -> TrainingSet:
        """Return these data, whose products will be used by so many problems."""
        self.products.uses = max(self.products.uses, uses)
        return self

    @property
    def width(self) -> int:
        """The number of columns of the user."""
        return int(self.X.shape[1]) if self.columns is None else self.columns.width

    def widen(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Return weights of all columns of the user, given those of the columns of X."""
        return weights if self.columns is None else self.columns.widen(weights)

    def narrow(self, weights: Floats) -> Floats:
        """Return the weights of the columns of X, given those of all columns of the user."""
        return weights if self.columns is None else self.columns.narrow(weights)

    def in_full_width(self, X: Any) -> Any:
        """Return some rows of X with all columns of the user."""
        return X if self.columns is None else self.columns.restore(X)

    @property
    def strategy(self) -> OneVsRest:
        """The one-vs-rest problems that the classes make."""
        return OneVsRest(self.classes, self.counts)

    def only(self, classes: tuple[int, int]) -> tuple[TrainingSet, NDArray[np.intp]]:
        """Return the rows of two classes, and their numbers. Weights and the numbers of the classes stay as they are.

        Sparse rows are cut to the columns that occur in them.
        """
        rows = np.flatnonzero((self.codes == classes[0]) | (self.codes == classes[1]))
        X, columns = self.X[rows], self.columns
        if (own := Columns.occurring(X)) is not None:
            X = own.cut(X)
            columns = own if columns is None else Columns(columns.indices[own.indices], columns.width)
        weights = None if self.weights is None else self.weights[rows]
        kernel_rows = as_rows("fit", X)
        products = self.products.part(X, kernel_rows, rows)
        part = TrainingSet(
            X, kernel_rows, self.largest, self.classes, self.codes[rows], weights, columns, products=products
        )
        return part, rows

    @property
    def table(self) -> Table:
        """The rows, classes and costs for a `Problem`."""
        is_sparse = sp.issparse(self.X)
        return Table(
            self.rows,
            self.codes,
            self.weights,
            self.elements,
            self.largest,
            dense=None if is_sparse else self.X,
            sparse=self.X if is_sparse else None,
            products=self.products,
        )


def validate_training_set(
    estimator: BaseEstimator, where: str, X: Any, y: Any, sample_weight: Any, class_weight: Any
) -> TrainingSet:
    """Validate a data set. Values are copied only to widen two-byte floats, and to bring sparse rows into order.

    A sparse matrix with unsorted or repeated indices or with explicit zeros is the same as one without.

    Parameters
    ----------
    estimator : estimator
        Its ``n_features_in_`` and ``feature_names_in_`` are set.
    where : str
        The name of the caller, for error messages.
    X, y, sample_weight, class_weight
        As in ``fit`` of the estimators.
    """
    X = check_rows(estimator, where, X, reset=True)
    labels = check_labels(where, y, X.shape[0])
    weights = check_weights(where, sample_weight, X.shape[0])
    classes, codes = _classes_of(where, labels, weights)
    counts = class_counts(codes, weights, len(classes))
    weights = row_weights(where, class_weight, classes.tolist(), codes, weights)
    if weights is not None and len(np.unique(codes[weights > 0])) < len(classes):
        raise input_error(where, "all rows of a class have zero weight. Each class needs a positive one.")
    rows, largest, is_canonical, occurs = _survey(where, X)
    if not is_canonical:
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()  # which would change the order of the sums, and so their last bits
        rows, largest, _, occurs = _survey(where, X)
    columns = Columns.occurring(X) if occurs is None else Columns.marked(occurs)
    if columns is not None:
        X = columns.cut(X)
        rows = as_rows(where, X)
    return TrainingSet(X, rows, largest, classes, codes, weights, columns, counts)


def class_counts(codes: Codes, weights: NDArray[np.float64] | None, classes: int) -> Floats:
    """Return the total weight of the rows of each class. A code of -1 marks a row of weight 0."""
    known = codes >= 0
    own = None if weights is None else weights[known]
    return np.bincount(codes[known], own, minlength=classes).astype(np.float64)


def _classes_of(where: str, labels: NDArray[Any], weights: NDArray[np.float64] | None) -> tuple[NDArray[Any], Codes]:
    """Return the classes of the rows with a positive weight, and the codes of all rows."""
    present = labels if weights is None else labels[weights > 0]
    if len(present) == 0:
        raise input_error(where, "sample_weight is zero for every row.")
    classes, codes = encode(where, present)
    if len(classes) < 2:
        raise input_error(where, f"y has only one class, {quote(classes.tolist()[0])}. At least two are needed.")
    if weights is not None:
        code_of = {label: code for code, label in enumerate(classes.tolist())}
        every, is_zero = np.empty(len(labels), dtype=np.int32), weights == 0
        every[~is_zero] = codes
        every[is_zero] = [code_of.get(label, -1) for label in labels[is_zero].tolist()]
        codes = every
    return classes, codes


def _survey(where: str, X: Any) -> tuple[_core.Rows, float, bool, NDArray[np.uint8] | None]:
    """Read all values once.

    Returns
    -------
    Rows
        The rows for the kernels.
    float
        The largest absolute value.
    bool
        Whether the indices of every row increase, and no zero is stored.
    ndarray of uint8 or None
        Whether each column of a sparse matrix occurs; None if it is dense or so wide that this would take more memory.
    """
    rows, occurs = as_rows(where, X), None
    if sp.issparse(X) and not is_wide(X.shape[1], X.nnz):
        occurs = np.zeros(X.shape[1], dtype=np.uint8)
    good, largest, is_rising, has_zeros = _core.survey(rows, occurs)
    if good < rows.count:
        raise describe_bad_row(where, X, good)
    return rows, largest, is_rising and not has_zeros, occurs
