"""One round advances all problems that are not done, each with its own command."""

import numpy as np
import pytest

from novikoff.distributed.engines.local import LocalEngine
from novikoff.distributed.soft_margin.advance import STEPS, advance, run_together
from novikoff.distributed.soft_margin.rows import SampleCommand
from novikoff.distributed.soft_margin.setup import begin
from partitions import Problem, noisy_rows

X, SIGNS = noisy_rows(np.random.default_rng(0), 12, 3)
PROBLEM = Problem(X, SIGNS, None, [12])


def solver(rounds, log, name):
    """Ask for so many rounds."""
    for number in range(rounds):
        found = yield SampleCommand(1.0)
        count = sum(map(len, found))
        log.append((name, number, count))
    return name


def test_solvers_of_different_lengths_share_the_rounds():
    engine, log, counted = LocalEngine(1), [], []
    setup = PROBLEM.setup
    with engine.open(engine.data("here", [X], [SIGNS], None)) as rounds:
        rounds.run(begin, setup)
        for lengths, total in (((2, 0, 1), 2), ((0,), 0)):
            before = rounds.rounds
            three = type(setup)(**{**vars(setup), "pairs": setup.pairs * 3})
            rounds.restore([0])
            rounds.run(begin, three)
            found = run_together(rounds, [solver(n, log, k) for k, n in enumerate(lengths)], counted.append, 3)
            assert found == list(range(len(lengths)))
            assert rounds.rounds - before - 1 == total
    assert log == [(0, 0, 12), (2, 0, 12), (0, 1, 12)]
    assert counted == [0, 2, 0]


@pytest.mark.parametrize(("most", "total"), [(1, 7), (2, 4), (4, 3)])
def test_at_most_so_many_solvers_advance_at_the_same_time(most, total):
    engine, running, largest = LocalEngine(1), set(), []
    setup = PROBLEM.setup

    def watched(place, rounds):
        running.add(place)
        largest.append(len(running))
        yield from solver(rounds, [], place)
        running.remove(place)
        return place

    with engine.open(engine.data("here", [X], [SIGNS], None)) as rounds:
        rounds.run(begin, type(setup)(**{**vars(setup), "pairs": setup.pairs * 4}))
        before = rounds.rounds
        solvers = [watched(place, number) for place, number in enumerate((2, 0, 3, 2))]
        assert run_together(rounds, solvers, lambda place: None, most) == [0, 1, 2, 3]
        assert rounds.rounds - before == total
    assert max(largest) <= most


def test_each_problem_has_its_own_state_and_the_old_one_is_not_modified():
    state = PROBLEM.states[0]
    commands = {0: SampleCommand(1.0)}
    after, replies = advance(PROBLEM.blocks[0], state, commands)
    assert (state.problems, after.problems) == ({}, {0: None})
    assert len(replies[0][0]) == 12
    assert after.codes is state.codes


def test_every_command_has_a_step():
    assert all(callable(step) and step.__name__.endswith("_step") for step in STEPS.values())
    with pytest.raises(KeyError):
        advance(PROBLEM.blocks[0], PROBLEM.states[0], {0: "unknown"})
