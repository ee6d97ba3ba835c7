"""What a linear model is, whoever learned it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from novikoff._json import plain
from novikoff.data.source import is_path
from novikoff.errors import invalid
from novikoff.online import VotedPerceptron
from novikoff.online._learner import OnlineClassifier
from novikoff.svm._classifier import BatchClassifier
from novikoff.theory.geometry import Floats


@dataclass(frozen=True)
class Weights:
    """What a linear model is, whoever learned it."""

    coef: Floats
    intercept: Floats
    classes: NDArray[Any]
    feature_names: list[Any] | None

    @staticmethod
    def of(where: str, model: Any, path: Any) -> Weights:
        """The weights of a fitted model, if they are all that it predicts by; and a path to write them to."""
        if not is_path(path):
            raise invalid(where, "The path of a file.", repr(path))
        if isinstance(model, VotedPerceptron):
            need = "A model of one weight a feature; AveragedPerceptron is the linear one nearest to a vote."
            raise invalid(where, need, "a VotedPerceptron")
        if not isinstance(model, BatchClassifier | OnlineClassifier):
            raise invalid(where, "A linear classifier of novikoff.", f"{type(model).__name__}")
        check_is_fitted(model)
        classes = _typed(where, np.asarray(model.classes_))
        if len(classes) < 2:
            raise invalid(where, "A model of at least two classes.", f"one that has met {classes.tolist()} only")
        coef, intercept = np.asarray(model.coef_), np.asarray(model.intercept_)
        if not (np.all(np.isfinite(coef)) and np.all(np.isfinite(intercept))):
            raise invalid(where, "A model of finite weights.", "NaN or infinity among them")
        return Weights(coef, intercept, classes, _feature_names(model))


def _typed(where: str, classes: NDArray[Any]) -> NDArray[Any]:
    """Classes as an array of integers, floats, booleans or strings."""
    typed = np.array(classes.tolist()) if classes.dtype.kind == "O" else classes
    if typed.dtype.kind == "u" and typed.max(initial=0) <= np.iinfo(np.int64).max:
        typed = typed.astype(np.int64)
    is_words = typed.dtype.kind == "U" and all(map(_is_text, classes.tolist()))
    if typed.ndim != 1 or not (typed.dtype.kind in "bif" or is_words):
        raise invalid(where, "Classes that are integers, floats, booleans or strings.", repr(classes.tolist()[:5]))
    return typed


def _is_text(label: Any) -> bool:
    """Whether a label is a string that any program can read."""
    if not isinstance(label, str):
        return False
    try:
        label.encode()
    except UnicodeEncodeError:  # half of a pair of code units
        return False
    return True


def _feature_names(model: Any) -> list[Any] | None:
    """What the columns are called, if they are: by a data frame, a table, or dicts."""
    names = model._learner.names if getattr(model, "_by_name", False) else None
    if not names:
        names = getattr(model, "feature_names_in_", model.__dict__.get("_column_names"))
    return None if names is None else list(names)


def parameters_of(model: Any) -> dict[str, Any]:
    """The parameters of a model, as JSON can hold them."""
    parameters: dict[str, Any] = plain(model.get_params(deep=False), unknown=repr)
    return parameters
