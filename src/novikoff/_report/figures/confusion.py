"""The confusion matrix as a heat map."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff._counts import count, counted
from novikoff._report.subject import Subject
from novikoff.evaluate import percent
from novikoff.theory.geometry import Floats

from ._plotly import TICK_SIZE, axis, label, layout
from .figure import Figure

MAX_CLASSES = 30  # of many classes, those with the most errors are drawn
MAX_NUMBERED = 12  # classes for which the cells have room for numbers
MAX_NAME = 18  # characters of a class beside an axis
MAX_UPRIGHT = 36  # characters of all classes that fit below the figure on a phone; more are turned


def confusion(subject: Subject) -> Figure | None:
    """Draw the rows by true and predicted class; None for two classes, where a table of four numbers says it all."""
    found = subject.scored.scores
    matrix, names = found.confusion, [str(name) for name in found.labels.tolist()]
    if len(names) <= 2:
        return None
    caption = (
        f"{subject.scored.words[0].upper()}{subject.scored.words[1:]}, by true class (one line each) and predicted "
        "class. Blue cells on the diagonal are correct, the others are errors; the stronger a colour, the larger "
        "the part of the true class."
    )
    if len(names) > MAX_CLASSES:
        wrong = matrix.sum(axis=0) + matrix.sum(axis=1) - 2 * np.diag(matrix)
        chosen = np.sort(np.argsort(-wrong, kind="stable")[:MAX_CLASSES])
        caption += f" Only the {MAX_CLASSES} of {len(names)} classes with the most errors are drawn."
    else:
        chosen = np.arange(len(names))
    names = [names[code] for code in chosen.tolist()]
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    counts, shares = matrix[np.ix_(chosen, chosen)], shares[np.ix_(chosen, chosen)]
    is_right = np.eye(len(names), dtype=bool)
    data = [
        _cells(names, counts, shares, is_right, "correct", "--positive"),
        _cells(names, counts, shares, ~is_right, "wrong", "--wrong"),
    ]
    return Figure(
        "confusion",
        "Predicted and true classes",
        caption,
        data,
        layout(_classes("predicted class", names), {**_classes("true class", names), "autorange": "reversed"}),
        section="predictions",
        height=f"{min(32, 9 + 1.9 * len(names)):g}rem",
    )


def _cells(names: list[str], counts: Floats, shares: Floats, shown: Any, name: str, colour: str) -> dict[str, Any]:
    """Return the cells of one colour; the square root makes a few errors visible."""
    strength = shares if name == "correct" else np.sqrt(shares)
    drawn = shown & (counts > 0)
    places = range(len(names))
    words = [
        [
            f"true {label(names[i])}, predicted {label(names[j])}: {counted(counts[i, j], 'row')}, "
            f"{percent(shares[i, j])}"
            for j in places
        ]
        for i in places
    ]
    cells = {
        "type": "heatmap",
        "name": name,
        "x": list(places),
        "y": list(places),
        "z": [[float(f"{strength[i, j]:.4g}") if drawn[i, j] else None for j in places] for i in places],
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, "--paper"], [1, colour]],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
        "customdata": words,
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    if len(names) <= MAX_NUMBERED:
        cells["text"] = [[count(counts[i, j]) if drawn[i, j] else "" for j in places] for i in places]
        cells["texttemplate"] = "%{text}"
    return cells


def _classes(title: str, names: list[str]) -> dict[str, Any]:
    shown = [label(name, MAX_NAME) for name in names]
    ticks = {"tickvals": list(range(len(names))), "ticktext": shown, "ticks": "", "showgrid": False}
    size = TICK_SIZE if len(names) <= MAX_NUMBERED else TICK_SIZE - 1
    upright = sum(map(len, shown)) <= MAX_UPRIGHT or title == "true class"
    return {**axis(title), **ticks, "tickfont": {"size": size}, "tickangle": 0 if upright else -90}
