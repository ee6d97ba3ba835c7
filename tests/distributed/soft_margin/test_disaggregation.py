"""Disaggregation: groups never raise the objective, and their duals are feasible with the same dual objective."""

import numpy as np
import pytest

from novikoff.distributed.soft_margin.disaggregation import (
    SIDES,
    AdoptCommand,
    Disaggregation,
    GroupCommand,
    adopt_step,
    group_step,
)
from novikoff.distributed.soft_margin.rows import solve_gathered
from partitions import INTERCEPTS, LOSSES, Problem, noisy_rows, optimum


def problem_of(loss, intercept, seed=0, kind="dense", C=0.5):
    rng = np.random.default_rng(seed)
    X, signs = noisy_rows(rng, 60, 4, kind)
    return Problem(X, signs, rng.choice([0.0, 1.0, 3.0], 60), [20, 0, 1, 39], loss, intercept, C=C)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_rounds_bound_the_optimum_from_below_and_their_duals_are_those_of_the_members(loss, intercept, kind):
    problem = problem_of(loss, intercept, 1, kind)
    low, high = optimum(problem)
    driver, point, duals = Disaggregation(problem.setup, 0.05, 0.3), np.zeros(5), []
    for _ in range(12):
        measured = problem.drive(driver.measure(point))
        assert problem.setup.penalty @ point**2 / 2 + driver.loss == pytest.approx(problem.primal(point), rel=1e-12)
        point, alpha, solution = solve_gathered(problem.setup, measured, 1e-9, problem.options())
        duals.append(solution.dual / problem.setup.C)
        assert duals[-1] <= high * (1 + 1e-9)
    assert duals[-1] >= low * (1 - 1e-6)  # all rows that matter have been sent
    problem.drive(driver.measure(point))
    numbers, own = measured.numbers[:-SIDES], alpha[:-SIDES]
    order = np.argsort(numbers)
    problem.run(adopt_step, AdoptCommand(alpha[-SIDES:], numbers[order], own[order]))
    adopted = np.concatenate(problem.kept)
    assert np.all((adopted >= 0) & (adopted <= problem.setup.loss_function.top))
    balanced = problem.balanced(adopted) if intercept == "free" else adopted
    assert problem.dual(balanced) == pytest.approx(duals[-1], rel=1e-6)
    assert problem.primal(point) >= duals[-1] * (1 - 1e-9)


def test_rows_are_sent_once_nearest_first_and_no_more_than_the_share():
    problem = problem_of("hinge", "free")
    v = np.full(5, 0.3)
    loss, sent, groups = problem.run(group_step, GroupCommand(v, 0.5, 0.1))
    margins = problem.signs * (problem.u @ v)
    assert loss == pytest.approx(float(problem.costs @ np.maximum(0, 1 - margins)))
    near = np.flatnonzero((np.abs(1 - margins[:20]) <= 0.5) & (problem.costs[:20] > 0))
    assert len(near) > 2
    assert sent[0].numbers.tolist() == sorted(near[np.argsort(np.abs(1 - margins[near]), kind="stable")[:2]].tolist())
    numbers = np.concatenate([part.numbers for part in sent])
    assert len(set(numbers.tolist())) == len(numbers)
    others = np.setdiff1d(np.arange(60), numbers)
    assert groups[:, 0].sum() == pytest.approx(problem.costs[others].sum())
    assert groups[:, 1:-1].sum(axis=0) == pytest.approx(problem.costs[others] @ problem.X[others])
    _, again, _ = problem.run(group_step, GroupCommand(v, 0.5, 1.0))
    assert not set(numbers.tolist()) & set(np.concatenate([part.numbers for part in again]).tolist())


def test_rows_with_a_squared_loss_are_all_wanted():
    problem = problem_of("squared_hinge", "none")
    v = np.array([0.4, 0.4, 0.0, 0.0, 0.0])
    _, sent, groups = problem.run(group_step, GroupCommand(v, 0.0, 1.0))
    margins = problem.signs * (problem.u @ v)
    numbers = np.concatenate([part.numbers for part in sent])
    assert numbers.tolist() == np.flatnonzero((margins <= 1) & (problem.costs > 0)).tolist()
    assert groups[[0, 2], 0].tolist() == [0.0, 0.0]
