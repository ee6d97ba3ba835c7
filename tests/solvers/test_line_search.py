"""Line search on functions with known minima."""

import pytest

from novikoff.solvers.line_search import minimize_along_line


@pytest.mark.parametrize("minimum", [1e-6, 0.3, 1.0, 50.0, 1e9])
def test_the_minimum_of_a_parabola_is_found(minimum):
    assert minimize_along_line(lambda t: (t - minimum, 1.0), 1e-3) == pytest.approx(minimum, rel=1e-2)


@pytest.mark.parametrize("minimum", [0.01, 2.0, 300.0])
def test_the_minimum_of_a_piecewise_quadratic_is_found(minimum):
    """The curvature is a thousand times larger beyond the minimum."""
    found = minimize_along_line(lambda t: ((t - minimum) * (1e3 if t > minimum else 1.0), 1e3), 1e-3)
    assert found == pytest.approx(minimum, rel=2e-2)


def test_a_direction_that_does_not_descend_has_the_step_0():
    assert minimize_along_line(lambda t: (t, 1.0), 1e-3) == 0.0
    assert minimize_along_line(lambda t: (1.0, 0.0), 1e-3) == 0.0


def test_a_small_slope_far_from_the_minimum_does_not_end_the_search():
    """Up to t = 10 the slope is steep, then it is small until the minimum at t = 1000."""

    def derivatives(t):
        return (-1e6 + 1e5 * t, 1e5) if t < 9.99 else (1e-3 * (t - 1000.0), 1e-3)

    assert minimize_along_line(derivatives, 1e-3) == pytest.approx(1000, rel=0.2)
