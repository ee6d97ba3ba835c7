"""Duality-gap certificates of soft-margin solutions, and the warning about gaps that are too wide."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._counts import counted
from novikoff._estimators import ConvergenceWarning
from novikoff.solvers.problem import Objective
from novikoff.solvers.solver import Solution
from novikoff.solvers.training_set import TrainingSet
from novikoff.theory.certificate import Duals
from novikoff.theory.enclosed_sums import Rows
from novikoff.theory.gap import GapCertificate
from novikoff.theory.gap_checks import gap_shown, state_bounds
from novikoff.theory.gap_values import Point, SoftMargin
from novikoff.theory.geometry import Floats
from novikoff.theory.measured import Measured, joined, measure
from novikoff.theory.svm_model import SvmModel

BYTES_PER_CLASS = 64  # of a row: for so many bytes of values, the vectors of one more class may be kept
PARTS = 8  # of the rows, which several threads measure


def certify(
    data: TrainingSet,
    objective: Objective,
    pair: tuple[int, int | None],
    solution: Solution,
    rows: NDArray[np.intp] | None = None,
    measured: Measured | None = None,
) -> GapCertificate:
    """Return the certificate of a solution, with everything that is needed to verify it on all rows and columns.

    The bounds are those of the weights and duals that the certificate states, with all rounding errors counted against
    them; the bounds of the solver are not used.

    Parameters
    ----------
    data : TrainingSet
        The rows of the problem.
    objective : Objective
        What was minimised.
    pair : tuple of int
        The codes of the positive and of the negative class; None for all other classes.
    solution : Solution
        The solution.
    rows : ndarray of int, default=None
        The numbers of the rows of ``data`` among those of the user; None if they are all.
    measured : Measured, default=None
        What `measure_problem` or `measure_classes` has computed for the solution.
    """
    labels, (positive, negative) = data.classes.tolist(), pair
    costs = _costs(data, objective)
    primal, dual, duals = _bounds(data, objective, positive, solution, costs, measured)
    return GapCertificate(
        loss=objective.loss.name,
        intercept=objective.intercept,
        C=objective.C,
        tol=objective.tol,
        primal=primal,
        dual=dual,
        iterations=solution.steps,
        examples=data.rows.count if data.weights is None else int(np.count_nonzero(data.weights)),
        model=SvmModel(
            weights=data.widen(solution.weights),
            bias=solution.bias,
            positive=labels[positive],
            duals=duals if rows is None else Duals(rows[duals.rows].astype(np.int64), duals.weights),
            costs=None if data.weights is None else costs,
            negative=None if negative is None else labels[negative],
        ),
    )


def measure_problem(data: TrainingSet, objective: Objective, positive: int, solution: Solution) -> Measured | None:
    """Return the scores and the sum of duals of one problem, for which each row is read once.

    Returns None if the rows would have to be scaled.

    Parameters
    ----------
    data : TrainingSet
        The rows of the problem.
    objective : Objective
        What was minimised.
    positive : int
        The code of the positive class.
    solution : Solution
        The solution.
    """
    rows, weights = Rows(data.X, data.largest), np.ascontiguousarray(solution.weights, dtype=np.float64)
    if rows.exponent != 0:
        return None
    signed = _feasible_duals(objective, solution, _costs(data, objective)).copy()
    np.negative(signed, out=signed, where=data.codes != positive)
    if not sp.issparse(data.X):
        return measure(rows, weights[np.newaxis], signed[np.newaxis])[0]
    scores, v = np.empty(rows.count), np.empty(rows.columns)
    data.rows.measure(weights, signed, scores, v)
    terms = int(np.max(np.diff(data.X.indptr), initial=0))
    return Measured(scores, v, added=int(np.count_nonzero(signed)), pieces=1, terms=terms)


def classes_at_once(data: TrainingSet) -> int:
    """Return of how many classes `measure_classes` may keep the vectors of all rows; 1 if it does not help."""
    if sp.issparse(data.X) or Rows(data.X, data.largest).exponent != 0:
        return 1
    return max(1, int(data.X.shape[1]) * int(data.X.dtype.itemsize) // BYTES_PER_CLASS)


def measure_classes(
    data: TrainingSet,
    objective: Objective,
    solutions: dict[int, Solution],
    run: Callable[[Callable[[int], list[Measured]], int], list[list[Measured]]],
) -> dict[int, Measured]:
    """Return the scores and sums of duals of some one-vs-rest problems, computed in one pass over the dense rows.

    Parameters
    ----------
    data : TrainingSet
        All rows.
    objective : Objective
        What was minimised.
    solutions : dict
        The solution for each code of a positive class.
    run : callable
        Calls a function for 0, 1, ... on several threads, and returns the results. The parts of the rows, and hence
        the bits, do not depend on the threads.
    """
    weights = np.array([solution.weights for solution in solutions.values()])
    signed, costs = np.empty((len(solutions), data.rows.count)), _costs(data, objective)
    for own, (positive, solution) in zip(signed, solutions.items(), strict=True):
        np.copyto(own, _feasible_duals(objective, solution, costs))
        np.negative(own, out=own, where=data.codes != positive)
    starts = np.linspace(0, data.rows.count, PARTS + 1).astype(int).tolist()

    def measure_part(part: int) -> list[Measured]:
        cut = slice(starts[part], starts[part + 1])
        return measure(Rows(data.X[cut], data.largest), weights, signed[:, cut])

    parts = run(measure_part, PARTS)
    return {positive: joined([part[k] for part in parts]) for k, positive in enumerate(solutions)}


def _costs(data: TrainingSet, objective: Objective) -> Floats:
    """Return the cost of each row."""
    return objective.C * data.weights if data.weights is not None else np.broadcast_to(objective.C, data.rows.count)


def _feasible_duals(objective: Objective, solution: Solution, costs: Floats) -> Floats:
    """Return the duals, none of them above the cost of its row if the loss limits them."""
    is_limited = objective.loss.top < math.inf
    return np.minimum(solution.duals, costs) if is_limited and np.any(solution.duals > costs) else solution.duals


def _bounds(
    data: TrainingSet,
    objective: Objective,
    positive: int,
    solution: Solution,
    costs: Floats,
    measured: Measured | None,
) -> tuple[float, float, Duals]:
    """Return the primal bound of a solution, and the dual one with the duals that prove it."""
    a = _feasible_duals(objective, solution, costs)
    signs = np.where(data.codes == positive, np.int8(1), np.int8(-1))  # short, because there may be many rows
    problem = SoftMargin(data.X, signs, costs, objective.loss.name, objective.intercept, measured)
    point = Point(solution.weights, solution.bias, a)
    primal, dual = state_bounds(problem, point, Rows(data.X, data.largest), objective.tol)
    if not dual >= 0:  # without any duals the bound is 0
        a, dual = np.zeros_like(a), 0.0
    del signs, problem  # they would keep freed vectors of rows from being used for the duals
    return primal, dual, Duals.of(a)


def warn_if_wide(where: str, certificates: list[Any], max_iter: int, max_time: float | None = None) -> None:
    """Warn the caller of ``fit``, which calls this, about the widest gap, if it exceeds ``tol``."""
    found = gap_warning(where, certificates, max_iter, max_time)
    if found is not None:
        warnings.warn(found, stacklevel=3)


def gap_warning(
    where: str, certificates: Sequence[Any], max_iter: int, max_time: float | None = None
) -> ConvergenceWarning | None:
    """Return the warning about the widest gap, if it exceeds ``tol``."""
    if all(certificate.converged for certificate in certificates):
        return None
    widest = max(certificates, key=lambda certificate: certificate.relative_gap)
    remedy = "Increase max_iter or tol, decrease C, or scale the columns of X."
    if widest.iterations < max_iter and max_time is not None:
        remedy = "Increase max_time or tol, decrease C, or scale the columns of X."
    elif widest.iterations < max_iter:  # the solver did not stop because of a limit
        remedy = "More steps would not help, because rounding errors are part of the gap. "
        remedy += "Increase tol, decrease C, or scale the columns of X."
    return ConvergenceWarning(
        f"{where}: after {counted(widest.iterations, 'step')} the relative gap is only proven to be at most "
        f"{gap_shown(widest.relative_gap)}, above tol={widest.tol:g}. The objective may be that much above the "
        f"optimum. {remedy}"
    )
