"""The path of one binary problem."""

import numpy as np
import pytest

from binary_problems import WEIGHTS, each_problem, problem_of, training_set
from novikoff.solvers.path import solve_path
from novikoff.solvers.solver import SolverOptions, solve

OPTIONS = SolverOptions(1000, 1, 0)
CS = np.array([0.01, 0.03, 0.1, 1.0])


@each_problem
@pytest.mark.parametrize("screen", [False, True])
def test_every_point_is_solved_as_well_as_alone(loss, intercept, screen):
    data = training_set(weights=WEIGHTS)
    problem = problem_of(loss=loss, intercept=intercept, data=data)
    points = list(solve_path(data, 1, problem.objective, CS, OPTIONS, screen))
    for C, point in zip(CS, points, strict=True):
        alone = solve(problem_of(C=C, loss=loss, intercept=intercept, data=data), OPTIONS)
        assert point.objective.C == C
        assert point.solution.relative_gap <= 1e-6
        assert point.solution.primal == pytest.approx(alone.primal, rel=3e-6)
        assert 0 <= point.screened <= 1
    assert points[0].screened == 0


def test_a_path_starts_where_the_last_point_ended():
    data = training_set()
    points = list(solve_path(data, 1, problem_of(data=data).objective, np.array([1.0, 1.0 + 1e-9]), OPTIONS))
    assert points[1].solution.steps <= 1
