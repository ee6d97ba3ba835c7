"""The histogram of signed margins."""

from __future__ import annotations

import numpy as np

from novikoff._counts import count, counted
from novikoff._report.subject import Subject
from novikoff._report.tables import Table
from novikoff.plot import MarginDisplay

from ._plotly import axis, layout, numbers, vertical_line
from .figure import Figure


def margins(subject: Subject) -> Figure:
    """Draw the distribution of y f(x) over the training rows."""
    display = MarginDisplay.measure(subject.model, subject.X, subject.y, class_=subject.problem)
    middles, widths = (display.edges[:-1] + display.edges[1:]) / 2, np.diff(display.edges)
    look = {"type": "bar", "x": numbers(middles), "width": numbers(widths), "hovertemplate": "%{y} rows near %{x:.3g}"}
    correct, wrong = display.labels
    data = [
        {**look, "y": display.right.tolist(), "name": correct, "marker": {"color": "--right", "line": {"width": 0}}},
        {**look, "y": display.wrong.tolist(), "name": wrong, "marker": {"color": "--wrong", "line": {"width": 0}}},
    ]
    data = data if display.mistaken else data[:1]
    shapes = [vertical_line(0.0, "solid")]
    caption = f"{_rows(subject, display)}; such a row has a negative margin."
    if display.margin is not None:
        shapes.append(vertical_line(display.margin, "dash"))
        caption += (
            f" The margin ends at {display.margin:.4g} (dashed line), and {counted(display.inside, 'other row')} "
        )
        caption += f"{'lies' if display.inside == 1 else 'lie'} inside it."
    bins = zip(display.edges[:-1], display.edges[1:], display.right.tolist(), display.wrong.tolist(), strict=True)
    rows = [(f"{low:.4g} to {high:.4g}", count(good), count(bad)) for low, high, good, bad in bins if good or bad]
    return Figure(
        "margins",
        "Distribution of margins",
        caption,
        data,
        layout(axis(display.axis_name), axis("rows"), barmode="stack", bargap=0, shapes=shapes),
        per_class=True,
        table=Table("Rows by signed margin", ["interval", "correct", "wrong"], rows),
    )


def _rows(subject: Subject, display: MarginDisplay) -> str:
    """Say how many rows of the problem have a negative margin, and what it means for the prediction."""
    wrong, words = count(display.mistaken), subject.first.words
    if len(subject.strategy.classes) == 2:
        return f"{wrong} of {words} {'is' if display.mistaken == 1 else 'are'} misclassified"
    has = "has" if display.mistaken == 1 else "have"
    if display.rows == subject.first.scores.rows:
        return f"{wrong} of {words} {has} a score of the wrong sign for {subject.class_}"
    return f"{wrong} of {counted(display.rows, 'row')} of these two classes {has} a score of the wrong sign"
