"""The contract of figures and their registry.

A kind of figure is a function in a module of its own, and one line in ``FIGURES``. It takes the ``Subject`` of the
report and returns a ``Figure``, or None if the figure does not apply to this learner or these data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from novikoff._registry import Registry
from novikoff._report.subject import Subject
from novikoff._report.tables import Table


@dataclass(frozen=True)
class Figure:
    """One figure as plotly draws it, with its caption.

    Parameters
    ----------
    name : str
        A name for the id of its element.
    heading : str
        The heading above the figure.
    caption : str
        What the figure shows, in sentences that also serve readers who cannot see it.
    data : list of dict
        The traces of plotly. A colour that starts with ``--`` is a custom property of ``page.css``.
    layout : dict
        The layout of plotly.
    section : {"certificate", "model", "predictions"}, default="model"
        The section of the page.
    height : str, default="22rem"
        The height as a CSS length.
    table : Table or None, default=None
        The numbers of the figure, where they tell more than the caption.
    """

    name: str
    heading: str
    caption: str
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    section: Literal["certificate", "model", "predictions"] = "model"
    height: str = "22rem"
    table: Table | None = None


FigureKind = Callable[[Subject], Figure | None]

# In the order in which they appear on the page.
FIGURES: Registry[FigureKind] = Registry(
    "figure",
    {
        "boundary": "novikoff._report.figures.boundary:boundary",
        "margins": "novikoff._report.figures.margins:margins",
        "mistakes": "novikoff._report.figures.mistakes:mistakes",
        "gap": "novikoff._report.figures.gap:gap",
        "weights": "novikoff._report.figures.weights:weights",
        "roc": "novikoff._report.figures.curves:roc",
        "precision-recall": "novikoff._report.figures.curves:precision_recall",
    },
)


def figures_of(subject: Subject) -> list[Figure]:
    """Return the figures that apply."""
    with np.errstate(over="ignore", invalid="ignore"):  # the page refuses figures with values that overflowed
        found = [FIGURES[name](subject) for name in FIGURES]
    return [figure for figure in found if figure is not None]
