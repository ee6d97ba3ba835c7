"""The predictions of the members of a mixture, and what the mixture makes of them, repeated in plain NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .geometry import Floats, each_row
from .kesler_scores import joint_scores_of
from .replay import replay
from .replayed_run import EPS, Replay
from .rules import Rule
from .running_scale import as_seen

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

    Attributes
    ----------
    values, tolerances : list of float
        The score of each row, and by how much rounding may have changed it.
    """

    def __init__(self, rule: Rule, predicted: Any) -> None:
        self._rule, self._learned = rule, list[tuple[Any, Floats]]()
        self._rows, self._predicted = predicted, each_row(predicted[:0])
        self.values: list[float] = []
        self.tolerances: list[float] = []

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


def scores_of(X: Any, codes: Codes, amounts: Floats, rule: Rule, classes: int, declared: bool = False) -> RowScores:
    """Repeat the run of a learner over a stream, and return the scores before each row was learned.

    Parameters
    ----------
    X, codes, amounts, rule, classes, declared : object
        As in ``predictions_of``.

    Returns
    -------
    RowScores
        The scores.
    """
    rows, predicted = len(codes), X
    if rule.geometry.scale is not None:
        predicted = as_seen(X, amounts, rule.geometry.scale, before=True).X
        X = as_seen(X, amounts, rule.geometry.scale).X
    if rule.implementation().is_joint:
        return RowScores(*joint_scores_of(X, predicted, codes, amounts, rule, classes, declared))
    scores, tolerances, doubtful = np.zeros((classes, rows)), np.zeros((classes, rows)), rows
    for positive in range(1 if classes == 2 else 0, classes if classes > 1 else 0):
        own, signs = Scores(rule, predicted), np.where(codes == positive, 1.0, -1.0)
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


def predictions_of(X: Any, codes: Codes, amounts: Floats, rule: Rule, classes: int, declared: bool) -> Predictions:
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

    Returns
    -------
    Predictions
        The predicted codes.
    """
    rows, again = len(codes), scores_of(X, codes, amounts, rule, classes, declared)
    scores, tolerances, doubtful = again.values, again.tolerances, rows if again.doubtful is None else again.doubtful
    found, seen = np.full(rows, NOBODY), np.zeros(classes, dtype=bool)
    for t in range(1, rows):
        seen[codes[t - 1]] = True
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


class MixtureReplay:
    """A mixture of N members that counts their mistakes and its own, which come last."""

    def __init__(self, members: int, decay: float) -> None:
        self.decay = decay
        self.decayed, self.mistakes = [0.0] * (members + 1), [0.0] * (members + 1)

    def run(self, table: Codes, codes: Codes, amounts: Floats) -> list[int]:
        """Repeat the mixture of members whose predictions are known, and return who led.

        Parameters
        ----------
        table : ndarray of int64, of shape (n_members, n_samples)
            The code that each member predicted for each row.
        codes : ndarray of int64
            The codes of the labels.
        amounts : ndarray of shape (n_samples,)
            The weights of the rows, at most 1.
        """
        leaders = []
        for predictions, label, amount in zip(table.T.tolist(), codes.tolist(), amounts.tolist(), strict=True):
            leaders.append(self.leader())
            wrong = [predicted != label for predicted in (*predictions, predictions[leaders[-1]])]
            self.decayed = [
                count * self.decay + amount if is_wrong else count * self.decay
                for count, is_wrong in zip(self.decayed, wrong, strict=True)
            ]
            self.mistakes = [count + amount * is_wrong for count, is_wrong in zip(self.mistakes, wrong, strict=True)]
        return leaders

    def leader(self) -> int:
        """Return the member with the fewest decayed mistakes; of several, the first."""
        return self.decayed.index(min(self.decayed[:-1]))
