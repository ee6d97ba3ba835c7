"""The separator of largest margin, by soft margins whose C grows until no row needs more.

With C above the largest dual number of the hard margin, the hinge has the same solution (exact penalty): no dual number
is at its bound, and no row is on the wrong side. C is counted in rows of unit length, so units do not matter.
"""

from __future__ import annotations

import dataclasses
import math
import threading
from dataclasses import dataclass

import numpy as np

from novikoff._progress import Say
from novikoff._separability.search import decide
from novikoff.errors import invalid, not_separable
from novikoff.solvers.problem import Objective, Problem, Table, unit_scale
from novikoff.solvers.soft_margin import Progress, solve, solve_near
from novikoff.solvers.training_set import TrainingSet
from novikoff.solvers.working_set import Plane, nearest_points
from novikoff.theory.certificate import Duals
from novikoff.theory.exact import Examples
from novikoff.theory.gap import SvmModel
from novikoff.theory.geometry import Floats
from novikoff.theory.hulls import HullCertificate, distance_range, margin_range

FIRST, GROWTH, LAST = 1e6, 1e3, 1e12  # of C |x|^2: where it begins, by what it grows, where it ends
ROOM = 0.5  # the share of the gap asked for that the solver may leave: the rest is for rounding
STRICTER, STRICTEST = 0.1, 1e-15  # how much smaller a gap is tried where that was too little, and the smallest
LONGEST = 465  # power of two: beyond it, or below the inverse, squares of margins could not be computed with


@dataclass(frozen=True)
class Question:
    """One class to be told from the rest, and how near the best."""

    data: TrainingSet
    positive: int
    intercept: str  # "free", "penalized" or "none"
    tol: float


@dataclass(frozen=True)
class Effort:
    """What the solver may use: steps, threads, a seed; whom to tell, and whether to stop."""

    max_iter: int
    threads: int
    seed: int
    say: Say | None
    cancelled: threading.Event


@dataclass(frozen=True)
class Separator:
    """A plane with the bounds on its margin, scaled so that the smallest y f(x) is 1 where it separates."""

    certificate: HullCertificate
    duals: Floats  # a_i of every row, with w = sum a_i y_i x_i but for what is missing to the best

    @property
    def separates(self) -> bool:
        """Whether all rows are surely on their sides."""
        return self.certificate.margin_lower_bound > 0

    def worth(self) -> tuple[bool, float]:
        """What makes one better than another: the margin; where there is none, how near the hulls are shown to be."""
        lower, upper = self.certificate.margin_lower_bound, self.certificate.margin_upper_bound
        return (True, lower / upper) if self.separates else (False, -upper)


def largest_margin(where: str, question: Question, effort: Effort) -> Separator:
    """The separator of largest margin, or, where none was found, the nearest thing to one.

    If few rows decide, they are found first; else, or if rounding leaves that short of the goal, soft margins follow.
    """
    table = question.data.table
    C = FIRST * _unit(where, table) ** 2
    goal = ROOM * question.tol * (2 - question.tol)
    problem = Problem(table, question.positive, Objective(C, False, question.intercept, goal), effort.threads)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        progress = Progress(problem, effort.max_iter, effort.say, effort.cancelled)
        plane, steps = nearest_points(question.data, problem, question.tol, progress)
        best = None if plane is None else _certified(question, problem, plane, steps)
    if best is not None and (best.certificate.converged or steps >= effort.max_iter):
        return best
    return _by_soft_margins(where, question, effort, problem, best, steps)


def _by_soft_margins(
    where: str, question: Question, effort: Effort, problem: Problem, best: Separator | None, steps: int
) -> Separator:
    """The same by soft margins, each of which begins where the last ended.

    The first that does not separate the rows raises the question whether any plane does.
    """
    objective, last, start = problem.objective, LAST / FIRST * problem.objective.C, None
    is_asked = False
    while True:
        progress = Progress(problem, max(1, effort.max_iter - steps), effort.say, effort.cancelled)
        if start is None:
            solution = solve(problem, progress, effort.seed)
        else:
            solution = solve_near(problem, progress, effort.seed, start)
        steps += solution.steps
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            plane = Plane(solution.weights, solution.bias, solution.duals)
            found = _certified(question, problem, plane, steps)
        if best is None or found.separates or not is_asked:
            best = found if best is None else max(best, found, key=Separator.worth)
        if found.certificate.converged or steps >= effort.max_iter or effort.cancelled.is_set():
            break
        if not (found.separates or is_asked):
            separating = _separating_plane(where, question, plane)
            if separating is not None:  # whatever its margin, it has all rows on their sides
                with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                    problem.measure(np.append(separating.weights / problem.scale, separating.bias))
                    best = _certified(question, problem, separating, steps)
            is_asked = True
        alpha, v = solution.end
        if not found.separates or _is_bound(problem, alpha):
            objective = dataclasses.replace(objective, C=GROWTH * objective.C)
            alpha = alpha / GROWTH
        else:
            objective = dataclasses.replace(objective, tol=STRICTER * objective.tol)
        if last < objective.C or objective.tol < STRICTEST:
            break
        problem, start = Problem(problem.table, question.positive, objective, effort.threads), (alpha, v)
    return _with_steps(best, min(steps, effort.max_iter))


def _separating_plane(where: str, question: Question, plane: Plane) -> Plane | None:
    """A plane that separates the class from the rest, with the duals of the one given; None if none is found.

    Raises NotSeparableError, with rows that prove it, if there is no such plane.
    """
    data = question.data
    rows = np.arange(data.X.shape[0]) if data.weights is None else np.flatnonzero(data.weights > 0)
    signs = np.where(data.codes[rows] == question.positive, 1.0, -1.0)
    has_intercept = question.intercept != "none"
    examples = Examples(data.X if data.weights is None else data.X[rows], signs, has_intercept)
    verdict = decide(examples, np.append(plane.weights, [plane.bias] if has_intercept else []))
    if verdict is None:
        return None
    if verdict.witness is None:
        assert verdict.direction is not None
        largest = max(map(abs, verdict.direction))
        floats = np.array([entry / largest for entry in verdict.direction])
        return Plane(floats[:-1], float(floats[-1]), plane.duals) if has_intercept else Plane(floats, 0.0, plane.duals)
    witness = Duals(rows[verdict.witness.rows], verdict.witness.weights / verdict.witness.weights.sum())
    raise not_separable(
        where,
        "Data that a plane separates (LinearSVM takes others).",
        f"{len(witness.rows)} rows, of class {data.classes.tolist()[question.positive]!r} and of the rest, that no "
        "plane has all on their right sides: the error's witness proves it",
        witness,
    )


def _unit(where: str, table: Table) -> float:
    """The power of two that brings the rows to about unit length."""
    scale = unit_scale(table)
    if not -LONGEST <= math.log2(scale) <= LONGEST:
        raise invalid(where, "Rows of a length from 1e-140 to 1e140 (scale X).", f"a length of about {1 / scale:.1g}")
    return scale


def _is_bound(problem: Problem, alpha: Floats) -> bool:
    """Whether C keeps a row from having a larger dual number."""
    costs = problem.table.costs
    return bool(np.max(alpha if costs is None else alpha * (costs > 0)) >= 1.0)


def _certified(question: Question, problem: Problem, plane: Plane, steps: int) -> Separator:
    """Put the plane in the middle, bring it to its scale, and bound its margin and that of all others."""
    data, costs = question.data, problem.table.costs
    signs = problem.signs()
    counted = np.broadcast_to(True if costs is None else costs > 0, signs.shape)
    weights, bias = _canonical(question, problem, plane, signs, counted)
    lower, radius = margin_range(data.X, signs, counted, weights, bias, question.intercept)
    a = plane.duals / (plane.duals.sum() or 1.0)
    upper = distance_range(data.X, signs, a, question.intercept).most if a.any() else math.inf
    certificate = HullCertificate(
        margin_lower_bound=min(lower.least, upper),
        margin_upper_bound=upper,
        examples=int(np.count_nonzero(counted)),
        intercept=question.intercept,
        tol=question.tol,
        iterations=steps,
        radius=radius,
        model=SvmModel(weights, bias, data.classes.tolist()[question.positive], Duals.of(a)),
    )
    return Separator(certificate, a / (upper * upper))


def _canonical(
    question: Question, problem: Problem, plane: Plane, signs: Floats, counted: np.ndarray
) -> tuple[Floats, float]:
    """The weights and the bias with which the smallest y f(x) is 1, as far as all rows are on their sides.

    The best free bias is in the middle between the nearest rows of both classes. ``problem.margins`` are those of the
    plane.
    """
    weights, bias = plane.weights, plane.bias
    positive = float(problem.margins.min(where=counted & (signs > 0), initial=math.inf))
    negative = float(problem.margins.min(where=counted & (signs < 0), initial=math.inf))
    smallest = min(positive, negative)
    if question.intercept == "free":
        bias += (negative - positive) / 2
        smallest = (negative + positive) / 2
    return (weights / smallest, bias / smallest) if 0 < smallest < math.inf else (weights, bias)


def _with_steps(separator: Separator, steps: int) -> Separator:
    return dataclasses.replace(separator, certificate=dataclasses.replace(separator.certificate, iterations=steps))
