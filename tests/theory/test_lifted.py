"""Vectors u: enclosures that contain what fractions give."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory import Geometry
from novikoff.theory.exact_lifted import ExactRows
from novikoff.theory.lifted import LiftedRows, lies_near, plus, private_part, relative_to, squared_length_of

GEOMETRIES = [
    Geometry(intercept, normalize, delta)
    for intercept in (True, False)
    for normalize in (True, False)
    for delta in (0, 0.3)
]
SCALES = [1.0, 1e-300, 1e-160, 1e-5, 1e5, 1e150, 1e300]


def rows_of(seed, scale):
    random = np.random.default_rng(seed)
    X = random.standard_normal((9, 4)) * (random.random((9, 4)) < 0.7) * scale
    return X, np.where(random.random(9) < 0.5, 1.0, -1.0), random


def holds(enclosed, place, value):
    low, high = (Fraction(float(end[place])) * Fraction(2) ** enclosed.exponent for end in enclosed.ends())
    return low <= value <= high


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_margins_and_lengths_are_enclosed(geometry, scale, sparse):
    X, signs, random = rows_of(1, scale)
    weights, intercept = random.standard_normal(4) / scale, float(random.standard_normal())
    measured = LiftedRows(sp.csr_array(X) if sparse else X, geometry).measure(weights, intercept)
    exact, every = ExactRows(X, signs, geometry), np.arange(9)
    for row, square in exact.squares(every):
        assert holds(measured.squares, row, square)
        assert measured.squares.radius[row] <= 1e-14 * measured.squares.middle[row]
    for row, margin in exact.margins(every, weights, intercept, None):
        found = measured.scores
        low, high = (
            int(signs[row]) * Fraction(float(end[row])) * Fraction(2) ** found.exponent for end in found.ends()
        )
        low, high = min(low, high), max(low, high)
        square = margin.signed_square()
        assert low * abs(low) <= square.high
        assert square.low <= high * abs(high)


@pytest.mark.parametrize("amount", [1.0, 1e-300, 1e300])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_sums_of_rows_are_enclosed(geometry, scale, sparse, amount):
    X, signs, random = rows_of(2, scale)
    rows, amounts = np.array([0, 2, 3, 7, 8]), random.random(5) * amount
    found = LiftedRows(sp.csr_array(X) if sparse else X, geometry).combine(rows, amounts, signs[rows])
    exact = ExactRows(X, signs, geometry).combine(rows, amounts)
    ratio, truth = found.squared_ratio(), exact.squared_ratio()
    assert ratio.low <= truth.high
    assert truth.low <= ratio.high
    assert ratio.width <= Fraction(1, 10**13) * ratio.high
    assert truth.width <= Fraction(1, 2**150) * truth.high
    assert found.steps == exact.steps


@pytest.mark.parametrize("intercept", [True, False])
def test_steps_of_all_sizes_are_enclosed_beside_long_rows(intercept):
    X, amounts, signs = np.diag([1e60, -1e60, 1e-60]), np.array([1.0, 1e-300, 1e-250]), np.array([1.0, -1.0, 1.0])
    found = LiftedRows(X, Geometry(intercept, normalize=True)).combine(np.arange(3), amounts, signs)
    exact = ExactRows(X, signs, Geometry(intercept, normalize=True)).combine(np.arange(3), amounts)
    unit = Fraction(2) ** exact.exponent
    assert all(holds(found.weights, j, exact.sums[j] * unit) for j in range(3))
    assert all(holds(found.sizes, j, exact.sizes[j] * unit) for j in range(3))


def test_a_row_of_unknown_length_leaves_only_its_own_columns_open():
    X = np.array([[1e300, 0.0, 0.0], [1e-10, 0.0, 1e-20]])
    found = LiftedRows(X, Geometry(False, normalize=True)).combine(np.arange(2), np.ones(2), np.ones(2))
    assert np.isinf(found.weights.radius).tolist() == [True, False, True]
    assert found.weights.radius[1] == 0


def test_a_row_of_zeros_has_no_direction():
    found = LiftedRows(np.zeros((2, 3)), Geometry(False, True)).measure(np.ones(3), 0.0)
    assert not found.scores.middle.any()
    assert not found.scores.radius.any()
    assert not found.squares.middle.any()


def test_sums_of_rows_without_entries_are_exactly_zero():
    X = np.array([[1.0, 0.0], [2.0, 0.0]])
    found = LiftedRows(X, Geometry(False)).combine(np.arange(2), np.ones(2), np.ones(2))
    assert found.weights.middle[1] == found.weights.radius[1] == 0


def test_lengths_and_private_parts_neither_overflow_nor_underflow():
    for scale in (5e-324, 1e-200, 1e200):
        found = squared_length_of(np.full(3, scale), 0.0, np.array([scale]), scale)
        truth = 3 * Fraction(scale) ** 2 + Fraction(scale) ** 4
        assert found.low <= truth <= found.high
        own = private_part(scale, np.array([scale, 0.0]))
        assert holds(own, 0, Fraction(scale) ** 3)
        assert holds(plus(own, own), 0, 2 * Fraction(scale) ** 3)


def test_numbers_near_a_sum_are_told_from_others():
    X = np.array([[0.1, 1e-200], [0.2, 2e-200], [0.3, 1e200]])
    found = LiftedRows(X, Geometry(False)).combine(np.arange(2), np.ones(2), np.ones(2))
    for claimed, near, possible in (
        ([0.1 + 0.2, 1e-200 + 2e-200], [True, True], [True, True]),
        ([0.3 + 1e-12, 3.1e-200], [False, False], [False, False]),
    ):
        sure, maybe = lies_near(np.array(claimed), found.weights, found.sizes, 30)
        assert sure.tolist() == near
        assert maybe.tolist() == possible


def test_quotients_are_lower_bounds():
    X, _, _ = rows_of(3, 1e200)
    measured = LiftedRows(X, Geometry()).measure(np.ones(4), 1.0)
    unit = squared_length_of(np.full(2, 1e200), 0.0, None, 0.0).root()
    for place, quotient in enumerate(relative_to(measured.scores, unit)):
        low = Fraction(float(measured.scores.ends()[0][place])) * Fraction(2) ** measured.scores.exponent
        assert Fraction(float(quotient)) <= min(low / Fraction(unit.low), low / Fraction(unit.high))


def test_a_row_of_zeros_with_an_intercept_has_unit_length_beside_huge_rows():
    X, geometry = np.array([[2e207], [0.0]]), Geometry(normalize=True)
    lifted = LiftedRows(X, geometry)
    low, high = lifted.measure(np.zeros(1), 1.0).squares.ends()
    assert low[1] <= 1 <= high[1]
    found = lifted.combine(np.array([1]), np.array([1.0]), np.array([1.0])).squared_ratio()
    assert found.low <= 1 <= found.high
