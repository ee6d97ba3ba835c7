"""The check of adaptive sets: their counts, and their run over the rows that the learner has learned."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._validation import check_labels, check_weights
from novikoff.record import RunRecord
from novikoff.theory.conformal import SetState
from novikoff.theory.geometry import Floats, as_table, copies_apart
from novikoff.theory.mixture_replay import Codes, RowScores, scores_of
from novikoff.theory.set_replay import SetReplay, replay_sets
from novikoff.theory.verification import Check

from .classes import counted_weights
from .rows import rows_of

PREFIX = "sets"


def check_sets(record: RunRecord, state: SetState, X: Any, y: Any, sample_weight: Any = None) -> list[Check]:
    """Check what adaptive sets claim: that their counts are possible, that the bound holds, and that a run has them.

    Parameters
    ----------
    record : RunRecord
        The record of the learner, which should be verified, too.
    state : SetState
        What the sets have learned.
    X, y, sample_weight : object
        The rows, labels and weights that the learner has learned from, in their order.

    Returns
    -------
    list of Check
        The checks. Those of the run are open if it cannot be repeated: the scores of a mixture and of classes that are
        learned together are not those of single problems, and those of several passes were not given before learning.
    """
    where = "verify"
    X = rows_of(where, X)
    labels = check_labels(where, y, X.shape[0])
    weights = check_weights(where, sample_weight, len(labels))
    checks = list(state.certificate.verify().checks)
    if state.window < 1 or len(state.recent) != min(state.certificate.rounds, state.window):
        checks.append(Check("latest rounds", "fails", f"{len(state.recent)} are kept of {state.certificate.rounds}"))
    if not any(check.status == "fails" for check in checks):
        checks += _check_run(record, state, X, labels, weights)
    return [dataclasses.replace(check, claim=f"{PREFIX}: {check.claim}") for check in checks]


def _check_run(
    record: RunRecord, state: SetState, X: Any, labels: NDArray[Any], own_weights: Floats | None
) -> list[Check]:
    weights = counted_weights(record, labels, own_weights)
    seen = np.flatnonzero(weights if own_weights is None else own_weights)
    if not weights[seen].all():
        return [Check("run", "open", "classes of weight 0 are counted, and are not learned")]
    begun = len(seen) - state.certificate.rounds - state.skipped
    if begun < 0:
        claimed = f"claimed {state.certificate.rounds} rounds and {state.skipped} without a set"
        return [Check("rows", "fails", f"{claimed}, found {len(seen)} rows")]
    classes = record.strategy.classes.tolist()
    index, amounts = copies_apart(weights[seen])
    place_of = {label: code for code, label in enumerate(classes)}
    codes = np.array([place_of[label] for label in labels[seen].tolist()], dtype=np.int64)
    found = _scores_before(record, as_table(X)[seen[index]], codes[index], amounts)
    if found is None:
        words = "the scores before each row was learned can be repeated for one stream of binary problems only"
        return [Check("run", "open", words)]
    scores = found.at(np.flatnonzero(np.diff(index, prepend=-1)))
    again: list[SetReplay] = []
    is_declared = record.parameters.get("classes") is not None or len(set(codes.tolist())) < len(classes)
    for declared in (True,) if is_declared else (False, True):  # ``partial_fit`` may have declared them, too
        again.append(replay_sets(scores, codes, declared, state.certificate, state.window, begun))
        if not any(check.status == "fails" for check in again[-1].check(state)):
            return again[-1].check(state)
    return again[0].check(state)


def _scores_before(record: RunRecord, X: Any, codes: Codes, amounts: Floats) -> RowScores | None:
    """Return the scores of all labels before each row was learned; None if they cannot be repeated."""
    if record.members:
        mixture: Any = record.certificates[0]
        found: RowScores | None = mixture.scores_before(X, codes, amounts)
        return found
    runs = [problem.run for problem in record.problems if problem.run is not None and problem.run.is_stream]
    if record.strategy.is_joint or not runs or len(runs) < len(record.problems):
        return None
    return scores_of(X, codes, amounts, runs[0].rule, len(record.strategy.classes))
