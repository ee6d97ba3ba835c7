"""The record, the certificate and the saved state of a mixture of learners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from novikoff._json import TREE, plain_from_tree, plain_to_tree
from novikoff._multiclass import OneVsRest
from novikoff._validation import check_number
from novikoff._wide_array import changed, stacked
from novikoff.errors import input_error, quote
from novikoff.persistence.codec import check_count
from novikoff.persistence.learners import LEARNERS
from novikoff.record import ProblemRecord, RunRecord
from novikoff.theory.tracker_certificate import MemberMistakes, TrackerCertificate

from ._classifier import OnlineClassifier
from ._mixture import MixtureCounts
from ._state import OnlineState


@dataclass(frozen=True)
class MemberState:
    """One member: the name of its class, its parameters, and what it has learned."""

    learner: str
    parameters: Annotated[Any, TREE]
    state: OnlineState


@dataclass(frozen=True)
class TrackerState:
    """Everything that a mixture has learned. The field names are those of the model file."""

    decay: float
    members: tuple[MemberState, ...]
    counts: MixtureCounts


def described(learners: Sequence[OnlineClassifier] | None) -> Any:
    """Return learners as plain values: names of classes and parameters."""
    if learners is None:
        return None
    return [[type(learner).__name__, dict(learner.get_params(deep=False))] for learner in learners]


def learners_from(description: Any) -> list[OnlineClassifier] | None:
    """Return the learners that ``described`` described."""
    if description is None:
        return None
    return [_learner_from(name, parameters, "parameters.learners") for name, parameters in description]


def _learner_from(name: str, parameters: dict[str, Any], path: str) -> OnlineClassifier:
    kind: Any = LEARNERS.get(name)
    if kind is None or not issubclass(kind, OnlineClassifier):
        raise input_error(path, f"{quote(name)} is not an online learner that a tracker may have.")
    learner: OnlineClassifier = kind(**parameters)
    return learner


def certificate_of(model: Any) -> TrackerCertificate:
    """Return the certificate of a mixture that no other thread changes."""
    counts, first = model._counts, model.learners_[0]
    *members, mine = zip(counts.mistakes, counts.decayed.tolist(), strict=True)
    return TrackerCertificate(
        decay=model._learned_decay,
        members=tuple(
            MemberMistakes(type(learner).__name__, learner._learned_rule, mistakes, decayed)
            for learner, (mistakes, decayed) in zip(model.learners_, members, strict=True)
        ),
        mistakes=mine[0],
        decayed_mistakes=mine[1],
        examples=counts.examples.whole + counts.examples.part,
        rounds=counts.rounds,
        classes=tuple(first.classes_.tolist()),
        class_examples=_class_examples(first),
        declared=first._classes.declared,
        n_features=int(first.n_features_in_),
    )


def _class_examples(learner: Any) -> tuple[float, ...]:
    """Return the weight of the examples of each class that a member has learned from."""
    classes = learner._classes
    tallies = [learner._learner.tally(problem) for problem in classes.problems]
    if not classes.has_one_score:
        return tuple(float(tally["positives"]) for tally in tallies)
    if classes.count == 1:
        return (float(tallies[0]["examples"]),)
    return (float(tallies[0]["examples"] - tallies[0]["positives"]), float(tallies[0]["positives"]))


def record_of(model: Any) -> RunRecord:
    """Return the run record of a mixture that no other thread changes."""
    records = tuple(learner.record_ for learner in model.learners_)
    own: RunRecord = records[model._counts.leader()]
    strategy = OneVsRest(own.strategy.classes)
    return replace(
        own,
        strategy=strategy,
        learner=type(model).__name__,
        parameters=model.get_params(deep=False) | {"learners": described(model.learners)},
        problems=tuple(_problems_of(own, strategy)),
        make_state=lambda: _state_of(model, records),
        joint=certificate_of(model),
        fingerprint=getattr(model, "fingerprint_", None),
        reading=getattr(model, "reading_", None),
        members=records,
    )


def _problems_of(record: RunRecord, strategy: OneVsRest) -> Sequence[ProblemRecord]:
    """Return the problems of a member by the scores that decide: of two classes learned together, their difference."""
    problems = list(record.problems)
    if record.strategy.is_joint and len(problems) == 2:
        first, last = problems
        weights = changed(stacked([first.weights, last.weights]), lambda held: held[1:] - held[:1])[0]
        problems = [replace(last, weights=weights, intercept=last.intercept - first.intercept)]
    return [replace(own, positive=label) for own, label in zip(problems, strategy.positives, strict=True)]


def _state_of(model: Any, records: Sequence[RunRecord]) -> TrackerState:
    members = [MemberState(own.learner, plain_to_tree(own.parameters), own.state) for own in records]
    return TrackerState(model._learned_decay, tuple(members), model._counts)


def member_records(record: RunRecord) -> list[RunRecord]:
    """Return the records of the members of a saved mixture."""
    state: TrackerState = record.state
    try:
        parameters = [plain_from_tree(member.parameters) for member in state.members]
    except (ValueError, RecursionError) as error:
        raise input_error("state.members", f"{error}.") from None
    return [
        replace(record, learner=member.learner, parameters=own, make_state=partial(getattr, member, "state"))
        for member, own in zip(state.members, parameters, strict=True)
    ]


def restored_members(record: RunRecord) -> list[OnlineClassifier]:
    """Return the members of a saved mixture, after checking that its parts fit each other."""
    check_state(record)
    found = []
    for place, own in enumerate(member_records(record)):
        path = f"state.members.{place}"
        kind = type(_learner_from(own.learner, own.parameters, path))
        found.append(kind.from_record(own))
    return found


def check_members(record: RunRecord) -> None:
    """Refuse a saved mixture that ``restored_members`` would refuse, without building its members."""
    check_state(record)
    for place, own in enumerate(member_records(record)):
        kind = type(_learner_from(own.learner, own.parameters, f"state.members.{place}"))
        kind.check_record(own)


def check_state(record: RunRecord) -> None:
    """Refuse counts that no mixture of these members can have."""
    state: TrackerState = record.state
    counts, members = state.counts, len(state.members)
    empty = MixtureCounts.none(members)
    for name in ("decayed", "whole", "part"):
        own, expected = getattr(counts, name), getattr(empty, name)
        if members == 0 or own.shape != expected.shape or np.any(own < 0):
            raise input_error(f"state.counts.{name}", f"there must be {len(expected)} numbers, none of them negative.")
    check_count(counts.rounds, "state.counts.rounds")
    check_count(counts.examples.whole, "state.counts.examples.whole")
    check_number("state", "decay", state.decay, above=0, at_most=1)
    ways = {member.state.declared for member in state.members}, {member.state.labels for member in state.members}
    if any(len(found) > 1 for found in ways) or not all(member.state.is_stream for member in state.members):
        raise input_error("state.members", "they have not learned from the same stream.")
