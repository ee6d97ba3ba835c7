"""``fit`` of an online learner: the checks, the problems, and the passes over the rows."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

import novikoff._core as _core
from novikoff._class_weights import RunningBalance, row_weights
from novikoff._labels import Codes, encode
from novikoff._progress import ProgressCallback
from novikoff._validation import check_flag, check_integer, check_labels, check_rows, check_weights, thread_count
from novikoff.errors import input_error, quote
from novikoff.theory.geometry import copies_apart

from ._classes import Classes
from ._columns import match_columns
from ._cycle import Cycle, Ending, Examples
from ._record import seeds_of
from ._state import kernel_configuration
from ._stopping import MAX_ITER

MAX_PRIVATE_COPIES = 100_000_000  # of rows, each with a private feature


def fit_rows(model: Any, X: Any, y: Any, sample_weight: Any, say: ProgressCallback | None) -> None:
    """Fit a learner to rows, and report progress to ``say``."""
    where = type(model).__name__
    warm = model.warm_start and hasattr(model, "_learner")
    check_integer(where, "max_iter", model.max_iter, at_least=1)
    if model.n_iter_no_change is not None:
        check_integer(where, "n_iter_no_change", model.n_iter_no_change, at_least=1)
    threads = thread_count(where, model.n_jobs)
    match_columns(model)
    X = check_rows(model, where, X, reset=not warm)
    labels = check_labels(where, y, X.shape[0])
    weights = check_weights(where, sample_weight, X.shape[0])
    learner, classes, codes = _prepare(model, where, labels, weights, warm)
    weights = row_weights(where, model.class_weight, classes.labels, codes, weights)
    if weights is not None and weights.max() > 1 and model._rule().geometry.slack_feature > 0:
        if (copies := np.ceil(weights).sum()) > MAX_PRIVATE_COPIES:
            limit = f"at most {MAX_PRIVATE_COPIES}, because slack_feature stores every copy of a row"
            raise input_error(where, f"the weights add up to {copies:g}, but they may add up to {limit}.")
        index, weights = copies_apart(weights)
        X, codes = X[index], codes[index]
    examples = Examples.of(where, X, codes, weights)
    if learner.problems > 1:
        examples.examine(where)
    cycle = Cycle(
        where, model.max_iter, model.shuffle, model._until_no_update, model.n_iter_no_change, model._learned_rule, say
    )
    seeds = seeds_of(model.random_state, learner.problems)
    positives = classes.positive_codes()
    names = ["all classes" if code < 0 else f"class {classes.labels[code]}" for code in positives]
    endings = cycle.run_all(learner, examples, positives, names, seeds, threads)
    if not warm:
        model._column_names, model._by_name, model._balance = None, False, RunningBalance()
    model._learner, model._classes, model._fast_path, model._is_stream = learner, classes, None, False
    model._runs = None if warm else [ending.run for ending in endings]
    model._stopped = [endings[q].reason for q in classes.problems]
    model.classes_ = classes.strategy.classes
    model.n_iter_ = max(ending.run.passes for ending in endings)
    _warn_if_it_would_converge(where, model.max_iter, [endings[q] for q in classes.problems])


def _warn_if_it_would_converge(where: str, max_iter: int, endings: list[Ending]) -> None:
    """Warn if more passes would separate the rows. Rows that no plane separates need no other ``max_iter``."""
    count = sum(ending.reason == MAX_ITER and ending.would_converge for ending in endings)
    if count > 0:
        which = "The rows can" if len(endings) == 1 else f"The rows of {count} of {len(endings)} classes can"
        remedy = "Increase max_iter, scale the columns, or use HardMarginSVM"
        message = f"{where}: {which} be separated, but {max_iter} passes were not enough. {remedy}."
        warnings.warn(message, ConvergenceWarning, stacklevel=4)


def _prepare(
    model: Any, where: str, labels: NDArray[Any], weights: NDArray[np.float64] | None, warm: bool
) -> tuple[_core.OnlineLearner, Classes, Codes]:
    """Return a new kernel with its problems, or a copy of the present one, which remains if the fit fails."""
    if warm:
        learner, classes = copy.deepcopy(model._learner), copy.deepcopy(model._classes)
    else:
        present = labels if weights is None else labels[weights > 0]
        if len(present) == 0:
            raise input_error(where, "sample_weight has only zeros. At least one row must have a positive weight.")
        values, codes = encode(where, present)
        if len(values) < 2:
            message = f"y must have at least two classes, but it has one class, {quote(values.tolist()[0])}."
            raise input_error(where, message)
        learner, classes = new_kernel(model, where), Classes(values)
        classes.add_problems(learner)
        if weights is None:
            return learner, classes, codes
    codes = classes.codes(where, labels, weights)
    for code in range(len(classes.labels), int(codes.max()) + 1):
        classes.add(labels[codes == code][:1].tolist()[0], learner)
    return learner, classes, codes


def new_kernel(model: Any, where: str) -> _core.OnlineLearner:
    """Return a kernel that has learned nothing, and keep its rule: parameters that are set later have no effect."""
    rule = model._learned_rule = model._rule()
    buckets = 0
    if model.max_features is not None:
        buckets = check_integer(where, "max_features", model.max_features, at_least=1)
    check_flag(where, "fit_intercept", rule.geometry.fit_intercept)
    check_flag(where, "normalize", rule.geometry.normalize)
    return _core.OnlineLearner(*kernel_configuration(rule, buckets))
