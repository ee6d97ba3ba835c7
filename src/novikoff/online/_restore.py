"""Restoring an online learner from its saved state, whose parts are checked first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._wide_array import WideArray, occurring
from novikoff.errors import input_error, quote
from novikoff.persistence.codec import check_count, check_duals, names_from_bytes
from novikoff.persistence.sparse_tensors import MAX_DENSE_BYTES
from novikoff.record import RunRecord
from novikoff.theory.rules import Rule
from novikoff.theory.running_scale import CENTRED, ON_STREAMS

from ._classes import Classes
from ._columns import MAX_HASHED_BYTES
from ._numbering import MIN_WEIGHTS, Numbering
from ._problem_state import NO_COLUMNS
from ._state import MAX_BUCKETS, OnlineState, kernel_configuration
from ._stopping import REASONS


def check_restorable(model: Any, record: RunRecord, rule_names: tuple[str, ...]) -> Classes:
    """Refuse a state whose parts do not fit each other; return its classes. The names of features are not read."""
    state: OnlineState = record.state
    _check_rule(model, state.rule, rule_names)
    _check_columns(state, record.n_features)
    classes = _classes(model._kind_of_classes, state, record.strategy.classes)
    _check_problems(state, classes)
    return classes


def restore(model: Any, record: RunRecord, rule_names: tuple[str, ...]) -> None:
    """Give a new learner a saved state, after checking that its parts fit each other."""
    state: OnlineState = record.state
    column_names = None
    if state.column_names is not None:
        column_names = names_from_bytes(state.column_names, "state.column_names")
    classes = check_restorable(model, record, rule_names)
    learner = _learner(state, record.n_features)
    if column_names is not None and not all(isinstance(name, str) for name in column_names):
        raise input_error("state.column_names", "the names of columns must be text.")
    model._learned_rule, model._learner, model._classes = state.rule, learner, classes
    model._numbering = _numbering_of(state)
    model._is_stream, model.n_iter_ = state.is_stream, state.n_iter
    model._runs = None if state.runs is None else list(state.runs)
    model._stopped = None if state.stopped is None else list(state.stopped)
    if state.has_one_order:
        model._has_one_order = True
    model._width, model._by_name, model._column_names = state.width, state.by_name, column_names
    if record.feature_names is not None:
        model.feature_names_in_ = record.feature_names
    if record.reading is not None:
        model.reading_ = record.reading


def _check_rule(model: Any, rule: Rule, names: tuple[str, ...]) -> None:
    """Refuse a rule that this learner does not have."""
    is_own = rule.name in names and rule.keep == type(model)()._rule().keep and rule.geometry.slack_feature >= 0
    is_own = is_own and rule.geometry.scale in (None, *ON_STREAMS)
    is_own = is_own and (rule.geometry.scale != CENTRED or rule.geometry.fit_intercept)
    is_own = is_own and rule.forgetting.is_possible and (hasattr(model, "half_life") or not rule.forgetting.is_any)
    if not is_own or not rule.implementation().has_valid_parameter():
        raise input_error("state.rule", f"{quote(rule)} is not a rule of {type(model).__name__}.")


def _check_columns(state: OnlineState, width: int) -> None:
    """Refuse numbers of features that contradict each other."""
    if not 0 <= state.buckets <= MAX_BUCKETS:
        raise input_error("state.buckets", f"the number must be from 0 to {MAX_BUCKETS}, but it is {state.buckets}.")
    check_count(state.width or 0, "state.width")
    known = (state.buckets or width) if state.by_name else (state.width or 0)
    if known != width:
        raise input_error("features.count", f"the state has {known} features, but the header has {width}.")
    for name, vector in state.vectors().items():
        if len(vector) != width:
            raise input_error(f"state.{name}", f"there must be {width} weights, but there are {len(vector)}.")
    for place, problem in enumerate(state.questions):
        path, used = f"state.questions.{place}", NO_COLUMNS if problem.votes is None else problem.votes.indices
        if len(used) and not 0 <= used.min() <= used.max() < width:
            raise input_error(f"{path}.votes.indices", f"they must be from 0 to {width - 1}, the columns of the model.")


def _classes(kind: type[Classes], state: OnlineState, values: NDArray[Any]) -> Classes:
    """Return the classes, with the labels in the order of their codes."""
    labels = list(state.labels)
    try:
        fits = labels == values.tolist() if state.declared else sorted(labels) == values.tolist()
        fits = fits and len(set(labels)) == len(labels)
    except TypeError:
        fits = False
    if not fits or (state.declared and len(labels) < 2):
        raise input_error("state.labels", "the labels are not those of the header.")
    return kind(labels, values, declared=state.declared)


def _check_problems(state: OnlineState, classes: Classes) -> None:
    """Refuse binary problems that are not those of the classes, or whose sums are impossible."""
    expected = classes.positive_codes()
    found = [problem.positive for problem in state.questions]
    if not classes.are_problems_of(found):
        raise input_error("state.questions", f"there must be one for each of the classes {quote(expected)}.")
    for place, problem in enumerate(state.questions):
        if not problem.is_possible():
            raise input_error(f"state.questions.{place}", "a sum that cannot be negative is negative.")
    if len({problem.calibration is None for problem in state.questions}) > 1:
        raise input_error("state.questions", "all must have a calibration, or none.")
    if (state.scale is None) != (state.rule.geometry.scale is None):
        raise input_error("state.scale", "there must be one if the rule has a scale, and only then.")
    if state.scale is not None and not state.scale.is_possible():
        raise input_error("state.scale", "a sum that cannot be negative is negative.")
    is_centred = state.rule.geometry.scale == CENTRED
    if state.scale is not None and (state.scale.centring is not None) != is_centred:
        raise input_error("state.scale.centring", 'there must be one if the scale is "centred", and only then.')
    if is_centred and not state.is_stream:
        raise input_error("state.is_stream", 'a scale that is "centred" is one of a stream.')
    check_count(state.n_iter, "state.n_iter")
    if len(state.balance) > classes.count or np.any(state.balance < 0):
        raise input_error("state.balance", "the totals must be those of the classes, and not negative.")
    if state.runs is not None and len(state.runs) != classes.run_count:
        raise input_error("state.runs", f"there must be {classes.run_count} runs, but there are {len(state.runs)}.")
    if state.stopped is not None:
        count = len(classes.of_columns(range(classes.run_count)))
        if len(state.stopped) != count or not set(state.stopped) <= set(REASONS):
            raise input_error("state.stopped", f"there must be {count} of {quote(list(REASONS))}.")
    for place, run in enumerate(state.runs or ()):
        check_duals(run.duals, f"state.runs.{place}.duals")
        check_count(run.passes, f"state.runs.{place}.passes")
        if run.mixing is not None and ((unfit := run.mixing.misfit()) or run.passes != run.mixing.rounds):
            reason = unfit.detail if unfit else "there must be as many rounds as passes"
            raise input_error(f"state.runs.{place}.mixing", f"{reason}.")


def _learner(state: OnlineState, width: int) -> _core.OnlineLearner:
    """Return the compiled learner; the kernels check that its arrays fit each other."""
    configuration, numbering = kernel_configuration(state.rule, state.buckets), _numbering_of(state)
    learner = _core.OnlineLearner.__new__(_core.OnlineLearner)
    dense_bytes = 8 * sum(vector.size for vector in state.vectors().values() if isinstance(vector, WideArray))
    if numbering is None and dense_bytes > (MAX_HASHED_BYTES if state.buckets else MAX_DENSE_BYTES):
        raise input_error("state.questions", "the weights need too much memory for what the file has of them.")
    try:
        problems = [problem.for_kernels(numbering) for problem in state.questions]
        scale = None if state.scale is None else state.scale.for_kernels(numbering)
        learner.__setstate__((configuration, problems, state.names, scale, state.balance))
    except (ValueError, OverflowError) as error:
        raise input_error("state", f"the kernels refuse it: {str(error).rstrip('.')}.") from None
    if state.by_name and not state.buckets and learner.columns != width:
        raise input_error("state.names", f"there must be {width} names, one per feature.")
    return learner


def _numbering_of(state: OnlineState) -> Numbering | None:
    """Return the numbering of the columns that occur in a state, if its weights are wide; else None."""
    is_wide = any(isinstance(vector, WideArray) for vector in state.vectors().values())
    is_large = (state.width or 0) * len(state.questions) > MIN_WEIGHTS
    if state.by_name or state.buckets or not (is_wide and is_large):
        return None
    of_scale = NO_COLUMNS if state.scale is None else occurring(state.scale.weights)
    return Numbering.of(np.unique(np.concatenate([of_scale, *(problem.columns() for problem in state.questions)])))
