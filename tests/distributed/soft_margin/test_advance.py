"""One round advances all problems that are not done."""

import numpy as np
import pytest

from novikoff.distributed.engines.local import LocalEngine
from novikoff.distributed.soft_margin.advance import run_together
from novikoff.distributed.soft_margin.rows import SampleCommand
from novikoff.distributed.soft_margin.setup import begin
from partitions import Problem, noisy_rows

X, SIGNS = noisy_rows(np.random.default_rng(0), 12, 3)
PROBLEM = Problem(X, SIGNS, None, [12])


@pytest.mark.parametrize(("most", "total"), [(1, 7), (2, 4), (4, 3)])
def test_at_most_so_many_solvers_advance_at_the_same_time(most, total):
    engine, running, largest = LocalEngine(1), set(), []
    setup = PROBLEM.setup

    def watched(place, rounds):
        running.add(place)
        largest.append(len(running))
        for _ in range(rounds):
            found = yield SampleCommand(1.0)
            assert sum(map(len, found)) == 12
        running.remove(place)
        return place

    with engine.open(engine.data("here", [X], [SIGNS], None)) as rounds:
        rounds.run(begin, type(setup)(**{**vars(setup), "pairs": setup.pairs * 4}))
        before = rounds.rounds
        solvers = [watched(place, number) for place, number in enumerate((2, 0, 3, 2))]
        assert run_together(rounds, solvers, lambda place: None, most) == [0, 1, 2, 3]
        assert rounds.rounds - before == total
    assert max(largest) <= most
