"""Corrections of what the theme and docutils write, for screen readers; tests/browser/test_site.py checks the pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

REPLACED = {
    '<summary><span class="toctree-toggle"': '<summary aria-label="Pages of this section"><span class="toctree-toggle"',
    ' role="doc-biblioentry"': "",  # not allowed for the entries, and deprecated
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    '<th class="head"><p></p></th>': "<td></td>",  # the corner of a table is not a heading
    "<title>novikoff &#8212; novikoff</title>": "<title>novikoff: linear classifiers with certificates</title>",
}
#: Figures that are too wide for a phone: they get a box, in which site.css lets them scroll, also with the keyboard.
WIDE_FIGURE = re.compile(r'<p>(<img alt="[^"]*" src="_images/(?:memory|scaling|throughput|time_to_gap)\.svg" />)</p>')


def corrected(text: str) -> str:
    """Return a page with the corrections."""
    for old, new in REPLACED.items():
        text = text.replace(old, new)
    return WIDE_FIGURE.sub(r'<div class="wide-figure" tabindex="0">\1</div>', text)


def _correct(app: Any, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        for path in Path(app.outdir).rglob("*.html"):
            text = path.read_text(encoding="utf-8")
            path.write_text(corrected(text), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Correct the pages when all are written."""
    app.connect("build-finished", _correct)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
