"""Gathering: a first point from a sample, and disaggregation, which ends with duals for all rows or gives up."""

import numpy as np
import pytest

from novikoff.distributed.soft_margin import gathering
from novikoff.distributed.soft_margin.disaggregation import AdoptCommand, GroupCommand
from novikoff.distributed.soft_margin.gathering import disaggregate, first_point
from novikoff.distributed.soft_margin.progress import Record
from novikoff.distributed.soft_margin.rows import SampleCommand
from partitions import INTERCEPTS, LOSSES, Problem, noisy_rows, optimum


def problem_of(loss="hinge", intercept="free", kind="dense", columns=5, sizes=(70, 0, 1, 129)):
    rng = np.random.default_rng(0)
    X, signs = noisy_rows(rng, sum(sizes), columns, kind)
    return Problem(X, signs, rng.choice([0.0, 1.0, 2.0], len(signs)), list(sizes), loss, intercept, C=0.5)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_disaggregation_reaches_the_tolerance_with_any_intercept(loss, intercept, kind):
    problem, record = problem_of(loss, intercept, kind), Record(0.5)
    solver = disaggregate(problem.setup, np.zeros(6), 0.05, 0.2, record, problem.options(tol=1e-6))
    outcome = problem.drive(solver, record=record)
    low, high = optimum(problem)
    assert record.history[-1].gap <= 1e-6
    assert outcome.update_width == 0.0
    alpha = np.concatenate(problem.kept)
    balanced = problem.balanced(alpha) if intercept == "free" else alpha
    assert np.all((alpha >= 0) & (alpha <= problem.setup.loss_function.top))
    assert problem.primal(outcome.v) <= high * (1 + 2e-6)
    assert problem.dual(balanced) >= low * (1 - 2e-6)
    duals = [entry.dual for entry in record.history]
    assert np.all(np.array(duals) <= 0.5 * high * (1 + 1e-9))


def test_a_driver_that_may_hold_nothing_gives_up_at_once():
    problem, commands = problem_of(), []
    solver = disaggregate(problem.setup, np.zeros(6), 10.0, 1.0, Record(1.0), problem.options(max_gathered=0))
    outcome = problem.drive(solver, lambda command, reply: commands.append(type(command)))
    assert not outcome.is_done
    assert not outcome.v.any()
    assert commands == [GroupCommand]


def test_the_best_point_and_its_duals_remain_after_too_many_rounds(monkeypatch):
    monkeypatch.setattr(gathering, "MAX_GROUP_ROUNDS", 2)
    problem, record, commands = problem_of(columns=20), Record(0.5), []
    solver = disaggregate(problem.setup, np.zeros(21), 0.01, 0.02, record, problem.options(tol=1e-12))
    outcome = problem.drive(solver, lambda command, reply: commands.append(type(command)), record)
    assert commands == [GroupCommand] * 3 + [AdoptCommand]
    assert not outcome.is_done
    assert 0.5 * problem.primal(outcome.v) == pytest.approx(record.history[-1].primal, rel=1e-9)
    dual = problem.dual(problem.balanced(np.concatenate(problem.kept)))
    assert 0.5 * dual == pytest.approx(record.history[-1].dual, rel=1e-3)


def test_the_first_point_is_the_solution_of_a_sample_with_its_costs_scaled():
    problem, commands = problem_of(sizes=(300, 500)), []
    v = problem.drive(first_point(problem.setup, 800, Record(1.0), problem.options()), lambda *w: commands.append(w))
    ((command, reply),) = commands
    numbers = np.concatenate([part.numbers for part in reply])
    assert isinstance(command, SampleCommand)
    assert len(numbers) == pytest.approx(100, abs=1)
    costs = problem.costs[numbers] * 800 / len(numbers)
    sample = Problem(problem.X[numbers], problem.signs[numbers], costs, None, C=0.5)
    assert sample.primal(v) <= optimum(sample)[1] * 1.02


def test_a_sample_of_one_class_gives_the_point_0():
    X = np.arange(40.0).reshape(40, 1)
    signs = np.where(np.arange(40) == 3, 1, -1)
    problem = Problem(X, signs)
    assert problem.drive(first_point(problem.setup, 40, Record(1.0), problem.options())).tolist() == [0.0, 0.0]
