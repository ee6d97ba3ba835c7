"""The sums of Newton's method: independent of the cut, equal to their definitions, and with the right derivatives."""

import math

import numpy as np
import pytest

from novikoff.distributed.soft_margin.newton import LENGTHS, NewtonCommand, NewtonMethod, newton_step
from novikoff.distributed.soft_margin.newton import _length as root_of_slopes
from partitions import INTERCEPTS, LOSSES, Problem, noisy_rows

CUTS = ([90], [30, 0, 60], [1] * 5 + [85])


def problems(loss="hinge", intercept="free", columns=5, kind="dense", is_weighted=True, **changed):
    """The same problem in different cuts."""
    rng = np.random.default_rng(columns)
    X, signs = noisy_rows(rng, 90, columns, kind)
    weights = rng.choice([0.0, 1.0, 2.5], 90) if is_weighted else None
    return [Problem(X, signs, weights, sizes, loss, intercept, C=2.0, scale=0.5, **changed) for sizes in CUTS]


def replies(problem, command, start=0.5):
    """The reply to a command after all duals were set."""
    problem.run(newton_step, NewtonCommand(command.v, command.width, start=start))
    return problem.run(newton_step, command)


def theta(problem, margins, alpha, width):
    """The second derivative of the smoothed loss at each row, and the first."""
    loss = problem.setup.loss_function
    ramp = (1 - loss.ridge / width) * alpha + (1 - margins) / width
    return np.where((ramp > 0) & (ramp < loss.top), problem.costs / width, 0.0), np.clip(ramp, 0.0, loss.top)


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("kind", "columns"),
    [("dense", 5), ("sparse", 5), ("dense", 120), ("sparse", 120)],  # BLAS from 100 columns on
)
def test_the_matrix_is_that_of_its_definition(loss, intercept, kind, columns):
    width = 1.0 if loss == "hinge" else 0.5
    v = np.random.default_rng(1).normal(size=columns + 1) * 3 / columns**0.5
    for problem in problems(loss, intercept, columns, kind):
        _, _, gram, _, within, _ = replies(problem, NewtonCommand(v, width))
        margins = problem.signs * (problem.u @ v)
        curvature, _ = theta(problem, margins, np.full(90, 0.5), width)
        expected = problem.u.T @ (curvature[:, None] * problem.u)
        assert np.count_nonzero(curvature) > 3
        assert gram == pytest.approx(expected[np.tril_indices(columns + 1)], rel=1e-12, abs=1e-12)
        assert within == np.count_nonzero(np.abs(1 - margins) <= width)


def test_the_matrix_of_float32_rows_is_computed_in_float64():
    rng = np.random.default_rng(0)
    X, signs = noisy_rows(rng, 40, 120)
    X = X.astype(np.float32)
    v = rng.normal(size=121) * 0.1
    grams = [replies(Problem(rows, signs), NewtonCommand(v, 0.3))[2] for rows in (X, X.astype(np.float64))]
    assert np.array_equal(*grams)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_the_gradient_and_the_slopes_are_derivatives_of_the_smoothed_objective(loss, intercept):
    width = 0.3 if loss == "hinge" else 0.5
    problem = problems(loss, intercept)[1]
    ridge, top = problem.setup.loss_function.ridge, problem.setup.loss_function.top
    alpha = np.full(90, 0.5)

    def smoothed(v):
        """Maximum over 0 <= a <= top of a r - ridge/2 a^2 - (width - ridge)/2 (a - alpha)^2, summed over rows."""
        slack = 1 - problem.signs * (problem.u @ v)
        a = np.clip((slack + (width - ridge) * alpha) / width, 0.0, top)
        values = a * slack - 0.5 * ridge * a * a - 0.5 * (width - ridge) * (a - alpha) ** 2
        return 0.5 * v @ (problem.setup.penalty * v) + problem.costs @ values

    rng = np.random.default_rng(2)
    v, d = rng.normal(size=6) * 0.3, rng.normal(size=6) * 0.3
    method = NewtonMethod(problem.setup)
    point = problem.drive(method.at(v, width, start=0.5))
    step = 1e-5
    for k in range(6 if intercept != "none" else 5):
        along = step * np.eye(6)[k]
        assert point.bounds.gradient[k] == pytest.approx(
            (smoothed(v + along) - smoothed(v - along)) / (2 * step), rel=1e-5, abs=1e-5
        )
    _, _, _, slopes, _, _ = problem.run(newton_step, NewtonCommand(v, width, d))
    penalty = problem.setup.penalty
    for slope, length in zip(slopes, [0.0, *LENGTHS], strict=True):
        at = v + length * d
        numerical = (smoothed(at + step * d) - smoothed(at - step * d)) / (2 * step)
        assert slope + d @ (penalty * at) == pytest.approx(numerical, rel=1e-5, abs=1e-4)


def test_bounds_are_the_objectives_of_the_point_and_of_balanced_duals():
    for intercept in INTERCEPTS:
        problem = problems("squared_hinge", intercept)[1]
        v = np.linspace(-0.2, 0.3, 6)
        v[-1] *= intercept != "none"
        bounds = problem.drive(NewtonMethod(problem.setup).at(v, 0.5, start=0.0)).bounds
        slack = np.maximum(0.0, 1 - problem.signs * (problem.u @ v))
        alpha = problem.balanced(2 * slack) if intercept == "free" else 2 * slack
        assert bounds.primal == pytest.approx(problem.primal(v), rel=1e-12)
        assert bounds.dual == pytest.approx(problem.dual(alpha), rel=1e-10)


def test_damping_is_a_share_of_all_curvature_for_the_hinge_only():
    for loss in LOSSES:
        problem = problems(loss, kind="sparse")[1]
        method = NewtonMethod(problem.setup)
        problem.drive(method.at(np.zeros(6), 0.5, start=0.5))
        expected = 0.01 * problem.costs @ problem.u**2 if loss == "hinge" else np.zeros(6)
        assert method.damping == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_steps_lower_the_objective_of_the_squared_hinge_and_end_at_its_minimum(loss):
    width = 0.3 if loss == "hinge" else 0.5
    problem = problems(loss)[2]
    method = NewtonMethod(problem.setup)
    point = problem.drive(method.at(np.zeros(6), width, start=0.5 if loss == "hinge" else 0.0))
    for _ in range(60):
        moved = problem.drive(method.step(point, width))
        if moved is None:
            break
        if loss == "squared_hinge":
            assert moved.bounds.primal <= point.bounds.primal * (1 + 1e-12)
        point = moved
    assert np.abs(point.bounds.gradient).max() <= 1e-6 * problem.costs.sum()


def test_the_length_is_where_the_slope_is_zero():
    slopes = -3.0 + 2.0 * np.array([0.0, *LENGTHS])
    assert root_of_slopes(slopes) == pytest.approx(1.5)
    assert root_of_slopes(np.full(len(LENGTHS) + 1, -1.0)) == LENGTHS[-1]
    assert math.isclose(root_of_slopes(-1e-3 + np.array([0.0, *LENGTHS])), 1e-3)
