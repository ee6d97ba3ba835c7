"""The contract of figures and their registry.

A kind of figure is a function in a module of its own, and one line in ``FIGURES``. It takes the ``Subject`` of the
report and returns a ``Figure``, or None if the figure does not apply to this learner or these data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from novikoff._registry import Registry
from novikoff._report.subject import Subject, by_errors
from novikoff._report.tables import Table
from novikoff.plot import WeightsDisplay


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
    per_class : bool, default=False
        Whether it shows the class ``subject.class_`` only. Of several classes, the reader chooses the one to see.
    is_detail : bool, default=False
        Whether it is folded among the figures of a class.
    """

    name: str
    heading: str
    caption: str
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    section: Literal["certificate", "model", "predictions"] = "model"
    height: str = "22rem"
    table: Table | None = None
    per_class: bool = False
    is_detail: bool = False


@dataclass(frozen=True)
class Choice:
    """The figures of one class.

    Parameters
    ----------
    name : str
        The class.
    figures : list of Figure
        Its figures.
    is_default : bool
        Whether they are shown until the reader chooses another class.
    note : str, default=""
        A sentence above the figures.
    """

    name: str
    figures: list[Figure]
    is_default: bool
    note: str = ""


@dataclass(frozen=True)
class Figures:
    """All figures of the page.

    Parameters
    ----------
    lead : Figure or None
        The figure below the verdict.
    general : list of Figure
        The figures that do not depend on a class, and for two classes all others.
    choices : list of Choice
        For several classes, the figures of each; of many classes, of those with the most errors.
    """

    lead: Figure | None
    general: list[Figure]
    choices: list[Choice]

    def __iter__(self) -> Iterator[Figure]:
        yield from [] if self.lead is None else [self.lead]
        yield from self.general
        for choice in self.choices:
            yield from choice.figures


FigureKind = Callable[[Subject], Figure | None]

LEADS = ("confusion", "boundary", "margins")  # the first that applies is the picture below the verdict
MAX_CHOICES = 20  # classes that the reader can choose from

# In the order in which they appear on the page.
FIGURES: Registry[FigureKind] = Registry(
    "figure",
    {
        "confusion": "novikoff._report.figures.confusion:confusion",
        "boundary": "novikoff._report.figures.boundary:boundary",
        "margins": "novikoff._report.figures.margins:margins",
        "mistakes": "novikoff._report.figures.mistakes:mistakes",
        "gap": "novikoff._report.figures.gap:gap",
        "weights": "novikoff._report.figures.weights:weights",
        "roc": "novikoff._report.figures.curves:roc",
        "precision-recall": "novikoff._report.figures.curves:precision_recall",
    },
)


def figures_of(subject: Subject) -> Figures:
    """Return the figures that apply."""
    with np.errstate(over="ignore", invalid="ignore"):  # the page refuses figures with values that overflowed
        drawn = {name: FIGURES[name](subject) for name in FIGURES}
        general = {name: figure for name, figure in drawn.items() if figure is not None}
        choices = []
        if len(subject.strategy.classes) > 2:
            by_class = [name for name, figure in drawn.items() if figure is None or figure.per_class]
            choices = _choices(subject, by_class, drawn)
            general = {name: figure for name, figure in general.items() if not figure.per_class}
    lead = next((general.pop(name) for name in LEADS if name in general), None)
    return Figures(lead, list(general.values()), choices)


def _choices(subject: Subject, names: list[str], of_default: dict[str, Figure | None]) -> list[Choice]:
    """Draw the figures of each class, in the order of the classes. The names of the figures get a number."""
    ranked = by_errors(subject.model, subject.scored.scores)
    offered = [subject.class_, *(label for label in ranked if label != subject.class_)][:MAX_CHOICES]
    choices = []
    for number, class_ in enumerate(label for label in subject.strategy.classes.tolist() if label in offered):
        is_default = class_ == subject.class_
        one = replace(subject, class_=class_)
        drawn = (of_default[name] if is_default else FIGURES[name](one) for name in names)
        figures = [figure for figure in drawn if figure is not None and figure.per_class]
        if not is_default:
            figures = [replace(figure, name=f"{figure.name}-{number}") for figure in figures]
        choices.append(Choice(str(class_), figures, is_default, _note(one)))
    return choices


def _note(subject: Subject) -> str:
    """Say which classes the figures show, and that a score is constant, which is why there is no boundary."""
    words = []
    if subject.opponent is not None:
        words.append(f"{subject.class_} is shown against {subject.opponent}, with which it is confused most often.")
    if subject.has_weights and not WeightsDisplay.measure(subject.model, class_=subject.problem).nonzero:
        words.append("All weights of this problem are 0, so its score is the same for every row.")
    return " ".join(words)
