"""What a partition does in a round of iterative parameter mixing: one pass of an online learner over its rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._labels import Codes
from novikoff.errors import input_error
from novikoff.online.mixed_fit import Final
from novikoff.online.mixing import Outcome, Start, learn_part
from novikoff.theory.certificate import Duals
from novikoff.theory.enclosed_sums import exact_total
from novikoff.theory.evidence import Evidence
from novikoff.theory.geometry import Floats, as_table
from novikoff.theory.mixing import order_seed
from novikoff.theory.mixing_certificate import errors_of
from novikoff.theory.online_checks import OnlineChecks
from novikoff.theory.rules import Rule

from .block import Block
from .survey import codes_of, in_width


@dataclass(frozen=True)
class Task:
    """What is the same in all rounds.

    Parameters
    ----------
    rule : Rule
        The rule of the learner.
    labels : list
        The labels in the order of their codes.
    class_weights : ndarray or None
        The weight of each class.
    columns, problems : int
        The number of columns, and of binary problems.
    seed : int or None
        Seed of the row orders; None for the order of the rows.
    """

    rule: Rule
    labels: list[Any]
    class_weights: Floats | None
    columns: int
    problems: int
    seed: int | None


@dataclass(frozen=True)
class Pass:
    """The command of a round, or of the end after the last one.

    Parameters
    ----------
    task : Task
        What is the same in all rounds.
    number : int
        The number of the round, from 0.
    starts : dict
        The common weights of the problems by their numbers: of those that learn, or at the end of all.
    totals : dict
        Of each problem that learned in the round before, the mistakes and the updates of all partitions.
    """

    task: Task
    number: int
    starts: dict[int, Start]
    totals: dict[int, tuple[float, int]]


@dataclass(frozen=True)
class Part:
    """The state of a partition.

    Parameters
    ----------
    number : int
        Its number among all partitions.
    codes : ndarray of int32
        The code of the class of each row; -1 for a row of weight 0.
    duals : ndarray of shape (n_problems, n_rows)
        The steps of the rows in all earlier rounds, multiplied by the shares of the partition.
    pending : dict
        Of each problem that learned in the last round, the mistakes, the updates and the steps of the rows.
    """

    number: int
    codes: Codes
    duals: Floats
    pending: dict[int, tuple[float, int, Duals]]


def mix_round(block: Block, state: Any, command: Pass) -> tuple[Part, dict[int, Outcome]]:
    """Run the learner over the rows of a partition, from the common weights of all problems: a step."""
    part, task = _settled(block, state, command), command.task
    numbers = list(command.starts)
    if block.count == 0:
        return part, {q: Outcome(0.0, 0, [0.0]) for q in numbers}
    X, weights = _examples(block, part.codes, task)
    seed = None if task.seed is None else order_seed(task.seed, command.number, part.number)
    starts = [command.starts[q] for q in numbers]
    found = dict(zip(numbers, learn_part(block.name, task.rule, starts, X, part.codes, weights, seed), strict=True))
    pending = {q: (outcome.mistakes, outcome.updates, duals) for q, (outcome, duals) in found.items()}
    return replace(part, pending=pending), {q: outcome for q, (outcome, _) in found.items()}


def end_rounds(block: Block, state: Any, command: Pass) -> tuple[Part, dict[int, Final]]:
    """Return the steps of the rows of a partition, and what its rows show of the final weights: a step."""
    part = _settled(block, state, command)
    return part, {q: _final(block, part, q, start, command.task) for q, start in command.starts.items()}


def _settled(block: Block, state: Any, command: Pass) -> Part:
    """Return the state with the steps of the last round, whose shares are known now."""
    if not isinstance(state, Part):
        codes = codes_of(block, command.task.labels)
        if block.weights is not None:
            codes = np.where(block.weights > 0, codes, -1).astype(np.int32)
        return Part(int(state), codes, np.zeros((command.task.problems, block.count)), {})
    duals = state.duals.copy()
    for q, (mistakes, updates, steps) in state.pending.items():
        of_all, updates_of_all = command.totals[q]
        share = mistakes / of_all if of_all > 0 else updates / max(1, updates_of_all)
        duals[q, steps.rows] += share * steps.weights
    return replace(state, duals=duals, pending={})


def _examples(block: Block, codes: Codes, task: Task) -> tuple[Any, NDArray[np.float64] | None]:
    """Return the rows in the width of all partitions, and their weights times those of their classes."""
    weights = block.weights
    if task.class_weights is not None:
        of_class = np.where(codes >= 0, task.class_weights[codes], 0.0)
        with np.errstate(over="ignore"):  # such weights are refused
            weights = of_class if weights is None else weights * of_class
        if not np.all(np.isfinite(weights)):
            raise input_error(block.name, "the product of sample_weight and class_weight is not finite for some rows.")
    return in_width(block.X, task.columns), weights


def _final(block: Block, part: Part, q: int, start: Start, task: Task) -> Final:
    """Return what the rows of a partition show of the final weights of one problem."""
    duals, codes = part.duals[q], part.codes
    if block.count == 0:
        return Final([duals], 0.0, math.inf)
    X, weights = _examples(block, codes, task)
    copies = np.where(codes >= 0, 1.0 if weights is None else weights, 0.0)
    if not copies.any():
        return Final([duals], 0.0, math.inf)
    signs = np.where(codes == start.positive, 1.0, -1.0)
    model = Evidence(start.weights, start.bias, task.rule.geometry, 1)
    checks = OnlineChecks(model, as_table(X), signs, copies, exact=True)
    wrong, _ = errors_of(checks)
    return Final([duals], float(exact_total(copies[wrong])), checks.least_margin())
