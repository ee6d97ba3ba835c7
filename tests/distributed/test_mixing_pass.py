"""The steps of a partition: pure functions of rows, state and command, which agree with the reference."""

import copy
import dataclasses

import numpy as np
import pytest

from novikoff.distributed.block import checked_block
from novikoff.distributed.mixing_pass import Part, Pass, Task, end_rounds, mix_round
from novikoff.errors import InvalidInputError
from novikoff.online.mixing import Start
from novikoff.theory.rules import Rule
from reference.mixing import one_pass

rng = np.random.default_rng(2)
X = rng.normal(size=(12, 3))
SIGNS = np.where(X @ [1.0, -1.0, 0.5] + 0.4 * rng.normal(size=12) > 0, 1, -1)
U = np.hstack([X, np.ones((12, 1))])
TASK = Task(Rule("perceptron"), [-1, 1], None, 3, 1, None)
START = Start(1, np.array([0.5, 0.25, -1.0]), 0.125)


def block(X=X, y=SIGNS, weights=None):
    return checked_block("part", X, y, weights)


def command(start=START, number=0, totals=None, task=TASK):
    return Pass(task, number, {0: start}, totals or {})


def flat(value):
    """A value as nested lists of numbers."""
    if dataclasses.is_dataclass(value):
        return [flat(getattr(value, field.name)) for field in dataclasses.fields(value)]
    if isinstance(value, dict):
        return [[key, flat(entry)] for key, entry in value.items()]
    if isinstance(value, list | tuple):
        return [flat(entry) for entry in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def test_a_pass_is_that_of_the_reference():
    v, mistakes, updates, _ = one_pass(U, SIGNS, np.append(START.weights, START.bias))
    state, reply = mix_round(block(), 0, command())
    assert reply[0].mistakes == mistakes > 1
    assert reply[0].updates == updates
    assert np.allclose(np.append(reply[0].weights, reply[0].bias), v, rtol=1e-14)
    assert state.pending[0][:2] == (mistakes, updates)


def test_steps_change_neither_rows_nor_state_nor_command_and_can_be_repeated():
    rows, first, total = block(), command(), {0: (4.0, 4)}
    state, _ = mix_round(rows, 0, first)
    second = command(Start(1, np.array([0.1, -0.2, 0.3]), 0.0), 1, total)
    before = [flat(copy.deepcopy(value)) for value in (rows, state, second)]
    for step in (mix_round, end_rounds):
        one, two = step(rows, state, second), step(rows, state, second)
        assert flat(list(one)) == flat(list(two))
        assert [flat(value) for value in (rows, state, second)] == before


def test_steps_of_a_round_are_multiplied_by_the_share_when_it_is_known():
    state, reply = mix_round(block(), 0, command())
    own = reply[0].mistakes
    state, final = end_rounds(block(), state, command(totals={0: (2 * own, 99)}))
    assert final[0].duals[0].sum() == own / 2
    expected = START.weights * 0
    for row, step in enumerate(final[0].duals[0]):
        expected = expected + 2 * step * SIGNS[row] * X[row]
    assert np.allclose(START.weights + expected, reply[0].weights)
    assert state.pending == {}


def test_without_a_mistake_the_shares_are_those_of_the_updates():
    separator = Start(1, np.array([1.0, -1.0, 0.5]) * 0.5, 0.0)
    y = np.where(X @ [1.0, -1.0, 0.5] > 0, 1, -1)
    task = dataclasses.replace(TASK, rule=Rule("passive-aggressive I", 1e-3))
    state, reply = mix_round(block(y=y), 0, command(separator, task=task))
    assert reply[0].mistakes == 0 < reply[0].updates
    _, final = end_rounds(block(y=y), state, command(separator, 1, {0: (0.0, 2 * reply[0].updates)}, task))
    assert final[0].duals[0].sum() == pytest.approx(reply[0].updates * 1e-3 / 2)


def test_the_end_counts_rows_on_the_wrong_side_and_measures_margins():
    weights = np.where(np.arange(12) % 3 == 0, 2.0, 0.5)
    margins = SIGNS * (X @ START.weights + START.bias)
    _, final = end_rounds(block(weights=weights), 0, command())
    assert final[0].errors == weights[margins <= 0].sum() > 0
    assert final[0].margin == pytest.approx(margins.min())
    assert final[0].margin <= margins.min()


def test_an_empty_partition_adds_nothing():
    empty = checked_block("part", np.zeros((0, 0)), [])
    state, reply = mix_round(empty, 3, command())
    assert isinstance(state, Part)
    assert state.number == 3
    whole = mix_round(block(), 0, command())[1][0]
    assert flat(whole + reply[0])[3:] == flat(whole)[3:]
    final = end_rounds(empty, state, command())[1][0]
    assert final.errors == 0
    assert final.duals[0].shape == (0,)


def test_the_order_depends_on_the_round_and_on_the_partition():
    task = dataclasses.replace(TASK, seed=7)
    found = {
        tuple(mix_round(block(), partition, command(number=number, task=task))[1][0].weights.tolist())
        for number in range(3)
        for partition in range(3)
    }
    assert len(found) > 3


def test_weights_that_overflow_are_refused():
    task = dataclasses.replace(TASK, class_weights=np.array([1e308, 1.0]))
    with pytest.raises(InvalidInputError, match="part: the product of sample_weight and class_weight"):
        mix_round(block(weights=np.full(12, 1e10)), 0, command(task=task))
