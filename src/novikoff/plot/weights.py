"""The largest weights of a linear classifier, by column name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff._validation import check_integer
from novikoff._wide_array import narrowed, occurring
from novikoff.theory.geometry import Floats

from ._display import Display, axes
from ._legend import add_legend
from ._problem import binary_problem, column_names
from .labels import MAX_LABEL, matplotlib_label
from .palette import INK, NEGATIVE, POSITIVE

LINE_HEIGHT = 0.9  # font size of labels / distance of bars
MIN_FONT_SIZE = 6.0  # points
CHARACTER_WIDTH = 0.65  # of the font size, on average
MIN_LABEL = 8  # characters


@dataclass(kw_only=True, repr=False)
class WeightsDisplay(Display):
    """Weights of largest absolute value: the columns that contribute most per unit to the score.

    Use ``from_estimator`` to create a display.

    Parameters
    ----------
    names : list of str
        Names of the columns, by descending absolute weight.
    weights : ndarray of shape (n_weights,)
        Their weights.
    columns : ndarray of int64, of shape (n_weights,)
        Their column numbers.
    sides : tuple of str
        Names of the classes whose scores negative and positive weights increase.
    nonzero : int
        Number of nonzero weights of the classifier.
    total : int
        Number of weights of the classifier.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, after ``plot``.
    figure_ : matplotlib Figure
        The figure, after ``plot``.

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> from novikoff.plot import WeightsDisplay
    >>> model = LinearSVM().fit([[0.0, 1.0], [2.0, 1.0], [0.0, 0.0], [2.0, 0.0]], ["no", "yes", "no", "yes"])
    >>> WeightsDisplay.measure(model, feature_names=["rain", "sun"], k=1).names  # from_estimator also draws it
    ['rain']
    """

    names: list[str]
    weights: Floats
    columns: NDArray[np.int64]
    sides: tuple[str, str]
    nonzero: int
    total: int

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, k: int = 20, feature_names: Any = None, class_: Any = None, ax: Any = None
    ) -> Self:
        """Select the largest weights of a fitted classifier and draw them.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier with ``coef_``.
        k : int, default=20
            The maximum number of weights. Weights that are 0 are left out.
        feature_names : sequence of str, default=None
            Names of all columns. By default the names that the classifier knows, or the numbers of the columns.
        class_ : label or pair of labels, default=None
            The class whose score positive weights increase. By default the last of two classes, or the first of more.
            For one-vs-one and joint machines, it is opposed to the most frequent other class; or give both as a pair.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default a new figure.

        Returns
        -------
        WeightsDisplay
            The display.
        """
        return cls.measure(estimator, k=k, feature_names=feature_names, class_=class_).plot(ax=ax)

    @classmethod
    def measure(cls, estimator: Any, *, k: int = 20, feature_names: Any = None, class_: Any = None) -> Self:
        """Compute the display without drawing it.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier with ``coef_``.
        k : int, default=20
            The maximum number of weights. Weights that are 0 are left out.
        feature_names : sequence of str, default=None
            Names of all columns. By default the names that the classifier knows, or the numbers of the columns.
        class_ : label or pair of labels, default=None
            The class whose score positive weights increase. By default the last of two classes, or the first of more.
            For one-vs-one and joint machines, it is opposed to the most frequent other class; or give both as a pair.

        Returns
        -------
        WeightsDisplay
            The display.
        """
        where = cls.__name__
        check_integer(where, "k", k, at_least=1)
        problem = binary_problem(where, estimator, class_)
        weights = problem.weights
        nonzero = occurring(weights)
        largest = nonzero[np.argsort(-np.abs(narrowed(weights, nonzero)), kind="stable")[:k]]
        return cls(
            names=column_names(where, estimator, feature_names, len(weights), largest.tolist()),
            weights=narrowed(weights, np.sort(largest))[np.argsort(np.argsort(largest))],
            columns=largest.astype(np.int64),
            sides=problem.names,
            nonzero=len(nonzero),
            total=len(weights),
        )

    def _summary(self) -> str:
        return f"{len(self.names):,} of {self.nonzero:,} weights that are not 0"

    def _draw(self, ax: Any) -> Any:
        height = 1.2 + 0.26 * max(len(self.names), 4)
        ax = axes(type(self).__name__, ax, size=(7.0, height))
        places = np.arange(len(self.names))[::-1]
        for side, name, colour in (
            (self.weights < 0, self.sides[0], NEGATIVE),
            (self.weights > 0, self.sides[1], POSITIVE),
        ):
            if side.any():
                ax.barh(places[side], self.weights[side], color=colour, label=f"for {matplotlib_label(name)}")
        longest, size = _label_size(ax, self.names)
        ax.set_yticks(places, [matplotlib_label(name, longest) for name in self.names], fontsize=size)
        ax.axvline(0.0, color=INK, lw=1)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.set(xlabel="weight", ylim=(-0.6, max(len(self.names), 1) - 0.4))
        add_legend(ax)
        return ax


def _label_size(ax: Any, names: list[str]) -> tuple[int, float]:
    """Return the greatest length of the labels left of the axes, in characters, and their font size in points.

    Labels must not touch each other. They have up to half of the width if the figure has a layout that makes room for
    them; otherwise they have to fit left of the axes. The font is smaller for long names, which are cut if they do
    not fit then.
    """
    points = 72 / ax.figure.dpi
    extent, size = ax.get_window_extent(), float(ax.yaxis.get_ticklabels()[0].get_fontsize())
    room = 0.5 * points * extent.width
    if ax.figure.get_layout_engine() is None:
        room = min(room, points * (extent.x0 - ax.figure.bbox.x0))
    longest = min(MAX_LABEL, max(map(len, names), default=1))
    fitting = min(LINE_HEIGHT * points * extent.height / max(len(names), 1), room / (CHARACTER_WIDTH * longest))
    size = min(size, max(MIN_FONT_SIZE, fitting))
    return min(MAX_LABEL, max(MIN_LABEL, int(room / (CHARACTER_WIDTH * size)))), size
