"""The legend of a display: above the axes where a layout reserves the room, otherwise inside them."""

from __future__ import annotations

from typing import Any

FONT_SIZES = (None, "small", "x-small")  # None is matplotlib's own setting; the first that fits is used
MAX_HEIGHT_ABOVE = 0.18  # of the legend, relative to the height of the axes
MAX_HEIGHT_INSIDE = 0.45


def add_legend(*axes: Any) -> None:
    """Add a legend to each of one or more axes of a figure, in as few lines and as large a font as possible.

    A figure with a layout (``layout="constrained"``) makes room for the legend above the axes, where it covers no data,
    and the title of the axes moves above it. Otherwise nobody makes room, so the legend is inside the axes.
    """
    figure = axes[0].figure
    layout = figure.get_layout_engine()
    if layout is not None:
        layout.execute(figure.figure)  # the size of the axes is known only after it
    for ax in axes:
        ax.apply_aspect()  # axes of equal aspect are smaller than their place in the figure
        if ax.get_legend_handles_labels()[0] and (layout is None or not _legend_above(ax)):
            _legend_inside(ax)


def _legend_above(ax: Any) -> bool:
    """Try to add a legend above the axes, or above axes and labels; return whether its longest entry fits."""
    room = ax.get_window_extent()
    if not _fits(ax, room, room.x0) and not _fits(ax, room, ax.get_tightbbox().x0):
        return False
    _move_title_above(ax, ax.get_legend())
    return True


def _fits(ax: Any, room: Any, left: float) -> bool:
    """Add a legend above the axes that begins at ``left``; return whether its longest entry fits."""
    width = room.x1 - left
    for size in FONT_SIZES:
        extent, is_line = _widest_legend(ax, (left - room.x0) / room.width, width, size)
        if extent.width <= width and (is_line or extent.height <= MAX_HEIGHT_ABOVE * room.height):
            break
    return bool(extent.width <= width)


def _widest_legend(ax: Any, left: float, width: float, size: str | None) -> tuple[Any, bool]:
    """Add a legend with as many columns as fit; return its extent, and whether it has a single line."""
    look = {"loc": "lower left", "bbox_to_anchor": (left, 1), "frameon": False, "borderaxespad": 0.2}
    look |= {"columnspacing": 1.0, "handlelength": 1.6, "handletextpad": 0.5, "borderpad": 0.2}
    entries = len(ax.get_legend_handles_labels()[0])
    for columns in sorted({-(-entries // rows) for rows in range(1, entries + 1)}, reverse=True):  # fewest for the rows
        extent = ax.legend(ncols=columns, fontsize=size, **look).get_window_extent()
        if extent.width <= width:
            break
    return extent, columns == entries


def _legend_inside(ax: Any) -> None:
    """Add a legend where it covers the least data. A layout ignores it, because it could only shrink the axes."""
    room = ax.get_window_extent()
    for size in FONT_SIZES:
        legend = ax.legend(loc="best", fontsize=size, framealpha=0.85, edgecolor="none", labelspacing=0.3)
        legend.set_in_layout(False)
        extent = legend.get_window_extent()
        if extent.width <= 0.9 * room.width and extent.height <= MAX_HEIGHT_INSIDE * room.height:
            break


def _move_title_above(ax: Any, legend: Any) -> None:
    """Keep the title of the axes above the legend, also if it is set later.

    Matplotlib places a title above all axes inside its own, but does not look at legends. Empty axes as large as the
    legend tell it where the legend is.
    """

    def place(_: Any, renderer: Any) -> Any:
        is_shown = ax.get_legend() is legend and legend.get_visible()
        extent = legend.get_window_extent(renderer) if is_shown else ax.get_window_extent(renderer)
        return extent.transformed(ax.figure.transSubfigure.inverted())

    empty = ax.inset_axes((0, 0, 1, 1))
    empty.set_axis_off()
    empty.set_navigate(False)
    empty.set_axes_locator(place)
