"""Learning from one example, and scoring one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from novikoff._class_weights import bad_class_weight, class_weight_of, is_balanced
from novikoff._draft import Draft
from novikoff._validation import check_label, check_weight, describe_bad_row
from novikoff.data.rows import as_rows, is_keyed, one_row, with_valid_columns
from novikoff.errors import InvalidInputError, input_error

from ._batch import (
    begin_stream,
    check_balanced_weights,
    copy_if_interpreted,
    forget_unpublished_classes,
    has_limited_weights,
)
from ._columns import check_buckets, name_columns, names_of_columns, row_of_names
from ._examples import Examples
from ._fast_path import FastPath, kernel_scores
from ._numbering import is_to_be_numbered, numbered

DEFAULT_WEIGHT = 1.0  # compared by identity, so that most calls of learn_one need not check it


class _Example:
    """One example, as a dict or a row of numbers, for the kernel of a draft."""

    def __init__(self, model: Any, where: str, x: Any) -> None:
        self._model, self._where = model, where
        self._features = (x if type(x) is dict else dict(x)) if is_keyed(x) else None
        self._row: Any = None
        if self._features is None:
            self._row = one_row(where, x, getattr(model, "n_features_in_", None))
            self._width = self._row.shape[1]
            if model._numbering is not None or is_to_be_numbered(self._row, 0, model._learner.problems + 1):
                single = Examples.of(where, self._row, np.zeros(1, dtype=np.int32), None)
                self._row = numbered(model, where, model._learner, single, model._numbering).X
        else:
            name_columns(model, where)

    def check(self) -> None:
        """Refuse features that cannot be learned from."""
        kernel = self._model._learner
        kernel_scores(kernel, self._where, self._features, self._row, list(range(min(1, kernel.problems))))

    def learn(self, code: int, weight: float) -> None:
        model = self._model
        balanced = is_balanced(model.class_weight)
        if self._features is not None:
            try:
                model._learner.learn_one(self._features, code, weight, balanced)
            except ValueError as error:
                raise input_error(self._where, str(error)) from None
            return
        if not model._learner.learn_row(as_rows(self._where, self._row), code, weight, balanced):
            raise describe_bad_row(self._where, self._row, 0)
        if not model._by_name:
            model._width = self._width


def learn_example(draft: Draft, where: str, x: Any, y: Any, sample_weight: float) -> None:
    """Learn from any example. It is read before its class is added, so that a bad one has no effect."""
    model = draft.model
    forget_unpublished_classes(model)
    weight = 1.0 if sample_weight is DEFAULT_WEIGHT else check_weight(where, sample_weight)
    label, is_new = None, "_learner" not in vars(model)
    if is_new:
        known = check_label(where, y)
        begin_stream(model, where, None, known)
        label = known.tolist()[0]
    vars(model).pop("fingerprint_", None)  # of the rows before this one
    if weight == 0:
        return
    try:
        code = model._classes.code_of(y)
    except TypeError:  # an unhashable label
        code = None
    if model.class_weight is not None:
        model._check_class_weight()  # it may have been set after the first example
        weight = _times_class_weight(where, model.class_weight, y, weight)
    if code is None:
        label = _new_label(model, where, y, label)
    publish = _nothing if copy_if_interpreted(model) else draft.publish
    example = _Example(model, where, x)
    if code is None and not is_new:
        example.check()
    if (weight > 1 or is_balanced(model.class_weight)) and has_limited_weights(model._learned_rule):
        codes = np.array([model._classes.count if code is None else code], dtype=np.int32)
        check_balanced_weights(model, where, codes, np.array([weight]))
    model._runs, model._stopped, model._fast_path = None, None, None
    if is_new:
        _learn_first(model, example, code, label, weight)
        return
    if code is None:
        _learn_new_class(model, publish, example, label, weight)
    else:
        _learn_known_class(model, publish, example, code, weight)


def _learn_first(model: Any, example: _Example, code: int | None, label: Any, weight: float) -> None:
    """Learn the first example of a new learner."""
    if code is None:
        model._classes = model._classes.with_class(label, model._learner)
    if weight > 0:
        example.learn(code or 0, weight)


def _learn_new_class(model: Any, publish: Callable[[], None], example: _Example, label: Any, weight: float) -> None:
    code = model._classes.count
    try:
        model._classes = model._classes.with_class(label, model._learner)
        if weight > 0:
            example.learn(code, weight)
    finally:
        publish()


def _learn_known_class(model: Any, publish: Callable[[], None], example: _Example, code: int, weight: float) -> None:
    is_bad = False
    try:
        if weight > 0:
            example.learn(code, weight)
        model._fast_path = FastPath.of(model)
    except InvalidInputError:
        is_bad = True
        raise
    finally:
        if not is_bad:
            publish()


def _nothing() -> None:
    """Publish nothing before the end: learning takes place in a copy of the kernel."""


def _times_class_weight(where: str, class_weight: Any, y: Any, weight: float) -> float:
    if isinstance(class_weight, Mapping):
        return check_weight(where, weight * class_weight_of(where, class_weight, y))
    if not is_balanced(class_weight):
        raise bad_class_weight(where, class_weight)
    return weight


def _new_label(model: Any, where: str, y: Any, checked: Any = None) -> Any:
    """Return the label of an example of a new class, if that may be added."""
    label = check_label(where, y).tolist()[0] if checked is None else checked
    if model._classes.declared:
        raise model._classes.undeclared(where, label)
    if model._classes.count:
        model._classes.check_sortable(where, [label])
    return label


def example_scores(view: Any, x: Any) -> list[float]:
    """Return the scores of one example, one per binary problem. The view is not changed."""
    where, features, row = type(view).__name__, None, None
    if not is_keyed(x):
        row = one_row(where, x, getattr(view, "n_features_in_", None))
        if view._numbering is not None:
            row = view._numbering.renumbered(with_valid_columns(where, row))
    elif view._by_name or view.max_features is not None:
        check_buckets(view, where)
        features = x if type(x) is dict else dict(x)
    elif view._numbering is not None:
        known = {key: place for key in x if (place := view._numbering.row_of(key)) is not None}
        row = row_of_names(known, len(view._numbering.columns), where, x)
    else:
        width, names = getattr(view, "n_features_in_", 0), names_of_columns(view)
        column_of = {name: column for column, name in enumerate(range(width) if names is None else names)}
        row = row_of_names(column_of, width, where, x)
    return kernel_scores(view._learner, where, features, row, view._classes.problems)
