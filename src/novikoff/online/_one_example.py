"""Learning from one example, and scoring one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import novikoff._core as _core
from novikoff._class_weights import bad_class_weight, class_weight_of
from novikoff._validation import check_label, check_weight, describe_bad_row
from novikoff.data.rows import as_rows, is_keyed, one_row
from novikoff.errors import input_error

from ._batch import add_class, begin_stream, copy_if_interpreted, weighed
from ._columns import name_columns

DEFAULT_WEIGHT = 1.0  # compared by identity, so that most calls of learn_one need not check it


@dataclass(frozen=True)
class FastPath:
    """What learning and scoring a dict needs, for two classes, without weights, if features have names.

    Parameters
    ----------
    kernel : OnlineLearner
        The compiled learner.
    code_of : dict
        The code of each label.
    problem : int
        The problem that decides.
    answers : tuple
        The label for a negative score, and for any other.
    """

    kernel: _core.OnlineLearner
    code_of: dict[Any, int]
    problem: int
    answers: tuple[Any, Any]


def learn_example(model: Any, where: str, x: Any, y: Any, sample_weight: float) -> None:
    """Learn from any example. It is read before its class is added, so that a bad one has no effect."""
    weight = 1.0 if sample_weight is DEFAULT_WEIGHT else check_weight(where, sample_weight)
    if not hasattr(model, "_learner"):
        begin_stream(model, where, None, check_label(where, y))
    if weight == 0:
        return
    try:
        code = model._classes.code_of.get(y)
    except TypeError:  # an unhashable label
        code = None
    if model.class_weight is not None:
        weight = _times_class_weight(where, model.class_weight, y, weight)
    interpreted = not model._learner.is_compiled and copy_if_interpreted(model)
    if code is None:
        code = _add_class_of(model, where, x, y)
    if model.class_weight == "balanced":
        weight = float(weighed(model, where, np.array([y]), np.array([code]), np.array([weight]))[0])
    if weight == 0:
        return
    if is_keyed(x):
        name_columns(model, where)
        try:
            model._learner.learn_one(dict(x), code, weight)
        except ValueError as error:
            raise input_error(where, str(error)) from None
    else:
        row = one_row(where, x, getattr(model, "n_features_in_", None))
        if not model._learner.learn_row(as_rows(where, row), code, weight):
            raise describe_bad_row(where, row, 0)
        if not model._by_name:
            model._width = row.shape[1]
    model._runs, model._stopped = None, None
    classes = model._classes
    if model._by_name and model.class_weight is None and classes.strategy.is_binary and not interpreted:
        answers = classes.decide_one([-1.0]), classes.decide_one([0.0])
        model._fast_path = FastPath(model._learner, classes.code_of, classes.problems[0], answers)


def _times_class_weight(where: str, class_weight: Any, y: Any, weight: float) -> float:
    if isinstance(class_weight, Mapping):
        return check_weight(where, weight * class_weight_of(where, class_weight, y))
    if class_weight != "balanced":
        raise bad_class_weight(where, class_weight)
    return weight


def _add_class_of(model: Any, where: str, x: Any, y: Any) -> int:
    """Add the class of an example, after checking the example."""
    label = check_label(where, y).tolist()[0]
    if model._classes.declared:
        raise model._classes.undeclared(where, label)
    model._classes.check_sortable(where, [label])
    _score(model, x, 0)
    return add_class(model, label).code_of[label]


def example_scores(model: Any, x: Any) -> list[float]:
    """Return the scores of one example, one per binary problem."""
    return [_score(model, x, problem) for problem in model._classes.problems]


def _score(model: Any, x: Any, problem: int) -> float:
    where = type(model).__name__
    if is_keyed(x):
        name_columns(model, where)
        try:
            score: float = model._learner.score_one(x if type(x) is dict else dict(x), problem)
            return score
        except ValueError as error:
            raise input_error(where, str(error)) from None
    row = one_row(where, x, getattr(model, "n_features_in_", None))
    scores = np.empty(1)
    if model._learner.score(problem, as_rows(where, row), scores) == 0:
        raise describe_bad_row(where, row, 0)
    return float(scores[0])
