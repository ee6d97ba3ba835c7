"""The axes that a picture is drawn on: those given, or new ones."""

from __future__ import annotations

from typing import Any

from novikoff.errors import InvalidInputError, invalid


def axes(where: str, ax: Any, size: tuple[float, float] = (7.0, 4.5)) -> Any:
    """The axes given, or new ones in a figure of their own, in inches."""
    if ax is None:
        _, ax = _pyplot(where).subplots(figsize=size, layout="constrained")
    return plain(ax)


def two_axes(where: str, ax: Any, size: tuple[float, float] = (7.0, 5.5)) -> tuple[Any, Any]:
    """Two axes, one above the other, with one horizontal scale; those given are divided."""
    if ax is None:
        figure = _pyplot(where).figure(figsize=size, layout="constrained")
        grid = figure.add_gridspec(2, 1)
    else:
        figure, place = ax.figure, ax.get_subplotspec()
        if place is None:
            raise invalid(where, "An axes of a grid, as plt.subplots makes them.", "one with a place of its own")
        ax.set_axis_off()
        grid = place.subgridspec(2, 1)
    upper = figure.add_subplot(grid[0])
    lower = figure.add_subplot(grid[1], sharex=upper)
    upper.tick_params(labelbottom=False)
    return plain(upper), plain(lower)


def plain(ax: Any) -> Any:
    """Without the frame's upper and right sides, which say nothing."""
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def shortened(name: str, longest: int = 40) -> str:
    """A name that fits beside an axis, on one line."""
    name = " ".join(name.split())
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def words(name: str) -> str:
    """The same for matplotlib, to which a dollar sign would mean mathematics."""
    return shortened(name).replace("$", r"\$")


def _pyplot(where: str) -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise missing(where, "matplotlib") from error
    return pyplot


def missing(where: str, library: str) -> InvalidInputError:
    """The error of a library that is not installed."""
    return invalid(where, f"{library}, which `pip install 'novikoff[plot]'` brings.", "an installation without it")
