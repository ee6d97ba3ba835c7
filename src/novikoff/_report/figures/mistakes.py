"""The mistakes of an online learner and the bounds on them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from novikoff._counts import count, counted
from novikoff._report.subject import Subject
from novikoff._report.tables import Table
from novikoff.errors import InvalidInputError
from novikoff.plot import MistakesDisplay

from ._plotly import axis, layout, line, logarithmic, numbers
from .figure import Figure

TABLE_ROWS = 16


def mistakes(subject: Subject) -> Figure | None:
    """Draw the mistakes of one pass over the rows; None for learners that are not online."""
    try:
        display = MistakesDisplay.measure(subject.model, subject.X, subject.y, class_=subject.class_)
    except InvalidInputError:
        return None
    total, made = int(display.examples[-1]), float(display.mistakes[-1])
    x = display.examples.tolist()
    data: list[dict[str, Any]] = [
        line([1, total], [1, total], "every prediction wrong", "--muted", "dot", width=1, hoverinfo="skip")
    ]
    looks = (("--negative", "dash"), ("--wrong", "dashdot"))
    for (name, bound), (colour, dash) in zip(display.bounds.items(), looks, strict=False):
        data.append(line(x, numbers(bound), name, colour, dash))
    shown = display.mistakes > 0
    counts = numbers(display.mistakes[shown])
    data.append(line(display.examples[shown].tolist(), counts, "mistakes", "--positive", width=2.5))
    caption = f"One pass over the rows in their order, each predicted before it is learned: {counted(made, 'mistake')} "
    caption += f"in {counted(total, 'example')}."
    for name, bound in display.bounds.items():
        caption += f" {name[0].upper()}{name[1:]} allows at most {count(math.floor(bound[-1]))}."
    if not display.bounds:
        caption += " No mistake bound for this learner is lower than the number of examples."
    top = max([total, *(float(bound[-1]) for bound in display.bounds.values())])
    heading = "Mistakes and mistake bounds" if display.bounds else "Mistakes"
    keep = sorted({int(place) for place in np.linspace(0, len(x) - 1, TABLE_ROWS)})
    rows = [
        (count(x[k]), count(display.mistakes[k]), *(count(math.floor(bound[k])) for bound in display.bounds.values()))
        for k in keep
    ]
    return Figure(
        "mistakes",
        heading if len(subject.strategy.classes) == 2 else f"{heading} of class {subject.class_}",
        caption,
        data,
        layout(logarithmic(axis("examples"), 1, total), logarithmic(axis("mistakes"), 1, top)),
        section="certificate",
        table=Table("Cumulative number of mistakes", ["examples", "mistakes", *display.bounds], rows),
    )
