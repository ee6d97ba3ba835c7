"""Changes of an estimator: made on a draft, and taken over by one assignment, or not at all.

An estimator that learns in place, such as those of ``online``, belongs to any number of readers or to one thread that
changes it (cpp/include/novikoff/use.hpp). Nobody waits: who cannot come in gets a ``RuntimeError``. Other estimators
replace what they have learned, and take no such care.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import novikoff._core as _core

T = TypeVar("T")
USE = "_use"  # the attribute with the readers, or the writer, of an estimator that learns in place


def view_of(estimator: T) -> T:
    """Return a second object of the same class with the attributes that an estimator has now."""
    view = object.__new__(type(estimator))
    view.__dict__ = vars(estimator).copy()
    view.__dict__.pop(USE, None)
    return view


class Draft:
    """The next state of an estimator, ``model``, while it is made."""

    def __init__(self, estimator: Any) -> None:
        self._estimator, self.model = estimator, view_of(estimator)

    def publish(self) -> None:
        """Give the estimator the attributes of the draft by one assignment: an interrupt leaves the old or the new."""
        held, use = vars(self.model).copy(), vars(self._estimator).get(USE)
        if use is not None:
            held[USE] = use
            kernel = held.get("_learner")
            if kernel is not None and kernel is not vars(self._estimator).get("_learner"):
                kernel.use = use
        self._estimator.__dict__ = held


def use_of(estimator: Any) -> Any:
    """Return the readers, or the writer, of an estimator; None if it does not learn in place."""
    if not getattr(estimator, "learns_in_place", False):
        return None
    use = vars(estimator).get(USE)
    if use is None:
        use = vars(estimator).setdefault(USE, _core.Use())
        if "_learner" in vars(estimator):
            estimator._learner.use = use
    return use


@contextmanager
def changing(estimator: Any) -> Iterator[Draft]:
    """Change an estimator by a draft, which is published when the block ends, unless it raises or is interrupted."""
    use = use_of(estimator)
    if use is not None:
        use.begin_writing()
    try:
        draft = Draft(estimator)
        yield draft
        draft.publish()
    finally:
        if use is not None:
            use.end_writing()


def change(estimator: Any, work: Callable[[Draft], T]) -> T:
    """Change an estimator by a draft, and return what ``work`` returns."""
    with changing(estimator) as draft:
        return work(draft)


@contextmanager
def reading(estimator: Any) -> Iterator[Any]:
    """Read an estimator that nobody changes meanwhile. Yields a view."""
    use = use_of(estimator)
    if use is not None and use.is_mine:
        message = "this estimator is being changed, and cannot be read before it has learned."
        raise RuntimeError(message)
    if use is not None:
        use.begin_reading()
    try:
        yield view_of(estimator)
    finally:
        if use is not None:
            use.end_reading()
