"""Rows on the driver: an even sample, and the solution of the problem that gathered rows make."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.distributed.soft_margin.rows import Gathered, SampleCommand, joined, sample_step, solve_gathered
from partitions import INTERCEPTS, LOSSES, Problem, noisy_rows, optimum

RNG = np.random.default_rng(0)
X, SIGNS = noisy_rows(RNG, 40, 4)
WEIGHTS = RNG.choice([0.0, 1.0, 2.0], 40)
SIZES = [0, 1, 24, 15]


@pytest.mark.parametrize(("share", "numbers"), [(1.0, range(40)), (1e-9, [0, 1, 25]), (1 / 12, [0, 1, 24, 25])])
def test_the_sample_is_spread_evenly_over_each_partition(share, numbers):
    problem = Problem(X, SIGNS, WEIGHTS, SIZES)
    found = joined(problem.run(sample_step, SampleCommand(share)))
    assert found.numbers.tolist() == list(numbers)
    assert np.array_equal(found.X, X[found.numbers])
    assert np.array_equal(found.is_positive, SIGNS[found.numbers] > 0)
    assert np.array_equal(found.costs, WEIGHTS[found.numbers])
    assert len(found) == len(found.numbers)
    assert found.size == found.X.nbytes
    assert problem.kept == [None] * 4


@pytest.mark.parametrize("kind", ["dense", "sparse", "float32"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_all_rows_give_the_solution_of_the_whole_problem(loss, intercept, kind):
    rows = {"dense": X, "sparse": sp.csr_matrix(X), "float32": X.astype(np.float32)}[kind]
    problem = Problem(rows, SIGNS, WEIGHTS, SIZES, loss, intercept, C=2.0, scale=0.5)
    gathered = joined(problem.run(sample_step, SampleCommand(1.0)))
    low, high = optimum(problem)
    v, alpha, solution = solve_gathered(problem.setup, gathered, 1e-8, problem.options())
    assert low * (1 - 1e-9) <= problem.primal(v) <= high * (1 + 1e-6)
    assert solution.dual / 2.0 == pytest.approx(low, rel=1e-6)
    balanced = problem.balanced(alpha) if intercept == "free" else alpha
    assert problem.dual(balanced) == pytest.approx(low, rel=1e-6)
    again, _, restarted = solve_gathered(problem.setup, gathered, 1e-6, problem.options(), (v, alpha))
    assert problem.primal(again) <= high * (1 + 1e-5)
    assert restarted.dual / 2.0 == pytest.approx(low, rel=1e-5)


@pytest.mark.parametrize(
    ("is_positive", "costs", "expected"),
    [([True, False], [1.0, 1.0], True), ([True, True], [1.0, 1.0], False), ([True, False], [1.0, 0.0], False)],
)
def test_both_classes_need_rows_with_a_cost(is_positive, costs, expected):
    rows = Gathered(np.arange(2), np.zeros((2, 1)), np.array(is_positive), np.array(costs))
    assert rows.has_both_classes == expected
