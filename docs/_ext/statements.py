"""Anchors of the statements of theory.md, such as ``#a4``, and of the claims of notes.md, such as ``#claim-0-5``.

The playground links to them.
"""

from __future__ import annotations

import re
from typing import Any

STATEMENT = re.compile(r"^- (?=\*\*([A-Z]\d*)\*\*)", re.M)
CLAIM = re.compile(r"^\| (?=(\d)\.(\d+) \|)", re.M)


def with_anchors(page: str, text: str) -> str:
    """Return the text of a page with an anchor before each statement or claim."""
    if page == "theory":
        return STATEMENT.sub(lambda found: f'- <span id="{found[1].lower()}"></span>', text)
    if page == "notes":
        return CLAIM.sub(lambda found: f'| <span id="claim-{found[1]}-{found[2]}"></span>', text)
    return text


def _add_anchors(app: Any, docname: str, source: list[str]) -> None:
    source[0] = with_anchors(docname, source[0])


def setup(app: Any) -> dict[str, bool]:
    """Add the anchors when a page is read."""
    app.connect("source-read", _add_anchors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
