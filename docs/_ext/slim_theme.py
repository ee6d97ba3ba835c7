"""The theme without source maps and without its script of 1.5 MB for icons, which its style sheet draws with a font."""

from __future__ import annotations

from pathlib import Path
from typing import Any

LEFT_OUT = ("scripts/fontawesome.js", "scripts/fontawesome.js.LICENSE.txt", "styles/theme.css", "webpack-macros.html")


def _remove(app: Any, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        for path in (*(static / name for name in LEFT_OUT), *static.rglob("*.map")):
            path.unlink(missing_ok=True)


def setup(app: Any) -> dict[str, bool]:
    """Remove the files when the site is complete; ``_templates/static`` does not ask for them."""
    app.connect("build-finished", _remove)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
