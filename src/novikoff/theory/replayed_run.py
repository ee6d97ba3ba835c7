"""The state of a repeated run of an online learner: weights, lengths, counts, bounds on rounding, and its proof."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _wide_array
from novikoff._wide_array import WideArray, narrowed, widened

from .columns import Columns
from .enclosed_sums import Enclosed, weighted_squares
from .enclosure import Enclosure, at_most
from .exact_lifted import ExactRows
from .forgetting import UNIT_EXPONENT, Forgetting
from .geometry import Floats
from .lifted import Combined, LiftedRows
from .verification import Check

EPS = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)  # bounds what underflow takes from a square
SMALLEST = math.ulp(0.0)  # bounds what underflow takes from a product


@dataclass
class Replay:
    """The state of a repeated run, and at the end its outcome.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
        The weights.
    bias : float, default=0.0
        The intercept.
    average_weights, average_bias : ndarray and float
        The sum of all steps, each times the number of examples before it; ``average`` is computed from it.
    examples : float, default=0.0
        The weight of the examples seen.
    mistaken : list of float
        The weights of the examples that were predicted wrongly.
    visits : int, default=0
        Number of times that a row, or a copy of it, was predicted.
    total_weight : Fraction, default=0
        The exact sum of the weights of all examples, of all passes.
    updates, updates_of_pass : int, default=0
        Number of updates, and of those in the last pass.
    steps : float, default=0.0
        The sum of all steps.
    squared_length : CarriedSum
        |v|^2.
    squared_length_error : float, default=0.0
        A bound on its rounding error.
    path : float, default=0.0
        The sum of the lengths of all updates.
    rounding, average_rounding : float, default=0.0
        Bounds on the distance of two computations of the same run, of the weights and of their average.
    moved, along : list
        The row of each update that changed v, and its factor.
    survived : list of float
        The weight of the examples between one update and the next.
    doubtful : int or None, default=None
        The first row on which rounding may have made the decision.
    proof : Proof
        The rows and steps of all updates, of which some prove the bound on all margins.
    forgetting : Forgetting
        What is kept of the weights.
    fade : float, default=1.0
        What an example keeps of them.
    scale : float, default=1.0
        v is this times ``weights`` and ``bias`` until the run is finished; lengths, steps and errors are those of the
        stored weights.
    longest, least_longest : float, default=0.0
        An upper bound on the largest |v| after an update, and a lower bound on that of another computation of the run.
    steps_error : float, default=0.0
        A bound on the difference of ``steps`` from that of another computation of the run.
    state : dict
        What a second-order rule keeps for each column; the last entry of an array is that of the intercept.
    columns : Columns or None
        The columns that occur in the rows, which the proof has; None if they are all.
    """

    weights: Floats
    bias: float = 0.0
    average_weights: Floats = field(default_factory=lambda: np.zeros(0))
    average_bias: float = 0.0
    examples: float = 0.0
    mistaken: list[float] = field(default_factory=list)
    visits: int = 0
    total_weight: Fraction = Fraction(0)
    updates: int = 0
    updates_of_pass: int = 0
    steps: float = 0.0
    squared_length: CarriedSum = field(default_factory=lambda: CarriedSum())
    squared_length_error: float = 0.0
    path: float = 0.0
    rounding: float = 0.0
    average_rounding: float = 0.0
    moved: list[int] = field(default_factory=list)
    along: list[float] = field(default_factory=list)
    survived: list[float] = field(default_factory=lambda: [0.0])
    doubtful: int | None = None
    proof: Proof = field(default_factory=lambda: Proof())
    forgetting: Forgetting = field(default_factory=Forgetting)
    fade: float = 1.0
    scale: float = 1.0
    longest: float = 0.0
    least_longest: float = 0.0
    steps_error: float = 0.0
    state: dict[str, Any] = field(default_factory=dict)
    columns: Columns | None = None

    def shrink(self, kept: float) -> None:
        """Multiply v by a number: its factor, of which a power of 2 is moved into the stored numbers if it is small."""
        self.scale *= kept
        while self.scale < math.ldexp(1.0, UNIT_EXPONENT):
            unit = math.ldexp(1.0, UNIT_EXPONENT)
            self.scale /= unit
            self.weights *= unit
            self.bias *= unit
            self.squared_length = CarriedSum(
                self.squared_length.sum * unit * unit, self.squared_length.carry * unit * unit
            )
            self.squared_length_error = self.squared_length_error * unit * unit + TINY
            self.rounding = self.rounding * unit + (len(self.weights) + 1) * SMALLEST
            self.steps *= unit
            self.steps_error *= unit
            self.proof.exponent += UNIT_EXPONENT

    def finish(self) -> None:
        """Multiply the stored weights by the factor of v."""
        if self.forgetting.is_any:
            self.rounding = (
                self.scale * (self.rounding + 4 * EPS * self.largest_length()) + len(self.weights) * SMALLEST
            )
            self.weights, self.bias, self.steps = (
                self.weights * self.scale,
                self.bias * self.scale,
                self.steps * self.scale,
            )
            self.steps_error *= self.scale
            self.scale = 1.0

    def remembered_between(self) -> tuple[float, float]:
        """Return what the steps of this run add up to at least, and at most those of another computation of it."""
        roundings = 2 * (self.updates + 8) * EPS * self.steps
        return max(0.0, self.steps - roundings), self.steps + 2 * roundings + self.steps_error

    def longest_between(self) -> tuple[float, float]:
        """Return the largest |v| at least of another computation of this run, and at most of this one."""
        return self.least_longest * (1 - 8 * EPS), self.longest * (1 + 8 * EPS)

    def count(self, copies: float, mistake: bool) -> None:
        """Count examples that were predicted."""
        self.examples += copies
        self.survived[-1] += copies
        self.visits += 1
        if mistake:
            self.mistaken.append(copies)

    def move(self, row: int, columns: Any, values: Floats, along: float, bias_step: float) -> None:
        """Add a multiple of a row to the weights."""
        self.average_weights[columns] += self.examples * along * values
        self.average_bias += self.examples * bias_step
        self.weights[columns] += along * values
        self.bias += bias_step
        self.moved.append(row)
        self.along.append(along)
        self.survived.append(0.0)

    def lengthen(self, row: int, tau: float, margin: float, norm2: float, terms: int) -> None:
        """Update |v|^2, with |v + tau y u|^2 = |v|^2 + 2 tau y v.u + tau^2 |u|^2, and what depends on it.

        A score of k terms has an error of at most k + 4 roundings of |v| |u| (Higham 2002, section 3.1). A step that
        depends on it has the same error relative to |u|; the steps of all rules are such that an error in v does not
        become larger by later steps, or do not depend on v at all.
        """
        before, length = self.largest_length(), tau * math.sqrt(norm2)
        self.squared_length.add(2 * tau * margin)
        self.squared_length.add(tau * norm2 * tau)  # in an order in which the square of a tiny step does not underflow
        roundings = (terms + 8) * EPS
        self.squared_length_error += roundings * length * (2 * before + length) + 2 * length * self.rounding + TINY
        self.rounding += 4 * roundings * (before + 2 * length) + terms * SMALLEST
        self.average_rounding += 8 * EPS * (self.path + before + 2 * length)
        self.path += length
        self.stand_still(row, tau, 1)
        if self.forgetting.is_any and self.scale * self.largest_length() > self.longest:
            stored = math.sqrt(float(self.weights @ self.weights) + self.bias * self.bias)
            error = self.rounding + (len(self.weights) + 8) * (EPS * stored + TINY)
            self.longest = max(self.longest, self.scale * (stored + error))
            self.least_longest = max(self.least_longest, self.scale * (stored - error))

    def stand_still(self, row: int, tau: float, updates: int) -> None:
        """Count updates and their steps."""
        self.steps += tau
        self.updates += updates
        self.updates_of_pass += updates
        self.proof.add(row, tau, self.largest_length() / self.steps)

    def enter_sum(self, row: int, step: float, updates: int) -> None:
        """Count examples of a row that enter the sum v of a second-order learner, which is proven from all of them."""
        self.steps += step
        self.updates += updates
        self.updates_of_pass += updates
        self.proof.add(row, step, -float(len(self.proof.rows)))

    def largest_length(self) -> float:
        """Return an upper bound on |v|."""
        return math.sqrt(max(0.0, self.squared_length.value()) + self.squared_length_error)

    def average(self) -> tuple[Floats, float]:
        """Return the average of the weights and of the intercept over all examples."""
        clock = self.examples or 1.0
        if not isinstance(self.weights, WideArray):
            return self.weights - self.average_weights / clock, self.bias - self.average_bias / clock
        columns = np.union1d(_wide_array.occurring(self.weights), _wide_array.occurring(self.average_weights))
        weights, steps = narrowed(self.weights, columns), narrowed(self.average_weights, columns)
        return widened(weights - steps / clock, columns, len(self.weights)), self.bias - self.average_bias / clock

    def distance(self, weights: Floats, bias: float) -> Enclosure:
        """Return the enclosure of the squared distance of the last weights from others."""
        return squared_distance(self.weights, self.bias, weights, bias)

    def average_distance(self, weights: Floats, bias: float) -> Enclosure:
        """Return the enclosure of the squared distance of the average from other weights."""
        mean, mean_bias = self.average()
        return squared_distance(mean, mean_bias, weights, bias)

    def check_bound(self, claim: str, claimed: float) -> Check:
        """Check that the updates prove that no separator has a margin above ``claimed``."""
        return self.proof.check(claim, claimed)


@dataclass
class CarriedSum:
    """A sum with its rounding error carried along (Knuth's two-sum)."""

    sum: float = 0.0
    carry: float = 0.0

    def add(self, term: float) -> None:
        """Add a number."""
        total = self.sum + term
        back = total - self.sum
        self.carry += (self.sum - (total - back)) + (term - back)
        self.sum = total

    def value(self) -> float:
        """Return the sum."""
        return self.sum + self.carry


@dataclass
class Proof:
    """The updates of a run, each of which adds a step a >= 0 times y u, up to where |v| / sum a is least.

    Any such sum proves that no separator has a margin above |sum a y u| / sum a, whoever chose a.

    Parameters
    ----------
    lifted, exactly : LiftedRows and ExactRows
        The vectors u.
    signs : ndarray of shape (n_samples,)
        The labels y.
    is_one_pass : bool, default=True
        Whether every update has a private feature of its own, as on a stream; else every row has one.
    exact : bool, default=False
        Whether to decide in rational arithmetic what rounding leaves open.
    """

    lifted: LiftedRows | None = None
    exactly: ExactRows | None = None
    signs: Floats = field(default_factory=lambda: np.zeros(0))
    is_one_pass: bool = True
    exact: bool = False
    rows: list[int] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    exponents: list[int] = field(default_factory=list)
    exponent: int = 0  # of the power of 2 by which the first steps were multiplied since, because the learner forgets
    least: float = math.inf
    used: int = 0

    def add(self, row: int, step: float, ratio: float) -> None:
        """Add an update, after which |v| / sum a is ``ratio``."""
        self.rows.append(row)
        self.steps.append(step)
        self.exponents.append(self.exponent)
        if ratio < self.least:
            self.least, self.used = ratio, len(self.rows)

    def check(self, claim: str, claimed: float) -> Check:
        """Check that no separator has a margin above ``claimed``: by the best updates, or by all of them."""
        found = [self._check(claim, claimed, count) for count in sorted({self.used, len(self.rows)})]
        return next((check for status in ("holds", "open") for check in found if check.status == status), found[0])

    def total(self) -> Combined:
        """Return the sum of all updates."""
        assert self.lifted is not None
        rows, amounts = self._amounts(len(self.rows))
        return self.lifted.combine(rows, amounts, self.signs[rows])

    def _amounts(self, count: int) -> tuple[NDArray[np.int64], Floats]:
        """Return the rows of the first updates, each once, and the sums of their steps."""
        rows, places = np.unique(np.array(self.rows[:count], dtype=np.int64), return_inverse=True)
        amounts: Floats = np.bincount(places, self._kept(count), minlength=len(rows)).astype(np.float64)
        return rows, amounts

    def _kept(self, count: int) -> Floats:
        """Return what is left of the first steps; those that underflow are 0."""
        every = np.array(self.steps[:count])
        if not self.exponent:
            return every
        exponents = np.array(self.exponents[:count])
        kept: Floats = np.ldexp(every, exponents[-1] - exponents)
        return kept

    def _check(self, claim: str, claimed: float, count: int) -> Check:
        assert self.lifted is not None
        assert self.exactly is not None
        every = self._kept(count)
        rows, amounts = self._amounts(count)
        if not np.all(np.isfinite(amounts)) or not amounts.any():
            return Check(claim, "open", "the steps of the run are not finite, or there are none")
        own = None
        if self.is_one_pass and self.lifted.geometry.slack_feature:
            squares = weighted_squares(np.ones(len(every)), every, every)
            own = squares * Enclosure.exactly(self.lifted.geometry.slack_feature).square()
        combined = self.lifted.combine(rows, amounts, self.signs[rows])
        combined = combined if own is None else replace(combined, private=own)
        found = at_most(claim, claimed, combined.squared_ratio(), squared=True)
        if found.status != "open" or not self.exact:
            return found
        exactly = self.exactly.combine(rows, amounts)
        if own is not None:
            delta = Fraction(self.lifted.geometry.slack_feature)
            total = delta * delta * sum((Fraction(step) ** 2 for step in every.tolist()), Fraction(0))
            exactly = replace(exactly, private=total)
        return at_most(claim, claimed, exactly.squared_ratio(), squared=True)


def squared_distance(weights: Floats, bias: float, others: Floats, other_bias: float) -> Enclosure:
    """Return the enclosure of the squared distance of two planes; unbounded if a number is not finite."""
    if isinstance(weights, WideArray) or isinstance(others, WideArray):
        columns = np.union1d(_wide_array.occurring(weights), _wide_array.occurring(others))
        weights, others = narrowed(weights, columns), narrowed(others, columns)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.append(weights, bias) - np.append(others, other_bias)
    if not np.all(np.isfinite(gap)):
        return Enclosure(math.inf, math.inf)
    if not gap.any():
        return Enclosure.exactly(0)
    return Enclosed(gap, EPS * np.abs(gap), 0).squared_length()
