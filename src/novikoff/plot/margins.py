"""The histogram of signed margins: how far each row is on its right side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff._validation import check_choice, check_integer
from novikoff.errors import invalid
from novikoff.theory.geometry import Floats

from ._axes import axes
from ._question import ask
from .palette import INK, RIGHT, WRONG


@dataclass(kw_only=True)
class MarginDisplay:
    """How many rows lie how far on their right side, y f(x), and which are on the wrong one.

    Parameters
    ----------
    edges : ends of the bins, 0 among them; rows beyond the outer ones are counted in the outer bins
    right, wrong : rows of each bin that are predicted right, and wrong
    margin : where the margin ends; None if there is none
    inside : rows on their right side, but within the margin
    unit : "score", y f(x), or "distance", that over |w|

    Attributes
    ----------
    ax_, figure_ : matplotlib's, once it is drawn

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> from novikoff.plot import MarginDisplay
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> display = MarginDisplay.measure(LinearSVM().fit(X, y), X, y)  # from_estimator draws it, too
    >>> display.rows, display.margin
    (4, 1.0)
    """

    edges: Floats
    right: NDArray[np.int64]
    wrong: NDArray[np.int64]
    margin: float | None
    inside: int
    unit: str = "score"
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.right.sum() + self.wrong.sum())

    @property
    def mistaken(self) -> int:
        """How many are predicted wrong."""
        return int(self.wrong.sum())

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        class_: Any = None,
        unit: str = "score",
        bins: int = 60,
        ax: Any = None,
    ) -> Self:
        """Score the rows, count and draw.

        Parameters
        ----------
        estimator : a fitted classifier with ``decision_function``
        X, y : rows and labels
        class_ : the class that is told from the rest; by default the last of two, the first of more
        unit : "score" or "distance"
        bins : about how many
        ax : axes to draw on; new ones if None
        """
        return cls.measure(estimator, X, y, class_=class_, unit=unit, bins=bins).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, scores: Any, *, margin: float | None = None, bins: int = 60, ax: Any = None
    ) -> Self:
        """Count and draw scores of two classes, of which the last in order is the positive one."""
        where = "MarginDisplay.from_predictions"
        labels, values = np.ravel(np.asarray(y_true)), np.ravel(np.asarray(scores, dtype=np.float64))
        classes = np.unique(labels)
        if len(classes) != 2 or len(labels) != len(values):
            raise invalid(
                where, "Labels of two classes, and a score for each.", f"{len(classes)} classes, {len(values)} scores"
            )
        signs = np.where(labels == classes[1], 1.0, -1.0)
        return cls.count(where, signs, values, margin, bins=bins).plot(ax=ax)

    @classmethod
    def measure(
        cls, estimator: Any, X: Any, y: Any, *, class_: Any = None, unit: str = "score", bins: int = 60
    ) -> Self:
        """The same as ``from_estimator``, but not drawn."""
        where = "MarginDisplay.from_estimator"
        check_choice(where, "unit", unit, ("score", "distance"))
        question = ask(where, estimator, class_)
        scores = question.scores(X)
        signs = question.signs(y, len(scores))
        margin = question.band(signs * scores)
        scale = float(np.linalg.norm(question.weights)) if unit == "distance" else 1.0
        if scale == 0 or (unit == "distance" and not question.is_linear):
            raise invalid(where, "Scores that are distances times |w|, and w other than 0.", type(estimator).__name__)
        found = cls.count(where, signs, scores / scale, None if margin is None else margin / scale, bins=bins)
        found.unit = unit
        return found

    @classmethod
    def count(cls, where: str, signs: Floats, scores: Floats, margin: float | None, *, bins: int = 60) -> Self:
        """Count y f(x) in bins; a score of exactly 0 says positive."""
        check_integer(where, "bins", bins, at_least=2)
        margins = signs * scores
        if len(margins) == 0 or not np.all(np.isfinite(margins)):
            raise invalid(where, "At least one row, and finite scores.", f"{len(margins)} rows")
        mistaken = np.where(scores == 0, signs < 0, margins < 0)
        edges = _edges(margins, margin, bins)
        held = np.clip(margins, edges[0], np.nextafter(edges[-1], -np.inf))
        return cls(
            edges=edges,
            right=np.histogram(held[~mistaken], edges)[0],
            wrong=np.histogram(held[mistaken], edges)[0],
            margin=margin,
            inside=0 if margin is None else int(np.count_nonzero(~mistaken & (margins < margin * (1 - 1e-9)))),
        )

    @property
    def axis_name(self) -> str:
        """What the horizontal axis shows."""
        return "score times label, y f(x)" if self.unit == "score" else "distance on the right side, y f(x) / |w|"

    @property
    def labels(self) -> tuple[str, str]:
        """What the two colours mean, with their shares."""
        share = 100 * self.mistaken / self.rows
        return f"right, {100 - share:.3g} %", f"wrong, {share:.3g} %"

    def plot(self, *, ax: Any = None) -> Self:
        """Draw, with matplotlib."""
        self.ax_ = ax = axes("MarginDisplay.plot", ax)
        self.figure_ = ax.figure
        widths, (right, wrong) = np.diff(self.edges), self.labels
        look: dict[str, Any] = {"width": widths, "align": "edge", "linewidth": 0}
        ax.bar(self.edges[:-1], self.right, color=RIGHT, label=right, **look)
        ax.bar(self.edges[:-1], self.wrong, bottom=self.right, color=WRONG, label=wrong, **look)
        ax.axvline(0.0, color=INK, lw=1)
        if self.margin is not None:
            ax.axvline(self.margin, color=INK, lw=1, ls="--", label=f"margin, at {self.margin:.3g}")
        ax.set(xlabel=self.axis_name, ylabel="rows", xlim=(self.edges[0], self.edges[-1]))
        ax.legend(frameon=False)
        return self


def _edges(margins: Floats, margin: float | None, bins: int) -> Floats:
    """Bins of one width with 0 between two of them; a few rows far out do not press the rest together."""
    low, high = float(margins.min()), float(margins.max())
    near, far = np.quantile(margins, [0.005, 0.995]).tolist()
    room = far - near
    if high - low > 2 * room > 0:
        low, high = max(low, near - 0.25 * room), min(high, far + 0.25 * room)
    low, high = min(low, 0.0), max(high, 0.0, 1.1 * (margin or 0.0))
    width = (high - low) / bins or 1.0
    first, last = np.floor(low / width), np.floor(high / width) + 1
    edges: Floats = width * np.arange(first, last + 1)
    return edges
