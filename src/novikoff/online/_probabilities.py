"""Probabilities of labels, from scores and how often the labels at such scores were right so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff.errors import input_error, missing_attribute
from novikoff.theory.geometry import Floats

from ._reading import scores_of_one, scores_of_rows


def has_probabilities(model: Any) -> bool:
    """Whether a learner has ``predict_proba``, for ``available_if``; the error says why not."""
    if not model.probability:
        raise missing_attribute(model, "predict_proba", "probability is False")
    return True


def probabilities_of_one(model: Any, x: Any) -> dict[Any, float]:
    """Return the probability of each label for one example; an empty dict if the model knows no label."""
    if not model.__sklearn_is_fitted__():
        return {}
    view, scores = scores_of_one(model, x)
    values = _normalised(view, np.array(scores, dtype=np.float64)[:, np.newaxis])
    return dict(zip(view._classes.strategy.classes.tolist(), values[0].tolist(), strict=True))


def probabilities_of_rows(model: Any, X: Any) -> Floats:
    """Return the probabilities of the labels of rows, of shape (rows, classes)."""
    view, scores = scores_of_rows(model, X)
    return _normalised(view, np.ascontiguousarray(scores))


def _normalised(view: Any, scores: Floats) -> Floats:
    """Return probabilities for scores of shape (columns, rows), which are overwritten.

    For more than two classes, those of the one-vs-rest problems are divided by their sum.
    """
    classes = view._classes
    if not view._learner.is_calibrated:
        message = "it has learned without probability=True. Learn from the stream again with probability=True."
        raise input_error(type(view).__name__, message)
    if classes.count == 1:
        return np.ones((scores.shape[1], 1))
    view._learner.calibrate(classes.problems, scores)
    if classes.count == 2:
        return np.stack([1 - scores[0], scores[0]], axis=1)
    shares: Floats = scores.T / scores.sum(axis=0)[:, np.newaxis]
    return shares
