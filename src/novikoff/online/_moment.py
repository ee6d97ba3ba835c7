"""Reading an online learner while other threads learn: its classes and its kernel at one moment.

The attributes of a view are those of one moment, but its kernel goes on learning. ``moment_of`` copies it under the
lock that learning holds. Predictions take no lock. They compare the number of problems of the kernel with the classes
of the view after they have read the kernel. It has more if a class was added meanwhile, which is published as soon as
its first example is learned.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from novikoff._estimators import check_is_fitted
from novikoff._moments import changing_now, unchanging, view_of
from novikoff._short_floats import widened_blocks
from novikoff._validation import check_rows, describe_bad_row
from novikoff.data.rows import as_rows, is_keyed, with_valid_columns
from novikoff.theory.geometry import Floats

from ._columns import fix_columns, name_columns
from ._fast_path import FastPath
from ._one_example import example_scores

T = TypeVar("T")
MAX_ATTEMPTS = 50  # to read without a lock


def moment_of(model: Any) -> Any:
    """Return a view with a copy of the kernel, both of one moment."""
    with unchanging(model):
        view = _settled(model)
        if hasattr(view, "_learner"):
            view._learner = view._learner.copy()
    for name in ("_watcher", "_fast_path"):
        vars(view).pop(name, None)
    return view


def read(model: Any, reader: Callable[[Any], T]) -> tuple[Any, T]:
    """Return a view, and what a function reads of it, with the classes and the kernel of one moment."""
    for _ in range(MAX_ATTEMPTS):
        view = view_of(model)
        result = reader(view)
        if view._learner.problems == view._classes.problem_count:
            return view, result
        time.sleep(0)  # lets the other thread publish the new class
    with unchanging(model):
        view = _settled(model)
        return view, reader(view)


def _settled(model: Any) -> Any:
    """Return a view while nobody learns. A class that was not published, because of an interrupt, is removed."""
    view = view_of(model)
    if hasattr(view, "_learner") and view._learner.problems > view._classes.problem_count:
        view._learner.keep_problems(view._classes.problem_count)
    return view


def scores_of_rows(model: Any, X: Any) -> tuple[Any, Floats]:
    """Return a view, and the scores of rows at that moment, of shape (columns, rows)."""

    def reader(view: Any) -> Floats:
        check_is_fitted(view)
        where, problems = type(view).__name__, view._classes.problems
        fix_columns(view)
        checked = check_rows(view, where, X, reset=False, may_be_short=True)
        numbering = view._numbering
        parts = []
        for first, block in widened_blocks(checked):
            rows = as_rows(
                where, block if numbering is None else numbering.renumbered(with_valid_columns(where, block))
            )
            scores = np.empty((len(problems), rows.count))
            good = view._learner.score(problems, rows, scores)
            if good < rows.count:
                raise describe_bad_row(where, checked, first + good)
            parts.append(scores)
        return parts[0] if len(parts) == 1 else np.hstack(parts)

    return read(model, reader)


def fast_path_for(model: Any, x: Any) -> FastPath | None:
    """Return the fast path for an example, and prepare it first, unless that would mean to wait for other threads."""
    fast: FastPath | None = model._fast_path
    keyed = is_keyed(x)
    if model._numbering is not None:
        return None
    if model.__sklearn_is_fitted__() and (fast is None or (keyed and not fast.by_name)):
        with changing_now(model) as draft:
            if draft is not None:
                if keyed:
                    name_columns(draft.model, type(model).__name__)
                draft.model._fast_path = FastPath.of(draft.model)
        fast = model._fast_path
    is_hashed = fast is not None and keyed and not fast.by_name and model.max_features is not None
    return None if is_hashed else fast


def scores_of_one(model: Any, x: Any) -> tuple[Any, list[float]]:
    """Return a view, and the scores of one example at that moment."""
    fast_path_for(model, x)
    return read(model, lambda view: example_scores(view, x))


def label_of_one(model: Any, x: Any) -> Any:
    """Return the label of one example; None if the model knows none."""
    fast = fast_path_for(model, x)
    if fast is not None:
        label = fast.decide(type(model).__name__, x)
        if fast.agrees_with(model._fast_path):  # otherwise, the classes may have changed before it was scored
            return label
    if not model.__sklearn_is_fitted__():
        return None
    view, scores = scores_of_one(model, x)
    return view._classes.decide_one(scores)
