"""Scores in the width of a terminal: precision and recall of classes, and what is confused with what."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from novikoff._counts import count, counted
from novikoff._printable import printable
from novikoff.errors import input_error, quote
from novikoff.evaluate import Scores, accuracy_words, listed, percent

from ._output import Line

MAX_CLASSES = 10  # of which each has a line
WORST_CLASSES = 5  # that are shown of more
MAX_ABSENT = 5  # names of classes that no row has
MAX_CONFUSIONS = 10
LABEL_WIDTHS = (24, 12, 8, 5)  # to which the labels of a table are cut until it fits
NAME_WIDTH = 24  # of labels in the table of classes


def accuracy_line(found: Scores, rows: str) -> Line:
    """Return the accuracy, with the rows and the most frequent label."""
    return "accuracy", accuracy_words(found.accuracy, rows, found.baseline, found.baseline_label)


def balanced_line(found: Scores, rows: str) -> Line:
    """Return the mean recall over the classes; one label for all rows has 1 / classes."""
    chance = 1 / np.count_nonzero(found.support)
    return "balanced accuracy", accuracy_words(found.balanced_accuracy, rows, chance, found.baseline_label)


def class_lines(found: Scores, known: Any = (), rows: str = "rows") -> list[Line]:
    """Return precision, recall, F1 and rows of the classes, or of those with the smallest F1 if there are many.

    Classes in ``known`` that no row has, and that are not predicted, are named in the last line.
    """
    labels = found.labels.tolist()
    order = list(range(len(labels)))
    shown = order
    if len(labels) > MAX_CLASSES:
        order = np.lexsort((-found.support, found.f1)).tolist()
        shown = order[:WORST_CLASSES]
    names = [shortened(str(labels[code]), NAME_WIDTH) for code in shown]
    width = max(map(len, [*names, "class"]))
    text = [f"{'class':<{width}}  precision   recall       F1      rows"]
    for name, code in zip(names, shown, strict=True):
        numbers = (found.precision[code], found.recall[code], found.f1[code])
        shares = "  ".join(f"{percent(number):>{size}}" for number, size in zip(numbers, (9, 7, 7), strict=True))
        text.append(f"{name:<{width}}  {shares}  {count(found.support[code]):>8}")
    if len(labels) > MAX_CLASSES:
        others = found.f1[order[WORST_CLASSES:]]
        middle = f"F1 from {percent(float(others.min()))} to {percent(float(others.max()))}"
        text.append(f"and {counted(len(others), 'other class')} with {middle} (--json has all)")
    absent = [quote(label) for label in np.setdiff1d(known, found.labels).tolist()] if len(known) else []
    if absent:
        some = counted(len(absent), "class")
        text.append(
            f"and {some} without {rows}: {', '.join(absent[:MAX_ABSENT])}{', ...' * (len(absent) > MAX_ABSENT)}"
        )
    title = "by class" if len(labels) <= MAX_CLASSES else "worst classes"
    return [(title, text)]


def confusion_lines(found: Scores) -> list[Line]:
    """Return the confusion matrix if it fits into the terminal, otherwise the most frequent confusions."""
    return [("confusion", lambda width: confusion_table(found, width) or most_confused(found))]


def confusion_table(found: Scores, width: int) -> list[str] | None:
    """Return one line per label and one column per prediction, with labels cut if needed; None if it does not fit."""
    names = [str(name) for name in found.labels.tolist()]
    counts = [[count(number) for number in row] for row in found.confusion.tolist()]
    for most in LABEL_WIDTHS:
        short = [shortened(name, most) for name in names]
        if len(set(short)) < len(set(names)):
            return None
        cells = [["label \\ prediction", *short], *([name, *row] for name, row in zip(short, counts, strict=True))]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        if sum(widths) + 2 * (len(widths) - 1) <= width:
            return ["  ".join(f"{c:>{w}}" for c, w in zip(row, widths, strict=True)) for row in cells]
    return None


def most_confused(found: Scores) -> list[str]:
    """Return the most frequent confusions, one per line."""
    wrong = found.confusion.copy()
    np.fill_diagonal(wrong, 0)
    labels = found.labels.tolist()
    total = int(np.count_nonzero(wrong))
    lines = []
    for place in np.argsort(-wrong, axis=None, kind="stable")[: min(MAX_CONFUSIONS, total)].tolist():
        truth, answer = divmod(place, len(labels))
        of = f"{count(wrong[truth, answer])} of {counted(found.support[truth], 'row')} of {quote(labels[truth])}"
        lines.append(f"{of} predicted as {quote(labels[answer])}")
    if total > MAX_CONFUSIONS:
        lines.append(f"and {counted(total - MAX_CONFUSIONS, 'rarer confusion')} (--json has all)")
    return lines or ["nothing is confused"]


def shortened(name: str, most: int) -> str:
    """Return a name with visible control characters, which is cut, with two points at its end, if it is longer."""
    name = printable(name)
    return name if len(name) <= most else name[: most - 2] + ".."


def as_result(found: Scores) -> dict[str, Any]:
    """Return scores as an entry of a JSON object."""
    return dataclasses.asdict(found)


def refuse_unknown_labels(where: str, data: str, found: Scores, known: Any) -> None:
    """Refuse rows of which no label is one that the model knows: their accuracy would be 0 without a meaning."""
    if sum(rows for _, rows in found.unseen) < found.support.sum():
        return
    unknown = listed([quote(label) for label, _ in found.unseen])
    own = listed([quote(label) for label in np.asarray(known).tolist()])
    words = f"the model knows none of the labels of {data}: they are {unknown}, and it knows {own}."
    raise input_error(where, f"{words} Labels must be written as when the model was fitted.")
