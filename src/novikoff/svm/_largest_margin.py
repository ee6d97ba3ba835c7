"""The separator of largest margin.

    min over w, b:  1/2 |w|^2 [+ 1/2 b^2]     subject to  y_i (w.x_i + b) >= 1  for all rows.

First a working set of rows is tried. If rounding stops it, soft margins with the hinge are solved with growing C.
If C is above the largest dual variable of the hard margin, both problems have the same solution (exact penalty). Values
of C are relative to the squared length of the rows.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import counted
from novikoff._separability.search import decide
from novikoff.errors import NotSeparableError, input_error, quote
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.problem import Objective, Problem, Table, unit_scale
from novikoff.solvers.solver import Progress, SolverOptions, Start, solve
from novikoff.solvers.training_set import TrainingSet
from novikoff.solvers.working_set import Hyperplane, nearest_points
from novikoff.solvers.workspace import Workspace
from novikoff.theory.certificate import Duals
from novikoff.theory.enclosed_sums import Rows, exponent_of, scaled
from novikoff.theory.exact import Examples, IntegerVector
from novikoff.theory.geometry import Floats
from novikoff.theory.hull_bounds import HullSolution, precisely
from novikoff.theory.hulls import HullCertificate
from novikoff.theory.quick_hulls import StatedBounds, quick_measure
from novikoff.theory.svm_model import SvmModel

FIRST_COST, COST_GROWTH, LAST_COST = 1e6, 1e3, 1e21  # values of C |x|^2
SOLVER_SHARE = 0.5  # the share of the allowed gap that the solver may leave; the rest is for rounding
TOL_SHRINK, MIN_TOL = 0.1, 1e-15  # factor by which the tolerance shrinks after a gap that was too large, and its end
QUICK_SHARE = 0.9  # the share of the allowed gap up to which bounds that were computed quickly suffice
MAX_SCALE_EXPONENT = 465  # a power of two: the squares of longer or shorter rows and margins lose digits


@dataclass(frozen=True)
class HardMarginProblem:
    """One binary problem of the hard margin.

    Parameters
    ----------
    data : TrainingSet
        The rows; those with weight 0 do not count, and other weights make no difference.
    positive : int
        The code of the class that is called +1.
    intercept : {"free", "penalized", "none"}
        The role of the intercept.
    tol : float
        The relative distance of the margin from the largest one at which a solver stops.
    """

    data: TrainingSet
    positive: int
    intercept: str
    tol: float

    @property
    def label(self) -> Any:
        """The label of the class that is called +1."""
        return self.data.classes.tolist()[self.positive]

    def counted_rows(self) -> tuple[NDArray[np.int64], Any, Floats]:
        """Return the numbers of the rows whose weight is not 0, these rows, and their labels as -1 and +1."""
        data = self.data
        rows = np.arange(data.X.shape[0]) if data.weights is None else np.flatnonzero(data.weights > 0)
        signs = np.where(data.codes[rows] == self.positive, 1.0, -1.0)
        return rows, data.X if data.weights is None else data.X[rows], signs


@dataclass(frozen=True)
class Separator:
    """A hyperplane with bounds on its margin, scaled so that the smallest y f(x) is 1 if it separates the rows."""

    certificate: HullCertificate

    @property
    def separates(self) -> bool:
        """Whether all rows are proven to be on their sides."""
        return self.certificate.margin_lower_bound > 0

    def quality(self) -> tuple[bool, float]:
        """Return a key for comparisons: the margin or, if it does not separate, how close the hulls are."""
        lower, upper = self.certificate.margin_lower_bound, self.certificate.margin_upper_bound
        return (True, lower / upper) if self.separates else (False, -upper)


def largest_margin(where: str, problem: HardMarginProblem, options: SolverOptions) -> Separator:
    """Return the separator of largest margin or, if none was found, the best approximation.

    If few rows lie on the margin, a working set finds them. Otherwise, or if rounding prevents that, soft margins
    follow. ``options.keep_margins`` must be set.
    """
    data, table, options = problem.data, problem.data.table, options.begun()
    C = FIRST_COST * _checked_scale(where, table) ** 2
    tol = SOLVER_SHARE * problem.tol * (2 - problem.tol)
    soft = Problem(table, problem.positive, Objective(C, LOSSES["hinge"], problem.intercept, tol))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        work = Workspace(soft, options.threads)
        plane, steps = nearest_points(data, work, problem.tol, Progress(soft, options))
        best = None if plane is None else _certified(problem, plane, steps)
        del work
    if best is not None and (best.certificate.converged or steps >= options.max_iter or options.is_over):
        return best
    return _by_soft_margins(where, problem, options, soft, best, steps)


def _by_soft_margins(
    where: str, problem: HardMarginProblem, options: SolverOptions, soft: Problem, best: Separator | None, steps: int
) -> Separator:
    """Solve soft margins with growing C, each from the end of the last.

    When the first of them does not separate the rows, it is decided whether any hyperplane does.
    """
    objective, max_cost = soft.objective, LAST_COST / FIRST_COST * soft.objective.C
    start: Start | None = None
    is_decided = False
    while True:
        solution = solve(soft, options.with_max_iter(max(1, options.max_iter - steps)), start)
        assert solution.margins is not None
        steps += solution.steps
        plane = Hyperplane(solution.weights, solution.bias, solution.duals, solution.margins)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = _certified(problem, plane, steps)
        if best is None or found.separates or not is_decided:
            best = found if best is None else max(best, found, key=Separator.quality)
        if found.certificate.converged or steps >= options.max_iter or options.is_over:
            break
        if not (found.separates or is_decided):
            separating = _separating_plane(where, problem, plane, soft, options.threads)
            if separating is not None:  # better than `best`, whatever its margin
                with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                    best = _certified(problem, separating, steps)
            is_decided = True
        start = solution.end
        if not found.separates or _is_bounded(soft, start.alpha):
            objective = dataclasses.replace(objective, C=COST_GROWTH * objective.C)
            start = start._replace(alpha=start.alpha / COST_GROWTH)
        else:
            objective = dataclasses.replace(objective, tol=TOL_SHRINK * objective.tol)
        if max_cost < objective.C or objective.tol < MIN_TOL:
            break
        soft = dataclasses.replace(soft, objective=objective)
    certificate = dataclasses.replace(best.certificate, iterations=min(steps, options.max_iter))
    return dataclasses.replace(best, certificate=certificate)


def _as_floats(direction: IntegerVector) -> Floats:
    """Return a direction as floats, the largest of which is 1."""
    largest = max(map(abs, direction))
    return np.array([entry / largest for entry in direction])


def _separating_direction(where: str, problem: HardMarginProblem, hint: Floats | None) -> IntegerVector | None:
    """Return weights, then the intercept if there is one, of a plane that separates all rows; None if undecided.

    Raises NotSeparableError, with rows that prove it, if no hyperplane does.
    """
    rows, X, signs = problem.counted_rows()
    verdict = decide(Examples(X, signs, problem.intercept != "none"), hint)
    if verdict is None:
        return None
    if verdict.witness is None:
        assert verdict.direction is not None
        return verdict.direction
    witness = Duals(rows[verdict.witness.rows], verdict.witness.weights / verdict.witness.weights.sum())
    raise NotSeparableError(
        f"{where}: no hyperplane separates class {quote(problem.label)} from the rest. "
        f"The error's witness, {counted(len(witness.rows), 'row')}, proves it. Use LinearSVM for such data.",
        witness,
    )


def _separating_plane(
    where: str, problem: HardMarginProblem, plane: Hyperplane, soft: Problem, threads: int
) -> Hyperplane | None:
    """Return a hyperplane that separates all rows, with the dual variables of the one given; None if it is undecided.

    Raises NotSeparableError if no hyperplane does.
    """
    has_intercept = problem.intercept != "none"
    found = _separating_direction(where, problem, np.append(plane.weights, [plane.bias] if has_intercept else []))
    if found is None:
        return None
    direction = _as_floats(found)
    weights, bias = (direction[:-1], float(direction[-1])) if has_intercept else (direction, 0.0)
    work = Workspace(soft, threads)
    with np.errstate(over="ignore", invalid="ignore"):
        work.compute_margins(np.append(weights / soft.scale, bias))
    return Hyperplane(weights, bias, plane.duals, work.margins)


def _checked_scale(where: str, table: Table) -> float:
    """Return the power of two that brings the rows to about unit length, unless it is too extreme."""
    scale = unit_scale(table)
    if not -MAX_SCALE_EXPONENT <= math.log2(scale) <= MAX_SCALE_EXPONENT:
        raise input_error(
            where, f"rows of length {1 / scale:.1g} cannot be used. Scale X: lengths must be between 1e-140 and 1e140."
        )
    return scale


def _is_bounded(soft: Problem, alpha: Floats) -> bool:
    """Return whether C prevents a row from having a larger dual variable."""
    costs = soft.table.costs
    return bool(np.max(alpha if costs is None else alpha * (costs > 0)) >= 1.0)


def _certified(problem: HardMarginProblem, plane: Hyperplane, steps: int) -> Separator:
    """Move the hyperplane to the middle, scale it, and bound its margin and the largest margin."""
    data, weights = problem.data, problem.data.weights
    signs = np.where(data.codes == problem.positive, 1.0, -1.0)
    counted = np.broadcast_to(True if weights is None else weights > 0, signs.shape)
    w, b = _canonical(problem, plane, signs, counted)
    a = _normalized(plane.duals)
    lower, upper, radius = _bounds(problem, HullSolution(data.X, signs, counted, w, b, a, problem.intercept))
    certificate = HullCertificate(
        margin_lower_bound=lower,
        margin_upper_bound=upper,
        examples=int(np.count_nonzero(counted)),
        intercept=problem.intercept,
        tol=problem.tol,
        iterations=steps,
        radius=radius,
        model=SvmModel(data.widen(w), b, problem.label, Duals.of(a)),
    )
    return Separator(certificate)


def _bounds(problem: HardMarginProblem, solution: HullSolution) -> StatedBounds:
    """Return bounds on the margin of a plane and on the largest margin, as accurate as the allowed gap needs."""
    rows = Rows(problem.data.X, problem.data.largest)
    quick = quick_measure(rows, solution)
    stated = None if quick is None else quick.stated()
    if stated is not None and 1 - stated.lower / stated.upper <= QUICK_SHARE * problem.tol:
        return stated
    found = precisely(rows, solution)
    upper = math.inf if found.squared_distance is None else found.squared_distance.root().stated_high()
    lower = min(found.margin.stated_low(), upper) if found.has_direction else -math.inf
    return StatedBounds(lower, upper, found.radius)


def _normalized(duals: Floats) -> Floats:
    """Return duals divided by their sum; they are scaled by a power of two first, so that nothing overflows."""
    scaled_duals = scaled(duals, exponent_of(duals))
    return scaled_duals / (scaled_duals.sum() or 1.0)


def _canonical(
    problem: HardMarginProblem, plane: Hyperplane, signs: Floats, counted: NDArray[np.bool_]
) -> tuple[Floats, float]:
    """Return the weights and the intercept; if the hyperplane separates, the smallest y f(x) is 1 unless they overflow.

    A free intercept is moved to the middle between the nearest rows of the two classes.
    """
    positive = float(plane.margins.min(where=counted & (signs > 0), initial=math.inf))
    negative = float(plane.margins.min(where=counted & (signs < 0), initial=math.inf))
    bias, smallest = plane.bias, min(positive, negative)
    if problem.intercept == "free":
        bias += (negative - positive) / 2
        smallest = (negative + positive) / 2
    if 0 < smallest < math.inf:
        weights, scaled_bias = plane.weights / smallest, bias / smallest
        if np.isfinite(weights).all() and math.isfinite(scaled_bias):  # a smallest margin near 0 may make them overflow
            return weights, scaled_bias
    return plane.weights, bias
