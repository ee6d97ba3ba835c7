"""Parts of plotly's traces and layouts.

A colour is the name of a custom property in page.css. page.js replaces it with its value, so figures follow the light
or dark scheme. Names chosen by the user are escaped, because plotly interprets some HTML in them.
"""

from __future__ import annotations

import html
import math
from typing import Any

import numpy as np

from novikoff.plot.labels import shortened

DIGITS = 5  # significant digits of coordinates; more would not be visible
MAX_LABEL = 24  # characters of a name beside an axis, so that it fits on a phone
MAX_LOG_TICKS = 5  # of a logarithmic axis, so that they do not touch each other
TICK_SIZE, TITLE_SIZE = 12, 13  # pixels; the text of the page has 16
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def label(name: str, longest: int = MAX_LABEL) -> str:
    """Shorten and escape a name chosen by the user."""
    return html.escape(shortened(name, longest), quote=False)


def numbers(values: Any) -> list[float]:
    """Return rounded numbers for JSON."""
    return [float(f"{value:.{DIGITS}g}") for value in np.asarray(values, dtype=np.float64).tolist()]


def axis(title: str) -> dict[str, Any]:
    """Return an axis that cannot be zoomed."""
    colours = {"gridcolor": "--line", "linecolor": "--axis", "tickcolor": "--axis"}
    look: dict[str, Any] = {"automargin": True, "fixedrange": True, "zeroline": False, "ticks": "outside", "ticklen": 4}
    look |= {"separatethousands": True, "exponentformat": "none"}
    words = {"text": title, "standoff": 8, "font": {"size": TITLE_SIZE, "color": "--muted"}}
    return {"title": words, "tickfont": {"size": TICK_SIZE}, **colours, **look}


def logarithmic(along: dict[str, Any], low: float, high: float) -> dict[str, Any]:
    """Return the axis with a logarithmic scale from ``low`` to ``high``, with a few ticks in plain numbers."""
    first, last = math.log10(low), math.log10(high) if high > low else math.log10(low) + 1
    powers = range(math.ceil(first - 1e-9), math.floor(last + 1e-9) + 1)
    ticks = [10.0**power for power in powers[:: math.ceil(len(powers) / MAX_LOG_TICKS)]] if len(powers) > 1 else []
    if not ticks:  # a single decade has labels in between
        candidates = [
            digit * 10.0**power for power in range(math.floor(first), math.ceil(last) + 1) for digit in (1, 2, 5)
        ]
        ticks = [tick for tick in candidates if low * (1 - 1e-9) <= tick <= 10**last * (1 + 1e-9)]
    pad = 0.03 * (last - first)
    look = {"tickvals": ticks, "ticktext": [power_of_ten(tick) for tick in ticks]}
    return {**along, "type": "log", "range": [first - pad, last + pad], **look}


def power_of_ten(value: float) -> str:
    """Format a tick: 0.01 to 100,000 in full, other powers of ten with an exponent."""
    exponent = math.floor(math.log10(value) + 1e-9)
    if -2 <= exponent <= 5:
        return f"{value:,.0f}" if value >= 1 else f"{value:.{-exponent}f}"
    digit = round(value / 10.0**exponent)
    return ("" if digit == 1 else f"{digit}·") + "10" + str(exponent).translate(SUPERSCRIPTS)


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
        "font": {"family": "system-ui, sans-serif", "size": TITLE_SIZE, "color": "--ink"},
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
