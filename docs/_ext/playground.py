"""The playground, a page of its own, is written to ``play/index.html`` of the site if the package has it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

MODULE = "novikoff._play"


def _write(app: Any, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html" or importlib.util.find_spec(MODULE) is None:
        return
    target = Path(app.outdir) / "play" / "index.html"
    target.parent.mkdir(exist_ok=True)
    target.write_text(importlib.import_module(MODULE).page(), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write the page when the site is complete."""
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
