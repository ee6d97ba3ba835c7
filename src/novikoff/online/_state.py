"""The saved state of an online learner, from which it continues bit for bit."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._class_weights import RunningBalance
from novikoff._wide_array import WideArray, compacted, narrowed, occurring, stored
from novikoff.errors import input_error, quote
from novikoff.persistence.codec import INFINITE, Bytes, check_count, check_duals, names_from_bytes, names_to_bytes
from novikoff.persistence.sparse_tensors import MAX_DENSE_BYTES
from novikoff.record import RunRecord
from novikoff.theory.geometry import MAY_BE_WIDE, Extended, Floats, Weights
from novikoff.theory.rules import Rule
from novikoff.theory.running_scale import CENTRED, ON_STREAMS

from ._classes import Classes
from ._columns import MAX_HASHED_BYTES, has_compact_buckets
from ._cycle import Run
from ._numbering import MIN_WEIGHTS, Numbering
from ._stopping import REASONS

Ints = NDArray[np.int64]
MAX_BUCKETS = 2**31  # as many as the columns of a sparse matrix with indices of 32 bits
NO_COLUMNS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Count:
    """A total of example weights: whole copies and fractions are summed separately."""

    whole: int
    part: float


@dataclass(frozen=True)
class Average:
    """The sum behind the average of all weights."""

    weights: Weights
    bias: float


@dataclass(frozen=True)
class Votes:
    """All hypotheses of a voted perceptron, as updates, and the examples that each survived."""

    offsets: Ints
    indices: Ints
    values: Floats
    steps: Floats
    bias_steps: Floats
    survived_whole: Ints
    survived_part: Floats


@dataclass(frozen=True)
class Memory:
    """Of a learner that forgets: v is ``scale`` times the stored weights, and its largest length was ``longest``."""

    scale: float
    longest: float


@dataclass(frozen=True)
class Centring:
    """What a centred scale knows beside a running one: cpp/include/novikoff/centred_scale.hpp."""

    sums: Annotated[Floats, MAY_BE_WIDE, INFINITE]
    origins: Weights
    shifts: Weights
    factors: Weights
    total: float


@dataclass(frozen=True)
class ScaleState:
    """What a scale knows of each column: cpp/include/novikoff/running_scale.hpp."""

    weights: Weights
    squares: Annotated[Floats, MAY_BE_WIDE, INFINITE]
    centring: Centring | None = None

    @classmethod
    def of(cls, stored: dict[str, Any] | None, width: int, numbering: Numbering | None) -> ScaleState | None:
        """Return the state that a kernel returned, for ``width`` columns of the user."""
        if stored is None:
            return None
        own: dict[str, Any] = dict(stored)
        own |= {name: _as_wide(vector, width, numbering) for name, vector in stored.items() if name != "total"}
        weights, squares = own.pop("weights"), own.pop("squares")
        return cls(weights, squares, Centring(**own) if own else None)

    def vectors(self) -> dict[str, Weights]:
        """Return the arrays, by their paths in the state of a scale."""
        found = {"weights": self.weights, "squares": self.squares}
        own = {} if self.centring is None else vars(self.centring)
        return found | {f"centring.{name}": vector for name, vector in own.items() if name != "total"}

    def for_kernels(self, numbering: Numbering | None) -> dict[str, Any]:
        """Return the state as a dict, in the columns of a kernel."""
        own = {path.split(".")[-1]: _for_kernel(vector, numbering) for path, vector in self.vectors().items()}
        return own if self.centring is None else own | {"total": self.centring.total}

    def compacted(self) -> ScaleState:
        """Return the state with wide arrays in compact form."""
        own: dict[str, Any] = {path.split(".")[-1]: compacted(vector) for path, vector in self.vectors().items()}
        weights, squares = own.pop("weights"), own.pop("squares")
        return ScaleState(weights, squares, self.centring and replace(self.centring, **own))

    def is_possible(self) -> bool:
        """Return whether no sum or factor is negative that cannot be so."""
        never_negative = [self.weights, self.squares, *([] if self.centring is None else [self.centring.factors])]
        return all(np.all(stored(vector) >= 0) for vector in never_negative) and (
            self.centring is None or 0 <= self.centring.total < np.inf
        )


@dataclass(frozen=True)
class SecondOrder:
    """What a second-order rule keeps beside the weights.

    ``vectors`` have one entry per column, which is 0 where the column has not occurred. ``numbers`` have those of the
    intercept under the same names, and others. ``matrix`` is the triangular factor of a full matrix, if there is one.
    """

    vectors: dict[str, Weights]
    numbers: dict[str, float]
    matrix: Floats | None = None

    def changed(self, change: Callable[[Weights], Weights]) -> SecondOrder:
        """Return the same with other vectors."""
        vectors = {name: change(vector) for name, vector in self.vectors.items()}
        return dataclasses.replace(self, vectors=vectors)


@dataclass(frozen=True)
class Calibration:
    """How scores become probabilities; cpp/include/novikoff/calibration.hpp documents the fields."""

    slope: float
    offset: float
    slope_curvature: float
    curvature: float
    offset_curvature: float
    total: Extended
    weight: float


@dataclass(frozen=True)
class Asking:
    """What a selective perceptron counts; cpp/include/novikoff/selective.hpp documents the fields."""

    coins: int
    asked: Count
    unanswered: Count
    complete: Count
    estimate: Extended
    estimate_carry: Extended

    @classmethod
    def of(cls, stored: dict[str, Any]) -> Asking:
        """Return the state that a kernel returned."""
        counts = {name: Count(**stored[name]) for name in ("asked", "unanswered", "complete")}
        return cls(**{**stored, **counts})

    def for_kernels(self) -> dict[str, Any]:
        """Return the state as dicts."""
        return {name: vars(value) if isinstance(value, Count) else value for name, value in vars(self).items()}

    def is_possible(self) -> bool:
        """Whether all sums of nonnegative numbers are nonnegative."""
        return min(self.asked.part, self.unanswered.part, self.complete.part, self.estimate) >= 0


@dataclass(frozen=True)
class ProblemState:
    """The state of one binary problem; cpp/include/novikoff/hypothesis.hpp documents the fields."""

    positive: int
    weights: Weights
    bias: float
    average: Average | None
    votes: Votes | None
    examples: Count
    mistakes: Count
    positives: Count
    steps: Count
    updates: int
    squared_length: float
    squared_length_carry: float
    squared_length_error: float
    rounding: float
    squared_radius: float
    energy: Extended
    margin_bound: Extended
    memory: Memory | None = None
    second: SecondOrder | None = None
    calibration: Calibration | None = None
    asking: Asking | None = None

    @classmethod
    def of(cls, stored: dict[str, Any], width: int, numbering: Numbering | None) -> ProblemState:
        """Return the state that a kernel returned, with ``width`` weights, in the columns of the user."""
        average, votes, second = stored["average"], stored["votes"], stored["second"]
        parts: dict[str, Any] = {
            "weights": _as_wide(stored["weights"], width, numbering),
            "average": average and Average(_as_wide(average["weights"], width, numbering), average["bias"]),
            "votes": votes and Votes(**votes),
            "calibration": stored["calibration"] and Calibration(**stored["calibration"]),
            "memory": stored["memory"] and Memory(**stored["memory"]),
            "asking": stored["asking"] and Asking.of(stored["asking"]),
            "second": second and _second_order(second, width, numbering),
        }
        if votes and numbering is not None:
            parts["votes"] = dataclasses.replace(parts["votes"], indices=numbering.in_order[votes["indices"]])
        counts = {name: Count(**stored[name]) for name in ("examples", "mistakes", "positives", "steps")}
        return cls(**{**stored, **parts, **counts})

    def for_kernels(self, numbering: Numbering | None) -> dict[str, Any]:
        """Return the state as dicts, in the columns of a kernel, which takes them."""
        average, votes = self.average, self.votes
        if average is not None:
            average = dataclasses.replace(average, weights=_for_kernel(average.weights, numbering))
        if votes is not None and numbering is not None:
            votes = dataclasses.replace(votes, indices=np.searchsorted(numbering.columns, votes.indices))
        second = self.second and self.second.changed(lambda vector: _for_kernel(vector, numbering))
        weights = _for_kernel(self.weights, numbering)
        own = dataclasses.replace(self, weights=weights, average=average, votes=votes, second=second)
        found = {name: vars(value) if dataclasses.is_dataclass(value) else value for name, value in vars(own).items()}
        return found | {"asking": self.asking and self.asking.for_kernels()}

    def vectors(self) -> dict[str, Weights]:
        """Return the arrays with one entry per column, by the names of their fields."""
        found = {"weights": self.weights} | ({} if self.average is None else {"average.weights": self.average.weights})
        second = {} if self.second is None else self.second.vectors
        return found | {f"second.vectors.{name}": vector for name, vector in second.items()}

    def compacted(self) -> ProblemState:
        """Return the state with wide arrays in compact form."""
        average = self.average and dataclasses.replace(self.average, weights=compacted(self.average.weights))
        second = self.second and self.second.changed(compacted)
        return dataclasses.replace(self, weights=compacted(self.weights), average=average, second=second)

    def columns(self) -> Ints:
        """Return the columns that have occurred, as far as the state shows it."""
        of_average = NO_COLUMNS if self.average is None else occurring(self.average.weights)
        of_votes = NO_COLUMNS if self.votes is None else self.votes.indices
        of_second = [occurring(vector) for vector in self.second.vectors.values()] if self.second else []
        return np.unique(np.concatenate([occurring(self.weights), of_average, of_votes, *of_second]))

    def is_possible(self) -> bool:
        """Whether all sums of nonnegative numbers are nonnegative."""
        parts = (self.examples.part, self.mistakes.part, self.positives.part, self.steps.part)
        sums = (self.squared_length_error, self.rounding, self.squared_radius, self.energy, self.margin_bound)
        longest = 0.0 if self.memory is None else self.memory.longest
        gains = () if self.second is None else stored(self.second.vectors.get("gains", NO_COLUMNS))
        return min(*parts, *sums, longest, *gains) >= 0 and (self.asking is None or self.asking.is_possible())


@dataclass(frozen=True)
class OnlineState:
    """Everything that a learner has learned. The field names are those of the model file.

    ``labels`` are in the order in which they appeared. ``names`` are the feature names of dicts, in the order of the
    columns. ``width`` is the number of columns of the rows seen, and ``column_names`` the names that a stream gave
    them. ``stopped`` says why the passes of ``fit`` ended, for each column of ``decision_function``.
    ``has_one_order`` says whether ``fit`` visited the rows in the same order for all problems, as it has done since
    version 7 of the file.
    """

    rule: Rule
    buckets: int
    declared: bool
    labels: tuple[Any, ...]
    questions: tuple[ProblemState, ...]
    by_name: bool
    names: Bytes
    column_names: Bytes | None
    width: int | None
    runs: tuple[Run, ...] | None
    is_stream: bool
    balance: Annotated[Floats, INFINITE]
    n_iter: int
    stopped: tuple[str, ...] | None = None
    has_one_order: bool = False
    scale: ScaleState | None = None

    def vectors(self) -> dict[str, Weights]:
        """Return all arrays with one entry per column, by their paths in the state."""
        found = {} if self.scale is None else {f"scale.{path}": vector for path, vector in self.scale.vectors().items()}
        for place, problem in enumerate(self.questions):
            found |= {f"questions.{place}.{name}": vector for name, vector in problem.vectors().items()}
        return found


def _second_order(stored: dict[str, Any], width: int, numbering: Numbering | None) -> SecondOrder:
    """Return what a kernel returned, in the columns of the user. A matrix has too few columns to be numbered."""
    second = SecondOrder(**stored).changed(lambda vector: _as_wide(vector, width, numbering))
    return second if second.matrix is None else dataclasses.replace(second, matrix=as_triangle(second.matrix, width))


def as_triangle(factor: Floats, width: int) -> Floats:
    """Return the triangular factor of a matrix of ``width`` columns and the intercept; new columns are 0."""
    entries = width * (width + 1) // 2
    return np.pad(factor, (0, entries - len(factor))) if len(factor) < entries else factor[:entries]


def _as_wide(weights: Floats, width: int, numbering: Numbering | None) -> Floats:
    """Return weights for ``width`` features; missing ones are 0."""
    if numbering is not None:
        return cast("Floats", numbering.widened(weights, width))
    if len(weights) > width and not weights[width:].any():
        return weights[:width]
    return np.pad(weights, (0, width - len(weights))) if len(weights) < width else weights


def _for_kernel(weights: Floats, numbering: Numbering | None) -> Floats:
    """Return the weights of the columns that a kernel has."""
    return np.asarray(weights) if numbering is None else narrowed(weights, numbering.columns)


def _numbering_of(state: OnlineState) -> Numbering | None:
    """Return the numbering of the columns that occur in a state, if its weights are wide; else None."""
    is_wide = any(isinstance(vector, WideArray) for vector in state.vectors().values())
    is_large = (state.width or 0) * len(state.questions) > MIN_WEIGHTS
    if state.by_name or state.buckets or not (is_wide and is_large):
        return None
    of_scale = NO_COLUMNS if state.scale is None else occurring(state.scale.weights)
    return Numbering.of(np.unique(np.concatenate([of_scale, *(problem.columns() for problem in state.questions)])))


def kernel_configuration(rule: Rule, buckets: int) -> tuple[Any, ...]:
    """Return the arguments of ``_core.OnlineLearner``. A rule without a compiled kernel is called for every example."""
    geometry, implementation = rule.geometry, rule.implementation()
    return (
        implementation.kernel or rule.name,
        float(rule.parameter),
        bool(geometry.fit_intercept),
        bool(geometry.normalize),
        float(geometry.slack_feature),
        rule.tie,
        "joint" if implementation.is_joint else rule.keep,
        buckets,
        implementation if implementation.kernel is None else None,
        geometry.scale or "",
        float(rule.forgetting.forget),
        rule.forgetting.fade,
        float(rule.extra),
        math.inf if rule.budget is None else float(rule.budget),
    )


def state_of(model: Any) -> OnlineState:
    """Return everything that a learner has learned."""
    configuration, problems, names, held = model._learner.file_state()
    width = int(getattr(model, "n_features_in_", 0))
    column_names = model._column_names
    questions = [
        ProblemState.of(stored, width, model._numbering) for stored in problems[: model._classes.problem_count]
    ]
    scale = ScaleState.of(held, width, model._numbering)
    if configuration[7] and has_compact_buckets(model):
        questions = [problem.compacted() for problem in questions]
        scale = scale and scale.compacted()
    return OnlineState(
        rule=model._learned_rule,
        buckets=configuration[7],
        declared=model._classes.declared,
        labels=tuple(model._classes.labels),
        questions=tuple(questions),
        by_name=model._by_name,
        names=names if model._by_name else names_to_bytes([]),
        column_names=None if column_names is None else names_to_bytes(column_names),
        width=model._width,
        runs=None if model._runs is None else tuple(model._runs),
        is_stream=model._is_stream,
        balance=model._balance.totals,
        n_iter=model.n_iter_,
        stopped=None if model._stopped is None else tuple(model._stopped),
        has_one_order=model._has_one_order,
        scale=scale,
    )


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
    model._balance = RunningBalance()
    model._balance.totals = state.balance
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
        learner.__setstate__((configuration, problems, state.names, scale))
    except (ValueError, OverflowError) as error:
        raise input_error("state", f"the kernels refuse it: {str(error).rstrip('.')}.") from None
    if state.by_name and not state.buckets and learner.columns != width:
        raise input_error("state.names", f"there must be {width} names, one per feature.")
    return learner
