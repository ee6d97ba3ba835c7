"""The base class of all displays, and the axes that they are drawn on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from novikoff.errors import input_error, missing_package


@dataclass(kw_only=True, repr=False)
class Display:
    """A dataclass of numbers that ``plot`` draws.

    A subclass has class methods that compute the numbers, ``measure``, and that also draw them, ``from_estimator``. It
    defines ``_draw``, which draws on the given axes, or on new ones if they are None, and returns the axes, and
    ``_summary``, a few words for notebooks.
    """

    ax_: Any = field(default=None, init=False)
    figure_: Any = field(default=None, init=False)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._summary()}>"

    def plot(self, *, ax: Any = None) -> Self:
        """Draw the display with matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. By default a new figure.

        Returns
        -------
        Display
            This display, with ``ax_`` and ``figure_``.
        """
        self.ax_ = self._draw(ax)
        self.figure_ = self.ax_.figure
        return self

    def _draw(self, ax: Any) -> Any:
        raise NotImplementedError  # a subclass defines it

    def _summary(self) -> str:
        raise NotImplementedError  # a subclass defines it


def axes(where: str, ax: Any, size: tuple[float, float] = (7.0, 4.5)) -> Any:
    """Return the given axes, or new ones in a new figure of ``size`` inches."""
    if ax is None:
        _, ax = _pyplot(where).subplots(figsize=size, layout="constrained")
    return _without_frame(ax)


def two_axes(where: str, ax: Any, size: tuple[float, float] = (7.0, 5.5), heights: tuple[int, int] = (1, 1)) -> Any:
    """Return two axes, one above the other, with a common horizontal scale. Given axes become the upper ones."""
    if ax is None:
        _, ax = _pyplot(where).subplots(figsize=size, layout="constrained")
    place = ax.get_subplotspec()
    if place is None:
        raise input_error(where, "ax must be part of a grid, so that it can be divided. Create it with subplots().")
    grid = place.subgridspec(2, 1, height_ratios=heights)
    ax.set_subplotspec(grid[0])
    lower = ax.figure.add_subplot(grid[1], sharex=ax)
    ax.tick_params(labelbottom=False)
    return _without_frame(ax), _without_frame(lower)


def integer_ticks(*each: Any) -> None:
    """Label only integers on a linear axis that counts something."""
    from matplotlib.ticker import MaxNLocator

    for axis in each:
        axis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))


def plain_log_ticks(axis: Any) -> None:
    """Label 1, 2 and 5 times the powers of ten on a logarithmic axis of a few decades, without exponents."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _without_frame(ax: Any) -> Any:
    """Remove the upper and the right side of the frame."""
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _pyplot(where: str) -> Any:
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise missing_package(where, error.name, "plot") from error
    return pyplot
