"""An online learner as it was at one moment, for predictions while it goes on learning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._moments import view_of
from novikoff.data.rows import csr
from novikoff.errors import input_error
from novikoff.theory.geometry import Floats

from ._moment import moment_of
from ._tracker_predictions import leader_of


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
    predictor : callable or None
        Takes a CSR matrix and returns what ``predict`` would; None if the scores decide, as ``chosen`` does.
    """

    labels: list[Any]
    scorer: Callable[[_core.Rows, Callable[[], Any]], Floats] | None
    one_score: tuple[_core.OnlineLearner, int] | None = None
    predictor: Callable[[Any], NDArray[Any]] | None = None

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

    def places(self, decisions: Floats, matrix: Callable[[], Any]) -> NDArray[np.intp]:
        """Return which of the labels, at least one, is predicted for each row.

        Parameters
        ----------
        decisions : ndarray
            The scores of the rows.
        matrix : callable
            Returns the rows as a CSR matrix, for learners that need it.
        """
        if self.predictor is None:
            return chosen(decisions, len(self.labels))
        place_of = {label: place for place, label in enumerate(self.labels)}
        return np.array([place_of[label] for label in self.predictor(matrix()).tolist()], dtype=np.intp)


def frozen(learner: Any) -> Frozen:
    """Return an online learner as it is at this moment.

    Parameters
    ----------
    learner : OnlineClassifier or Tracker
        The learner. Its examples must have been rows of numbers. Of a tracker whose leader predicts, only the leader
        is copied.

    Returns
    -------
    Frozen
        The learner at this moment.
    """
    view = view_of(learner)
    if not view.__sklearn_is_fitted__():
        return Frozen([], None)
    if hasattr(view, "learners_"):
        if view._learned_vote.kind != "leader":
            return _of_snapshot(learner, is_vote=True)
        learner = leader_of(view)
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


def _of_snapshot(learner: Any, *, is_vote: bool = False) -> Frozen:
    """Return a copy of a learner. Votes are not decided by their scores alone: the first member breaks ties."""
    copy = learner.snapshot()

    def scorer(rows: _core.Rows, matrix: Callable[[], Any]) -> Floats:
        found: Floats = copy.decision_function(_narrowed(matrix(), copy.n_features_in_))
        return found

    def predictor(X: Any) -> NDArray[Any]:
        found: NDArray[Any] = copy.predict(_narrowed(X, copy.n_features_in_))
        return found

    return Frozen(copy.classes_.tolist(), scorer, predictor=predictor if is_vote else None)


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
