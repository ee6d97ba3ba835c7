"""Restoring an estimator when a fit fails or is interrupted."""

from __future__ import annotations

from typing import Any


class AllOrNothing:
    """Gives an estimator its attributes back if what is inside fails or is interrupted.

    They are the same objects: what was changed within one of them stays changed.
    """

    def __init__(self, estimator: Any) -> None:
        self._estimator, self._before = estimator, estimator.__dict__.copy()

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._estimator.__dict__ = self._before
