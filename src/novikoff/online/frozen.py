"""An online learner as it was at one moment, for predictions while it goes on learning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.data.rows import csr
from novikoff.errors import input_error
from novikoff.theory.geometry import Floats

from ._reading import moment_of


@dataclass(frozen=True, eq=False)
class Frozen:
    """What predictions of an online learner need, at one moment. It never changes.

    Parameters
    ----------
    labels : list
        The labels that were known, in ascending order.
    scorer : callable or None
        Takes rows and a function that returns them as a CSR matrix; returns what ``decision_function`` would.
        None if nothing had been learned.
    one_score : tuple or None, default=None
        The kernel and its problem whose score decides by its sign; None if it is not one score.
    """

    labels: list[Any]
    scorer: Callable[[_core.Rows, Callable[[], Any]], Floats] | None
    one_score: tuple[_core.OnlineLearner, int] | None = None

    def decisions(self, rows: _core.Rows, matrix: Callable[[], Any]) -> Floats:
        """Return the scores of rows, which may have more columns than were learned: those count as 0.

        Parameters
        ----------
        rows : Rows
            The rows.
        matrix : callable
            Returns the same rows as a CSR matrix, for learners that need it.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            As ``decision_function`` returns them; zeros if nothing had been learned.
        """
        return np.zeros(rows.count) if self.scorer is None else self.scorer(rows, matrix)


def frozen(learner: Any) -> Frozen:
    """Return an online learner as it is at this moment.

    Parameters
    ----------
    learner : OnlineClassifier or Tracker
        The learner. Its examples must have been rows of numbers. Of a tracker, only the leader is
        copied.

    Returns
    -------
    Frozen
        The learner at this moment.
    """
    if not learner.__sklearn_is_fitted__():
        return Frozen([], None)
    if hasattr(learner, "learners_"):
        learner = learner.learners_[learner._counts.leader()]
    moment = moment_of(learner)
    if moment._by_name or moment._numbering is not None:
        return _of_snapshot(learner)
    return _of_kernel(type(learner).__name__, moment._learner, moment._classes)


def _of_kernel(where: str, kernel: _core.OnlineLearner, classes: Any) -> Frozen:
    problems, strategy = classes.problems, classes.strategy

    def scorer(rows: _core.Rows, matrix: Callable[[], Any]) -> Floats:
        scores = np.empty((len(problems), rows.count))
        if kernel.score(problems, rows, scores) < rows.count:
            raise input_error(where, "the squared norm of the features overflows to inf or underflows.")
        found: Floats = strategy.combine(scores.T)
        return found

    return Frozen(strategy.classes.tolist(), scorer, (kernel, problems[0]) if classes.has_one_score else None)


def _of_snapshot(learner: Any) -> Frozen:
    """Return a copy of a learner."""
    copy = learner.snapshot()

    def scorer(rows: _core.Rows, matrix: Callable[[], Any]) -> Floats:
        found: Floats = copy.decision_function(_narrowed(matrix(), copy.n_features_in_))
        return found

    return Frozen(copy.classes_.tolist(), scorer)


def _narrowed(X: Any, width: int) -> Any:
    """Return sparse rows without the columns from a number on."""
    if X.shape[1] <= width:
        return csr(X.data, X.indices, X.indptr, width)
    keep = X.indices < width
    counts = np.concatenate([[0], np.cumsum(keep)])
    return csr(X.data[keep], X.indices[keep], counts[X.indptr].astype(X.indptr.dtype), width)


def chosen(decisions: Floats, count: int) -> NDArray[np.intp]:
    """Return which of ``count`` labels each score decides for, as a learner predicts them.

    Parameters
    ----------
    decisions : ndarray of shape (n_samples,) or (n_samples, n_classes)
        What ``decision_function`` returns.
    count : int
        Number of labels, at least one.

    Returns
    -------
    places : ndarray of shape (n_samples,)
        Places among the labels in ascending order.
    """
    if decisions.ndim == 1:
        places: NDArray[np.intp] = (count - 1) * (decisions >= 0).astype(np.intp)
        return places
    largest: NDArray[np.intp] = decisions.argmax(axis=1)
    return largest
