"""Small pieces of HTML; whatever a user named is escaped here."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


def text(value: object) -> str:
    """Any value as text that means nothing to a browser."""
    return html.escape(str(value))


def count(value: float) -> str:
    """A number of things."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.6g}"


def percent(share: float) -> str:
    """A share, with one digit, or more where that would make it 0 or 1."""
    near = min(share, 1 - share)
    digits = 1 if near >= 0.001 or near <= 0 else 3
    return f"{100 * share:.{digits}f} %"


@dataclass(frozen=True)
class Markup:
    """A cell that is HTML already."""

    html: str


Cell = str | Markup


def cell(value: Cell) -> str:
    """A cell as HTML."""
    return value.html if isinstance(value, Markup) else text(value)


def pairs(caption: str, rows: Iterable[tuple[str, Cell]]) -> str:
    """A table of names and values."""
    body = "".join(f'<tr><th scope="row">{text(name)}</th><td>{cell(value)}</td></tr>' for name, value in rows)
    return f'<table class="pairs"><caption>{text(caption)}</caption><tbody>{body}</tbody></table>'


def grid(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Cell]], numeric: bool = True) -> str:
    """A table with heads, the first column being those of its rows; wider than the page, it scrolls by itself."""
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{cell(first)}</th>' + "".join(f"<td>{cell(value)}</td>" for value in rest) + "</tr>"
        for first, *rest in rows
    )
    kind = "grid numbers" if numeric else "grid"
    table = f'<table class="{kind}"><caption>{text(caption)}</caption><thead><tr>{head}</tr></thead>'
    return scrolling(caption, f"{table}<tbody>{body}</tbody></table>")


def scrolling(name: str, inner: str) -> str:
    """A region that scrolls sideways where it is too wide, also by the keyboard."""
    return f'<div class="wide" role="group" aria-label="{text(name)}" tabindex="0">{inner}</div>'


def details(summary: str, inner: str, is_open: bool = False) -> str:
    """What is there for those who want it."""
    return f"<details{' open' if is_open else ''}><summary>{text(summary)}</summary>{inner}</details>"


def section(name: str, heading: str, inner: str) -> str:
    """A part of the page."""
    return f'<section id="{name}" aria-labelledby="{name}-h"><h2 id="{name}-h">{text(heading)}</h2>{inner}</section>'
