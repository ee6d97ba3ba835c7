"""All that an online learner knows, so that another can go on from there bit for bit."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._class_weights import RunningBalance
from novikoff.persistence.kinds import Speaker
from novikoff.persistence.model_file import Basis, check_count, check_duals
from novikoff.persistence.records import INFINITE, Names
from novikoff.theory.geometry import Extended, Floats
from novikoff.theory.rules import Rule

from ._classes import Classes
from ._cycle import Run

Ints = NDArray[np.int64]
MARGINS = {"fixed margin", "dynamic margin"}  # one learner has two rules


@dataclass(frozen=True)
class Count:
    """A total of example weights: whole copies apart from fractions."""

    whole: int
    part: float


@dataclass(frozen=True)
class Average:
    """The sum behind the average of all hypotheses."""

    weights: Floats
    bias: float


@dataclass(frozen=True)
class Votes:
    """All hypotheses, as the steps from one to the next, and how long each survived."""

    offsets: Ints
    indices: Ints
    values: Floats
    steps: Floats
    bias_steps: Floats
    survived_whole: Ints
    survived_part: Floats


@dataclass(frozen=True)
class QuestionState:
    """What the kernels know of one binary question; cpp/include/novikoff/hypothesis.hpp says what it means."""

    positive: int
    weights: Floats
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

    @classmethod
    def of(cls, stored: dict[str, Any], width: int) -> QuestionState:
        """The state that the kernels hand out, with a weight for each of so many features."""
        average, votes = stored["average"], stored["votes"]
        parts: dict[str, Any] = {
            "weights": _as_wide(stored["weights"], width),
            "average": average and Average(_as_wide(average["weights"], width), average["bias"]),
            "votes": votes and Votes(**votes),
        }
        counts = {name: Count(**stored[name]) for name in ("examples", "mistakes", "positives", "steps")}
        return cls(**{**stored, **parts, **counts})

    def for_kernels(self) -> dict[str, Any]:
        """The same as dicts, which is what the kernels take."""
        return {name: vars(value) if dataclasses.is_dataclass(value) else value for name, value in vars(self).items()}

    def is_possible(self) -> bool:
        """Whether no sum of what cannot be negative is."""
        parts = (self.examples.part, self.mistakes.part, self.positives.part, self.steps.part)
        sums = (self.squared_length_error, self.rounding, self.squared_radius, self.energy, self.margin_bound)
        return min(*parts, *sums) >= 0


@dataclass(frozen=True)
class OnlineState:
    """All of a learner but its parameters.

    ``names`` are those that features were called by, in the order of the columns, if they were. ``width`` is the
    number of columns of the rows seen, and ``column_names`` the names that a stream gave them.
    """

    rule: Rule
    buckets: int
    declared: bool
    labels: tuple[Any, ...]  # in the order in which they were met
    questions: tuple[QuestionState, ...]
    by_name: bool
    names: Names
    column_names: Names | None
    width: int | None
    runs: tuple[Run, ...] | None
    is_stream: bool
    balance: Annotated[Floats, INFINITE]
    n_iter: int


def _as_wide(weights: Floats, width: int) -> Floats:
    """Weights of so many features: those never learned from are 0, and so are any that are not there."""
    if len(weights) > width and not weights[width:].any():
        return weights[:width]
    return np.pad(weights, (0, max(0, width - len(weights))))


def basis_of(model: Any) -> Basis:
    """The classes and the features of a learner, which may have met none yet."""
    width = int(getattr(model, "n_features_in_", 0))
    names = vars(model).get("feature_names_in_")
    if names is not None and model._by_name:  # the frame's names, and those met since
        met = model._learner.names
        names = np.array(met, dtype=object) if len(met) == width and all(isinstance(n, str) for n in met) else None
    return Basis(model._classes.values, width, names)


def state_of(model: Any) -> OnlineState:
    """All that a learner knows."""
    configuration, questions, names = model._learner.__getstate__()
    width = int(getattr(model, "n_features_in_", 0))
    return OnlineState(
        rule=model._learned_rule,
        buckets=configuration[7],
        declared=model._classes.declared,
        labels=tuple(model._classes.labels),
        questions=tuple(QuestionState.of(stored, width) for stored in questions),
        by_name=model._by_name,
        names=names if model._by_name else [],
        column_names=vars(model).get("_column_names"),
        width=vars(model).get("_width"),
        runs=None if model._runs is None else tuple(model._runs),
        is_stream=model._is_stream,
        balance=model._balance.totals,
        n_iter=model.n_iter_,
    )


def take_up(model: Any, state: OnlineState, basis: Basis, speaker: Speaker) -> None:
    """Give a new learner this state."""
    _check_rule(model, state.rule, speaker)
    _check_columns(state, basis, speaker)
    classes = _classes(state, basis, speaker)
    _check_questions(state, classes, basis, speaker)
    model._learned_rule, model._learner, model._classes = state.rule, _learner(state, speaker), classes
    model._is_stream, model.n_iter_ = state.is_stream, state.n_iter
    model._runs = None if state.runs is None else list(state.runs)
    model._balance = RunningBalance()
    model._balance.totals = state.balance
    if state.width is not None:
        model._width = state.width
    model._by_name, model._lane = state.by_name, None
    if state.column_names is not None:
        model._column_names = state.column_names
    if basis.names is not None:
        model.feature_names_in_ = basis.names
    if classes.labels:
        model.classes_ = classes.values


def _check_rule(model: Any, rule: Rule, speaker: Speaker) -> None:
    """The rule is one that this learner has."""
    usual: Rule = type(model)()._rule(speaker.where)
    is_own = rule.keep == usual.keep and (rule.name == usual.name or {rule.name, usual.name} == MARGINS)
    needs_parameter = rule.name in ("passive-aggressive I", "passive-aggressive II")
    if not is_own or rule.parameter < 0 or rule.geometry.slack_feature < 0 or (needs_parameter and not rule.parameter):
        raise speaker.refuse(f"A rule of {type(model).__name__}", "state.rule", f"{rule}"[:200])


def _check_columns(state: OnlineState, basis: Basis, speaker: Speaker) -> None:
    """There are as many features as all say."""
    check_count(state.buckets, "state.buckets", speaker)
    check_count(state.width or 0, "state.width", speaker)
    known = (state.buckets or len(state.names)) if state.by_name else (state.width or 0)
    if known != basis.width:
        raise speaker.refuse(f"{known} features", "features.count", basis.width)
    if state.column_names is not None and not all(isinstance(name, str) for name in state.column_names):
        raise speaker.refuse("Names that are text", "state.column_names", "integers")
    for place, question in enumerate(state.questions):
        if len(question.weights) != basis.width:
            path = f"state.questions.{place}.weights"
            raise speaker.refuse(f"{basis.width} weights", path, len(question.weights))


def _classes(state: OnlineState, basis: Basis, speaker: Speaker) -> Classes:
    """The classes in the order in which they were met."""
    values, labels = basis.classes.tolist(), list(state.labels)
    try:
        fits = labels == values if state.declared else sorted(labels) == values
    except TypeError:
        fits = False
    if not fits or (state.declared and len(labels) < 2):
        raise speaker.refuse("The classes, in the order of meeting,", "state.labels", "others")
    classes = Classes(basis.classes if state.declared else None)
    if not state.declared:
        classes.take_up(labels, basis.classes)
    return classes


def _check_questions(state: OnlineState, classes: Classes, basis: Basis, speaker: Speaker) -> None:
    """There is a question for each class that asks for one, and what is known of it could be."""
    expected = classes.positives()
    if [question.positive for question in state.questions] != expected:
        raise speaker.refuse(f"Questions for the classes {expected}"[:200], "state.questions", "others")
    for place, question in enumerate(state.questions):
        if not question.is_possible():
            raise speaker.refuse("Sums that are not negative", f"state.questions.{place}", "one that is")
    check_count(state.n_iter, "state.n_iter", speaker)
    if len(state.balance) > len(classes.labels) or np.any(state.balance < 0):
        raise speaker.refuse("Totals of known classes", "state.balance", "others")
    if state.runs is not None and len(state.runs) != len(expected):
        raise speaker.refuse("A run for each question", "state.runs", len(state.runs))
    for place, run in enumerate(state.runs or ()):
        check_duals(run.duals, f"state.runs.{place}.duals", speaker)
        check_count(run.passes, f"state.runs.{place}.passes", speaker)


def _learner(state: OnlineState, speaker: Speaker) -> _core.OnlineLearner:
    """The compiled learner. Whether its arrays fit each other is for the kernels to say."""
    rule, geometry = state.rule, state.rule.geometry
    configuration = (
        rule.name,
        float(rule.parameter),
        geometry.fit_intercept,
        geometry.normalize,
        float(geometry.slack_feature),
        rule.tie,
        rule.keep,
        state.buckets,
    )
    learner = _core.OnlineLearner.__new__(_core.OnlineLearner)
    try:
        learner.__setstate__((configuration, [question.for_kernels() for question in state.questions], state.names))
    except (ValueError, OverflowError) as error:
        raise speaker.refuse("What the kernels can go on from", "state", error) from None
    return learner
