"""Names chosen by the user as labels of figures."""

from __future__ import annotations

from novikoff._printable import printable

MAX_LABEL = 40  # characters beside an axis


def shortened(name: str, longest: int = MAX_LABEL) -> str:
    """Return the name on one line, cut to ``longest`` characters, with control characters as visible escapes."""
    name = printable(" ".join(name.split()))
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def matplotlib_label(name: str, longest: int = MAX_LABEL) -> str:
    """Return the shortened name with dollar signs escaped, which matplotlib would read as mathematics."""
    return shortened(name, longest).replace("$", r"\$")
