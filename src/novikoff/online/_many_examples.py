"""The labels of many examples in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff.data.rows import is_keyed
from novikoff.errors import input_error

from ._reading import fast_path_for, scores_of_rows


def labels_of_many(model: Any, X: Any) -> list[Any]:
    """Return the labels of examples: of dicts in one call of the kernel, and of rows as ``predict`` does."""
    where = type(model).__name__
    if is_keyed(X):
        raise input_error(where, "predict_many takes a list of examples. Use predict_one for a single dict.")
    if not hasattr(X, "shape"):
        X = X if type(X) is list else list(X)
        if not X:
            return []
        if is_keyed(X[0]):
            return _labels_of_dicts(model, where, _as_dicts(where, X))
    if not model.__sklearn_is_fitted__():
        return [None] * (X.shape[0] if hasattr(X, "shape") else len(X))
    view, scores = scores_of_rows(model, X)
    labels: list[Any] = view._classes.decide(scores).tolist()
    return labels


def _as_dicts(where: str, examples: list[Any]) -> list[dict[Any, Any]]:
    try:
        return [x if type(x) is dict else dict(x) for x in examples]
    except (TypeError, ValueError):
        raise input_error(where, "the examples must all be dicts, or all rows of numbers.") from None


def _labels_of_dicts(model: Any, where: str, dicts: list[dict[Any, Any]]) -> list[Any]:
    fast = fast_path_for(model)
    if fast is not None and fast.by_name and fast.is_for(dicts[0]):
        scores = np.empty((len(fast.classes.problems), len(dicts)))
        try:
            fast.kernel.score_many(dicts, fast.classes.problems, scores)
        except ValueError as error:
            raise input_error(where, str(error)) from None
        if fast.answers is not None:
            no, yes = fast.answers
            return [yes if score >= 0 else no for score in scores[0].tolist()]
        labels: list[Any] = fast.classes.decide(scores).tolist()
        return labels
    return [model.predict_one(x) for x in dicts]
