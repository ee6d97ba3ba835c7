"""``novikoff.separability``: whether a plane separates two classes, known as "perfect separation" in statistics."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from novikoff._validation import check_flag
from novikoff.errors import InvalidInputError, input_error
from novikoff.solvers.coordinate_descent import descend
from novikoff.solvers.descent_newton import MODERATE_COST
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.one_core import one_core
from novikoff.solvers.problem import Objective, Problem
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.balance import Balance
from novikoff.theory.certificate import Duals
from novikoff.theory.exact import Examples, IntegerVector, Reduced, to_integers
from novikoff.theory.geometry import Floats, blocks
from novikoff.theory.hulls import distance_range, margin_range
from novikoff.theory.separability import Separability

from .partition import Partition
from .search import decide

DESCENT_EFFORT = 4_000_000  # values that coordinate descent visits before a linear program is solved
DESCENT_EFFORT_IF_WIDE = (
    60_000_000  # the same if there are fewer rows than twice the columns: most such data are separable (Cover 1965)
)
MAX_PASSES, MIN_PASSES = 3000, 1  # of coordinate descent
MAX_COLUMNS_FOR_DIVERGENCE = 2000  # with more columns, the signs of the plane are taken as the divergence
BASIS_SAMPLE_ROWS = 2000  # rows among which linearly independent ones are searched
NO_ROWS = np.zeros(0, dtype=np.int64)


class SeparabilityInput(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """The estimator that scikit-learn checks the shape of the data for."""


SeparabilityInput.__name__ = "separability"  # its name in error messages


def separability(X: Any, y: Any, fit_intercept: bool = True) -> Separability:
    """Decide whether a plane separates two classes completely, quasi-completely or not at all, with a proof.

    If the classes are separated, completely or quasi-completely, logistic regression has no finite estimate. The answer
    is exact: what floating point leaves open is decided in integers. ``Separability.verify`` checks it.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    fit_intercept : bool, default=True
        Whether the plane may lie anywhere. Otherwise it contains the origin.

    Returns
    -------
    Separability
        The answer and its proof.

    Raises
    ------
    InvalidInputError
        If there are not exactly two classes, or X has values that are not finite.

    See Also
    --------
    HardMarginSVM : The plane with the largest margin, if the classes are separable.

    References
    ----------
    Albert and Anderson (1984), On the existence of maximum likelihood estimates in logistic regression models.

    Examples
    --------
    >>> from novikoff import separability
    >>> found = separability([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 1.0]], ["no", "yes", "no", "yes"])
    >>> found.kind
    'quasi-complete'
    >>> found.divergence
    array([1, 0], dtype=int8)
    >>> found.boundary
    array([0, 1, 2])
    """
    where = "separability"
    fit_intercept = check_flag(where, "fit_intercept", fit_intercept)
    data = validate_training_set(SeparabilityInput(), where, X, y, None, None)
    if len(data.classes) != 2:
        raise input_error(where, f"y must have two classes, but it has {len(data.classes)}.")
    examples = Examples(data.X, np.where(data.codes == 1, 1.0, -1.0), fit_intercept)
    with one_core:
        return _in_full_width(data, _decided(data, examples))


def _in_full_width(data: TrainingSet, found: Separability) -> Separability:
    """Return a verdict about the columns that occur as one about all columns; the others have the coefficient 0."""
    if data.columns is None:
        return found
    numerators = None
    if found.numerators is not None:
        own = len(found.divergence)
        wide = data.widen(np.array(found.numerators[:own], dtype=object))
        numerators = (*wide.tolist(), *found.numerators[own:])
    return dataclasses.replace(
        found,
        coef=None if found.coef is None else data.widen(found.coef),
        numerators=numerators,
        divergence=data.widen(found.divergence),
    )


def _decided(data: TrainingSet, examples: Examples) -> Separability:
    hint, duals = hint_by_descent(data, examples.fit_intercept)
    partition = decide(examples, hint)
    if partition is None:
        return _report(data, examples, "undecided")
    if partition.witness is None:
        return _complete(data, examples, partition, duals)
    if partition.direction is None:
        return _report(data, examples, "overlap", witness=partition.witness)
    return _quasi_complete(data, examples, partition)


def hint_by_descent(data: TrainingSet, fit_intercept: bool) -> tuple[Floats | None, Duals | None]:
    """Return a direction from coordinate descent, which separates most data that are separable, and its duals."""
    table = data.table
    try:
        unit = Problem(table, 1, Objective(1.0, LOSSES["hinge"], "free" if fit_intercept else "none", 0.5))
        C = MODERATE_COST * unit.scale * unit.scale
        problem = Problem(table, 1, dataclasses.replace(unit.objective, C=C))
    except (InvalidInputError, OverflowError):  # lengths that are too large or too small for it
        return None, None
    effort = DESCENT_EFFORT_IF_WIDE if 2 * problem.columns > problem.rows else DESCENT_EFFORT
    passes = min(MAX_PASSES, max(MIN_PASSES, effort // max(1, table.elements)))
    v, alpha = descend(problem, passes)
    if not np.all(np.isfinite(v)):
        return None, None
    weights, duals = v[:-1] * problem.scale, Duals.of(alpha)
    return np.append(weights, v[-1]) if fit_intercept else weights, duals


def _report(data: TrainingSet, examples: Examples, kind: str, **found: Any) -> Separability:
    """Return a verdict; what is not given is unknown."""
    unknown: dict[str, Any] = {
        "coef": None,
        "intercept": 0.0,
        "numerators": None,
        "boundary": NO_ROWS,
        "witness": None,
        "divergence": np.zeros(data.X.shape[1], dtype=np.int8),
        "intercept_divergence": 0,
        "margin_lower_bound": 0.0,
        "margin_upper_bound": math.inf if kind in ("complete", "undecided") else 0.0,
    }
    return Separability(
        kind=kind,
        fit_intercept=examples.fit_intercept,
        positive=data.classes.tolist()[1],
        examples=examples.rows,
        **{**unknown, **found},
    )


def _complete(data: TrainingSet, examples: Examples, partition: Partition, duals: Duals | None) -> Separability:
    assert partition.direction is not None
    plane = _in_floats(examples, partition)
    direction = np.append(plane["coef"], plane["intercept"]) if examples.fit_intercept else plane["coef"]
    intercept = "free" if examples.fit_intercept else "none"
    everywhere = np.ones(examples.rows, dtype=bool)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        margin, _ = margin_range(examples.X, examples.signs, everywhere, plane["coef"], plane["intercept"], intercept)
        upper = math.inf if duals is None else _upper(examples, duals, intercept)
    lower = max(0.0, margin.least) if plane["numerators"] is None else 0.0
    return _report(
        data,
        examples,
        "complete",
        **plane,
        **_signs(direction, examples.fit_intercept),
        witness=duals if upper < math.inf else None,
        margin_lower_bound=lower,
        margin_upper_bound=upper,
    )


def _upper(examples: Examples, duals: Duals, intercept: str) -> float:
    """Return an upper bound on all margins, from these weights, balanced first if the intercept is free."""
    a = duals.dense(examples.rows)
    sums = [float(a[examples.signs == sign].sum()) for sign in (1.0, -1.0)]
    if (min(sums) if intercept == "free" else max(sums)) == 0:
        return math.inf
    if intercept == "free":
        a[examples.signs > 0] *= sums[1] / sums[0]
    return distance_range(examples.X, examples.signs, a / a.sum(), intercept).most


def _quasi_complete(data: TrainingSet, examples: Examples, partition: Partition) -> Separability:
    assert partition.direction is not None
    assert partition.sides is not None
    return _report(
        data,
        examples,
        "quasi-complete",
        **_in_floats(examples, partition),
        **_signs(np.array(_diverging(examples, partition), dtype=np.float64), examples.fit_intercept),
        boundary=np.flatnonzero(partition.sides == 0),
        witness=partition.witness,
    )


def _plane(direction: IntegerVector, fit_intercept: bool) -> dict[str, Any]:
    """Return a direction of integers as floats."""
    largest = max(map(abs, direction))
    floats = np.array([entry / largest for entry in direction])
    if not fit_intercept:
        return {"coef": floats, "intercept": 0.0}
    return {"coef": floats[:-1], "intercept": float(floats[-1])}


def _signs(direction: Floats, fit_intercept: bool) -> dict[str, Any]:
    signs = np.sign(direction).astype(np.int8)
    if not fit_intercept:
        return {"divergence": signs, "intercept_divergence": 0}
    return {"divergence": signs[:-1], "intercept_divergence": int(signs[-1])}


def _in_floats(examples: Examples, partition: Partition) -> dict[str, Any]:
    """Return the plane as floats, and also in integers if floats are not precise enough."""
    assert partition.direction is not None
    assert partition.sides is not None
    plane = _plane(partition.direction, examples.fit_intercept)
    floats = np.append(plane["coef"], plane["intercept"]) if examples.fit_intercept else plane["coef"]
    again = to_integers(floats)[0] if partition.proof is None else partition.proof.straighten(floats)
    holds = np.array_equal(examples.sides(again), partition.sides)
    return {**plane, "numerators": None if holds else tuple(partition.direction)}


def _diverging(examples: Examples, partition: Partition) -> list[int]:
    """Return the sign with which each coefficient goes to infinity, the intercept last; 0 for those that stay finite.

    The estimate diverges in directions that are 0 on the rows that balance. Of linearly dependent columns only the
    first ones get a coefficient, in this order: columns that are 0 on the whole boundary and so diverge on their own,
    the intercept, the other columns. Directions are reduced so that all others are 0.
    """
    assert partition.proof is not None
    assert partition.direction is not None
    assert partition.sides is not None
    if examples.columns > MAX_COLUMNS_FOR_DIVERGENCE:
        return [(entry > 0) - (entry < 0) for entry in partition.direction]
    order = _column_order(examples, partition.sides == 0)
    dependences = _row_basis(examples, partition, order).null_space()

    def without_dependent(direction: IntegerVector) -> IntegerVector:
        entries = [direction[j] for j in order]
        for dependence in dependences:
            column = max(j for j in range(len(order)) if dependence[j])  # the only column that is not a pivot
            factor, unit = entries[column], dependence[column]
            sign = 1 if unit > 0 else -1
            entries = [sign * (entry * unit - factor * d) for entry, d in zip(entries, dependence, strict=True)]
        return entries

    chosen = without_dependent(partition.direction)
    moves = [without_dependent(direction) for direction in _receding(examples, partition.proof)]
    found = [0] * len(order)
    for place, j in enumerate(order):
        if any(move[place] for move in moves):
            found[j] = (chosen[place] > 0) - (chosen[place] < 0)
    return found


def _receding(examples: Examples, proof: Balance) -> list[IntegerVector]:
    """Return a basis of the directions that are 0 on all rows that balance."""
    others = np.setdiff1d(np.arange(examples.columns), proof.columns).tolist()
    units = [[int(j == k) for j in range(examples.columns)] for k in others]
    return [*(proof.moves(examples.columns) or []), *units]


def _column_order(examples: Examples, boundary: NDArray[np.bool_]) -> list[int]:
    """Return the columns that are 0 in all boundary rows, then the intercept, then the others."""
    used = np.zeros(examples.X.shape[1], dtype=bool)
    for cut, block in blocks(examples.X):
        used |= np.asarray((block[boundary[cut]] != 0).sum(axis=0)).ravel() > 0
    last = [examples.X.shape[1]] if examples.fit_intercept else []
    return [*np.flatnonzero(~used).tolist(), *last, *np.flatnonzero(used).tolist()]


def _row_basis(examples: Examples, partition: Partition, order: list[int]) -> Reduced:
    """Return rows that span all rows, with columns in the given order, in reduced echelon form."""
    assert partition.proof is not None
    assert partition.sides is not None
    chosen = [*partition.proof.basis, *_independent(examples, partition)]
    while True:
        vectors = [vector for vector, _ in examples.integer_rows(np.array(chosen, dtype=np.int64))]
        reduced = Reduced([[vector[j] for j in order] for vector in vectors], len(order))
        directions = [[entry for _, entry in sorted(zip(order, v, strict=True))] for v in reduced.null_space()]
        missed = examples.off_zero(directions)
        if not np.any(missed):
            return reduced
        chosen.append(int(np.argmax(missed)))


def _independent(examples: Examples, partition: Partition) -> list[int]:
    """Return rows on the right side that are independent of each other and of those that balance, up to rounding."""
    assert partition.proof is not None
    assert partition.sides is not None
    rows = np.flatnonzero(partition.sides > 0)
    rows = rows[:: max(1, len(rows) // BASIS_SAMPLE_ROWS)]
    moves = np.array([[c / max(map(abs, move)) for c in move] for move in _receding(examples, partition.proof)])
    steps = examples.floats(rows) @ moves.T
    triangle, picked = scipy.linalg.qr(steps.T, mode="r", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    return [int(rows[k]) for k in picked[: int(np.count_nonzero(sizes > 1e-9 * sizes[0]))]]
