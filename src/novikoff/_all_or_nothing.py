"""Restoring an estimator when a fit fails or is interrupted."""

from __future__ import annotations

from typing import Any


class AllOrNothing:
    """Context manager that restores the attributes of an estimator if its block raises or is interrupted.

    The attributes are restored, not their content: an object that was modified in place remains modified.
    """

    def __init__(self, estimator: Any) -> None:
        self._estimator, self._before = estimator, estimator.__dict__.copy()

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._estimator.__dict__ = self._before
