"""Vectors u: enclosures that contain what fractions give."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory import Geometry
from novikoff.theory.enclosed_sums import EPS, TINY, Enclosed
from novikoff.theory.enclosure import UNBOUNDED, Enclosure
from novikoff.theory.exact_lifted import ExactRows
from novikoff.theory.lifted import (
    Combined,
    LiftedRows,
    _multiplied,
    _scaled_products,
    lies_near,
    plus,
    private_part,
    relative_to,
    squared_length_of,
)

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


def enclosed(middle, radius, exponent=0):
    return Enclosed(np.array([middle]), np.array([radius]), exponent)


def contains(found, value, place=0):
    """Whether |value - middle 2^e| <= radius 2^e, without the last digit that ``ends`` adds."""
    unit = Fraction(2) ** found.exponent
    gap = abs(value / unit - Fraction(float(found.middle[place])))
    return math.isinf(found.radius[place]) or gap <= Fraction(float(found.radius[place]))


def near(claimed, found, sizes, roundings):
    sure, maybe = lies_near(np.array([claimed]), found, sizes, roundings)
    return bool(sure[0]), bool(maybe[0])


@pytest.mark.parametrize("exponent", [-3, 0, 5])
def test_a_number_is_near_if_it_is_for_all_values_of_the_sum_and_of_its_size(exponent):
    unit, exact = 2.0**exponent, enclosed(0.0, 0.0, exponent)
    k = 2**52  # so that a number may be as far from 0 as the size
    for gap, expected in (
        (0.9, (True, True)),
        (1 - EPS, (False, True)),
        (1.0, (False, True)),
        (1 + EPS, (False, True)),
    ):
        assert near(gap * unit, exact, enclosed(1.0, 0.0, exponent), k) == expected
        assert near(-gap * unit, exact, enclosed(1.0, 0.0, exponent), k) == expected
    assert near(1.1 * unit, exact, enclosed(1.0, 0.0, exponent), k) == (False, False)
    for gap, expected in ((0.45, (True, True)), (0.55, (False, True)), (1.45, (False, True)), (1.55, (False, False))):
        assert near(gap * unit, exact, enclosed(1.0, 0.5, exponent), k) == expected
    for gap, expected in ((0.7, (True, True)), (0.8, (False, True)), (1.2, (False, True)), (1.3, (False, False))):
        assert near(gap * unit, enclosed(0.0, 0.25, exponent), enclosed(1.0, 0.0, exponent), k) == expected
        assert near((gap + 3) * unit, enclosed(3.0, 0.25, exponent), enclosed(1.0, 0.0, exponent), k) == expected


def test_nothing_is_near_a_sum_of_zeros_but_so_many_of_the_smallest_floats():
    nothing = enclosed(0.0, 0.0)
    assert near(0.0, nothing, nothing, 0) == (True, True)
    assert near(5e-324, nothing, nothing, 0) == (False, True)
    assert near(5e-324, enclosed(0.0, 0.0, -1080), enclosed(0.0, 0.0, -1080), 0) == (False, False)
    for count, expected in ((50, (True, True)), (100, (False, True)), (200, (False, False))):
        assert near(count * 5e-324, enclosed(0.0, 0.0, -1070), enclosed(0.0, 0.0, -1070), 100) == expected
    assert near(1.0, enclosed(0.0, math.inf), nothing, 1) == (False, True)


def test_sums_of_enclosed_numbers_contain_all_sums_of_their_values():
    rng = np.random.default_rng(5)
    for _ in range(200):
        a, b = (
            enclosed(*(rng.normal(size=2) * 2.0 ** rng.integers(-60, 60, 2)), int(rng.integers(-40, 40)))
            for _ in range(2)
        )
        a, b = Enclosed(a.middle, abs(a.radius), a.exponent), Enclosed(b.middle, abs(b.radius), b.exponent)
        found = plus(a, b)
        ends = [
            [Fraction(float(x.middle[0])) + sign * Fraction(float(x.radius[0])) for sign in (-1, 1)] for x in (a, b)
        ]
        for one, other in zip(*ends, strict=True):
            assert contains(found, one * Fraction(2) ** a.exponent + other * Fraction(2) ** b.exponent)
        size = sum((abs(x.middle[0]) + x.radius[0]) * 2.0**x.exponent for x in (a, b))
        radii = sum(x.radius[0] * 2.0**x.exponent for x in (a, b))
        assert found.radius[0] * 2.0**found.exponent <= radii * (1 + 8 * EPS) + 2 * EPS * size
    assert contains(plus(enclosed(0.0, 1.0), enclosed(0.0, 2.0**-53)), 1 + Fraction(1, 2**53))
    assert contains(plus(enclosed(1.0, 0.0), enclosed(2.0**-53, 0.0)), 1 + Fraction(1, 2**53))
    lost = plus(enclosed(1.0, 0.0, 1100), enclosed(1.5, 0.0, 20))  # underflows in units of 2^1100
    assert contains(lost, Fraction(2) ** 1100 + 3 * Fraction(2) ** 19)
    for middle, radius in ((1.5, 0.0), (0.0, 1.5)):
        alone = plus(enclosed(0.0, 0.0, 1100), enclosed(middle, radius, 0))
        assert contains(alone, Fraction(3, 2))
        assert alone.radius[0] <= 2 * TINY
    nothing = plus(enclosed(0.0, 0.0, 1100), enclosed(0.0, 0.0, 0))
    assert nothing.radius[0] == 0


def test_private_parts_are_within_two_roundings():
    for delta in (0.3, 0.7, 1.9, 3.3e-200):
        amounts = np.array([0.1, 0.0, 0.9, 5.7])
        found = private_part(delta, amounts)
        for place, amount in enumerate(amounts.tolist()):
            assert contains(found, Fraction(delta) ** 2 * Fraction(amount), place)
            assert found.radius[place] <= 2 * EPS * found.middle[place] + TINY
        assert found.radius[1] == 0


def test_the_squared_length_has_an_intercept_and_a_private_part():
    weights, private = np.array([0.1, 0.2]), np.array([0.3, 0.7, 0.0])
    truth = Fraction(0.1) ** 2 + Fraction(0.2) ** 2 + Fraction(0.4) ** 2
    own = Fraction(0.5) ** 2 * (Fraction(0.3) ** 2 + Fraction(0.7) ** 2)
    for given, delta, exact in ((None, 0.5, truth), (private, 0.0, truth), (private, 0.5, truth + own)):
        found = squared_length_of(weights, 0.4, given, delta)
        assert found.low <= exact <= found.high
        assert found.width <= Fraction(1, 10**13)
    for broken in ((np.array([np.inf]), 0.0), (np.array([1.0]), np.nan)):
        assert squared_length_of(*broken, None, 0.0) == Enclosure(Fraction(0), math.inf)


def test_an_intercept_does_not_lose_a_step_that_underflows_beside_another():
    amounts, signs = np.array([1e300, 5e-324]), np.ones(2)
    for geometry in (Geometry(), Geometry(normalize=True)):
        found = LiftedRows(np.zeros((2, 1)), geometry).combine(np.arange(2), amounts, signs)
        exact = Fraction(1e300) + Fraction(5e-324)
        for enclosure in (found.intercept, found.intercept_size):
            assert enclosure.low <= exact <= enclosure.high
            assert enclosure.width <= exact * Fraction(1, 10**14)
    opposite = LiftedRows(np.zeros((2, 1)), Geometry()).combine(np.arange(2), np.ones(2), np.array([1.0, -1.0]))
    assert opposite.intercept.low <= 0 <= opposite.intercept.high
    assert opposite.intercept_size.low <= 2 <= opposite.intercept_size.high
    assert LiftedRows(np.ones((2, 1)), Geometry(False)).combine(np.arange(2), amounts, signs).intercept.high == 0


@pytest.mark.parametrize("share", [0.0, 1e-9, 1e-3, 0.3])
def test_a_relative_error_of_a_square_is_halved_by_its_root(share):
    squares = Enclosed(np.array([4.0, 0.1]), np.array([4.0, 0.1]) * share, 6)
    factors, relative = LiftedRows(np.ones((2, 1)), Geometry(False))._unit_factors(squares)
    assert factors.exponent == -3
    for place in range(2):
        middle, radius = Fraction(float(squares.middle[place])), Fraction(float(squares.radius[place]))
        ends = [1 / Enclosure.exactly(square).root().low for square in (middle - radius, middle + radius)]
        worst = max(abs(end / Fraction(float(factors.middle[place])) - 1) for end in ends)
        assert worst <= Fraction(float(relative[place]))
        assert relative[place] <= 0.5 * share * (1 + 4 * share) + 2 * EPS


def test_rows_of_unknown_length_have_no_factor_unless_they_are_zero():
    X = np.array([[0.0], [3.0], [1.0]])
    squares = Enclosed(np.array([0.0, 1.0, 4.0]), np.array([1.0, 1.0, 0.0]), 0)
    factors, relative = LiftedRows(X, Geometry(False))._unit_factors(squares)
    assert factors.middle.tolist() == [0.0, 0.0, 0.5]
    assert relative.tolist() == [2 * EPS, math.inf, 2 * EPS]
    assert LiftedRows(X, Geometry())._unit_factors(squares)[1].tolist() == [math.inf, math.inf, 2 * EPS]


def test_products_contain_those_of_all_values():
    numbers = Enclosed(np.array([0.7, -0.3, 0.5, 0.5, 1e308]), np.array([0.01, 0.0, 0.1, 0.1, 0.0]), 3)
    factors = Enclosed(np.array([0.3, 1.7, 0.0, 0.0, 1e10]), np.zeros(5), -1)
    relative = np.array([0.01, 0.0, 0.0, np.inf, 0.0])
    found = _multiplied(numbers, factors, relative)
    assert found.exponent == 2
    for place in range(2):
        middle, radius, factor, share = (
            Fraction(float(a[place])) for a in (numbers.middle, numbers.radius, factors.middle, relative)
        )
        exact = [(middle + one * radius) * factor * (1 + two * share) for one in (-1, 1) for two in (-1, 1)]
        assert all(contains(found, value * 4, place) for value in exact)
        worst = max(abs(value - middle * factor) for value in exact)
        assert Fraction(float(found.radius[place])) <= worst + 5 * Fraction(EPS)
    assert (found.middle[2], found.radius[2]) == (0.0, 0.0)
    assert np.isinf(found.radius[3:]).all()
    assert found.middle[4] == 0


def test_products_of_any_size_are_given_in_units_of_the_largest():
    amounts = np.array([1e300, 1.0, 0.0])
    products, exponent = _scaled_products(amounts, Enclosed(np.array([1e-10, 3e290, 1.0]), np.zeros(3), 7))
    assert 0.25 <= products.max() < 1
    exact = [Fraction(1e300) * Fraction(1e-10), Fraction(3e290), 0]
    for product, value in zip(products.tolist(), exact, strict=True):
        assert abs(Fraction(product) * Fraction(2) ** (exponent - 7) - value) <= value * Fraction(EPS)
    assert _scaled_products(np.zeros(2), Enclosed(np.ones(2), np.zeros(2), 7))[1] == 7


@pytest.mark.parametrize("number", [0.7, -0.7, 0.0])
def test_a_quotient_is_little_below_the_worst_one(number):
    unit = Enclosure(Fraction(3), Fraction(5))
    (found,) = relative_to(enclosed(number, 0.1, 2), unit)
    low = Fraction(float(enclosed(number, 0.1, 2).ends()[0][0])) * 4
    worst = min(low / 3, low / 5)
    assert worst - abs(worst) * Fraction(12 * EPS) - Fraction(2 * TINY) <= Fraction(float(found)) < worst
    for unknown in (UNBOUNDED, Enclosure(Fraction(0), Fraction(1))):
        assert relative_to(enclosed(number, 0.1), unknown).tolist() == [-math.inf]


@pytest.mark.parametrize("sparse", [False, True])
def test_squared_lengths_are_known_to_half_the_roundings_of_a_sum(sparse):
    X, _, _ = rows_of(1, 1.0)
    found = LiftedRows(sp.csr_array(X) if sparse else X, Geometry()).measure(np.ones(4), 0.0).squares
    assert np.all(found.radius <= (4 + 1) * EPS * found.middle)


def test_a_sum_of_nothing_but_zeros_is_exactly_zero_and_others_are_not():
    def combined(middle, radius):
        zero = Enclosure.exactly(0)
        return Combined(enclosed(middle, radius), enclosed(middle, radius), zero, zero, zero, Fraction(2))

    assert combined(0.0, 0.0).squared_length() == Enclosure.exactly(0)
    assert combined(0.0, 0.5).squared_length().high >= Fraction(1, 4)
    half = combined(1.0, 0.0).squared_ratio()
    assert half.low <= Fraction(1, 4) <= half.high
    assert half.width < Fraction(1, 10**14)
    parts = Combined(
        enclosed(0.0, 0.0),
        enclosed(0.0, 0.0),
        Enclosure.exactly(3),
        Enclosure.exactly(3),
        Enclosure.exactly(7),
        Fraction(4),
    )
    assert (parts.squared_length(), parts.squared_ratio()) == (Enclosure.exactly(16), Enclosure.exactly(1))
