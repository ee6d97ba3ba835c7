"""The saved state of an online learner, from which it continues bit for bit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from novikoff.persistence.codec import INFINITE, Bytes, names_to_bytes
from novikoff.theory.geometry import Floats, Weights
from novikoff.theory.rules import Rule

from ._columns import has_compact_buckets
from ._cycle import Run
from ._problem_state import ProblemState
from ._scale_state import ScaleState

MAX_BUCKETS = 2**31  # as many as the columns of a sparse matrix with indices of 32 bits


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
    )


def state_of(model: Any) -> OnlineState:
    """Return everything that a learner has learned."""
    configuration, problems, names, held, balance = model._learner.file_state()
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
        balance=balance,
        n_iter=model.n_iter_,
        stopped=None if model._stopped is None else tuple(model._stopped),
        has_one_order=model._has_one_order,
        scale=scale,
    )
