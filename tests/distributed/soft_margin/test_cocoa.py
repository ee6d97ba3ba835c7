"""CoCoA+: one partition is plain coordinate descent; the dual objective never falls; it converges on wide rows."""

import math

import numpy as np
import pytest

from novikoff.distributed.soft_margin import progress
from novikoff.distributed.soft_margin.cocoa import CocoaCommand, Descended, cocoa_step, solve_by_descent
from novikoff.distributed.soft_margin.disaggregation import GroupCommand, group_step
from novikoff.distributed.soft_margin.progress import Record
from partitions import INTERCEPTS, LOSSES, Problem, noisy_rows, optimum


def wide_problem(loss, intercept, sizes=(15, 0, 1, 24), kind="sparse", C=1.0):
    rng = np.random.default_rng(0)
    X, signs = noisy_rows(rng, 40, 60, kind)
    return Problem(X, signs, rng.choice([0.0, 1.0, 2.0], 40), list(sizes), loss, intercept, C=C)


def alphas(problem, length=1.0):
    """The dual variables of all rows, after a step of some length."""
    found = []
    for kept in problem.kept:
        if isinstance(kept, Descended):
            kept = np.clip(kept.before + length * (kept.after - kept.before), 0, problem.setup.loss_function.top)
        found.append(kept)
    return np.concatenate(found)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", ["penalized", "none"])
def test_one_pass_over_one_partition_is_plain_coordinate_descent(loss, intercept):
    """A row at a time, in NumPy; the order of the kernel is random, so all orders that it can have are compared."""
    rng = np.random.default_rng(0)
    X, signs = noisy_rows(rng, 2, 5)
    costs = np.array([1.0, 2.0])
    problem = Problem(X, signs, costs, None, loss, intercept)
    setup, u = problem.setup, problem.u
    metric = np.append(np.full(5, setup.lam), setup.kappa or math.inf)
    rho = 1 / setup.kappa if setup.kappa else 0.0
    problem.run(cocoa_step, CocoaCommand(np.zeros(6), 1.0, 1, setup.lam, rho, 0))
    possible = []
    for order in ((0, 1), (1, 0)):
        alpha, v = np.zeros(2), np.zeros(6)
        for k in order:
            slope = 1 - signs[k] * u[k] @ v - setup.loss_function.ridge * alpha[k]
            curvature = costs[k] * float(u[k] @ (u[k] / metric)) + setup.loss_function.ridge
            moved = np.clip(alpha[k] + slope / curvature, 0.0, setup.loss_function.top) - alpha[k]
            alpha[k] += moved
            v += costs[k] * moved * signs[k] * u[k] / metric
        possible.append(alpha)
    assert any(alphas(problem) == pytest.approx(alpha, rel=1e-12) for alpha in possible)
    assert not np.allclose(*possible)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", ["penalized", "none"])
@pytest.mark.parametrize("sizes", [(40,), (15, 0, 1, 24), (5,) * 8])
def test_the_dual_objective_never_falls(loss, intercept, sizes):
    problem, duals = wide_problem(loss, intercept, sizes), [0.0]
    solver = solve_by_descent(problem.setup, 1.0, Record(1.0), problem.options(tol=1e-4))

    def watch(command, reply):
        start = np.concatenate([kept.before if isinstance(kept, Descended) else kept for kept in problem.kept])
        assert np.all((start >= 0) & (start <= problem.setup.loss_function.top))
        duals.append(problem.dual(start))

    problem.drive(solver, watch)
    assert len(duals) > 3
    assert np.all(np.diff(duals) >= -1e-12 * duals[-1])


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_it_converges_with_any_intercept_and_its_bounds_are_those_of_its_points(loss, intercept, kind):
    problem = wide_problem(loss, intercept, kind=kind)
    record = Record(1.0)
    outcome = problem.drive(solve_by_descent(problem.setup, 10.0, record, problem.options(tol=1e-3)), record=record)
    assert record.history[-1].gap <= 1e-3
    low, high = optimum(problem)
    alpha = problem.balanced(alphas(problem)) if intercept == "free" else alphas(problem)
    assert outcome.update_width == 0.0
    assert problem.primal(outcome.v) == pytest.approx(record.history[-1].primal, rel=1e-9)
    assert problem.dual(alpha) == pytest.approx(record.history[-1].dual, rel=1e-9)
    assert low * (1 - 1e-9) <= problem.primal(outcome.v) <= high * (1 + 2e-3)
    assert low * (1 - 2e-3) <= problem.dual(alpha) <= high * (1 + 1e-9)


def test_a_limit_of_time_ends_it_after_the_round_in_which_it_is_over(monkeypatch):
    problem, record, now = wide_problem("hinge", "free"), Record(1.0), [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    options = problem.options(tol=0.0, deadline=39.5)
    problem.drive(
        solve_by_descent(problem.setup, 1.0, record, options),
        lambda command, reply: now.append(now.pop() + 1),
        record,
    )
    assert record.rounds == record.history[-1].step == 41


def test_the_order_of_rows_depends_on_the_seed_and_on_the_partition_only():
    found = []
    for seed in (0, 0, 1):
        problem = wide_problem("hinge", "none")
        problem.run(cocoa_step, CocoaCommand(np.zeros(61), 1.0, 2, 1.0, 0.0, seed))
        found.append(alphas(problem).tobytes())
    assert found[0] == found[1] != found[2]


def test_it_begins_at_zero_after_rows_could_not_be_gathered():
    problem, fresh = wide_problem("hinge", "none"), wide_problem("hinge", "none")
    problem.run(group_step, GroupCommand(np.zeros(61), 1.0, 1.0))
    for each in (problem, fresh):
        each.run(cocoa_step, CocoaCommand(np.zeros(61), 1.0, 2, 1.0, 0.0, 0))
    assert np.array_equal(alphas(fresh), alphas(problem))
