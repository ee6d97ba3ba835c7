"""Passes over a data set of classes that are learned together, and the warning that they did not converge."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import novikoff._core as _core
from novikoff._counts import counted
from novikoff.theory.certificate import Duals
from novikoff.theory.enclosed_sums import EPS

from ._cycle import Cycle, Ending, Run
from ._examples import Examples
from ._halting import NotHaltedWarning
from ._stopping import CONVERGED, MAX_ITER, NO_PROGRESS, REASONS, Stopping, Trial

NOT_TRIED = Trial(lambda work: None, math.inf, 1.0)  # no test decides about several classes at once
NO_DUALS = Duals(np.zeros(0, dtype=np.int64), np.zeros(0))  # the rows of the updates are not kept


def run_jointly(cycle: Cycle, kernel: _core.OnlineLearner, examples: Examples, seed: int) -> Ending:
    """Make passes over the rows until one of them makes no mistake, there is no progress, or all were made.

    Parameters
    ----------
    cycle : Cycle
        The settings of the passes.
    kernel : OnlineLearner
        Learns from the rows.
    examples : Examples
        The rows, which were examined.
    seed : int
        Seed of the row order.
    """
    rows, random = examples.rows, _core.Random(seed)
    order = np.arange(rows.count) if cycle.shuffle else None
    stopping = Stopping(cycle.n_iter_no_change, cycle.max_iter, NOT_TRIED)
    passes, reason, halted, smallest, before = 0, None, False, -math.inf, kernel.tally(0)
    while reason is None:
        if order is not None:
            random.shuffle(order)
        batch = (rows, examples.codes, examples.weights, examples.squared_norms, order, None)
        moved, mistaken, smallest = kernel.learn(0, *batch, 0, rows.count)
        passes, halted, after = passes + 1, not moved, kernel.tally(0)
        mistakes, seen = after["mistakes"] - before["mistakes"], after["examples"] - before["examples"]
        if cycle.say is not None:
            share = f"{mistakes / max(seen, 1):.2%} of the examples"
            cycle.say(f"pass {passes:,}, {counted(mistakes, 'mistake')}, {share}", passes / cycle.max_iter)
        reason = CONVERGED if halted or not mistaken else stopping.reason_to_stop(passes, mistakes)
        if reason is None and passes == cycle.max_iter:
            reason = MAX_ITER
        before = after
    if cycle.say is not None:
        cycle.say(f"stopped after {counted(passes, 'pass')}: {REASONS[reason]}", 1.0)
    bound = float(before["margin_bound"]) * (1 + 8 * EPS)
    return Ending(Run(passes, halted, smallest, NO_DUALS), reason, None, None, False, bound, None)


def warning_of_joint_fit(model: Any, ending: Ending) -> NotHaltedWarning | None:
    """Return the warning about a fit whose passes ended so; None if they converged or nothing promises that."""
    rule = model._learned_rule.implementation()
    if ending.reason == CONVERGED or model.max_iter == 1 or not rule.promises_to_halt:
        return None
    passes = counted(ending.run.passes, "pass")
    unknown = "whether any weights let the class of every row lead is not known"
    if ending.reason == NO_PROGRESS:
        words = f"the mistakes per pass did not become fewer in {passes}, and {unknown}"
    else:
        words = f"{passes} were not enough, and {unknown}: increase max_iter, or scale the columns"
    return NotHaltedWarning(f"{type(model).__name__}: {words}.", ending.reason)
