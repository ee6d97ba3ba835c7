"""Class weights, whose labels a command line can only write as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff.errors import input_error, quote


def match_class_weight(model: Any, y: Any) -> None:
    """Replace the text in the keys of ``class_weight`` by the labels of the data, all of which are known."""
    given = getattr(model, "class_weight", None)
    if isinstance(given, dict):
        labels = {str(label): label for label in np.unique(y).tolist()}
        for name in given:
            if str(name) not in labels:
                raise input_error("--class-weight", f"{quote(name)} is not one of the labels {', '.join(labels)}.")
        model.set_params(class_weight={labels[str(name)]: weight for name, weight in given.items()})


def convert_class_weight(model: Any, y: Any) -> None:
    """Convert the text in the keys of ``class_weight`` to the type of the first labels of a stream."""
    given = getattr(model, "class_weight", None)
    if isinstance(given, dict):
        truths = {str(truth): truth for truth in (False, True)}
        read: Any = {"i": int, "u": int, "f": float, "b": truths.__getitem__}.get(y.dtype.kind, str)
        try:
            model.set_params(class_weight={read(str(name)): weight for name, weight in given.items()})
        except (ValueError, KeyError):
            example = f"DATA has labels such as {y[0]}"
            raise input_error("--class-weight", f"{example}, but the keys are {quote(list(given))}.") from None
