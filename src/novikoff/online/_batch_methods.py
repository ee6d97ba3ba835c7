"""Calls for batches of a stream: methods of all online learners, trackers included."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from novikoff.data.stream import Scan
from novikoff.errors import input_error
from novikoff.theory.geometry import Floats

from ._stream import Scored, refuse_labels_beside


class BatchLearner(Protocol):
    """What these methods need of a learner."""

    def _learn_batch(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, keep: Callable[[Scored], Any] | None = None
    ) -> list[Any]:
        """Learn from a batch. Return what ``keep`` keeps of the scores of rows before they are learned, in pieces."""


Learner = TypeVar("Learner", bound=BatchLearner)


def partial_fit(self: Learner, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Learner:
    """Learn from a batch of a stream. How a stream is cut into batches makes no difference.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features), Scan or Batch
        Rows; or a stream that ``novikoff.scan`` opened, or one of its batches, which have their own labels and
        weights. The sparse rows of such a stream may become wider on the way.
    y : array-like of shape (n_samples,), default=None
        Labels.
    classes : array-like, default=None
        All labels that will occur, if they are known. Two classes then cost one binary problem instead of three,
        and any other label is refused. By default, new labels may appear at any time.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, as in ``fit``.

    Returns
    -------
    self : object
        The learner.
    """
    if isinstance(X, Scan):
        refuse_labels_beside(type(self).__name__, y, sample_weight)
        for part in X.widening():
            self._learn_batch(part, None, classes, None)
        return self
    self._learn_batch(X, y, classes, sample_weight)
    return self


def predict_then_learn(self: BatchLearner, X: Any, y: Any = None, sample_weight: Any = None) -> NDArray[Any]:
    """Predict each row, then learn from it, before the next one is predicted.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features) or Batch
        Rows, or a batch of a stream.
    y : array-like of shape (n_samples,), default=None
        Labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, as in ``fit``.

    Returns
    -------
    predictions : ndarray of shape (n_samples,)
        What ``predict_one`` would have returned for each row. The first prediction of a new learner is None.
    """
    if isinstance(X, Scan):
        message = "predict_then_learn takes one batch at a time. Use evaluate.progressive for a stream."
        raise input_error(type(self).__name__, message)
    return np.concatenate(self._learn_batch(X, y, None, sample_weight, Scored.labels))


def score_then_learn(
    self: BatchLearner, X: Any, y: Any = None, sample_weight: Any = None
) -> list[tuple[list[Any], Floats]]:
    """Score each row, then learn from it, before the next one is scored.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features) or Batch
        Rows, or a batch of a stream.
    y : array-like of shape (n_samples,), default=None
        Labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, as in ``fit``.

    Returns
    -------
    scores : list of tuple
        The labels that were known, in ascending order, and what ``decision_function`` would have returned for a run
        of rows; another pair begins where a label appears for the first time. A new learner knows no label.
    """
    if isinstance(X, Scan):
        raise input_error(type(self).__name__, "score_then_learn takes one batch at a time.")
    return [run for runs in self._learn_batch(X, y, None, sample_weight, Scored.decisions) for run in runs]
