"""The playground, a page of its own: ``play/index.html`` of the site, with a link on the page about it.

Both are left out if the package has no playground, because its kernels have not been compiled.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

MODULE = "novikoff._play"
PAGE = "playground"
FILE = "play/index.html"
BUTTON = f'\n\n<a class="sd-btn sd-btn-primary" href="{FILE}">Open the playground</a>\n'


def is_there() -> bool:
    """Whether the package has a playground."""
    return importlib.util.find_spec(MODULE) is not None


def with_link(text: str) -> str:
    """Return the page about the playground with a link to it below its title."""
    return re.sub(r"\A(# .*)$", lambda match: match[1] + BUTTON, text, count=1, flags=re.M)


def _add_link(app: Any, docname: str, source: list[str]) -> None:
    if docname == PAGE and is_there():
        source[0] = with_link(source[0])


def _write(app: Any, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html" and is_there():
        target = Path(app.outdir, FILE)
        target.parent.mkdir(exist_ok=True)
        target.write_text(importlib.import_module(MODULE).playground(manual="../"), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Add the link when the page is read, and write the playground when the site is complete."""
    app.connect("source-read", _add_link)
    app.connect("build-finished", _write, priority=900)  # after the corrections of accessible.py
    return {"parallel_read_safe": True, "parallel_write_safe": True}
