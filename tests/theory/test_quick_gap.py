"""Quick enclosures of the objectives of soft-margin machines; test_gap_values.py compares many with exact values."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory import enclosed_sums, quick_gap
from novikoff.theory.enclosed_sums import Rows
from novikoff.theory.enclosure import Enclosure
from novikoff.theory.gap_values import SoftMargin
from novikoff.theory.measured import measure
from novikoff.theory.quick_gap import Point, is_ordinary, quick_bounds, squared_length


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


@pytest.mark.parametrize("number", [2.0**100, 2.0**-100, -(2.0**100), -(2.0**-100)])
def test_ordinary_numbers_end_at_the_hundredth_power_of_two(number):
    size = abs(number)
    beyond = np.copysign(np.nextafter(size, np.inf if size > 1 else 0.0), number)
    assert is_ordinary(number)
    assert is_ordinary(np.array([0.0, number]))
    assert not is_ordinary(beyond)
    assert is_ordinary(np.zeros(3))
    assert is_ordinary(np.zeros(0))


@pytest.mark.parametrize("is_measured", [False, True])
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_quick_enclosures_of_any_duals_hold_in_blocks_and_chunks(loss, intercept, is_measured, monkeypatch):
    monkeypatch.setattr(quick_gap, "CHUNK_ROWS", 3)
    monkeypatch.setattr(enclosed_sums, "CACHED_ENTRIES", 16)  # 8 rows
    rng = np.random.default_rng(4)
    X, signs, costs = rng.normal(size=(21, 2)), np.where(np.arange(21) % 3, 1.0, -1.0), rng.uniform(0.5, 2.0, 21)
    problem = SoftMargin(X, signs, costs, loss, intercept)
    point, rows = Point(rng.normal(size=2), 0.5 * (intercept != "none"), costs * rng.random(21)), Rows(X)
    measured = measure(rows, point.weights[None], (point.duals * signs)[None])[0] if is_measured else None
    primal, dual = quick_bounds(problem, point, rows, measured)
    exact = problem.exact(point)
    for found, truth in ((primal, exact[0]), (dual, exact[1])):
        assert found.low <= truth.low == truth.high <= found.high
    assert primal.width <= 1e-12 * primal.high
    assert intercept == "free" or dual.width <= 1e-11 * abs(dual.high)  # scaled duals are wider


def enclosed(X, signs, weights, bias, duals, is_measured, loss="hinge", intercept="none"):
    """The quick enclosures of a problem whose costs are 1."""
    problem, rows = SoftMargin(X, signs, np.ones(len(X)), loss, intercept), Rows(X)
    measured = measure(rows, weights[None], (duals * signs)[None])[0] if is_measured else None
    return quick_bounds(problem, Point(weights, bias, duals), rows, measured)


@pytest.mark.parametrize("is_measured", [False, True])
def test_the_error_of_a_score_is_that_of_its_terms(is_measured):
    """A score of terms that cancel is off by k + 8 last digits of |x| |w| + |b| + 1."""
    primal, _ = enclosed(np.full((1, 2), 2.0**20), np.ones(1), np.array([1.0, -1.0]), 0.0, np.zeros(1), is_measured)
    error = 10 * 2.0**-52 * (2.0**20 * np.sqrt(2) * np.sqrt(2) + 1)
    assert float(primal.high) - 2 == pytest.approx(error, rel=1e-5, abs=0)
    assert 2 - float(primal.low) == pytest.approx(error, rel=1e-5, abs=0)
    many = 1000
    primal, _ = enclosed(np.full((1, many), 2.0**-90), np.ones(1), np.ones(many), 0.5, np.zeros(1), is_measured)
    loss = primal - squared_length(np.ones(many)) * Enclosure.exactly(Fraction(1, 2))
    assert float(loss.high) - 0.5 >= 1008 * 2.0**-52 * 1.5
    assert 0.5 - float(loss.low) >= 1008 * 2.0**-52 * 1.5
    primal, _ = enclosed(np.full((1, many), 2.0**-90), np.ones(1), 0 * np.ones(many), 0.5, np.zeros(1), is_measured)
    assert float(primal.high) - 0.5 == pytest.approx(1008 * 2.0**-52 * 1.5, rel=1e-2, abs=0)


@pytest.mark.parametrize("is_measured", [False, True])
def test_the_error_of_a_sum_of_rows_is_that_of_its_terms(is_measured, monkeypatch):
    """The sum of rows that cancel is as long as k + 8 last digits of the sum of a_i |x_i|."""
    X, signs, duals = np.full((4, 2), 2.0**60), np.array([1.0, -1.0, 1.0, -1.0]), np.ones(4)
    for entries, operations in ((1 << 18, 4 + 1), (4, 2 + 2)):  # one block of four rows, then two of two
        monkeypatch.setattr(enclosed_sums, "CACHED_ENTRIES", entries)
        _, dual = enclosed(X, signs, np.zeros(2), 0.0, duals, is_measured)
        length = 4 * 2.0**60 * np.sqrt(2) * 2.0**-52 * (operations + 8)
        assert 4 - float(dual.low) == pytest.approx(0.5 * length**2, rel=1e-12, abs=0)
        assert float(dual.high) == pytest.approx(4, rel=1e-14)
        assert dual.high >= 4


def test_a_row_of_cost_0_has_no_ridge():
    X, signs, costs = np.array([[1.0], [2.0], [-1.0]]), np.array([1.0, 1.0, -1.0]), np.array([0.5, 0.0, 0.25])
    problem, point = SoftMargin(X, signs, costs, "squared_hinge", "none"), Point(np.ones(1), 0.0, np.array([1.0, 0, 3]))
    _, dual = quick_bounds(problem, point, Rows(X))
    exact = 1 + 3 - Fraction(4) ** 2 / 2 - (Fraction(1, 2) + 9)
    assert dual.low <= exact <= dual.high
    assert dual.width <= Fraction(1, 10**12)
