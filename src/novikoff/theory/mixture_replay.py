"""The predictions of the members of a mixture, and what the mixture makes of them, repeated in plain NumPy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .geometry import Floats, each_row
from .kesler_scores import joint_scores_of
from .replay import replay
from .replayed_run import EPS, Replay
from .rules import Rule
from .running_scale import as_seen

VOTES = ("leader", "majority", "share")
MAX_CHANGES = 8  # of the sequences of members that fixed share is compared with
NOBODY = -1  # the code of a prediction before any label was seen
Codes = NDArray[np.int64]


# ---- predictions of one member ---------------------------------------------------------------------------------------


class Scores:
    """The scores with which a learner predicts the rows of a run, before it learns from each.

    Parameters
    ----------
    rule : Rule
        The rule of the learner, which says whether the last weights, their average or a vote predicts.
    predicted : ndarray or CSR matrix
        The rows as they were predicted; a running scale shows them otherwise than they were learned.
    delay : int, default=0
        How many further rows were predicted before each was learned.

    Attributes
    ----------
    values, tolerances : list of float
        The score of each row, and by how much rounding may have changed it. The first ``delay`` rows, which are
        predicted before anything is learned, have scores of 0.
    """

    def __init__(self, rule: Rule, predicted: Any, delay: int = 0) -> None:
        self._rule, self._learned = rule, list[tuple[Any, Floats]]()
        self._rows, self._predicted = predicted[delay:], each_row(predicted[:0])
        self.values: list[float] = [0.0] * min(delay, predicted.shape[0])
        self.tolerances: list[float] = [0.0] * len(self.values)

    def before(self, run: Replay, x: tuple[Any, Floats, float, float], norm2: float) -> None:
        """Score the row that is predicted next; ``replay`` calls this before a row is learned."""
        if run.visits == 0:
            self._predicted = each_row(self._rows if run.columns is None else run.columns.cut(self._rows))
        row = next(self._predicted, None)
        if row is not None:
            self._score(run, row, x[3])
        if self._rule.keep == "votes":
            self._learned.append(x[:2])

    def _score(self, run: Replay, row: tuple[Any, Floats], one: float) -> None:
        columns, values = row
        length = math.sqrt(float(values @ values) + one)  # a score is not that of the row at unit length
        left = run.scale  # by which v differs from the stored weights if the learner forgets
        if self._rule.keep == "votes":
            self._vote(run, (columns, values, one), length)
            return
        weights, bias, rounding = run.weights[columns], run.bias, run.rounding
        if self._rule.keep == "average" and run.examples > 0:
            weights = weights - run.average_weights[columns] / run.examples
            bias, rounding = bias - run.average_bias / run.examples, rounding + run.average_rounding
        terms = values * weights
        size = float(np.abs(terms).sum()) + abs(bias)
        self.values.append(left * (float(terms.sum()) + bias * one))
        self.tolerances.append(left * (4 * (len(terms) + 8) * EPS * size + 2 * rounding * length))

    def _vote(self, run: Replay, x: tuple[Any, Floats, float], length: float) -> None:
        """Score by the vote of all hypotheses, of which each adds a row to the one before."""
        columns, values, one = x
        dense = np.zeros(len(run.weights))
        dense[columns] = values
        products = [float(own @ dense[places]) + one for places, own in (self._learned[i] for i in run.moved)]
        inner = np.concatenate([[0.0], np.cumsum(np.array(run.along) * products)]) if products else np.zeros(1)
        votes, zero = np.array(run.survived), 1.0 if self._rule.tie == "positive" else 0.0
        signs = np.where(inner == 0, zero, np.sign(inner))
        total = votes.sum()
        close = np.abs(inner[1:]) < (2 * run.rounding + 8 * (len(values) + 8) * EPS * run.path) * max(1.0, length)
        self.values.append(float(votes @ signs) / total if total else 0.0)
        self.tolerances.append((2 * float(votes[1:][close].sum()) / total if total else 0.0) + len(votes) * EPS)


@dataclass(frozen=True, eq=False)
class RowScores:
    """The scores of all labels for the rows of a stream, before each was learned.

    Parameters
    ----------
    values, tolerances : ndarray of shape (n_classes, n_samples)
        The scores, and by how much rounding may have changed them. Of two labels, only the last has one.
    doubtful : int or None
        The first row on which rounding may have decided about an update.
    """

    values: Floats
    tolerances: Floats
    doubtful: int | None


def scores_of(
    X: Any, codes: Codes, amounts: Floats, rule: Rule, classes: int, delay: int = 0, declared: bool = False
) -> RowScores:
    """Repeat the run of a learner over a stream, and return the scores before each row was learned.

    Parameters
    ----------
    X, codes, amounts, rule, classes, delay, declared : object
        As in ``predictions_of``.

    Returns
    -------
    RowScores
        The scores.
    """
    rows, predicted = len(codes), X
    if rule.geometry.scale is not None:
        predicted = as_seen(X, amounts, rule.geometry.scale, before=True, delay=delay).X
        X = as_seen(X, amounts, rule.geometry.scale).X
    if rule.implementation().is_joint:
        return RowScores(*joint_scores_of(X, predicted, codes, amounts, rule, classes, declared, delay))
    scores, tolerances, doubtful = np.zeros((classes, rows)), np.zeros((classes, rows)), rows
    for positive in range(1 if classes == 2 else 0, classes if classes > 1 else 0):
        own, signs = Scores(rule, predicted, delay), np.where(codes == positive, 1.0, -1.0)
        how = (rule.implementation(), rule.geometry, [np.arange(rows)])
        run = replay(X, signs, amounts, *how, before=own.before, forgetting=rule.forgetting)
        scores[positive], tolerances[positive] = own.values, own.tolerances
        doubtful = min(doubtful, rows if run.doubtful is None else run.doubtful)
    return RowScores(scores, tolerances, None if doubtful == rows else doubtful)


@dataclass
class Predictions:
    """What one member predicts for the rows of a stream.

    Parameters
    ----------
    codes : ndarray of int64
        The code of the label that is predicted for each row, in the order of the labels; ``NOBODY`` for the first.
    doubtful : int or None
        The first row on which rounding may have made a decision.
    """

    codes: Codes
    doubtful: int | None


def predictions_of(
    X: Any, codes: Codes, amounts: Floats, rule: Rule, classes: int, declared: bool, delay: int = 0
) -> Predictions:
    """Repeat the run of one member over a stream.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows, each of a weight of at most 1.
    codes : ndarray of int64
        The codes of their labels, in the order of the labels.
    amounts : ndarray of shape (n_samples,)
        Their weights, above 0.
    rule : Rule
        The rule of the member.
    classes : int
        The number of labels.
    declared : bool
        Whether all labels were known from the start; otherwise, each since its first row.
    delay : int, default=0
        How many further rows were predicted before each was learned.

    Returns
    -------
    Predictions
        The predicted codes.
    """
    rows, again = len(codes), scores_of(X, codes, amounts, rule, classes, delay, declared)
    scores, tolerances, doubtful = again.values, again.tolerances, rows if again.doubtful is None else again.doubtful
    found, seen = np.full(rows, NOBODY), np.zeros(classes, dtype=bool)
    for t in range(1 + delay, rows):
        seen[codes[t - delay - 1]] = True
        known = np.arange(classes) if declared else np.flatnonzero(seen)
        found[t], is_close = _decide(known, seen, scores[:, t], tolerances[:, t])
        if is_close:
            doubtful = min(doubtful, t)
    return Predictions(found, None if doubtful == rows else doubtful)


def _decide(known: Codes, seen: NDArray[np.bool_], scores: Floats, tolerances: Floats) -> tuple[int, bool]:
    """Return the label of the largest score, or of the sign of the last of two; and whether rounding may decide it.

    Labels that were declared and not seen have the same score, because their problems have the same examples. Scores
    without a tolerance are exact.
    """
    if len(known) == 1:
        return int(known[0]), False
    if len(known) == 2:
        last = known[1]
        score = scores[last]
        return int(known[int(score >= 0)]), bool(abs(score) <= tolerances[last]) and tolerances[last] > 0
    own = scores[known]
    best = int(np.argmax(own))
    is_close = own[best] - own <= tolerances[known] + tolerances[known[best]]
    is_same = ~seen[known] if not seen[known[best]] else known == known[best]
    is_exact = tolerances[known] + tolerances[known[best]] == 0
    return int(known[best]), bool(np.any(is_close & ~is_same & ~is_exact))


# ---- the mixture -----------------------------------------------------------------------------------------------------


@dataclass
class MixtureReplay:
    """A mixture that counts the mistakes of its members and its own.

    Parameters
    ----------
    members : int
        The number of members N.
    vote : {"leader", "majority", "share"}
        How the predictions of the members become one.
    decay, beta, share : float
        The factor of all counts before each example; that of a weight after a mistake; and the part of the weights
        that members share.

    Attributes
    ----------
    decayed, mistakes : list of float
        The counts of the members, and last that of the mixture.
    weights : ndarray of shape (n_members,)
        The weights of fixed share.
    fewest : ndarray of shape (MAX_CHANGES + 1, n_members)
        The fewest mistakes of a sequence of members, by the number of changes and by its last member.
    doubtful : int or None
        The first row on which rounding may have made the decision.
    """

    members: int
    vote: str
    decay: float
    beta: float
    share: float
    decayed: list[float] = field(default_factory=list)
    mistakes: list[float] = field(default_factory=list)
    weights: Floats = field(default_factory=lambda: np.ones(0))
    fewest: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    doubtful: int | None = None

    def __post_init__(self) -> None:
        self.decayed, self.mistakes = [0.0] * (self.members + 1), [0.0] * (self.members + 1)
        self.weights, self.fewest = np.ones(self.members), np.zeros((MAX_CHANGES + 1, self.members))

    def run(self, table: Codes, codes: Codes, amounts: Floats, delay: int = 0) -> None:
        """Repeat the mixture of members whose predictions are known.

        Parameters
        ----------
        table : ndarray of int64, of shape (n_members, n_samples)
            The code that each member predicted for each row.
        codes : ndarray of int64
            The codes of the labels.
        amounts : ndarray of shape (n_samples,)
            The weights of the rows, at most 1.
        delay : int, default=0
            How many further rows were predicted before each was learned.
        """
        chosen: list[int] = []
        every = table.T.tolist()
        for t, (label, amount) in enumerate(zip(codes.tolist(), amounts.tolist(), strict=True)):
            chosen += [self.choose(t, row) for row in every[len(chosen) : t + delay + 1]]
            self.learn(every[t], chosen[t], label, amount)

    def leader(self) -> int:
        """Return the member with the fewest decayed mistakes; of several, the first."""
        return self.decayed.index(min(self.decayed[:-1]))

    def choose(self, row: int, predictions: Sequence[int]) -> int:
        """Return what the mixture predicts; ties go to the member that comes first."""
        if self.vote == "leader":
            return predictions[self.leader()]
        own = self.weights
        if self.vote == "majority":
            least = self.decayed[self.leader()]
            own = np.array([self.beta ** (self.decay * (count - least)) for count in self.decayed[:-1]])
        totals: dict[int, float] = {}
        for label, weight in zip(predictions, own.tolist(), strict=True):
            totals[label] = totals.get(label, 0.0) + weight
        first, *others = sorted(totals.values(), reverse=True)
        is_exact = self.vote == "majority" and self.beta == 0.5 and self.decay == 1
        is_exact = is_exact and all(count == round(count) for count in self.decayed)
        close = 64 * (row + 16) * EPS * first
        if self.doubtful is None and others and first - others[0] <= close and not is_exact:
            self.doubtful = row
        return max(totals, key=totals.__getitem__)

    def learn(self, predictions: Sequence[int], chosen: int, label: int, amount: float) -> None:
        """Count the mistakes of an example of this weight, at most 1."""
        wrong = [predicted != label for predicted in (*predictions, chosen)]
        self.decayed = [
            count * self.decay + amount if is_wrong else count * self.decay
            for count, is_wrong in zip(self.decayed, wrong, strict=True)
        ]
        self.mistakes = [count + amount * is_wrong for count, is_wrong in zip(self.mistakes, wrong, strict=True)]
        if self.vote != "share":
            return
        errors = np.array(wrong[:-1])
        self.weights = np.where(errors, self.weights * self.beta**amount, self.weights)
        total, others = self.weights.sum(), self.share / (self.members - 1)
        self.weights = (1 - self.share) * self.weights + others * (total - self.weights)
        self.weights = self.weights / self.weights.max()
        least = self.fewest[:-1].min(axis=1, keepdims=True)
        self.fewest = np.vstack([self.fewest[:1], np.minimum(self.fewest[1:], least)]) + amount * errors
