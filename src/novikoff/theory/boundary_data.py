"""The limiting conditional model of a separated logistic regression, as a reduced data set.

Along a direction of recession the likelihood of the rows off the boundary goes to 1, and that of the rows on the
boundary does not change. What remains to be estimated is the logistic regression of the boundary rows. They overlap, so
its estimate exists; it is unique in columns that are linearly independent on the boundary. A column of which the
coefficient is finite is independent of all others there, so it is kept and its estimate is that of the full model.
Other columns are kept if they are independent of those before them. Their coefficients stand for combinations of
coefficients of the full model, of which only the combination is finite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._design import Design
from novikoff._design.frames import as_frame

from .elimination import Reduced
from .exact import Examples
from .geometry import as_table


@dataclass(frozen=True)
class BoundaryData:
    """The rows on the boundary of a separated data set, in the columns that can be estimated from them.

    Parameters
    ----------
    X : ndarray, sparse matrix or data frame of shape (n_rows, n_kept)
        The rows on the boundary, without the intercept. A data frame if X was one; factors are coded.
    y : ndarray of shape (n_rows,) or (n_rows, 2)
        1 for the modelled class and 0 for the other; if y had counts or proportions, the counts of the modelled class
        and of the other.
    fit_intercept : bool
        Whether the reduced model has an intercept.
    rows : ndarray of int64
        The numbers of the rows in the data that were given.
    names : tuple of str or None
        Names of the columns.
    columns : ndarray of int64
        Their places among the columns of the design.
    is_finite : ndarray of bool
        Whether each column has a finite coefficient in the full model, which is the one in the reduced model. The
        others, and the intercept if it is infinite, take up combinations of coefficients.
    sample_weight : ndarray or None
        Weights of the rows, if there were any. None for proportions, of which the weights are in the counts.
    offset : ndarray or None
        Offsets of the rows, if there were any.

    See Also
    --------
    novikoff.theory.Separability.boundary_data : Returns it.

    Examples
    --------
    >>> from novikoff import separability
    >>> X, y = [[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 1.0]], ["no", "yes", "no", "yes"]
    >>> reduced = separability(X, y).boundary_data(X, y)
    >>> reduced.X, reduced.y, reduced.columns
    (array([[1.],
           [2.],
           [3.]]), array([0, 1, 0]), array([1]))
    """

    X: Any
    y: NDArray[Any]
    fit_intercept: bool
    rows: NDArray[np.int64]
    names: tuple[str, ...] | None
    columns: NDArray[np.int64]
    is_finite: NDArray[np.bool_]
    sample_weight: NDArray[np.float64] | None
    offset: NDArray[np.float64] | None

    def __repr__(self) -> str:
        intercept = "with" if self.fit_intercept else "without"
        return f"<BoundaryData: {self.X.shape[0]} x {self.X.shape[1]}, {intercept} an intercept>"


@dataclass(frozen=True)
class Given:
    """What the user gave, besides the design that it describes.

    Parameters
    ----------
    X, sample_weight, offset : object
        The arguments.
    """

    X: Any
    sample_weight: Any
    offset: Any


def reduced_data(
    design: Design, spanning: NDArray[np.int64], boundary: NDArray[np.int64], is_finite: NDArray[np.bool_], given: Given
) -> BoundaryData:
    """Return the limiting conditional model.

    Parameters
    ----------
    design : Design
        The rows that count.
    spanning : ndarray of int64
        Rows of the design that span the boundary.
    boundary : ndarray of int64
        The rows of the boundary, in the numbers of the user.
    is_finite : ndarray of bool
        Whether each coefficient is finite, the intercept last if there is one.
    given : Given
        What the user gave.
    """
    columns, fit_intercept = independent_columns(design, spanning, is_finite)
    own = design.numbers if design.numbers is None else design.numbers % design.given
    place = np.arange(design.given) if own is None else np.full(design.given, -1)
    if own is not None:
        place[own] = np.arange(len(own))  # of a row with both counts, either copy has the values of X
    X = as_table(design.X)[place[boundary]][:, columns]
    names = None if design.names is None else tuple(design.names[j] for j in columns)
    weights = _some(given.sample_weight, boundary, design.given)
    return BoundaryData(
        X=as_frame(given.X, X, names, boundary),
        y=_response(design, boundary, weights),
        fit_intercept=fit_intercept,
        rows=boundary,
        names=names,
        columns=columns,
        is_finite=is_finite[columns],
        sample_weight=None if design.has_proportions else weights,
        offset=_some(given.offset, boundary, design.given),
    )


def independent_columns(
    design: Design, spanning: NDArray[np.int64], is_finite: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], bool]:
    """Return columns that are independent on some rows, finite ones first, and whether the intercept is one of them."""
    examples = Examples(as_table(design.X), design.signs, design.fit_intercept)
    used = examples.used(spanning)
    width = int(design.X.shape[1])
    order = sorted(range(len(used)), key=lambda k: (not is_finite[used[k]], used[k] != width, used[k]))
    matrix = [[z[k] for k in order] for z, _ in examples.integer_rows(spanning, used)]
    kept = sorted(int(used[order[pivot]]) for pivot in Reduced(matrix, len(order)).pivots)
    return np.array([j for j in kept if j < width], dtype=np.int64), width in kept


def _response(design: Design, boundary: NDArray[np.int64], weights: NDArray[np.float64] | None) -> NDArray[Any]:
    """Return the labels of rows as 0 and 1, or their counts with those of the modelled class first."""
    if design.counts is not None:
        counts = design.counts[boundary]
        return counts * weights[:, np.newaxis] if design.has_proportions and weights is not None else counts
    signs = np.zeros(design.given)
    signs[slice(None) if design.numbers is None else design.numbers] = design.signs
    labels: NDArray[np.int64] = (signs[boundary] > 0).astype(np.int64)
    return labels


def _some(values: Any, rows: NDArray[np.int64], count: int) -> NDArray[np.float64] | None:
    """Return the values of some rows; a single number holds for all."""
    if values is None:
        return None
    every = np.asarray(values, dtype=np.float64)
    return np.array(np.broadcast_to(every.reshape(-1), (count,))[rows])
