"""A run of an online learner whose classes are learned together, repeated in plain NumPy, row by row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .enclosed_sums import exact_total
from .enclosure import Enclosure, at_most
from .geometry import Floats, Geometry, each_row
from .lifted import Combined, LiftedRows
from .replayed_run import EPS, SMALLEST, TINY, CarriedSum, squared_distance
from .rules import OnlineRule, RuleInput
from .second_order_replay import entries, rounding_after
from .second_order_rules import Example, SecondOrderRule
from .verification import Check


@dataclass(frozen=True)
class Update:
    """One update: the row, its class, the class that lost as much, and the step."""

    row: int
    own: int
    rival: int
    step: float


@dataclass
class KeslerReplay:
    """The state of a repeated run, and at the end its outcome.

    Parameters
    ----------
    weights : ndarray of shape (n_classes, n_features)
        The weights of the columns that occur.
    biases : ndarray of shape (n_classes,)
        The intercepts.
    lifted : LiftedRows
        The vectors u.
    columns : Columns or None
        The columns that occur, if these are not all.
    met : list of int
        The classes that have occurred, in the order of their first examples.
    mistaken : list of float
        The weights of the examples whose class did not lead.
    visits : int, default=0
        Number of times that a row, or a copy of it, was predicted.
    updates : int, default=0
        Number of updates.
    steps : float, default=0.0
        The sum of all steps.
    squared_length : CarriedSum
        |v|^2.
    squared_length_error : float, default=0.0
        A bound on its rounding error.
    rounding : float, default=0.0
        A bound on the distance of two computations of the same run.
    doubtful : int or None, default=None
        The first row on which rounding may have made the decision.
    made : list of Update
        All updates.
    least : float, default=inf
        The smallest |v| / M, with M the sum of the steps.
    used : int, default=0
        The number of updates after which it was reached; of a second-order rule, that of all updates.
    state : dict
        What a second-order rule keeps: arrays with the blocks of all classes one after the other, each of which has the
        intercept last. The weights are parts of them.
    """

    weights: Floats
    biases: Floats
    lifted: LiftedRows
    columns: Columns | None
    met: list[int] = field(default_factory=list)
    mistaken: list[float] = field(default_factory=list)
    visits: int = 0
    updates: int = 0
    steps: float = 0.0
    squared_length: CarriedSum = field(default_factory=CarriedSum)
    squared_length_error: float = 0.0
    rounding: float = 0.0
    doubtful: int | None = None
    made: list[Update] = field(default_factory=list)
    least: float = math.inf
    used: int = 0
    state: dict[str, Any] = field(default_factory=dict)

    def largest_length(self) -> float:
        """Return an upper bound on |v|."""
        return math.sqrt(max(0.0, self.squared_length.value()) + self.squared_length_error)

    def count(self, copies: float, mistake: bool) -> None:
        """Count examples that were predicted."""
        self.visits += 1
        if mistake:
            self.mistaken.append(copies)

    def lengthen(self, tau: float, lead: float, norm2: float, terms: int) -> None:
        """Update |v|^2, with |v + tau z|^2 = |v|^2 + 2 tau v.z + tau^2 |z|^2, and the bounds on rounding errors.

        A lead is the difference of two scores of k terms, and has an error of at most k + 4 roundings of |v| |z|.
        """
        before, length = self.largest_length(), tau * math.sqrt(norm2)
        self.squared_length.add(2 * tau * lead)
        self.squared_length.add(tau * norm2 * tau)
        roundings = (terms + 8) * EPS
        self.squared_length_error += roundings * length * (2 * before + length) + 2 * length * self.rounding + TINY
        self.rounding += 4 * roundings * (before + 2 * length) + terms * SMALLEST

    def note(self, update: Update, updates: int = 1) -> None:
        """Count updates of one kind, after which |v| / M may be smaller than before."""
        self.made.append(update)
        self.steps += update.step
        self.updates += updates
        if (ratio := self.largest_length() / self.steps) < self.least:
            self.least, self.used = ratio, len(self.made)

    def enter_sum(self, update: Update, updates: int) -> None:
        """Count examples of one kind that enter the sum v of a second-order learner."""
        self.made.append(update)
        self.steps += update.step
        self.updates += updates
        self.used = len(self.made)

    def distance(self, weights: Any, biases: Floats) -> Enclosure:
        """Return the enclosure of the squared distance of the last weights from others of the same shape."""
        total = Enclosure.exactly(0)
        for own, bias, other, other_bias in zip(self.weights, self.biases, weights, biases, strict=True):
            wide = own if self.columns is None else self.columns.widen(own)
            total = total + squared_distance(wide, float(bias), other, float(other_bias))
        return total

    def check_bound(self, claim: str, claimed: float) -> Check:
        """Check that the updates prove that no weights let all examples lead by more than ``claimed``.

        Any sum of vectors z with weights a >= 0 proves it for |sum a z| / sum a: by the best updates, or by all.
        """
        found = [self._check_bound(claim, claimed, count) for count in sorted({self.used, len(self.made)})]
        return next((check for status in ("holds", "open") for check in found if check.status == status), found[0])

    def _check_bound(self, claim: str, claimed: float, count: int) -> Check:
        steps, total = np.array([update.step for update in self.made[:count]]), Enclosure.exactly(0)
        if not np.all(np.isfinite(steps)) or not steps.any():
            return Check(claim, "open", "the steps of the run are not finite, or there are none")
        for _, block in self.blocks(count):
            total = total + block.squared_length()
        whole = exact_total(steps)
        return at_most(claim, claimed, total / Enclosure.exactly(whole * whole), squared=True)

    def blocks(self, count: int) -> Iterator[tuple[int, Combined]]:
        """Return the sum of the first updates, each times its step, in the block of each class that has any."""
        some = self.made[:count]
        steps = np.array([update.step for update in some])
        own, rival, row = np.array([(update.own, update.rival, update.row) for update in some], dtype=np.int64).T
        for k in np.union1d(own, rival).tolist():
            touched = np.flatnonzero((own == k) | (rival == k))
            rows, first, places = np.unique(row[touched], return_index=True, return_inverse=True)
            amounts = np.bincount(places, steps[touched], minlength=len(rows)).astype(np.float64)
            signs = np.where(own[touched][first] == k, 1.0, -1.0)  # a row has one class, so one sign in the block of k
            yield k, self.lifted.combine(rows, amounts, signs)


def replay_jointly(
    X: Any,
    codes: NDArray[np.int64],
    classes: int,
    copies: Floats,
    rule: OnlineRule,
    geometry: Geometry,
    orders: Iterable[NDArray[np.int64]],
    before: Callable[[KeslerReplay, float], None] | None = None,
) -> KeslerReplay:
    """Repeat a run.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    codes : ndarray of int64
        The class of each row that counts.
    classes : int
        Number of classes.
    copies : ndarray of shape (n_samples,)
        Weights. An integer weight k stands for k copies, one after the other.
    rule : OnlineRule
        The rule.
    geometry : Geometry
        How a row becomes the vector that the rule sees.
    orders : iterable of ndarray of int64
        The order of the rows in each pass.
    before : callable or None, default=None
        Called before a row is learned, with the state of the run and the constant feature, which is 0 without
        intercept.

    Returns
    -------
    KeslerReplay
        The outcome.
    """
    columns = Columns.occurring(X)
    cut = X if columns is None else columns.cut(X)
    rows, one = list(each_row(cut)), 1.0 if geometry.fit_intercept else 0.0
    run = KeslerReplay(np.zeros((classes, cut.shape[1])), np.zeros(classes), LiftedRows(cut, geometry), columns)
    if isinstance(rule, SecondOrderRule):
        run.state = rule.start(classes * (cut.shape[1] + 1))
        blocks = run.state["weights"].reshape(classes, -1)
        run.weights, run.biases = blocks[:, :-1], blocks[:, -1]
    for order in orders:
        for i in order.tolist():
            if copies[i] > 0:
                indices, values = rows[i]
                norm2, scale = float(values @ values) + one, 1.0
                if geometry.normalize and norm2 > 0:
                    scale, norm2 = 1 / math.sqrt(norm2), 1.0
                if before is not None:
                    before(run, one)
                _learn(run, rule, i, (indices, values, scale, one), norm2, int(codes[i]), float(copies[i]))
    return run


def _learn(
    run: KeslerReplay,
    rule: OnlineRule,
    i: int,
    x: tuple[Any, Floats, float, float],
    norm2: float,
    own: int,
    weight: float,
) -> None:
    """Learn from one example as often as its weight says; a fraction is one last copy of less weight."""
    indices, values, scale, _ = x
    if own not in run.met:
        run.met.append(own)
    others = [k for k in run.met if k != own]
    whole, part = int(weight), weight - int(weight)
    while whole > 0 or part > 0:
        if not others:
            return run.count(whole + part, False)
        terms = run.weights[:, indices] * values
        scores = scale * (terms.sum(axis=1) + run.biases)
        sizes = scale * (np.abs(terms).sum(axis=1) + np.abs(run.biases))
        rival = others[int(np.argmax(scores[others]))]
        lead = float(scores[own] - scores[rival])
        example = RuleInput(1.0, lead, 2 * norm2, 1.0 if whole > 0 else part, run.squared_length.value(), run.steps)
        mistake = rule.is_mistake(1.0, lead)
        _doubt(run, rule, i, example, scores, sizes, (own, rival), others, len(values))
        copies = whole + part if norm2 == 0 else example.weight  # an update along 0 changes nothing
        update = Update(i, own, rival, copies)
        if isinstance(rule, SecondOrderRule):
            size = float(sizes[own] + sizes[rival])
            is_made = _update_second_order(run, rule, update, x, example, mistake, size, whole + (part > 0))
        else:
            is_made = _update(run, rule, update, x, example, whole + (part > 0))
        if not is_made or norm2 == 0:
            return run.count(whole + part, mistake)
        run.count(example.weight, mistake)
        whole, part = (whole - 1, part) if whole > 0 else (0, 0.0)
    return None


def _update(
    run: KeslerReplay,
    rule: OnlineRule,
    update: Update,
    x: tuple[Any, Floats, float, float],
    example: RuleInput,
    updates: int,
) -> bool:
    """Make the update of a first-order rule, if there is one; along 0, count all copies."""
    indices, values, scale, one = x
    tau = rule.step(example)
    if tau == 0:
        return False
    if example.squared_norm == 0:
        run.note(update, updates)
        return True
    for code, along in ((update.own, tau * scale), (update.rival, -tau * scale)):
        run.weights[code, indices] += along * values
        run.biases[code] += along * one
    run.lengthen(tau, example.score, example.squared_norm, len(values))
    run.note(replace(update, step=tau))
    return True


def _update_second_order(
    run: KeslerReplay,
    rule: SecondOrderRule,
    update: Update,
    x: tuple[Any, Floats, float, float],
    example: RuleInput,
    mistake: bool,
    size: float,
    updates: int,
) -> bool:
    """Make the update of a second-order rule, to which z is one vector with the blocks of all classes."""
    if example.squared_norm == 0:
        run.enter_sum(update, updates)
        return True
    width = run.weights.shape[1] + 1
    columns, u = entries(width, x)
    columns = np.concatenate([update.own * width + columns, update.rival * width + columns])
    outcome = rule.learn(run.state, Example(columns, np.concatenate([u, -u]), example, mistake))
    if outcome.enters_sum:
        run.rounding = rounding_after(outcome, run.rounding, size, run.state["weights"][columns])
        run.enter_sum(update, 1)
    return outcome.enters_sum


def _doubt(
    run: KeslerReplay,
    rule: OnlineRule,
    i: int,
    example: RuleInput,
    scores: Floats,
    sizes: Floats,
    pair: tuple[int, int],
    others: list[int],
    terms: int,
) -> None:
    """Remember the row if rounding may have decided about the update, the mistake, or which class is strongest."""
    if run.doubtful is not None:
        return
    own, rival = pair
    roundings = 4 * (terms + 8) * EPS
    moved = 2 * run.rounding * math.sqrt(example.squared_norm)
    rounding = roundings * float(sizes[own] + sizes[rival]) + moved
    near = [
        k for k in others if k != rival and scores[rival] - scores[k] < roundings * (sizes[k] + sizes[rival]) + moved
    ]
    if min(abs(example.margin - rule.threshold(example)), abs(example.margin)) < rounding or near:
        run.doubtful = i
