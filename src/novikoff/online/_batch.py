"""A batch of a stream: its checks before anything of it is learned, and the start of a stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._class_weights import is_balanced, row_weights
from novikoff._draft import Draft
from novikoff._labels import Codes, declared_classes
from novikoff._validation import check_flag, check_labels, check_rows, check_weights, thread_count
from novikoff.data.batch import Batch
from novikoff.data.reading import Reading
from novikoff.errors import input_error, quote
from novikoff.theory.rules import Rule

from ._columns import match_columns, name_columns
from ._examples import Examples
from ._fast_path import FastPath
from ._fit import check_copies, declared_in, new_kernel
from ._forgetting import check_large_weights
from ._numbering import numbered
from ._sharing import Steps, examine_once, finished
from ._stream import Scored, first_rows, joined_columns, learn_batch, refuse_labels_beside, widened


def learn_rows(
    draft: Draft,
    where: str,
    X: Any,
    y: Any,
    classes: Any,
    sample_weight: Any,
    keep: Callable[[Scored], Any] | None,
) -> list[Any]:
    """Check a batch, then learn from it. Return what ``keep`` keeps of the scores before, in pieces."""
    return finished(steps_of(draft, where, X, check_batch(draft.model, where, X, y, classes, sample_weight), keep))


@dataclass(frozen=True, eq=False)
class CheckedBatch:
    """A batch that has been checked, of which nothing has been learned yet."""

    labels: NDArray[Any]
    given: Examples
    examples: Examples  # the same with the columns of the kernel
    threads: int
    is_new: bool  # whether the learner has learned nothing before
    is_asked_by_name: bool  # whether it has predicted dicts


def steps_of(
    draft: Draft, where: str, X: Any, batch: CheckedBatch, keep: Callable[[Scored], Any] | None
) -> Steps[list[Any]]:
    """Learn from a batch that has been checked, step by step. Return what ``keep`` keeps of the scores before."""
    model = draft.model
    if batch.is_asked_by_name:
        name_columns(model, where)  # which makes predictions of dicts faster
    rows = (batch.labels, batch.examples, batch.threads, keep, batch.is_new)
    if copy_if_interpreted(model):  # which is published when all of the batch is learned
        kept = yield from learn_batch(model, lambda: None, *rows)
        keep_reading(model, X)
        return kept
    draft.publish()
    kept = yield from learn_batch(model, draft.publish, *rows)
    keep_reading(model, X)
    model._fast_path = FastPath.of(model)
    return kept


def check_batch(
    model: Any, where: str, X: Any, y: Any, classes: Any, sample_weight: Any, other: CheckedBatch | None = None
) -> CheckedBatch:
    """Check a batch before anything of it is learned. ``other`` is what was found for another learner."""
    forget_unpublished_classes(model)
    is_new = not hasattr(model, "_learner")
    is_asked_by_name = model._fast_path is not None and model._fast_path.is_asked_by_name
    match_columns(model)
    if isinstance(X, Batch):
        refuse_labels_beside(where, y, sample_weight)
        X, y, sample_weight = _rows_of(model, where, X), X.y, X.weights
    else:
        X = check_rows(model, where, X, reset=not hasattr(model, "n_features_in_"))
    labels = check_labels(where, y, X.shape[0])
    weights = check_weights(where, sample_weight, X.shape[0])
    given, threads = Examples.of(where, X, np.zeros(0, np.int32), weights), thread_count(where, model.n_jobs)
    examine_once(where, given, None if other is None else other.given)
    if not hasattr(model, "_learner"):
        begin_stream(model, where, classes, labels)
    elif classes is not None:
        known = model._classes.strategy.classes.tolist()
        if declared_classes(where, classes).tolist() != known:
            message = f"classes must be {quote(known)} as in the first call, but they are {quote(classes)}."
            raise input_error(where, message)
    given.codes = model._classes.codes(where, labels, weights)
    batch = numbered(model, where, model._learner, given, model._numbering)
    batch.weights = weighed(model, where, labels, batch.codes, weights)
    check_balanced_weights(model, where, batch.codes, batch.weights)
    model._runs, model._stopped, model._fast_path = None, None, None
    vars(model).pop("fingerprint_", None)  # of the rows before these
    return CheckedBatch(labels, given, batch, threads, is_new, is_asked_by_name)


def forget_unpublished_classes(model: Any) -> None:
    """Remove from the kernel the problems of a class that an interrupt left unpublished."""
    if hasattr(model, "_learner"):
        model._learner.keep_problems(model._classes.problem_count)


def keep_reading(model: Any, X: Any) -> None:
    """Keep how the rows of a table were encoded, so that a stream can continue from the model."""
    if isinstance(X, Batch) and X.running is not None:
        reading: Reading = getattr(model, "reading_", None) or Reading()
        model.reading_ = reading.after(X)


def _rows_of(model: Any, where: str, batch: Batch) -> Any:
    """Return the rows of a batch, whose columns must have the names they had before, if they had any.

    Columns of sparse rows may be added at the end, and those that do not occur in the batch may be absent there.
    """
    X, is_sparse = batch.X, sp.issparse(batch.X)
    first = not hasattr(model, "n_features_in_")
    of_frame = model.__dict__.pop("feature_names_in_", None)  # scikit-learn would miss them in an array
    known = model._column_names if of_frame is None else of_frame.tolist()
    names = joined_columns(where, known, batch.feature_names, is_sparse)
    if is_sparse and (not model._by_name or known is not None):
        width = max(1, 0 if first else model.n_features_in_, X.shape[1])
        X = widened(X, width)
        if not first and width > model.n_features_in_:
            model.n_features_in_ = width  # columns by name get their names again when they are needed
    X = check_rows(model, where, X, reset=first)
    if of_frame is not None:
        model.feature_names_in_ = of_frame if names is known else np.array(names, dtype=object)
    elif names is not None and (first or known is not None):
        model._column_names = names
    return X


def begin_stream(model: Any, where: str, classes: Any, labels: NDArray[Any]) -> None:
    """Start a stream. Booleans declare their classes; otherwise, undeclared classes may appear at any time."""
    declared = declared_in(model, where)
    if classes is not None:
        given = declared_classes(where, classes)
        if declared is not None and given.tolist() != declared.tolist():
            message = f"classes must be {quote(model.classes)} as in the constructor, but they are {quote(classes)}."
            raise input_error(where, message)
        declared = given
    if declared is None and labels.dtype.kind == "b":
        declared = np.array([False, True])
    learner = new_kernel(model, where)
    learner.is_calibrated = _asks_for_probabilities(model, where)
    model._classes = model._kind_of_classes.of(declared)
    model._classes.add_problems(learner)
    model._learner, model._by_name, model._runs = learner, False, None
    model._is_stream, model._stopped, model._numbering = True, None, None
    model.n_iter_ = 1


def _asks_for_probabilities(model: Any, where: str) -> bool:
    """Whether a new kernel is to estimate probabilities; an error if its classes are learned together."""
    asked = check_flag(where, "probability", model.probability)
    if asked and model._learned_rule.implementation().is_joint:
        message = "probability=True needs binary problems, but all classes are learned together."
        raise input_error(where, f"{message} Leave it out, or use a learner with one problem per class, such as AROW.")
    return asked


def weighed(model: Any, where: str, labels: NDArray[Any], codes: Codes, weights: Any) -> Any:
    """Return the weights times those of the classes, unless these are balanced: then the kernel multiplies."""
    if model.class_weight is None or is_balanced(model.class_weight):
        return weights
    model._check_class_weight()  # it may have been set after the first batch
    new = np.arange(model._classes.count, int(codes.max(initial=-1)) + 1)
    firsts = first_rows(codes, new)
    names = [*model._classes.labels, *(labels[row : row + 1].tolist()[0] for row in firsts)]
    return row_weights(where, model.class_weight, names, codes, weights)


def has_limited_weights(rule: Rule) -> bool:
    """Whether every copy of an example that a weight stands for takes time of its own."""
    return rule.geometry.scale is not None or rule.forgetting.half_life is not None


def check_balanced_weights(model: Any, where: str, codes: Codes, weights: Any) -> None:
    """Refuse weights, balanced if the classes are, that stand for more copies of examples than the rule can see."""
    rule = model._learned_rule
    if not has_limited_weights(rule):
        return
    if is_balanced(model.class_weight):
        weights = model._learner.balanced_weights(codes, weights)
    if rule.geometry.scale is not None:
        check_copies(where, rule.geometry, weights)
    check_large_weights(where, rule, weights)


def copy_if_interpreted(model: Any) -> bool:
    """Continue with a copy of the kernel if its rule is not compiled: such a rule may raise an error anywhere."""
    if model._learner.is_compiled:
        return False
    model._learner = model._learner.copy()
    return True
