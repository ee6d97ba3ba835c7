"""Weights of classes, whose labels a command line can only write as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff.errors import invalid


def class_weight_by_label(model: Any, y: Any) -> None:
    """Let a class_weight name labels as a command line writes them, and refuse a label that is not there."""
    given = getattr(model, "class_weight", None)
    if isinstance(given, dict):
        labels = {str(label): label for label in np.unique(y).tolist()}
        for name in given:
            if str(name) not in labels:
                raise invalid("--class-weight", f"Labels among {', '.join(labels)}.", repr(name))
        model.set_params(class_weight={labels[str(name)]: weight for name, weight in given.items()})


def class_weight_of_kind(model: Any, y: Any) -> None:
    """Let a class_weight name labels as a command line writes them: they are of the kind of the first labels."""
    given = getattr(model, "class_weight", None)
    if isinstance(given, dict):
        truths = {str(truth): truth for truth in (False, True)}
        read: Any = {"i": int, "u": int, "f": float, "b": truths.__getitem__}.get(y.dtype.kind, str)
        try:
            model.set_params(class_weight={read(str(name)): weight for name, weight in given.items()})
        except (ValueError, KeyError):
            raise invalid("--class-weight", f"Labels such as {y[0]}, as DATA has.", f"{given}") from None
