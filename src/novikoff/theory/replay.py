"""A run of an online learner, repeated in plain NumPy, row by row.

The weights of a fit are a sum of rows that its certificate names, so the data show them. The weights of a stream, whose
rows are not kept, and the averages and votes of any run, can only be shown by repeating it. A margin so close to the
threshold of the rule that rounding may have made the decision is remembered: from there on, the runs may differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .enclosed_sums import exact_total
from .exact_lifted import ExactRows
from .forgetting import Forgetting
from .geometry import Floats, Geometry, each_row
from .lifted import LiftedRows
from .replayed_run import EPS, Proof, Replay
from .rules import OnlineRule, RuleInput
from .second_order_replay import learn_second_order
from .second_order_rules import SecondOrderRule
from .splitmix import INCREMENT, UINT64_MASK, mixed
from .verification import Check

NOTHING = Forgetting()


def replay(
    X: Any,
    signs: Floats,
    copies: Floats,
    rule: OnlineRule,
    geometry: Geometry,
    orders: Iterable[NDArray[np.int64]],
    exact: bool = False,
    before: Callable[[Replay, tuple[Any, Floats, float, float], float], None] | None = None,
    forgetting: Forgetting = NOTHING,
) -> Replay:
    """Repeat a run.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    copies : ndarray of shape (n_samples,)
        Weights. An integer weight k stands for k copies, one after the other.
    rule : OnlineRule
        The rule.
    geometry : Geometry
        How a row becomes the vector that the rule sees.
    orders : iterable of ndarray of int64
        The order of the rows in each pass.
    exact : bool, default=False
        Whether the bound that the run proves is checked in rational arithmetic where rounding leaves it open.
    before : callable or None, default=None
        Called before a row is learned, with the state of the run, the row (columns, values, scale and constant feature)
        and its squared norm.
    forgetting : Forgetting
        What is kept of the weights.

    Returns
    -------
    Replay
        The outcome.
    """
    occurring = Columns.occurring(X)
    cut = X if occurring is None else occurring.cut(X)
    rows = list(each_row(cut))
    one, delta2 = (1.0 if geometry.fit_intercept else 0.0), geometry.slack_feature * geometry.slack_feature
    once = exact_total(copies)
    proof = Proof(LiftedRows(cut, geometry), ExactRows(cut, signs, geometry), signs, exact=exact)
    run = Replay(
        np.zeros(cut.shape[1]),
        average_weights=np.zeros(cut.shape[1]),
        proof=proof,
        forgetting=forgetting,
        fade=forgetting.fade,
    )
    run.columns = occurring
    second = rule if isinstance(rule, SecondOrderRule) else None
    if second is not None:
        run.state = second.start(cut.shape[1] + 1)
        run.weights = run.state["weights"][:-1]  # a view: rules change the weights in place
    for number, order in enumerate(orders):
        run.updates_of_pass, proof.is_one_pass = 0, number == 0
        run.total_weight += once
        for i in order.tolist():
            columns, values = rows[i]
            norm2, scale = float(values @ values) + one, 1.0
            if geometry.normalize and norm2 > 0:
                scale, norm2 = 1 / math.sqrt(norm2), 1.0
            if before is not None:
                before(run, (columns, values, scale, one), norm2)
            example = (columns, values, scale, one), norm2 + delta2, float(signs[i]), float(copies[i])
            if second is not None:
                learn_second_order(run, second, i, *example)
                run.bias = float(run.state["weights"][-1])
            else:
                learn_example(run, rule, i, *example)
    run.finish()
    if occurring is not None:
        run.weights, run.average_weights = occurring.widen(run.weights), occurring.widen(run.average_weights)
    return run


def learn_example(
    run: Replay, rule: OnlineRule, i: int, x: tuple[Any, Floats, float, float], norm2: float, y: float, weight: float
) -> None:
    """Learn from one example as often as its weight says; a fraction is one last copy of less weight."""
    columns, values, scale, _ = x
    whole, part = int(weight), weight - int(weight)
    while whole > 0 or part > 0:
        copy = 1.0 if whole > 0 else part
        if run.fade < 1:
            run.shrink(1 - copy * (1 - run.fade))
        terms = values * run.weights[columns]
        stored = scale * (float(terms.sum()) + run.bias)
        score, size = run.scale * stored, run.scale * scale * (float(np.abs(terms).sum()) + abs(run.bias))
        mistake = rule.is_mistake(y, score)
        example = _input(run, y, score, norm2, copy)
        tau, distance = rule.step(example), abs(example.margin - rule.threshold(example))
        rounding = 4 * (len(terms) + 8) * EPS * size + 2 * run.scale * run.rounding * math.sqrt(norm2)
        if run.doubtful is None and min(distance, abs(score)) < rounding:  # either the update or the count of mistakes
            run.doubtful = i
        if run.fade == 1 and (tau == 0 or (norm2 == 0 and not run.forgetting.forget)):
            if tau != 0:  # an update along 0 changes nothing
                run.stand_still(i, whole + part, whole + (part > 0))
            run.count(whole + part, mistake)
            return
        if tau != 0:
            _update(run, rule, i, x, norm2, y, stored, tau, copy)
            run.steps_error += rounding / (run.scale * norm2) if norm2 > 0 else 0.0  # no step changes faster
        run.count(copy, mistake)
        whole, part = (whole - 1, part) if whole > 0 else (0, 0.0)


def _input(run: Replay, y: float, score: float, norm2: float, copy: float) -> RuleInput:
    """Return what the rule sees."""
    return RuleInput(y, score, norm2, copy, run.scale * run.scale * run.squared_length.value(), run.scale * run.steps)


def _update(
    run: Replay,
    rule: OnlineRule,
    i: int,
    x: tuple[Any, Floats, float, float],
    norm2: float,
    y: float,
    stored: float,
    tau: float,
    copy: float,
) -> None:
    """Shrink v, then add the step of the rule for what is left of it; ``stored`` is the score of the stored weights."""
    columns, values, scale, one = x
    if run.forgetting.forget > 0:
        before = run.proof.exponent
        run.shrink(run.forgetting.kept_by_update(copy))
        stored = math.ldexp(stored, run.proof.exponent - before)
        tau = rule.step(_input(run, y, run.scale * stored, norm2, copy)) or tau
    step = tau / run.scale
    if not math.isfinite(step):  # a row too short for a finite step
        return
    if norm2 == 0:
        run.stand_still(i, step, 1)
        return
    run.move(i, columns, values, step * y * scale, step * y * scale * one)
    run.lengthen(i, step, y * stored, norm2, len(values))


def with_doubt(checks: list[Check], doubtful: int | None) -> list[Check]:
    """Leave open what differs, if rounding may have decided a row differently.

    Parameters
    ----------
    checks : list of Check
        Comparisons with a repeated run.
    doubtful : int or None
        The first row on which rounding may have made the decision; None if there is none.

    Returns
    -------
    list of Check
        The checks, of which none fails if there is such a row.
    """
    if doubtful is None:
        return checks
    doubt = f"; row {doubtful} is so close that rounding may have decided it"
    return [replace(c, status="open", detail=c.detail + doubt) if c.status == "fails" else c for c in checks]


def shuffles(rows: int, seed: int, passes: int) -> Iterator[NDArray[np.int64]]:
    """Return the row orders of the passes of a fit.

    Each is a Fisher-Yates shuffle of the one before, with random numbers from splitmix64.

    Parameters
    ----------
    rows : int
        Number of rows.
    seed : int
        The seed.
    passes : int
        Number of passes.

    Yields
    ------
    ndarray of int64
        The order of one pass.
    """
    order, state = list(range(rows)), seed
    for _ in range(passes):
        for i in range(rows, 1, -1):
            uneven = (2**64 - i) % i
            while True:
                state = (state + INCREMENT) & UINT64_MASK
                draw = mixed(state)
                if draw >= uneven:
                    break
            j = draw % i
            order[i - 1], order[j] = order[j], order[i - 1]
        yield np.array(order, dtype=np.int64)
