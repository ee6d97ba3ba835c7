"""Changes of an estimator: made on a draft, and taken over by one assignment, or not at all.

An estimator that learns in place, such as those of ``online``, belongs to any number of readers or to one thread that
changes it (cpp/include/novikoff/use.hpp). Nobody waits: who cannot come in gets a ``RuntimeError``. Other estimators
replace what they have learned, and take no such care.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
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


def _block_of(estimator: Any, name: str) -> Any:
    """Return the ``with`` block in which an estimator is read or changed.

    It is written in C++, so that no interrupt comes between its two ends, as one may in Python.
    """
    if not getattr(estimator, "learns_in_place", False):
        return nullcontext()
    use = vars(estimator).get(USE)
    if use is None:
        use = vars(estimator).setdefault(USE, _core.Use())
        kernel = vars(estimator).get("_learner")
        if kernel is not None:
            kernel.use = use
    return getattr(use, name)()


def change(estimator: Any, work: Callable[[Draft], T]) -> T:
    """Change an estimator by a draft, which is published when ``work`` returns, and not if it raises."""
    return change_all([estimator], lambda drafts: work(drafts[0]))


def change_all(estimators: Sequence[Any], work: Callable[[list[Draft]], T], drafts: Sequence[Draft] = ()) -> T:
    """Change several estimators, of which ``drafts`` are the drafts of the first ones."""
    if len(drafts) == len(estimators):
        result = work([*drafts])
        for draft in drafts:
            draft.publish()
        return result
    estimator = estimators[len(drafts)]
    with _block_of(estimator, "writing"):
        return change_all(estimators, work, [*drafts, Draft(estimator)])


def read(estimator: Any, reader: Callable[[Any], T]) -> T:
    """Return what a function reads of a view of an estimator that nobody changes meanwhile."""
    with _block_of(estimator, "reading"):
        return reader(view_of(estimator))
