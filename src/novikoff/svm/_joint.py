"""The joint machine of several classes (Crammer and Singer 2001) as the estimators use it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from novikoff._progress import ProgressCallback
from novikoff._wide_array import stacked
from novikoff.solvers.crammer_singer import solve_joint
from novikoff.solvers.joint_problem import JointSolution, JointStart
from novikoff.solvers.problem import Objective
from novikoff.solvers.solver import HistoryEntry, SolverOptions
from novikoff.solvers.training_set import TrainingSet
from novikoff.theory.certificate import Duals
from novikoff.theory.crammer_singer import CrammerSingerCertificate, JointModel
from novikoff.theory.enclosed_sums import Rows
from novikoff.theory.gap_checks import state_bounds
from novikoff.theory.geometry import Floats
from novikoff.theory.joint_duals import JointDuals
from novikoff.theory.joint_values import JointMargin, JointPoint

from ._settings import Settings
from ._slack import MAX_ROWS, slack_of_classes
from ._state import Support


@dataclass(frozen=True)
class JointMachine:
    """The solution of the joint problem: its certificate, its history, where a warm start may begin, and its slacks."""

    certificate: CrammerSingerCertificate
    history: list[HistoryEntry]
    end: JointStart
    slack: Duals | None


def solve_joint_machine(
    data: TrainingSet, settings: Settings, start: JointStart | None = None, progress: ProgressCallback | None = None
) -> JointMachine:
    """Solve the joint problem of all classes, from ``start`` if it fits the data."""
    data = _with_known_codes(data)
    fitting = start if start is not None and _fits(start.fractions, data) else None
    solution = solve_joint(data, settings.objective, settings.options(settings.threads, progress), fitting)
    keeps_slack = data.rows.count <= MAX_ROWS
    slack = slack_of_classes(data, solution.weights, solution.intercepts) if keeps_slack else None
    return JointMachine(certify_joint(data, settings.objective, solution), solution.history, solution.end, slack)


def solve_joint_path(
    data: TrainingSet, objective: Objective, Cs: Floats, options: SolverOptions
) -> Iterator[tuple[Objective, JointSolution]]:
    """Solve the joint problem for each C in turn, each time from the solution before."""
    data, start = _with_known_codes(data), None
    for C in Cs.tolist():
        objective = dataclasses.replace(objective, C=C)
        solution = solve_joint(data, objective, options, start)
        start = solution.end
        yield objective, solution


def certify_joint(data: TrainingSet, objective: Objective, solution: JointSolution) -> CrammerSingerCertificate:
    """Return the certificate of a solution, with everything that is needed to verify it on all columns.

    The bounds are those of the weights and duals that the certificate states, with all rounding errors counted against
    them; the bounds of the solver are not used.
    """
    costs = np.full(data.rows.count, objective.C) if data.weights is None else objective.C * data.weights
    problem = JointMargin(data.X, data.codes.astype(np.intp), costs, objective.intercept, len(data.classes))
    point = JointPoint(np.asarray(solution.weights, dtype=np.float64), solution.intercepts, solution.duals)
    primal, dual = state_bounds(problem, point, Rows(data.X, data.largest), objective.tol)
    duals = solution.duals
    if not dual >= 0:  # without any duals the bound is 0
        duals, dual = JointDuals.of(np.zeros((1, len(data.classes)))), 0.0
    return CrammerSingerCertificate(
        intercept=objective.intercept,
        C=objective.C,
        tol=objective.tol,
        primal=primal,
        dual=dual,
        iterations=solution.steps,
        examples=data.rows.count if data.weights is None else int(np.count_nonzero(data.weights)),
        model=JointModel(
            weights=stacked([data.widen(weights) for weights in solution.weights]),
            biases=solution.intercepts,
            classes=data.classes.tolist(),
            duals=duals,
            costs=None if data.weights is None else costs,
        ),
    )


def joint_support(data: TrainingSet, duals: JointDuals) -> Support:
    """Return the rows that have dual variables, and their coefficients in the weights of each class."""
    rows = np.unique(duals.rows)
    coefficients = duals.coefficients(data.codes.astype(np.intp), len(data.classes))[rows]
    return Support(rows, np.ascontiguousarray(coefficients.toarray().T))


def _with_known_codes(data: TrainingSet) -> TrainingSet:
    """Return the data with some class for rows of weight 0 whose label no other row has."""
    return dataclasses.replace(data, codes=np.maximum(data.codes, 0))


def _fits(duals: JointDuals, data: TrainingSet) -> bool:
    """Return whether dual variables can be those of rows of these classes."""
    if len(duals.rows) == 0:
        return True
    if duals.rows[-1] >= data.rows.count or duals.classes.max() >= len(data.classes):
        return False
    return not np.any(data.codes[duals.rows] == duals.classes)
