"""What the pictures are made of, as plotly wants it.

A colour is the name of a property in page.css, which page.js looks up: so it changes with light and dark. Names that a
user chose are escaped, since plotly reads a little HTML in them.
"""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from novikoff.plot._axes import shortened

DIGITS = 5  # of coordinates: a screen shows no more
LONGEST = 24  # characters of a name beside an axis: a phone has room for no more


def label(name: str, longest: int = LONGEST) -> str:
    """A name that a user chose, for plotly: short, and escaped."""
    return html.escape(shortened(name, longest), quote=False)


def numbers(values: Any) -> list[float]:
    """Numbers as JSON has them, with no more digits than a screen shows."""
    return [float(f"{value:.{DIGITS}g}") for value in np.asarray(values, dtype=np.float64).tolist()]


def axis(title: str) -> dict[str, Any]:
    """An axis that stays where it is."""
    colours = {"gridcolor": "--line", "linecolor": "--axis", "tickcolor": "--axis"}
    look = {"automargin": True, "fixedrange": True, "zeroline": False, "ticks": "outside", "ticklen": 4}
    return {"title": {"text": title, "standoff": 8}, **colours, **look}


def logarithmic(along: dict[str, Any]) -> dict[str, Any]:
    """The axis with powers of ten."""
    return {**along, "type": "log", "dtick": 1, "exponentformat": "power"}


def shares(along: dict[str, Any]) -> dict[str, Any]:
    """The axis from 0 to 1."""
    return {**along, "range": [-0.01, 1.01]}


def layout(x: dict[str, Any], y: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What all figures share."""
    return {
        "xaxis": x,
        "yaxis": y,
        "paper_bgcolor": "--clear",
        "plot_bgcolor": "--clear",
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": "--ink"},
        "hoverlabel": {"bgcolor": "--wash", "bordercolor": "--axis", "font": {"color": "--ink"}},
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1.01,
            "xanchor": "left",
            "yanchor": "bottom",
            "traceorder": "normal",
        },
        "margin": {"l": 4, "r": 10, "t": 4, "b": 4},
        "dragmode": False,
        **more,
    }


def scatter(points: Any, name: str, **look: Any) -> dict[str, Any]:
    """Marks, or a line, at points of shape (n, 2)."""
    return {"type": "scatter", "x": numbers(points[:, 0]), "y": numbers(points[:, 1]), "name": name, **look}


def line(
    x: Any, y: Any, name: str, colour: str, dash: str = "solid", width: float = 1.8, **look: Any
) -> dict[str, Any]:
    """A line through points."""
    stroke = {"color": colour, "width": width, "dash": dash}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": name, "line": stroke, **look}


def upright(place: float, dash: str) -> dict[str, Any]:
    """A line from bottom to top."""
    line = {"color": "--ink", "width": 1, "dash": dash}
    return {"type": "line", "x0": place, "x1": place, "y0": 0, "y1": 1, "yref": "paper", "line": line}
