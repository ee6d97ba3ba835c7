"""HTML: all text that goes into a page or a notebook goes through ``escaped``."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from novikoff._printable import printable

LEFT = 'style="text-align: left"'  # notebooks align cells to the right, which suits numbers only


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(text: str) -> str:
    """Return text as HTML, with control characters as visible escapes; ``Markup`` is returned as it is."""
    return text if isinstance(text, Markup) else html.escape(printable(text, keep="\n"))


def table(caption: str, rows: Iterable[Sequence[str]], head: Sequence[str] = (), *, is_numeric: bool = False) -> str:
    """Return a table.

    Parameters
    ----------
    caption : str
        The line above the table. Empty: none.
    rows : iterable of sequences of str
        The cells of each row. A row with one cell takes the whole width.
    head : sequence of str, default=()
        The names of the columns, if they are shown.
    is_numeric : bool, default=False
        Whether the cells are numbers. Otherwise the first cell of a row is its heading, and all are aligned left.
    """
    look = "" if is_numeric else f" {LEFT}"
    top = "".join(f'<th scope="col"{look}>{escaped(cell)}</th>' for cell in head)
    width = len(head) or 2
    body = "".join(f"<tr>{_row(row, width, is_numeric, look)}</tr>" for row in rows)
    header = f"<thead><tr>{top}</tr></thead>" if head else ""
    title = f"<caption {LEFT}>{escaped(caption)}</caption>" if caption else ""
    return f"<table>{title}{header}<tbody>{body}</tbody></table>"


def folded(summary: str, body: str, *, is_open: bool = False) -> str:
    """Return HTML below a line that unfolds it."""
    return f"<details{' open' if is_open else ''}><summary>{escaped(summary)}</summary>{body}</details>"


def badge(text: str, background: str) -> Markup:
    """Return white text on a dark colour, which is readable on light and dark pages alike."""
    look = f"background: {background}; color: #fff; padding: 0 0.4em; border-radius: 0.3em; white-space: nowrap"
    return Markup(f'<span style="{look}">{escaped(text)}</span>')


def _row(cells: Sequence[str], width: int, is_numeric: bool, look: str) -> str:
    if len(cells) == 1:
        return f'<td colspan="{width}"{look}>{escaped(cells[0])}</td>'
    parts = [f"<td{look}>{escaped(cell)}</td>" for cell in cells]
    if not is_numeric:
        parts[0] = f'<th scope="row"{look}>{escaped(cells[0])}</th>'
    return "".join(parts)
