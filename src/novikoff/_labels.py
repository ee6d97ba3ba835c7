"""Class labels: finding the classes of a label array and numbering them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._validation import check_labels
from novikoff.errors import input_error, quote

Codes = NDArray[np.int32]
MAX_CLASSES_EXPECTED, MIN_ROWS_PER_CLASS = 50, 10  # of labels that are numbers


def encode(where: str, labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Return the sorted classes and each label's place among them.

    Two classes, the usual case, are found without sorting the labels.
    """
    if len(labels) == 0:
        return labels, np.zeros(0, dtype=np.int32)
    first = labels[0]
    is_first = labels == first
    if labels.dtype.kind in "biuf" and not is_first.all():
        second = labels[np.argmin(is_first)]
        is_second = labels == second
        if np.all(is_first | is_second):
            classes = np.array(sorted([first, second]), dtype=labels.dtype)
            return classes, (labels == classes[1]).astype(np.int32)
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise input_error(where, f"labels must be of one type, so that they can be sorted: {error}.") from None
    return classes, codes.astype(np.int32).reshape(-1)


def refuse_amounts(where: str, labels: NDArray[Any]) -> None:
    """Refuse labels that are many different numbers, as amounts are."""
    if labels.dtype.kind not in "iuf":
        return
    count = len(encode(where, labels)[0])
    if count > MAX_CLASSES_EXPECTED and MIN_ROWS_PER_CLASS * count > len(labels):
        wrong = f"the target has {count:,} different numbers in {len(labels):,} rows: a regression target, which"
        remedy = "Use target= to name another column, or numbers_as_classes=True if each number is a class."
        raise input_error(where, f"{wrong} novikoff does not fit. {remedy}")


def declared_classes(where: str, classes: Any) -> NDArray[Any]:
    """Return the classes that a user declares, sorted."""
    if np.ndim(classes) != 1:
        raise input_error(where, f"classes must be a list of labels, but it is {quote(classes)}.")
    values, _ = encode(where, check_labels(where, classes, len(classes)))
    if len(values) < 2:
        raise input_error(where, f"classes must have at least two labels, but it is {quote(classes)}.")
    return values
