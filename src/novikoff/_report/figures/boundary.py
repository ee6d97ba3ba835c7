"""The decision boundary with margin and support vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff._counts import count, counted
from novikoff._report.subject import Subject
from novikoff.errors import InvalidInputError
from novikoff.plot import BoundaryDisplay
from novikoff.plot.boundary import framed
from novikoff.theory.geometry import Floats

from ._plotly import axis, label, layout, numbers, scatter
from .figure import Figure

MAX_POINTS, MAX_POINTS_OF_SEVERAL = 1500, 600  # for two classes, and for one of several; keeps the page small
MAX_LARGE_MARKERS = 400
MARKER_OPACITY = 0.9
LINE_EXTENSION = 6  # of lines beyond the frame, because the page may extend the range of an axis
OUTER_QUANTILES = (0.005, 0.995)  # of each coordinate; rows far beyond may be left out


def boundary(subject: Subject) -> Figure | None:
    """Draw rows, decision line and margin; None if the decision is not that of a hyperplane."""
    two = {"feature_names": subject.feature_names} if subject.table.shape[1] == 2 else {}
    try:
        most = MAX_POINTS if len(subject.strategy.classes) == 2 else MAX_POINTS_OF_SEVERAL
        display = BoundaryDisplay.measure(
            subject.model, subject.X, subject.y, class_=subject.problem, max_points=most, **two
        )
    except InvalidInputError:
        return None
    frame, aspect = _frame(display)
    across, upwards = (
        axis(label(name, 36)) | {"range": numbers(ends)} for name, ends in zip(display.axis_names, frame.T, strict=True)
    )
    if aspect == "equal":  # plotly extends one of the ranges, as the shape of the page requires
        upwards |= {"scaleanchor": "x"}
    return Figure(
        "boundary",
        "Decision boundary",
        _caption(display, subject, _outside(display.points, frame)),
        _traces(display, aspect),
        layout(across, upwards, hovermode="closest"),
        height="30rem" if aspect == "equal" else "21rem",
        per_class=True,
    )


def _traces(display: BoundaryDisplay, aspect: str) -> list[dict[str, Any]]:
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
            if aspect == "equal":
                ends = ends.mean(axis=0) + LINE_EXTENSION * (ends - ends.mean(axis=0))
            first = not any(trace["name"] == name for trace in data)
            stroke = {"color": "--ink", "width": 2 if dash == "solid" else 1.2, "dash": dash}
            data.append(scatter(ends, name, mode="lines", line=stroke, hoverinfo="skip", showlegend=first))
            data[-1] |= {"legendgroup": name, "legendrank": 1002}
    return data


def _frame(display: BoundaryDisplay) -> tuple[Floats, str]:
    """Return the corners and the aspect of the figure, without rows far away that would make the others small.

    The figure is much wider than high, so a projection has the aspect that shows the rows best.
    """
    frame, aspect = display.frame, display.aspect
    if display.projected:
        lines = [ends[:, 0] for ends in (display.line, *display.band) if ends is not None]
        x = np.concatenate([display.points[:, 0], *lines])
        low, high = np.array([x.min(), display.points[:, 1].min()]), np.array([x.max(), display.points[:, 1].max()])
        padding = 0.03 * np.where(high > low, high - low, 1.0)
        frame, aspect = np.array([low - padding, high + padding]), "auto"
    limits = [_limits(display, place) for place in (0, 1)]
    if limits == [None, None]:
        return frame, aspect
    box = np.array([ends or frame[:, place] for place, ends in enumerate(limits)]).T
    return framed(*box) if aspect == "equal" else (box, aspect)


def _limits(display: BoundaryDisplay, place: int) -> tuple[float, float] | None:
    """Return the ends of an axis that leave out rows far away, if they would make the others small."""
    values = display.points[:, place]
    near, far = np.quantile(values, OUTER_QUANTILES).tolist()
    spread = far - near
    if not np.ptp(values) > 2 * spread > 0:
        return None
    lines = [ends[:, place] for ends in (display.line, *display.band) if ends is not None]
    middle = np.concatenate(lines) if lines and place == 0 and display.projected else np.array([near, far])
    low, high = min(near, float(middle.min())), max(far, float(middle.max()))
    pad = 0.1 * (high - low)
    return max(float(values.min()), low) - pad, min(float(values.max()), high) + pad


def _outside(points: Floats, frame: Floats) -> int:
    """Return the number of rows beyond the ends of the axes."""
    return int(np.count_nonzero(np.any((points < frame[0]) | (points > frame[1]), axis=1)))


def _caption(display: BoundaryDisplay, subject: Subject, outside: int) -> str:
    negative, positive = display.names
    rows = "training row" if subject.first.kind == "training" else "row"
    words = [f"Each marker is one {rows}: squares are {negative}, circles are {positive}."]
    if display.projected:
        words.append(
            f"The rows, of {counted(subject.table.shape[1], 'column')}, are projected: the horizontal axis is the "
            f"signed distance from the separating hyperplane, so rows right of the solid line are predicted as "
            f"{positive} rather than {negative}; the vertical axis only spreads the rows out."
        )
    if display.edge is not None:
        words.append(f"The dashed lines are the margin, where the score is {display.edge:.4g} or -{display.edge:.4g}.")
    if display.support.any():
        words.append(f"Ringed are {display.support_name}, {count(int(display.support.sum()))} of the rows shown.")
    if len(display.points) < display.total:
        words.append(f"Shown are {count(len(display.points))} of {counted(display.total, 'row')}.")
    if outside:
        words.append(f"Outside the figure: {count(outside)} of them.")
    return " ".join(words)
