"""Scores and labels that an online learner gives, while nobody changes it."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff._draft import read
from novikoff._estimators import check_is_fitted
from novikoff._short_floats import widened_blocks
from novikoff._validation import check_rows, describe_bad_row
from novikoff.data.rows import as_rows, with_valid_columns
from novikoff.theory.geometry import Floats

from ._columns import fix_columns
from ._fast_path import FastPath
from ._one_example import example_scores


def moment_of(model: Any) -> Any:
    """Return a view with a copy of the kernel. A class that an interrupt left unpublished is removed from it."""

    def copied(view: Any) -> Any:
        if hasattr(view, "_learner"):
            view._learner = view._learner.copy()
            view._learner.keep_problems(view._classes.problem_count)
        return view

    view = read(model, copied)
    for name in ("_watcher", "_fast_path"):
        vars(view).pop(name, None)
    return view


def scores_of_rows(model: Any, X: Any) -> tuple[Any, Floats]:
    """Return a view, and the scores of rows, of shape (columns, rows)."""

    def scores_of(view: Any) -> tuple[Any, Floats]:
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
        return view, parts[0] if len(parts) == 1 else np.hstack(parts)

    return read(model, scores_of)


def fast_path_for(model: Any) -> FastPath | None:
    """Return the fast path for examples, and prepare it first if there is none."""
    fast: FastPath | None = model._fast_path
    if fast is None and model._numbering is None and model.__sklearn_is_fitted__():
        fast = model._fast_path = read(model, FastPath.of)
    return fast


def scores_of_one(model: Any, x: Any) -> tuple[Any, list[float]]:
    """Return a view, and the scores of one example."""
    fast_path_for(model)
    return read(model, lambda view: (view, example_scores(view, x)))


def label_of_one(model: Any, x: Any) -> Any:
    """Return the label of one example; None if the model knows none."""
    fast = fast_path_for(model)
    if fast is not None and fast.is_for(x):
        return fast.decide(type(model).__name__, x)
    if not model.__sklearn_is_fitted__():
        return None
    view, scores = scores_of_one(model, x)
    return view._classes.decide_one(scores)
