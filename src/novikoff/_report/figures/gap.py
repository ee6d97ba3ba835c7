"""The convergence of objective and lower bound."""

from __future__ import annotations

import numpy as np

from novikoff._report.subject import Subject
from novikoff._report.tables import Table
from novikoff.errors import InvalidInputError
from novikoff.plot import GapDisplay
from novikoff.theory.gap_checks import gap_shown

from ._plotly import axis, layout, line, logarithmic, numbers
from .figure import Figure

TABLE_ROWS = 20


def gap(subject: Subject) -> Figure | None:
    """Draw objective, lower bound and relative gap; None for learners without such a history."""
    try:
        display = GapDisplay.measure(subject.model, class_=subject.problem)
    except InvalidInputError:
        return None
    x, positive = numbers(display.x), display.gap > 0
    gaps = numbers(display.gap[positive])
    data = [
        line(x, numbers(display.primal), "objective (best so far)", "--negative"),
        line(x, numbers(display.dual), "lower bound (best so far)", "--positive", fill="tonexty"),
        line(numbers(display.x[positive]), gaps, "relative gap", "--ink", yaxis="y2"),
        line([x[0], x[-1]], [display.tol, display.tol], f"tol = {display.tol:g}", "--muted", "dash", yaxis="y2"),
    ]
    data[1]["fillcolor"] = "--shade"
    for trace in data[:3]:
        trace["line"]["shape"] = "hv"
    upper = {**axis("objective"), "domain": [0.48, 1.0], "range": list(display.limits)}
    drawn = [display.tol, *gaps]
    lower = {**logarithmic(axis("relative gap"), min(drawn), max(drawn)), "domain": [0.0, 0.38], "anchor": "x"}
    both = layout({**axis(display.axis_name), "anchor": "y2"}, upper, yaxis2=lower)
    keep = sorted({int(place) for place in np.linspace(0, len(x) - 1, TABLE_ROWS)})
    rows = [(f"{x[k]:g}", f"{display.primal[k]:.8g}", f"{display.dual[k]:.8g}", f"{display.gap[k]:.3g}") for k in keep]
    return Figure(
        "gap",
        "Convergence",
        "The optimal objective value lies between the two lines of the upper panel at every step. The final relative "
        f"gap between them is at most {gap_shown(float(display.gap[-1]))}; the target was {display.tol:g}.",
        data,
        both,
        section="certificate",
        height="24rem",
        per_class=True,
        is_detail=True,
        table=Table("Progress of the solver", [display.axis_name, "objective", "lower bound", "relative gap"], rows),
    )
