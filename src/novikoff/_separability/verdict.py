"""``novikoff.separability``: whether a plane separates two classes, known as "perfect separation" in statistics."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from novikoff._design import design_of
from novikoff._estimators import BaseEstimator, ClassifierMixin
from novikoff._one_core import one_core
from novikoff._wide_array import is_wide
from novikoff.errors import InvalidInputError
from novikoff.solvers.coordinate_descent import descend
from novikoff.solvers.descent_newton import MODERATE_COST
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.problem import Objective, Problem
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.certificate import Duals
from novikoff.theory.coefficients import undecided
from novikoff.theory.columns import without_zeros
from novikoff.theory.elimination import IntegerVector
from novikoff.theory.enclosed_sums import Rows
from novikoff.theory.exact import Examples, to_integers
from novikoff.theory.geometry import Floats
from novikoff.theory.hull_bounds import HullSolution, precisely
from novikoff.theory.row_numbers import numbers_for_user
from novikoff.theory.separability import Separability
from novikoff.theory.verdict_columns import names_in_columns, widened

from .coefficients import coefficients
from .integer_search import SMALL_PROBLEM_ENTRIES
from .partition import Partition
from .search import completed_by, decide

DESCENT_EFFORT = 4_000_000  # values that coordinate descent visits before a linear program is solved
DESCENT_EFFORT_IF_WIDE = (
    60_000_000  # the same if there are fewer rows than twice the columns: most such data are separable (Cover 1965)
)
MAX_PASSES, MIN_PASSES = 3000, 1  # of coordinate descent
MAX_PASSES_IF_SMALL = 100  # the same before data are decided in integers, which takes less time than more passes
NO_ROWS = np.zeros(0, dtype=np.int64)


class SeparabilityInput(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """The estimator that scikit-learn checks the shape of the data for."""


SeparabilityInput.__name__ = "separability"  # its name in error messages


def separability(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    positive: Any = None,
    sample_weight: Any = None,
    offset: Any = None,
) -> Separability:
    """Decide whether the estimates of a logistic regression exist, and which coefficients are infinite, with a proof.

    If a plane separates the classes, completely or quasi-completely, the maximum likelihood estimate does not exist.
    The answer is exact: what floating point leaves open is decided in integers. ``Separability.verify`` checks it.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame, formula matrix} of shape (n_samples, n_features)
        The rows. Columns of strings and categories of a data frame of pandas, polars or pyarrow are factors in R's
        treatment coding: the first level is the reference, and the others have columns such as ``colorred``. Matrices
        of formulaic and patsy keep their names, and their intercept is the intercept.
    y : array-like of shape (n_samples,) or (n_samples, 2)
        Labels of two classes; or two columns of counts, successes and failures; or, with ``sample_weight``, proportions
        of successes.
    fit_intercept : bool, default=True
        Whether there is an intercept, so that the plane may lie anywhere. Otherwise it contains the origin. A formula
        matrix has an intercept if it has a column Intercept.
    positive : object, default=None
        The label whose probability is modelled. By default the second level of a categorical, else the second label in
        sorted order, as in R; for counts, the first column.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights or numbers of observations. Rows of weight 0 are absent; other weights have no influence.
    offset : array-like of shape (n_samples,), default=None
        Known parts of the scores. They are checked and have no influence: no constant keeps a score from growing.

    Returns
    -------
    Separability
        The answer and its proof. ``summary`` shows it as a table.

    Raises
    ------
    InvalidInputError
        If there are not exactly two classes, or X has missing values, dates, or values that are not finite.

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
    >>> found.boundary
    array([0, 1, 2])
    """
    where = "separability"
    design = design_of(
        where, X, y, fit_intercept=fit_intercept, positive=positive, sample_weight=sample_weight, offset=offset
    )
    is_positive = (design.signs > 0).astype(np.int8)
    data = validate_training_set(SeparabilityInput(), where, without_zeros(design.X), is_positive, None, None)
    examples = Examples(data.X, design.signs, design.fit_intercept)
    with one_core:
        found = _decided(data, examples)
    if data.columns is not None and is_wide(data.width, len(data.columns.indices)):
        found = dataclasses.replace(found, columns=data.columns.indices, n_features=data.width)
    elif data.columns is not None:
        found = widened(found, data.columns)
    names = names_in_columns(design.names, found.columns)
    told = {"positive": design.positive, "response": design.response, "names": names}
    return dataclasses.replace(found, **told, **numbers_for_user(found, design))


def _decided(data: TrainingSet, examples: Examples) -> Separability:
    is_small = data.table.elements <= SMALL_PROBLEM_ENTRIES
    hint, duals = hint_by_descent(data, examples.fit_intercept, MAX_PASSES_IF_SMALL if is_small else MAX_PASSES)
    partition = decide(examples, hint)
    if partition is None:
        return _report(data, examples, "undecided")
    if partition.witness is None:
        if is_small:  # more passes give a larger margin and a smaller bound
            hint, duals = hint_by_descent(data, examples.fit_intercept)
            partition = (None if hint is None else completed_by(examples, hint)) or partition
        return _complete(data, examples, partition, duals)
    if partition.direction is None:
        return _report(data, examples, "overlap", witness=partition.witness, **_coefficients(examples, partition))
    return _quasi_complete(data, examples, partition)


def hint_by_descent(
    data: TrainingSet, fit_intercept: bool, max_passes: int = MAX_PASSES
) -> tuple[Floats | None, Duals | None]:
    """Return a direction from coordinate descent, which separates most data that are separable, and its duals."""
    table = data.table
    try:
        unit = Problem(table, 1, Objective(1.0, LOSSES["hinge"], "free" if fit_intercept else "none", 0.5))
        C = MODERATE_COST * unit.scale * unit.scale
        problem = Problem(table, 1, dataclasses.replace(unit.objective, C=C))
    except (InvalidInputError, OverflowError):  # lengths that are too large or too small for it
        return None, None
    effort = DESCENT_EFFORT_IF_WIDE if 2 * problem.columns > problem.rows else DESCENT_EFFORT
    passes = min(max_passes, max(MIN_PASSES, effort // max(1, table.elements)))
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
        "statuses": undecided(examples.columns),
        "directions": (),
        "supports": (),
        "dependences": (),
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
    intercept = "free" if examples.fit_intercept else "none"
    a = None if duals is None else duals.dense(examples.rows)
    everywhere = np.ones(examples.rows, dtype=bool)
    found = precisely(
        Rows(examples.X),
        HullSolution(examples.X, examples.signs, everywhere, plane["coef"], plane["intercept"], a, intercept),
    )
    upper = math.inf if found.squared_distance is None else found.squared_distance.root().stated_high()
    return _report(
        data,
        examples,
        "complete",
        **plane,
        **_coefficients(examples, partition),
        witness=duals if upper < math.inf else None,
        margin_lower_bound=max(0.0, found.margin.stated_low()) if plane["numerators"] is None else 0.0,
        margin_upper_bound=upper,
    )


def _quasi_complete(data: TrainingSet, examples: Examples, partition: Partition) -> Separability:
    assert partition.direction is not None
    assert partition.sides is not None
    assert partition.proof is not None
    return _report(
        data,
        examples,
        "quasi-complete",
        **_in_floats(examples, partition),
        **_coefficients(examples, partition),
        boundary=np.flatnonzero(partition.sides == 0),
        witness=partition.witness,
    )


def _coefficients(examples: Examples, partition: Partition) -> dict[str, Any]:
    """Return what becomes of each coefficient."""
    found = coefficients(examples, partition)
    return {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}


def _plane(direction: IntegerVector, fit_intercept: bool) -> dict[str, Any]:
    """Return a direction of integers as floats."""
    largest = max(map(abs, direction))
    floats = np.array([entry / largest for entry in direction])
    if not fit_intercept:
        return {"coef": floats, "intercept": 0.0}
    return {"coef": floats[:-1], "intercept": float(floats[-1])}


def _in_floats(examples: Examples, partition: Partition) -> dict[str, Any]:
    """Return the plane as floats, and also in integers if rounding changes the side of a row."""
    assert partition.direction is not None
    assert partition.sides is not None
    plane = _plane(partition.direction, examples.fit_intercept)
    floats = np.append(plane["coef"], plane["intercept"]) if examples.fit_intercept else plane["coef"]
    holds = np.array_equal(examples.sides(to_integers(floats)[0]), partition.sides)
    return {**plane, "numerators": None if holds else tuple(partition.direction)}
