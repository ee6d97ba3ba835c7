"""What several threads see of an estimator that one of them changes: always a state that was true at one moment.

A method that changes an estimator works on a draft, which is a second object with the same attributes, and publishes
it: all attributes change by one assignment to ``__dict__``, or none does. A method that reads takes all attributes at
once (``view_of``). Two locks belong to each estimator. ``writers`` is held by whoever changes it, from the beginning to
the end, so changes follow one another. ``state`` is held only while learning modifies an object that is published
already, such as the kernel of an online learner, and while such an object is copied for a snapshot. Code of the caller
never runs while ``state`` is held, so that a snapshot never waits for a fit, not even in a callback of that fit.

Locks are taken in this order: ``writers``, ``state``, a kernel's own lock, the interpreter's.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

import novikoff._core  # noqa: F401  # registers its handlers of forks, which must come first
from novikoff._fair_lock import FairLock

T = TypeVar("T")
_ABSENT = object()


class _Locks:
    """The locks of one estimator."""

    __slots__ = ("state", "writers")

    def __init__(self) -> None:
        self.writers, self.state = FairLock(), FairLock()


# The locks are kept outside of the estimators, so that ``vars``, pickles and copies do not contain them. Entries are
# found by ``id``, because a subclass may define ``__eq__`` without ``__hash__``, and removed when the estimator dies.
_known: dict[int, tuple[weakref.ref[Any], _Locks]] = {}
_adding = threading.RLock()


def _locks_of(estimator: Any) -> _Locks:
    key = id(estimator)
    entry = _known.get(key)
    if entry is None:
        with _adding:
            entry = _known.get(key)
            if entry is None:
                entry = _known[key] = (weakref.ref(estimator, lambda _: _known.pop(key, None)), _Locks())
    return entry[1]


no_fork = threading.RLock()  # held for a short time, in which a forked process would find half of a change


def _forget_locks() -> None:
    """After a fork, in the child: threads that held locks do not exist there."""
    global _adding
    _adding = threading.RLock()
    _known.clear()
    no_fork.release()


if hasattr(os, "register_at_fork"):  # not on Windows
    # What is registered last is called first before a fork: here, before it takes its turn of the compiled learners.
    os.register_at_fork(before=no_fork.acquire, after_in_parent=no_fork.release, after_in_child=_forget_locks)


def view_of(estimator: T) -> T:
    """Return a second object with all attributes that an estimator has at this moment.

    Parameters
    ----------
    estimator : object
        The estimator. Later changes of its attributes do not reach the view, nor the other way round.

    Returns
    -------
    object
        An object of the same class. The values of the attributes are shared.
    """
    view = object.__new__(type(estimator))
    view.__dict__ = vars(estimator).copy()
    return view


class Draft:
    """The next state of an estimator, while it is made.

    Attributes
    ----------
    model : object
        A view of the estimator, to be changed at will.
    """

    def __init__(self, estimator: Any) -> None:
        self._estimator, self.model = estimator, view_of(estimator)
        self._published = vars(self.model).copy()

    def in_place(self) -> AbstractContextManager[bool]:
        """Return the lock to hold while objects are modified that are published already."""
        return _locks_of(self._estimator).state.held()

    def publish(self) -> None:
        """Give the estimator all attributes that have changed in the draft, by one assignment.

        Attributes that did not change in the draft keep the value that they have in the estimator now.
        """
        before, after = self._published, vars(self.model).copy()
        known = before.get
        changed = {name: value for name, value in after.items() if known(name, _ABSENT) is not value}
        removed = () if before.keys() <= after.keys() else before.keys() - after.keys()
        if not changed and not removed:
            return
        with self.in_place():
            merged = vars(self._estimator) | changed
            for name in removed:
                merged.pop(name, None)
            self._estimator.__dict__ = merged
        self._published = after


def alone(estimator: Any) -> AbstractContextManager[bool]:
    """Return the lock of those who change an estimator. A thread that holds it may also call ``change``.

    Parameters
    ----------
    estimator : object
        The estimator.

    Returns
    -------
    context manager
        Waits for changes that began earlier.
    """
    return _locks_of(estimator).writers.held()


def change(estimator: Any, work: Callable[[Draft], T]) -> T:
    """Change an estimator, after all changes that began earlier.

    Parameters
    ----------
    estimator : object
        The estimator.
    work : callable
        Changes a draft, which is published when it returns, and not if it raises or is interrupted.

    Returns
    -------
    object
        What ``work`` returns.
    """
    with alone(estimator):
        draft = Draft(estimator)
        result = work(draft)
        draft.publish()
        return result


@contextmanager
def changing(estimator: Any) -> Iterator[Draft]:
    """Change an estimator, after all changes that began earlier.

    Parameters
    ----------
    estimator : object
        The estimator.

    Yields
    ------
    Draft
        Published when the block ends, and not if it raises or is interrupted.
    """
    with _locks_of(estimator).writers.held():
        draft = Draft(estimator)
        yield draft
        draft.publish()


@contextmanager
def changing_now(estimator: Any) -> Iterator[Draft | None]:
    """Change an estimator, unless that would mean to wait for another thread.

    Parameters
    ----------
    estimator : object
        The estimator.

    Yields
    ------
    Draft or None
        Published when the block ends; None if another thread is changing or copying the estimator.
    """
    locks = _locks_of(estimator)
    with locks.writers.held(wait=False) as is_free, locks.state.held(wait=False) as is_still:
        draft = Draft(estimator) if is_free and is_still else None
        yield draft
        if draft is not None:
            draft.publish()


def unchanging(estimator: Any) -> AbstractContextManager[bool]:
    """Return the lock under which no published object of an estimator is modified.

    Parameters
    ----------
    estimator : object
        The estimator.

    Returns
    -------
    context manager
        Waits for learning that is under way, except that of ``fit``, which is published when it is finished.
    """
    return _locks_of(estimator).state.held()
