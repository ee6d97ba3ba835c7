"""Progress messages of ``fit``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Say = Callable[[str, float | None], None]  # a message, and the fraction completed where it is known


def in_the_name_of(label: Any, say: Say | None) -> Say | None:
    """Say things of one class."""
    return None if say is None else lambda message, share: say(f"{label}: {message}", share)
