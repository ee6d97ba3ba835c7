"""Quick enclosures of the objectives of soft-margin machines; test_gap_values.py compares many with exact values."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.enclosed_sums import Rows
from novikoff.theory.gap_values import SoftMargin
from novikoff.theory.quick_gap import Point, quick_bounds, squared_length


def ordinary(loss, intercept, layout, costs=None):
    """A problem of 700 rows, and a point of it with balanced duals."""
    rng = np.random.default_rng(1)
    X, signs = rng.normal(size=(700, 6)) + 1, rng.choice([-1.0, 1.0], 700)
    a = 0.01 * rng.random(700)
    a[signs < 0] *= a[signs > 0].sum() / a[signs < 0].sum()
    costs = np.full(700, 0.02) if costs is None else costs
    return SoftMargin(layout(X), signs, costs, loss, intercept), Point(rng.normal(size=6), 0.2, a)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array, np.float32])
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_quick_enclosures_of_ordinary_data_are_narrow(loss, intercept, layout, is_weighted):
    costs = np.random.default_rng(0).choice([0.02, 0.3], 700) if is_weighted else None
    problem, point = ordinary(loss, intercept, layout, costs)
    found = quick_bounds(problem, point, Rows(problem.X))
    for enclosure, truth in zip(found, problem.exact(point), strict=True):
        assert enclosure.low <= truth.low <= enclosure.high
        assert enclosure.width <= 1e-10 * abs(truth.high)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_quick_enclosures_are_wider_than_accurate_ones(loss):
    """So that an accurate check confirms what was stated quickly."""
    problem, point = ordinary(loss, "free", np.asarray)
    quick, accurate = quick_bounds(problem, point, Rows(problem.X)), problem.enclose(point, Rows(problem.X))
    assert all(a.width <= b.width for a, b in zip(accurate, quick, strict=True))


@pytest.mark.parametrize("factor", [1e-40, 1e40, 1e-300, 1e300])
@pytest.mark.parametrize("which", ["rows", "weights", "bias", "costs", "duals"])
def test_numbers_of_other_magnitudes_are_left_to_the_accurate_way(factor, which):
    problem, point = ordinary("hinge", "free", np.asarray)
    X, costs, weights, bias, a = problem.X, problem.costs, *point
    X, weights = (factor * X if which == "rows" else X), (factor * weights if which == "weights" else weights)
    costs, a = (factor * costs if which == "costs" else costs), (factor * a if which == "duals" else a)
    bias = factor if which == "bias" else bias
    found = quick_bounds(SoftMargin(X, problem.signs, costs, "hinge", "free"), Point(weights, bias, a), Rows(X))
    assert found is None


def test_the_squared_length_of_floats_is_enclosed():
    assert squared_length(np.zeros(3)).high == 0
    found = squared_length(np.array([3.0, 0.0, 4.0]))
    assert found.low <= 25 <= found.high
    assert found.width < Fraction(1, 10**12)


def test_no_duals_prove_exactly_0():
    problem, point = ordinary("squared_hinge", "free", np.asarray)
    _, dual = quick_bounds(problem, Point(point.weights, 0.0, np.zeros(700)), Rows(problem.X))
    assert (dual.low, dual.high) == (0, 0)
