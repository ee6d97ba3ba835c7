"""The whole state of a model as plain values, so that two states can be compared bit for bit."""

import dataclasses

import numpy as np

import novikoff._core as _core
from novikoff.online._classes import Classes

COUNTS = ("examples", "positives", "mistakes", "steps", "updates", "rounding", "squared_radius", "margin_bound")


def plain(value):
    """Arrays as their bytes, learners and objects as what they hold."""
    if isinstance(value, np.ndarray):
        return (value.shape, str(value.dtype), value.tolist() if value.dtype == object else value.tobytes())
    if isinstance(value, _core.OnlineLearner):
        return plain(value.__getstate__())
    if isinstance(value, Classes):
        return plain((value.declared, value.labels, value.strategy.classes))
    if isinstance(value, dict):
        return {key: plain(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return tuple(plain(held) for held in value)
    if isinstance(value, float):
        return value.hex()
    if dataclasses.is_dataclass(value) or hasattr(value, "__dict__"):
        return (type(value).__name__, plain(vars(value)))
    return value


def snapshot(model):
    """Everything that the model holds.

    The one thing left out is whether its columns have been given their names yet: fitted by columns, a model may name
    them 0, 1, ... (or as the frame did) when it is first asked by name, and knows no more and no less after it.
    """
    held = {
        name: value for name, value in vars(model).items() if name not in ("_by_name", "_fast_path", "_use", "_width")
    }
    if vars(model).get("_column_names") is None:
        held.pop("_column_names", None)  # None is what the class has
    if "_learner" not in held:
        return plain({**held, "columns": vars(model).get("_width")})
    learner = held.pop("_learner")
    configuration, questions, names, scale, balance = learner.__getstate__()
    width = getattr(model, "n_features_in_", None)
    if not getattr(model, "_by_name", False):
        names = list(getattr(model, "feature_names_in_", range(width or 0)))
    held |= {"configuration": configuration, "questions": questions, "names": names, "scale": scale}
    return plain(held | {"balance": balance, "columns": width})


def learned(model, X=None):
    """What the model has learned, in bits: weights, counts and, for rows X, the scores.

    Unlike ``snapshot`` it leaves out how the model got there: in batches, by name, by columns.
    """
    tallies = [model._learner.tally(q) for q in model._classes.problems]
    bits = {
        "coef": plain(model.coef_),
        "intercept": plain(model.intercept_),
        "classes": model.classes_.tolist(),
        "tallies": [{name: plain(tally[name]) for name in COUNTS} for tally in tallies],
    }
    if X is not None:
        bits["scores"] = plain(np.ascontiguousarray(model.decision_function(X)))
    return bits
