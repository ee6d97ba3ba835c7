"""The decision boundary with margin and support vectors."""

from __future__ import annotations

from typing import Any

from novikoff._report.subject import Subject
from novikoff._report.tables import count
from novikoff.errors import InvalidInputError
from novikoff.plot import BoundaryDisplay

from ._plotly import axis, label, layout, scatter
from .figure import Figure

MAX_POINTS = 1500  # keeps the page small
MAX_LARGE_MARKERS = 400
MARKER_OPACITY = 0.9


def boundary(subject: Subject) -> Figure | None:
    """Draw rows, decision line and margin; None if the decision is not that of a hyperplane."""
    two = {"feature_names": subject.feature_names} if subject.table.shape[1] == 2 else {}
    try:
        display = BoundaryDisplay.measure(
            subject.model, subject.X, subject.y, class_=subject.class_, max_points=MAX_POINTS, **two
        )
    except InvalidInputError:
        return None
    axes = (axis(label(name, 36)) for name in display.axis_names)
    return Figure(
        "boundary",
        "Decision boundary",
        _caption(display, subject),
        _traces(display),
        layout(*axes, hovermode="closest"),
        height="21rem",
        per_class=True,
    )


def _traces(display: BoundaryDisplay) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = []
    size = 7 if len(display.points) < MAX_LARGE_MARKERS else 5
    if display.support.any():  # below all markers, so that no class is covered
        rim = {"color": "--ink", "width": 1.4 * display.ring_opacity}
        marker: dict[str, Any] = {"color": "--paper", "symbol": "circle", "size": size + 4, "line": rim}
        points = display.points[display.support]
        look = {"mode": "markers", "marker": marker, "hoverinfo": "skip", "legendrank": 1001}
        data.append(scatter(points, display.support_name, **look))
    for sign, side, colour, symbol in ((-1, 0, "--negative", "square"), (1, 1, "--positive", "circle")):
        points = display.points[display.signs == sign]
        marker = {"color": colour, "symbol": symbol, "size": size, "opacity": MARKER_OPACITY}
        data.append(scatter(points, label(display.names[side]), mode="markers", marker=marker))
    lines = [(display.line, "decision boundary", "solid"), *((ends, "margin", "dash") for ends in display.band)]
    for ends, name, dash in lines:
        if ends is not None:
            first = not any(trace["name"] == name for trace in data)
            stroke = {"color": "--ink", "width": 2 if dash == "solid" else 1.2, "dash": dash}
            data.append(scatter(ends, name, mode="lines", line=stroke, hoverinfo="skip", showlegend=first))
            data[-1] |= {"legendgroup": name, "legendrank": 1002}
    return data


def _caption(display: BoundaryDisplay, subject: Subject) -> str:
    negative, positive = display.names
    rows = "training row" if subject.first.kind == "training" else "row"
    words = [f"Each marker is one {rows}: squares are {negative}, circles are {positive}."]
    if display.projected:
        words.append(
            f"The {count(subject.table.shape[1])} columns are projected: the horizontal axis is the signed distance "
            f"from the separating hyperplane, so rows to the right of the solid line are predicted as {positive}; the "
            "vertical axis only spreads the rows out."
        )
    if display.edge is not None:
        words.append(f"The dashed lines are the margin, where the score is {display.edge:.4g} or -{display.edge:.4g}.")
    if display.support.any():
        words.append(f"Ringed are {display.support_name}, {count(int(display.support.sum()))} of the rows shown.")
    if len(display.points) < display.total:
        words.append(f"{count(len(display.points))} of {count(display.total)} rows are shown.")
    return " ".join(words)
