"""The largest weights of a linear classifier, by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff._validation import check_integer
from novikoff.theory.geometry import Floats

from ._axes import axes, words
from ._question import ask, column_names
from .palette import INK, NEGATIVE, POSITIVE


@dataclass(kw_only=True)
class WeightsDisplay:
    """The weights that are largest in absolute value: which columns speak for a class, and which against it.

    Parameters
    ----------
    names : of the columns, those of the largest weights first
    weights : theirs
    columns : their numbers
    sides : names of the class that negative weights speak for, and of that of the positive ones
    nonzero : how many weights are not 0, of how many ``total``

    Attributes
    ----------
    ax_, figure_ : matplotlib's, once it is drawn

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> from novikoff.plot import WeightsDisplay
    >>> model = LinearSVM().fit([[0.0, 1.0], [2.0, 1.0], [0.0, 0.0], [2.0, 0.0]], ["no", "yes", "no", "yes"])
    >>> WeightsDisplay.measure(model, feature_names=["rain", "sun"], k=1).names  # from_estimator draws it, too
    ['rain']
    """

    names: list[str]
    weights: Floats
    columns: NDArray[np.int64]
    sides: tuple[str, str]
    nonzero: int
    total: int
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, k: int = 20, feature_names: Any = None, class_: Any = None, ax: Any = None
    ) -> Self:
        """Choose and draw.

        Parameters
        ----------
        estimator : a fitted classifier with ``coef_``
        k : how many weights, at most; those that are 0 are left out
        feature_names : of all columns; by default those of the data frame that was learned, or the columns' numbers
        class_ : the class that positive weights speak for; by default the last of two, the first of more
        ax : axes to draw on; new ones if None
        """
        return cls.measure(estimator, k=k, feature_names=feature_names, class_=class_).plot(ax=ax)

    @classmethod
    def measure(cls, estimator: Any, *, k: int = 20, feature_names: Any = None, class_: Any = None) -> Self:
        """The same as ``from_estimator``, but not drawn."""
        where = "WeightsDisplay.from_estimator"
        check_integer(where, "k", k, at_least=1)
        question = ask(where, estimator, class_)
        weights = question.weights
        names = column_names(estimator, feature_names, len(weights), where)
        largest = np.argsort(-np.abs(weights), kind="stable")[:k]
        largest = largest[weights[largest] != 0]
        return cls(
            names=[names[column] for column in largest],
            weights=weights[largest],
            columns=largest.astype(np.int64),
            sides=question.names,
            nonzero=int(np.count_nonzero(weights)),
            total=len(weights),
        )

    def plot(self, *, ax: Any = None) -> Self:
        """Draw, with matplotlib."""
        height = 1.2 + 0.26 * max(len(self.names), 4)
        self.ax_ = ax = axes("WeightsDisplay.plot", ax, size=(7.0, height))
        self.figure_ = ax.figure
        places = np.arange(len(self.names))[::-1]
        for side, name, colour in (
            (self.weights < 0, self.sides[0], NEGATIVE),
            (self.weights > 0, self.sides[1], POSITIVE),
        ):
            if side.any():
                ax.barh(places[side], self.weights[side], color=colour, label=f"for {words(name)}")
        ax.set_yticks(places, [words(name) for name in self.names])
        ax.axvline(0.0, color=INK, lw=1)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.set(xlabel="weight", ylim=(-0.6, max(len(self.names), 1) - 0.4))
        if self.names:
            ax.legend(frameon=False, loc="best")
        return self
