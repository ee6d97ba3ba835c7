"""The histogram of signed margins."""

from __future__ import annotations

import numpy as np

from novikoff._report.subject import Subject
from novikoff._report.tables import Table, count
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
    shapes = [vertical_line(0.0, "solid")]
    caption = f"{count(display.mistaken)} of {_rows(subject, display.rows)}; their margin is negative."
    if display.margin is not None:
        shapes.append(vertical_line(display.margin, "dash"))
        caption += f" {count(display.inside)} others lie inside the margin, which ends at "
        caption += f"{display.margin:.4g} (dashed line)."
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


def _rows(subject: Subject, rows: int) -> str:
    """Name the rows of the problem, and say what a negative margin means for the prediction."""
    if len(subject.strategy.classes) == 2:
        return f"{subject.first.words} are misclassified"
    if rows == subject.first.scores.rows:
        return f"{subject.first.words} have a score of the wrong sign for {subject.class_}"
    return f"the {count(rows)} rows of these two classes have a score of the wrong sign"
