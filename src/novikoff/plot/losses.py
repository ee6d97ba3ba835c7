"""The losses of a score y v.u, with their subgradients at one point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from novikoff._validation import check_choice
from novikoff.errors import input_error
from novikoff.theory.geometry import Floats
from novikoff.theory.losses import LOSSES

from ._display import Display, axes
from ._legend import add_legend
from .palette import INK, MUTED, NEGATIVE, POSITIVE, WRONG

POINTS = 601
COLOURS = (POSITIVE, NEGATIVE, WRONG)
SUPPORTING_LINES = 5  # drawn at a kink, where each slope between two ends is a subgradient
REACH = 0.7  # of the supporting lines, to either side


@dataclass(kw_only=True, repr=False)
class LossDisplay(Display):
    """Losses as functions of the score m = y v.u, and the lines that touch them from below at one score.

    The slope of such a line is a subgradient. There is one where the loss has a derivative, and many at a kink. The
    loss that counts mistakes, 1 for m <= 0, is drawn as well: both hinge losses are never below it.

    Use ``from_losses`` to create a display.

    Parameters
    ----------
    score : ndarray of shape (n_points,)
        Scores m.
    values : dict of str to ndarray of shape (n_points,)
        The losses at these scores, by name.
    at : float or None
        The score of the supporting lines; None without them.
    heights : dict of str to float
        The losses at that score.
    slopes : dict of str to tuple of two floats
        The smallest and the largest subgradient at that score.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, after ``plot``.
    figure_ : matplotlib Figure
        The figure, after ``plot``.

    See Also
    --------
    novikoff.theory.losses : The losses.

    Examples
    --------
    >>> from novikoff.plot import LossDisplay
    >>> LossDisplay.measure(["hinge"], at=1.0).slopes  # from_losses also draws it
    {'hinge': (-1.0, 0.0)}
    """

    score: Floats
    values: dict[str, Floats]
    at: float | None
    heights: dict[str, float]
    slopes: dict[str, tuple[float, float]]

    @classmethod
    def from_losses(
        cls,
        losses: str | Sequence[str] = ("perceptron", "hinge", "squared_hinge"),
        *,
        at: float | None = 0.0,
        limits: tuple[float, float] = (-2.0, 2.5),
        ax: Any = None,
    ) -> Self:
        """Compute losses and draw them.

        Parameters
        ----------
        losses : str or sequence of str, default=("perceptron", "hinge", "squared_hinge")
            Names in ``novikoff.theory.losses.LOSSES``.
        at : float or None, default=0.0
            The score at which subgradients are drawn; None for no subgradients.
        limits : tuple of two floats, default=(-2.0, 2.5)
            The smallest and the largest score.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default a new figure.

        Returns
        -------
        LossDisplay
            The display.
        """
        return cls.measure(losses, at=at, limits=limits).plot(ax=ax)

    @classmethod
    def measure(
        cls,
        losses: str | Sequence[str] = ("perceptron", "hinge", "squared_hinge"),
        *,
        at: float | None = 0.0,
        limits: tuple[float, float] = (-2.0, 2.5),
    ) -> Self:
        """Compute the display without drawing it.

        Parameters
        ----------
        losses : str or sequence of str, default=("perceptron", "hinge", "squared_hinge")
            Names in ``novikoff.theory.losses.LOSSES``.
        at : float or None, default=0.0
            The score at which subgradients are drawn; None for no subgradients.
        limits : tuple of two floats, default=(-2.0, 2.5)
            The smallest and the largest score.

        Returns
        -------
        LossDisplay
            The display.
        """
        low, high = limits
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise input_error(cls.__name__, f"limits must be two ascending numbers, but they are {low} and {high}.")
        if at is not None and not low <= at <= high:
            raise input_error(cls.__name__, f"at must be a score from {low:g} to {high:g}, but it is {at:g}.")
        names = [losses] if isinstance(losses, str) else list(losses)
        for name in names:
            check_choice(cls.__name__, "losses", name, tuple(LOSSES))
        chosen = {name: LOSSES[name] for name in names}
        score = np.union1d(np.linspace(low, high, POINTS), [loss.kink for loss in chosen.values()])
        score = score[(score >= low) & (score <= high)]
        ends = {} if at is None else {name: loss.subdifferential(at) for name, loss in chosen.items()}
        return cls(
            score=score,
            values={name: loss.value(score) for name, loss in chosen.items()},
            at=at,
            heights={} if at is None else {name: float(loss.value(at)) for name, loss in chosen.items()},
            slopes={name: (float(first), float(last)) for name, (first, last) in ends.items()},
        )

    def _summary(self) -> str:
        return ", ".join(self.values)

    def _draw(self, ax: Any) -> Any:
        ax = axes(type(self).__name__, ax, size=(6.0, 4.8))
        mistake = np.where(self.score <= 0, 1.0, 0.0)
        ax.plot(self.score, mistake, color=MUTED, lw=1.5, ls=":", drawstyle="steps-post", label="mistake (0/1)")
        for place, (name, values) in enumerate(self.values.items()):
            colour = COLOURS[place % len(COLOURS)]
            label = name.replace("_", " ")
            if self.at is not None:
                label += f", slope {_interval(self.slopes[name])}"
                self._draw_subgradients(ax, name, colour)
            ax.plot(self.score, values, color=colour, lw=2, label=label)
        top = max(1.2, min(4.0, max(float(values.max()) for values in self.values.values())))
        ax.set(xlim=(self.score[0], self.score[-1]), ylim=(-0.15 * top, 1.05 * top))
        ax.set(xlabel=r"score $m = y\, v \cdot u$", ylabel="loss")
        ax.axhline(0.0, color=INK, lw=0.8)
        add_legend(ax)
        return ax

    def _draw_subgradients(self, ax: Any, name: str, colour: str) -> None:
        """Draw the lines that touch a loss from below at the chosen score."""
        (low, high), height = self.slopes[name], self.heights[name]
        offsets = np.array([-REACH, REACH])
        for slope in np.unique(np.linspace(low, high, SUPPORTING_LINES)):
            ax.plot(self.at + offsets, height + slope * offsets, color=colour, lw=1, ls="--", alpha=0.8)
        ax.plot([self.at], [height], "o", color=colour, ms=5)


def _interval(ends: tuple[float, float]) -> str:
    """Return the subgradients in words: a number, or an interval at a kink."""
    low, high = ends
    return f"{low:g}" if low == high else f"[{low:g}, {high:g}]"
