"""The run of an online learner, repeated row by row in NumPy."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._wide_array import stored
from novikoff.record import OnlineRun, ProblemRecord
from novikoff.theory.certificate import Certificate
from novikoff.theory.enclosure import at_most
from novikoff.theory.geometry import Floats, as_table, length_of
from novikoff.theory.kesler_replay import replay_jointly
from novikoff.theory.mixing import Mixing
from novikoff.theory.mixing_replay import replay_mixing
from novikoff.theory.replay import replay, shuffles, with_doubt
from novikoff.theory.replayed_run import EPS, Replay
from novikoff.theory.rules import Rule
from novikoff.theory.running_scale import MIXED, as_seen
from novikoff.theory.verification import Check


def check_run(
    problem: ProblemRecord,
    run: OnlineRun,
    certificate: Certificate,
    X: Any,
    labels: NDArray[Any],
    weights: Floats,
    exact: bool,
) -> list[Check]:
    """Repeat the run and compare. Where rounding may have decided a row differently, a difference proves nothing."""
    if run.mixing is not None:
        return _check_mixed_average(problem, run.rule, run.mixing, X, labels, weights)
    rows = np.arange(X.shape[0])
    if run.scale is not None and run.scale.kind != MIXED:
        seen = as_seen(as_table(X), weights, run.scale.kind)
        X, rows, weights = seen.X, seen.index, seen.copies
        labels = labels[rows]
    orders = _row_orders(run, len(rows))
    if isinstance(orders, Check):
        return [orders]
    signs = np.where(labels == problem.positive, 1.0, -1.0)
    rule = run.rule
    again = replay(X, signs, weights, rule.implementation(), rule.geometry, orders, exact, forgetting=rule.forgetting)
    checks = certificate.check_replay(again)
    if run.rule.keep == "average":
        average, intercept, most = problem.weights, problem.intercept, again.rounding + again.average_rounding
        if run.scale is not None:  # the record has the weights of rows as they are given
            average, intercept, error = run.scale.seen_plane(average, intercept)
            most += 4 * EPS * length_of(stored(average), intercept) + error
        gap = again.average_distance(average, intercept)
        detail = f"repeated, the average differs by {gap.root().outer_high():.3g}"
        checks.append(dataclasses.replace(at_most("average", most, gap, squared=True), detail=detail))
    elif run.rule.keep == "votes":
        same = _same_votes(run, again, X)
        detail = f"{len(again.moved)} hypotheses, {'as' if same else 'not as'} in the repeated run"
        checks.append(Check("votes", "holds" if same else "fails", detail))
    return with_doubt(checks, None if again.doubtful is None else int(rows[again.doubtful]))


def check_joint_run(
    run: OnlineRun, certificate: Certificate, X: Any, labels: NDArray[Any], weights: Floats
) -> list[Check]:
    """Repeat the run of classes that were learned together, and compare, as ``check_run`` does."""
    rows = np.arange(X.shape[0])
    if run.scale is not None and run.scale.kind != MIXED:
        seen = as_seen(as_table(X), weights, run.scale.kind)
        X, rows, weights = seen.X, seen.index, seen.copies
        labels = labels[rows]
    orders = _row_orders(run, len(rows))
    if isinstance(orders, Check):
        return [orders]
    classes = certificate.labels() or ()
    codes = np.full(len(labels), -1, dtype=np.int64)
    for code, label in enumerate(classes):
        codes[labels == label] = code
    again = replay_jointly(X, codes, len(classes), weights, run.rule.implementation(), run.rule.geometry, orders)
    return with_doubt(certificate.check_replay(again), None if again.doubtful is None else int(rows[again.doubtful]))


def _check_mixed_average(
    problem: ProblemRecord, rule: Rule, mixing: Mixing, X: Any, labels: NDArray[Any], weights: Floats
) -> list[Check]:
    """Repeat rounds over partitions whose average predicts; the certificate has compared everything else."""
    signs = np.where(labels == problem.positive, 1.0, -1.0)
    again = replay_mixing(as_table(X), signs, weights, rule.implementation(), rule.geometry, mixing)
    gap = again.average_distance(problem.weights, problem.intercept)
    detail = f"repeated, the average differs by {gap.root().outer_high():.3g}"
    check = dataclasses.replace(at_most("average", again.average_error(), gap, squared=True), detail=detail)
    return with_doubt([check], again.doubtful)


def _row_orders(run: OnlineRun, rows: int) -> Iterable[NDArray[np.int64]] | Check:
    """Return the order of the rows in each pass, or a check that says why it is not known."""
    if run.is_stream:
        return [np.arange(rows)]
    if run.passes is None:
        return Check("run", "open", "there were several fits, which cannot be repeated")
    if not run.shuffle:
        return [np.arange(rows)] * run.passes
    if run.seed is None:
        return Check("run", "open", "random_state is not an integer, so the order of the rows is not known")
    return shuffles(rows, run.seed, run.passes)


def _same_votes(run: OnlineRun, again: Replay, X: Any) -> bool:
    """Return whether the hypotheses that vote are those of the repeated run, each with as many votes."""
    votes, along = run.votes, np.array(again.along)
    survived = votes.survived_whole + votes.survived_part
    of_sums, of_lengths = (again.visits + 4) * EPS, (X.shape[1] + 16) * EPS  # relative errors of sums and of 1/|u|
    if len(votes.steps) != len(along) or not np.allclose(survived, again.survived, rtol=of_sums, atol=0):
        return False
    bias_steps = along if run.rule.geometry.fit_intercept else 0 * along
    if not np.allclose([votes.steps, votes.bias_steps], [along, bias_steps], rtol=of_lengths, atol=0):
        return False
    learned = sp.csr_array((votes.values, votes.indices, votes.offsets), shape=(len(along), X.shape[1]))
    given = sp.csr_array(X[np.array(again.moved, dtype=np.int64)], dtype=np.float64)
    return bool((learned != given).nnz == 0)
