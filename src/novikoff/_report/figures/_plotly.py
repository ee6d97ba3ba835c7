"""Parts of plotly's traces and layouts.

A colour is the name of a custom property in page.css. page.js replaces it with its value, so figures follow the light
or dark scheme. Names chosen by the user are escaped, because plotly interprets some HTML in them.
"""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from novikoff.plot.labels import shortened

DIGITS = 5  # significant digits of coordinates; more would not be visible
MAX_LABEL = 24  # characters of a name beside an axis, so that it fits on a phone


def label(name: str, longest: int = MAX_LABEL) -> str:
    """Shorten and escape a name chosen by the user."""
    return html.escape(shortened(name, longest), quote=False)


def numbers(values: Any) -> list[float]:
    """Return rounded numbers for JSON."""
    return [float(f"{value:.{DIGITS}g}") for value in np.asarray(values, dtype=np.float64).tolist()]


def axis(title: str) -> dict[str, Any]:
    """Return an axis that cannot be zoomed."""
    colours = {"gridcolor": "--line", "linecolor": "--axis", "tickcolor": "--axis"}
    look = {"automargin": True, "fixedrange": True, "zeroline": False, "ticks": "outside", "ticklen": 4}
    return {"title": {"text": title, "standoff": 8}, **colours, **look}


def logarithmic(along: dict[str, Any]) -> dict[str, Any]:
    """Return the axis with a logarithmic scale."""
    return {**along, "type": "log", "dtick": 1, "exponentformat": "power"}


def fractions(along: dict[str, Any]) -> dict[str, Any]:
    """Return the axis with a range from 0 to 1."""
    return {**along, "range": [-0.01, 1.01]}


def layout(x: dict[str, Any], y: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the layout that all figures share."""
    legend = {"orientation": "h", "x": 0, "y": 1.01, "xanchor": "left", "yanchor": "bottom", "traceorder": "normal"}
    return {
        "xaxis": x,
        "yaxis": y,
        "paper_bgcolor": "--clear",
        "plot_bgcolor": "--clear",
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": "--ink"},
        "hoverlabel": {"bgcolor": "--wash", "bordercolor": "--axis", "font": {"color": "--ink"}},
        "legend": legend,
        "margin": {"l": 4, "r": 10, "t": 4, "b": 4},
        "dragmode": False,
        **more,
    }


def scatter(points: Any, name: str, **look: Any) -> dict[str, Any]:
    """Return markers or a line at points of shape (n, 2)."""
    return {"type": "scatter", "x": numbers(points[:, 0]), "y": numbers(points[:, 1]), "name": name, **look}


def line(
    x: Any, y: Any, name: str, colour: str, dash: str = "solid", width: float = 1.8, **look: Any
) -> dict[str, Any]:
    """Return a line through points."""
    stroke = {"color": colour, "width": width, "dash": dash}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": name, "line": stroke, **look}


def vertical_line(place: float, dash: str) -> dict[str, Any]:
    """Return a vertical line over the full height of the figure."""
    stroke = {"color": "--ink", "width": 1, "dash": dash}
    return {"type": "line", "x0": place, "x1": place, "y0": 0, "y1": 1, "yref": "paper", "line": stroke}
