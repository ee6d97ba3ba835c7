"""The theme without its 1.5 MB of icons, of which the site shows ten: ``icons.css`` draws those."""

from __future__ import annotations

from pathlib import Path
from typing import Any

LEFT_OUT = ("scripts/fontawesome.js", "scripts/fontawesome.js.LICENSE.txt")


def _remove(app: Any, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        for path in (*(static / name for name in LEFT_OUT), *static.rglob("*.map")):
            path.unlink(missing_ok=True)


def setup(app: Any) -> dict[str, bool]:
    """Remove the files when the site is complete; ``_templates/static`` does not ask for them."""
    app.connect("build-finished", _remove)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
