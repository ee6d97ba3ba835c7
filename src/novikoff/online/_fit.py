"""``fit`` of an online learner: the checks, the problems, and the passes over the rows."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._class_weights import is_balanced, row_weights
from novikoff._labels import Codes, declared_classes, encode
from novikoff._progress import ProgressCallback
from novikoff._validation import (
    check_choice,
    check_flag,
    check_integer,
    check_labels,
    check_rows,
    check_weights,
    thread_count,
)
from novikoff.data.rows import csr
from novikoff.errors import input_error, quote
from novikoff.theory.geometry import Geometry, copies_apart
from novikoff.theory.running_scale import CENTRED, ON_STREAMS

from ._classes import Classes
from ._columns import match_columns
from ._cycle import Cycle
from ._examples import Examples
from ._forgetting import check_large_weights
from ._halting import NotHaltedWarning
from ._joint_fit import run_jointly
from ._numbering import numbered
from ._record import seed_of
from ._state import MAX_BUCKETS, kernel_configuration
from ._stream import first_rows

T = TypeVar("T")
MAX_PRIVATE_COPIES = 100_000_000  # of rows, each with a private feature or counted in the scale


def fit_rows(model: Any, X: Any, y: Any, sample_weight: Any, say: ProgressCallback | None) -> NotHaltedWarning | None:
    """Fit a learner to rows, and report progress to ``say``. Return the warning that the passes did not halt."""
    where = type(model).__name__
    warm = model.warm_start and hasattr(model, "_learner")
    check_integer(where, "max_iter", model.max_iter, at_least=1)
    if model.n_iter_no_change is not None:
        check_integer(where, "n_iter_no_change", model.n_iter_no_change, at_least=1)
    if check_flag(where, "probability", model.probability) or (warm and model._learner.is_calibrated):
        reason = "fit visits rows several times, and knows their labels when it scores them again"
        instead = "Use partial_fit, learn_one or novikoff stream."
        raise input_error(where, f"probability=True is for streams: {reason}. {instead}")
    scale = model._learned_rule.geometry.scale if warm else model.scale
    if isinstance(scale, str) and scale == CENTRED:
        reason = "fit visits rows several times, and in any order"
        instead = "Use partial_fit, learn_one or novikoff stream, or StandardScaler before fit."
        raise input_error(where, f'scale="centred" is for streams: {reason}. {instead}')
    threads = thread_count(where, model.n_jobs)
    match_columns(model)
    X = check_rows(model, where, X, reset=not warm)
    labels = check_labels(where, y, X.shape[0])
    weights = check_weights(where, sample_weight, X.shape[0])
    learner, classes, codes = _prepare(model, where, labels, weights, warm)
    weights = row_weights(where, model.class_weight, classes.labels, codes, weights)
    check_copies(where, model._learned_rule.geometry, weights)
    check_large_weights(where, model._learned_rule, weights)
    if weights is not None and weights.max() > 1 and model._learned_rule.geometry.slack_feature > 0:
        index, weights = copies_apart(weights)
        X, codes = X[index], codes[index]
    examples = Examples.of(where, X, codes, weights)
    if learner.problems > 1:
        examples.examine(where)
    examples = numbered(model, where, learner, examples, model._numbering if warm else None)
    if model._learned_rule.forgetting.is_any:
        _learn_once(model, where, learner, classes, examples, threads, warm)
        return None
    if model._learned_rule.geometry.scale is not None:
        examples = _scaled(where, learner, examples)
    cycle = Cycle(
        where, model.max_iter, model.shuffle, model._until_no_update, model.n_iter_no_change, model._learned_rule, say
    )
    seed = seed_of(model.random_state)
    positives = classes.positive_codes()
    values = classes.labels
    names = ["all classes" if code < 0 else f"class {values[code]}" for code in positives]
    if model._learned_rule.implementation().is_joint:
        endings = [run_jointly(cycle, learner, examples, seed)]
    else:
        endings = cycle.run_all(learner, examples, positives, names, seed, threads)
    if not warm:
        _forget_stream(model)
        model._has_one_order = True
    model._learner, model._classes, model._fast_path, model._is_stream = learner, classes, None, False
    model._runs = None if warm else [ending.run for ending in endings]
    model._stopped = [ending.reason for ending in classes.of_columns(endings)]
    model.n_iter_ = max(ending.run.passes for ending in endings)
    unfinished: NotHaltedWarning | None = model._warning_of_fit(classes.of_columns(endings))
    return unfinished


def check_copies(where: str, geometry: Geometry, weights: NDArray[np.float64] | None) -> None:
    """Refuse weights so large that the copies of rows that they stand for cannot be made."""
    if weights is None or not (geometry.slack_feature > 0 or geometry.scale):
        return
    if (copies := float(np.ceil(weights).sum())) > MAX_PRIVATE_COPIES:
        reason = "slack_feature stores" if geometry.slack_feature > 0 else "scale counts"
        limit = f"at most {MAX_PRIVATE_COPIES}, because {reason} every copy of a row"
        raise input_error(where, f"the weights add up to {copies:g}, but they may add up to {limit}.")


def _scaled(where: str, learner: _core.OnlineLearner, examples: Examples) -> Examples:
    """Return examples with columns that are scaled by all of them, and by what the learner has seen before."""
    if not examples.examined:
        examples.examine(where)
    weights = examples.weights
    if weights is not None or np.any(examples.codes < 0):
        weights = np.where(examples.codes >= 0, 1.0 if weights is None else weights, 0.0)
    learner.observe(examples.rows, weights)
    X = examples.X
    values = np.empty(X.nnz if sp.issparse(X) else X.size)
    learner.scale_rows(examples.rows, values)
    own = csr(values, X.indices[: X.nnz], X.indptr, X.shape[1]) if sp.issparse(X) else values.reshape(X.shape)
    scaled = Examples.of(where, own, examples.codes, examples.weights)
    scaled.examine(where)
    return scaled


def _forget_stream(model: Any) -> None:
    """Forget what belongs to a stream before this fit."""
    model._column_names, model._by_name = None, False


def _learn_once(
    model: Any,
    where: str,
    learner: _core.OnlineLearner,
    classes: Classes,
    examples: Examples,
    threads: int,
    warm: bool,
) -> None:
    """Learn from the rows once, in their order, as from a stream: for a learner that forgets, the order is time."""
    if is_balanced(model.class_weight):
        message = 'class_weight="balanced" needs all rows before the first is learned. Use partial_fit, or a dict.'
        raise input_error(where, message)
    if warm and not model._is_stream:
        raise input_error(
            where, "warm_start continues this learner only if all was learned from one stream. Leave it out."
        )
    examples.examine(where)
    batch = (examples.rows, examples.codes, examples.weights, examples.squared_norms)
    learner.learn_all(*batch, 0, examples.rows.count, threads)
    if not warm:
        _forget_stream(model)
    model._learner, model._classes, model._fast_path, model._is_stream = learner, classes, None, True
    model._runs, model._stopped, model.n_iter_ = None, None, 1


def _prepare(
    model: Any, where: str, labels: NDArray[Any], weights: NDArray[np.float64] | None, warm: bool
) -> tuple[_core.OnlineLearner, Classes, Codes]:
    """Return a new kernel with its problems, or a copy of the present one, which remains if the fit fails."""
    if warm:
        learner, classes = model._learner.copy(), copy.copy(model._classes)
    else:
        present = labels if weights is None else labels[weights > 0]
        if len(present) == 0:
            raise input_error(where, "sample_weight has only zeros. At least one row must have a positive weight.")
        values, codes = encode(where, present)
        if len(values) < 2:
            message = f"y must have at least two classes, but it has one class, {quote(values.tolist()[0])}."
            raise input_error(where, message)
        declared = declared_in(model, where)
        learner, classes = new_kernel(model, where), model._kind_of_classes.of(values if declared is None else declared)
        classes.add_problems(learner)
        if weights is None and declared is None:
            return learner, classes, codes
    codes = classes.codes(where, labels, weights)
    for row in first_rows(codes, np.arange(classes.count, int(codes.max()) + 1)):
        classes = classes.with_class(labels[row : row + 1].tolist()[0], learner)
    return learner, classes, codes


def declared_in(model: Any, where: str) -> NDArray[Any] | None:
    """Return the classes that the constructor was given, in ascending order; None if it was given none."""
    return None if model.classes is None else declared_classes(where, model.classes)


def new_kernel(model: Any, where: str) -> _core.OnlineLearner:
    """Return a kernel that has learned nothing, and keep its rule: parameters that are set later have no effect."""
    rule = model._learned_rule = model._rule()
    model._check_class_weight()
    buckets = 0
    if model.max_features is not None:
        buckets = check_integer(where, "max_features", model.max_features, at_least=1)
        if buckets > MAX_BUCKETS:
            raise input_error(where, f"max_features must be at most {MAX_BUCKETS}, but it is {buckets}.")
    check_flag(where, "fit_intercept", rule.geometry.fit_intercept)
    check_flag(where, "normalize", rule.geometry.normalize)
    if rule.geometry.scale is not None:
        check_choice(where, "scale", rule.geometry.scale, ON_STREAMS)
        if rule.geometry.scale == CENTRED and not rule.geometry.fit_intercept:
            message = 'scale="centred" needs an intercept, which takes what is subtracted. Use fit_intercept=True'
            raise input_error(where, f'{message}, or scale="running".')
    return _core.OnlineLearner(*kernel_configuration(rule, buckets))
