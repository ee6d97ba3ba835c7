"""The run record of an online learner, and the problems that its certificates are about."""

from __future__ import annotations

import numbers
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from novikoff._estimators import check_random_state
from novikoff.record import OnlineRun, ProblemRecord, RunRecord
from novikoff.theory.evidence import Evidence
from novikoff.theory.running_scale import CENTRED
from novikoff.theory.verification import Check

from ._certify import Problem, Sum
from ._columns import column_names_of, feature_names_of, padded, plane_of, scale_of
from ._state import state_of


def seed_of(random_state: Any) -> int:
    """Return the seed of the row order of a fit, which is the same for all its problems."""
    return _drawn(random_state, 1)[0]


def _drawn(random_state: Any, count: int) -> list[int]:
    numbers: list[int] = check_random_state(random_state).randint(2**31, size=count).tolist()
    return numbers


@lru_cache(maxsize=16)
def _seeds(random_state: int, problems: int, has_one_order: bool) -> list[int]:
    """Return the seed of the row order of each problem. Before version 7 of the model file, each had its own."""
    return [seed_of(random_state)] * problems if has_one_order else _drawn(random_state, problems)


def seed_of_fit(model: Any) -> int | None:
    """Return the seed of the row order of the last fit; None if it cannot be drawn again."""
    is_repeatable = isinstance(model.random_state, numbers.Integral) and model.shuffle
    return seed_of(int(model.random_state)) if is_repeatable else None


def record_of(model: Any) -> RunRecord:
    """Return the run record of a learner that no other thread changes."""
    state = state_of(model) if model._learned_rule.keep == "votes" else None
    votes = None if state is None else [problem.votes for problem in state.questions]
    is_repeatable = isinstance(model.random_state, numbers.Integral) and model.shuffle
    seeds = None
    if is_repeatable:
        seeds = _seeds(int(model.random_state), model._classes.problem_count, model._has_one_order)
    return RunRecord(
        learner=type(model).__name__,
        parameters=model.get_params(deep=False),
        strategy=model._classes.strategy,
        n_features=int(getattr(model, "n_features_in_", 0)),
        feature_names=feature_names_of(model),
        reading=getattr(model, "reading_", None),
        fingerprint=getattr(model, "fingerprint_", None),
        problems=tuple(_problem_record(model, column, seeds, votes) for column in range(len(model._classes.problems))),
        make_state=lambda: state_of(model) if state is None else state,
        column_names=column_names_of(model),
        on_trust=on_trust(model),
    )


def on_trust(model: Any) -> tuple[Check, ...]:
    """Name what no certificate covers, because nothing is predicted with it yet."""
    found = []
    kept = sorted(set(range(model._classes.problem_count)) - set(model._classes.problems))
    names = ", ".join(f"state.questions.{q}" for q in kept)
    detail = f"{names} of the model file: used only when a new label arrives"
    if kept:
        found.append(Check("weights kept for labels that may still come", "on trust", detail))
    if model._learned_rule.geometry.scale == CENTRED:
        detail = "state.scale of the model file, without shifts and factors: used only when learning continues"
        found.append(Check("sums of the centred scale", "on trust", detail))
    return tuple(found)


def _problem_record(model: Any, column: int, seeds: list[int] | None, votes: Any) -> ProblemRecord:
    q, problem, is_last = model._classes.problems[column], problem_of(model, column), model._learned_rule.keep == "last"
    weights, intercept = problem.evidence.plane() if is_last else plane_of(model, q)
    return ProblemRecord(
        positive=model._classes.strategy.positives[column],
        weights=weights,
        intercept=intercept,
        certificate=model._certify(problem),
        parameters={},
        run=OnlineRun(
            rule=model._learned_rule,
            current_rule=model._rule(),
            is_stream=model._is_stream,
            passes=None if model._runs is None else model._runs[q].passes,
            seed=None if seeds is None else seeds[q],
            shuffle=model.shuffle,
            votes=None if votes is None else votes[q],
            scale=problem.evidence.scale,
            mixing=None if problem.run is None else problem.run.mixing,
        ),
    )


def problem_of(model: Any, column: int) -> Problem:
    """Return the problem behind a column of ``decision_function`` as its certificate needs it."""
    q = model._classes.problems[column]
    run = None if model._runs is None else model._runs[q]
    evidence = Evidence(
        weights=padded(model, model._learner.last_weights(q)),
        intercept=model._learner.last_bias(q),
        geometry=model._learned_rule.geometry,
        positive=model._classes.strategy.positives[column],
        duals=None if run is None else run.duals,
        scale=scale_of(model),
    )
    rule, second = model._learned_rule, None
    if rule.implementation().is_second_order:
        second, evidence = _sum_of(model, q, evidence), replace(evidence, duals=None)
    return Problem(rule, model._learner.tally(q), evidence, run, model._is_stream, second)


def _sum_of(model: Any, q: int, evidence: Evidence) -> Sum:
    """Return the sum behind the proofs of a second-order learner, whose rows ``evidence`` has."""
    state = model._learner.second(q)
    rule = model._learned_rule.implementation()
    sums = replace(evidence, weights=padded(model, state["vectors"]["sum"]), intercept=state["numbers"]["sum"])
    numbers = {name: np.array([number]) for name, number in state["numbers"].items()}
    return Sum(sums, padded(model, rule.variances(state["vectors"])), float(rule.variances(numbers)[0]) or 1.0)
