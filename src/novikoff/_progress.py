"""Progress messages of ``fit``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ProgressCallback = Callable[[str, float | None], None]  # takes a message, and the fraction completed, if it is known


def prefixed(label: Any, progress: ProgressCallback | None) -> ProgressCallback | None:
    """Return a function that puts the label of a class before each message."""
    return None if progress is None else lambda message, fraction: progress(f"{label}: {message}", fraction)
