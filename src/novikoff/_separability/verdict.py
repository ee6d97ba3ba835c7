"""Can a plane tell two classes apart? The question behind "perfect separation" in logistic regression."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from novikoff._validation import check_flag
from novikoff.errors import InvalidInputError, invalid
from novikoff.solvers.coordinate_descent import descend
from novikoff.solvers.descent_newton import MODERATE_COST
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.one_core import one_core
from novikoff.solvers.problem import Objective, Problem
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.balance import Balance
from novikoff.theory.certificate import Duals
from novikoff.theory.exact import Examples, Reduced, Whole, whole
from novikoff.theory.geometry import Floats, blocks
from novikoff.theory.hulls import distance_range, margin_range
from novikoff.theory.separability import Separability

from .search import Verdict, decide

EFFORT = 4_000_000  # values that are visited in search of a separator before a linear program is asked
MORE_EFFORT = 60_000_000  # the same where rows are fewer than twice the columns: there is a separator (Cover 1965)
MOST_PASSES, FEWEST_PASSES = 3000, 1
WIDE = 2000  # columns from which on the plane itself says which coefficients diverge
ENOUGH = 2000  # rows to look for independent ones among
NO_ROWS = np.zeros(0, dtype=np.int64)


class _Input(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """What scikit-learn checks the shape of the data for."""


_Input.__name__ = "separability"  # as its messages call it


def separability(X: Any, y: Any, fit_intercept: bool = True) -> Separability:
    """Say whether a plane separates two classes: completely, quasi-completely, or not at all, with the proof.

    Where the classes are separated, completely or quasi-completely, logistic regression has no finite estimate. The
    verdict is exact: the floats of X are taken for the rational numbers that they are, and whatever floating point
    could not settle was settled in whole numbers. ``Separability.verify`` checks it.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (rows, features)
    y : labels of two classes
    fit_intercept : the plane may lie anywhere; otherwise it goes through the origin

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

    References
    ----------
    Albert and Anderson (1984), On the existence of maximum likelihood estimates in logistic regression models.
    """
    where = "separability"
    fit_intercept = check_flag(where, "fit_intercept", fit_intercept)
    data = validate_training_set(_Input(), where, X, y, None, None)
    if len(data.classes) != 2:
        raise invalid(where, "Labels of two classes.", f"{len(data.classes)} classes")
    examples = Examples(data.X, np.where(data.codes == 1, 1.0, -1.0), fit_intercept)
    with one_core:
        return _decided(data, examples)


def _decided(data: TrainingSet, examples: Examples) -> Separability:
    hint, duals = _hint(data, examples.fit_intercept)
    verdict = decide(examples, hint)
    if verdict is None:
        return _report(data, examples, "undecided")
    if verdict.witness is None:
        return _complete(data, examples, verdict, duals)
    if verdict.direction is None:
        return _report(data, examples, "overlap", witness=verdict.witness)
    return _quasi_complete(data, examples, verdict)


def _hint(data: TrainingSet, fit_intercept: bool) -> tuple[Floats | None, Duals | None]:
    """A direction from a few passes of coordinate descent, which separates most data that can be, and its duals."""
    table = data.table
    try:
        unit = Problem(table, 1, Objective(1.0, LOSSES["hinge"], "free" if fit_intercept else "none", 0.5))
        C = MODERATE_COST * unit.scale * unit.scale
        problem = Problem(table, 1, dataclasses.replace(unit.objective, C=C))
    except (InvalidInputError, OverflowError):  # lengths that it cannot compute with
        return None, None
    effort = MORE_EFFORT if 2 * problem.columns > problem.rows else EFFORT
    passes = min(MOST_PASSES, max(FEWEST_PASSES, effort // max(1, table.elements)))
    v, alpha = descend(problem, passes)
    if not np.all(np.isfinite(v)):
        return None, None
    weights, duals = v[:-1] * problem.scale, Duals.of(alpha)
    return np.append(weights, v[-1]) if fit_intercept else weights, duals


def _report(data: TrainingSet, examples: Examples, kind: str, **found: Any) -> Separability:
    """A verdict of which nothing is known but what is given."""
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


def _complete(data: TrainingSet, examples: Examples, verdict: Verdict, duals: Duals | None) -> Separability:
    assert verdict.direction is not None
    plane = _in_floats(examples, verdict)
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
    """What no margin exceeds, by these weights, with as much for either class if the intercept is free."""
    a = duals.dense(examples.rows)
    sums = [float(a[examples.signs == sign].sum()) for sign in (1.0, -1.0)]
    if (min(sums) if intercept == "free" else max(sums)) == 0:
        return math.inf
    if intercept == "free":
        a[examples.signs > 0] *= sums[1] / sums[0]
    return distance_range(examples.X, examples.signs, a / a.sum(), intercept).most


def _quasi_complete(data: TrainingSet, examples: Examples, verdict: Verdict) -> Separability:
    assert verdict.direction is not None
    assert verdict.sides is not None
    return _report(
        data,
        examples,
        "quasi-complete",
        **_in_floats(examples, verdict),
        **_signs(np.array(_diverging(examples, verdict), dtype=np.float64), examples.fit_intercept),
        boundary=np.flatnonzero(verdict.sides == 0),
        witness=verdict.witness,
    )


def _plane(direction: Whole, fit_intercept: bool) -> dict[str, Any]:
    """A direction of whole numbers as floats."""
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


def _in_floats(examples: Examples, verdict: Verdict) -> dict[str, Any]:
    """The plane as floats; in whole numbers besides, if floats cannot hold it."""
    assert verdict.direction is not None
    assert verdict.sides is not None
    plane = _plane(verdict.direction, examples.fit_intercept)
    floats = np.append(plane["coef"], plane["intercept"]) if examples.fit_intercept else plane["coef"]
    again = whole(floats)[0] if verdict.proof is None else verdict.proof.straighten(floats)
    holds = np.array_equal(examples.sides(again), verdict.sides)
    return {**plane, "numerators": None if holds else tuple(verdict.direction)}


def _diverging(examples: Examples, verdict: Verdict) -> list[int]:
    """The sign with which each coefficient goes to infinity, the intercept last; 0 for those that stay finite.

    The estimate recedes in any direction that is 0 on the rows that balance. Of columns that depend on each other only
    the first ones are given a coefficient: those that are 0 on the whole boundary, so that they recede by themselves,
    then the intercept, then the others. Directions are taken so that the rest is 0.
    """
    assert verdict.proof is not None
    assert verdict.direction is not None
    assert verdict.sides is not None
    if examples.columns > WIDE:
        return [(entry > 0) - (entry < 0) for entry in verdict.direction]
    order = _column_order(examples, verdict.sides == 0)
    dependences = _row_basis(examples, verdict, order).null_space()

    def without_dependent(direction: Whole) -> Whole:
        entries = [direction[j] for j in order]
        for dependence in dependences:
            column = max(j for j in range(len(order)) if dependence[j])  # the only one that is not a pivot
            factor, unit = entries[column], dependence[column]
            sign = 1 if unit > 0 else -1
            entries = [sign * (entry * unit - factor * d) for entry, d in zip(entries, dependence, strict=True)]
        return entries

    chosen = without_dependent(verdict.direction)
    moves = [without_dependent(direction) for direction in _receding(examples, verdict.proof)]
    found = [0] * len(order)
    for place, j in enumerate(order):
        if any(move[place] for move in moves):
            found[j] = (chosen[place] > 0) - (chosen[place] < 0)
    return found


def _receding(examples: Examples, proof: Balance) -> list[Whole]:
    """A basis of the directions that are 0 on all rows that balance."""
    others = np.setdiff1d(np.arange(examples.columns), proof.columns).tolist()
    units = [[int(j == k) for j in range(examples.columns)] for k in others]
    return [*(proof.moves(examples.columns) or []), *units]


def _column_order(examples: Examples, boundary: NDArray[np.bool_]) -> list[int]:
    """The columns that are 0 in all these rows, the intercept, the others."""
    used = np.zeros(examples.X.shape[1], dtype=bool)
    for cut, block in blocks(examples.X):
        used |= np.asarray((block[boundary[cut]] != 0).sum(axis=0)).ravel() > 0
    last = [examples.X.shape[1]] if examples.fit_intercept else []
    return [*np.flatnonzero(~used).tolist(), *last, *np.flatnonzero(used).tolist()]


def _row_basis(examples: Examples, verdict: Verdict, order: list[int]) -> Reduced:
    """Rows that span all rows, their columns in the given order, reduced."""
    assert verdict.proof is not None
    assert verdict.sides is not None
    chosen = [*verdict.proof.basis, *_independent(examples, verdict)]
    while True:
        vectors = [vector for vector, _ in examples.whole_rows(np.array(chosen, dtype=np.int64))]
        reduced = Reduced([[vector[j] for j in order] for vector in vectors], len(order))
        directions = [[entry for _, entry in sorted(zip(order, v, strict=True))] for v in reduced.null_space()]
        missed = examples.off_zero(directions)
        if not np.any(missed):
            return reduced
        chosen.append(int(np.argmax(missed)))


def _independent(examples: Examples, verdict: Verdict) -> list[int]:
    """Rows on the right side that seem to be independent of each other and of those that balance."""
    assert verdict.proof is not None
    assert verdict.sides is not None
    rows = np.flatnonzero(verdict.sides > 0)
    rows = rows[:: max(1, len(rows) // ENOUGH)]
    moves = np.array([[c / max(map(abs, move)) for c in move] for move in _receding(examples, verdict.proof)])
    steps = examples.floats(rows) @ moves.T
    triangle, picked = scipy.linalg.qr(steps.T, mode="r", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    return [int(rows[k]) for k in picked[: int(np.count_nonzero(sizes > 1e-9 * sizes[0]))]]
