"""Predictive performance in tables: by class, and which classes are confused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from novikoff._counts import count
from novikoff.evaluate import Scores, percent

from .tables import Table

MAX_CLASSES = 20  # of the confusion matrix, and of the table of classes before it is folded
MAX_ERRORS = 8  # pairs of classes in the list of the most frequent errors


@dataclass(frozen=True)
class Cell:
    """A cell of the confusion matrix; ``shade`` is the strength of its background, from 0 to 1."""

    rows: float
    is_correct: bool
    shade: float


@dataclass(frozen=True)
class Performance:
    """The tables of the section on predictive performance.

    Parameters
    ----------
    by_class : Table
        Precision, recall and F1 of the classes; of many classes, of those with the lowest F1.
    all_classes : Table or None
        The same of all classes, if ``by_class`` leaves some out.
    errors : Table or None
        The pairs of classes that are confused most often; None for two classes, or without errors.
    names : sequence of str
        The classes of the confusion matrix; empty if there are too many.
    cells : sequence of tuple (str, list of Cell)
        The confusion matrix: a true class, and the rows by predicted class.
    """

    by_class: Table
    all_classes: Table | None
    errors: Table | None
    names: Sequence[str]
    cells: Sequence[tuple[str, list[Cell]]]


def performance_of(found: Scores) -> Performance:
    """Return the tables for the scores."""
    names = [str(label) for label in found.labels.tolist()]
    rows = [
        (name, count(total), *map(percent, values))
        for name, total, *values in zip(
            names,
            found.support.tolist(),
            found.precision.tolist(),
            found.recall.tolist(),
            found.f1.tolist(),
            strict=True,
        )
    ]
    heads = ["class", "rows", "precision", "recall", "F1"]
    every, lowest = Table("Classes", heads, rows), None
    if len(names) > MAX_CLASSES:
        order = np.argsort(found.f1, kind="stable")[:MAX_CLASSES].tolist()
        lowest = Table(f"The {MAX_CLASSES} classes with the lowest F1", heads, [rows[k] for k in order])
    is_small = len(names) <= MAX_CLASSES
    return Performance(
        by_class=lowest or every,
        all_classes=None if lowest is None else every,
        errors=_errors(names, found),
        names=names if is_small else [],
        cells=_cells(names, found) if is_small else [],
    )


def _errors(names: list[str], found: Scores) -> Table | None:
    errors = found.confusion - np.diag(np.diag(found.confusion))
    places = np.argsort(-errors, axis=None, kind="stable")[:MAX_ERRORS]
    pairs = [divmod(int(place), len(names)) for place in places]
    rows = [
        (names[i], names[j], count(errors[i, j]), percent(errors[i, j] / found.support[i]))
        for i, j in pairs
        if errors[i, j] > 0
    ]
    if len(names) <= 2 or not rows:
        return None
    return Table("Most frequent errors", ["true class", "predicted as", "rows", "of class"], rows, words=2)


def _cells(names: list[str], found: Scores) -> list[tuple[str, list[Cell]]]:
    return [
        (name, [_cell(number, total, i == j) for j, number in enumerate(found.confusion[i].tolist())])
        for i, (name, total) in enumerate(zip(names, found.support.tolist(), strict=True))
    ]


def _cell(number: float, total: float, is_correct: bool) -> Cell:
    """Shade a cell by its fraction of the row; the square root makes a few errors visible."""
    fraction = number / total if total else 0.0
    return Cell(number, is_correct, fraction if is_correct else math.sqrt(fraction))
