"""The largest weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff._counts import count, counted
from novikoff._report.subject import Subject
from novikoff._report.tables import Table
from novikoff.plot import WeightsDisplay

from ._plotly import MAX_LABEL, axis, label, layout, numbers
from .figure import Figure

MAX_BARS = 10  # the table has more


def weights(subject: Subject) -> Figure | None:
    """Draw the largest weights by column name; None if the learner has none, or all are 0."""
    if not subject.has_weights:
        return None
    display = WeightsDisplay.measure(subject.model, class_=subject.problem, feature_names=subject.feature_names)
    if not display.names:
        return None
    data: list[dict[str, Any]] = []
    places = list(range(min(MAX_BARS, len(display.names))))
    for sign, side, colour in ((-1, 0, "--negative"), (1, 1, "--positive")):
        chosen = [k for k in places if np.sign(display.weights[k]) == sign]
        if chosen:
            data.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "x": numbers(display.weights[chosen]),
                    "y": chosen,
                    "text": [label(display.names[k], 80) for k in chosen],
                    "textposition": "none",
                    "hovertemplate": "%{text}: %{x:.5g}<extra></extra>",
                    "name": f"for {label(display.sides[side])}",
                    "marker": {"color": colour},
                }
            )
    names = {
        **axis(""),
        "tickvals": places,
        "ticktext": [label(name, MAX_LABEL) for name in display.names[:MAX_BARS]],
        "range": [len(places) - 0.4, -0.6],
        "showgrid": False,
    }
    caption = (
        f"The weights of largest absolute value, {count(len(places))} of {counted(display.nonzero, 'nonzero weight')} "
        f"in {counted(display.total, 'column')}. Positive weights increase the score of {display.sides[1]}, negative "
        f"weights that of {display.sides[0]}. Weights are comparable only between columns of the same scale."
    )
    pairs = list(zip(display.names, display.weights.tolist(), strict=True))
    heads, rows = ["column", "weight"], [[name, f"{weight:.6g}"] for name, weight in pairs]
    reading = None if subject.record is None else subject.record.reading
    scales = {} if reading is None or reading.encoding is None else reading.encoding.scales
    if scales:
        caption += " The table also shows the weight of one unit of a number as it is in the file."
        heads.append("per unit")
        for row, (name, weight) in zip(rows, pairs, strict=True):
            row.append(f"{weight / scales[name]:.6g}" if name in scales else "")
    return Figure(
        "weights",
        "Largest weights",
        caption,
        data,
        layout(axis("weight"), names, bargap=0.25),
        height=f"{5 + 1.4 * max(3, len(places)):g}rem",
        per_class=True,
        table=Table("Largest weights", heads, rows),
    )
