"""Margins and distances of hulls: enclosures and exact values against fractions, on numbers of all magnitudes."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.enclosed_sums import EPS, Enclosed, Rows
from novikoff.theory.enclosure import Enclosure
from novikoff.theory.hull_bounds import SMALL_WORK, HullSolution, Measurement, Smallest, _Hulls, measure, precisely
from reference.hull_bounds import truth, values
from share import share_of


def a_solution(rng):
    n, d = int(rng.integers(2, 7)), int(rng.integers(1, 4))
    intercept = str(rng.choice(["free", "penalized", "none"]))
    X, signs = values(rng, n, d), np.where(rng.random(n) < 0.5, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    counted = rng.random(n) < 0.8
    counted[:2] = True
    duals = np.where(counted, np.abs(values(rng, n)), 0.0)
    bias = 0.0 if intercept == "none" else float(values(rng, 1)[0])
    return HullSolution(X, signs, counted, values(rng, d), bias, duals, intercept)


def measured(found):
    return found.smallest, found.squared_norm, found.squared_radius, found.squared_distance


def check_against_fractions(seed):
    rng = np.random.default_rng(seed)
    solution = a_solution(rng)
    X = sp.csr_array(solution.X) if rng.random() < 0.3 else solution.X
    if X is not solution.X:
        solution = HullSolution(X, *(getattr(solution, name) for name in list(HullSolution.__annotations__)[1:]))
    found = measure(Rows(X), solution)
    dense = HullSolution(np.asarray(X.todense()) if sp.issparse(X) else X, *list(vars(solution).values())[1:])
    for one, true in zip(measured(found), truth(dense), strict=True):
        assert (one is None) == (true is None)
        assert one is None or one.low <= true <= one.high
    for one, true in zip(measured(found.exact(SMALL_WORK)), truth(dense), strict=True):
        assert one is None or one == Enclosure.exactly(true)


@pytest.mark.parametrize("seed", range(300))
def test_enclosures_contain_the_true_values_and_exact_ones_are_these(seed):
    check_against_fractions(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1000 + share_of(6000), 1000))
def test_many_enclosures_contain_the_true_values(first):
    for seed in range(first, first + 1000):
        check_against_fractions(seed)


def test_too_many_values_are_not_converted():
    solution = a_solution(np.random.default_rng(0))
    assert measure(Rows(solution.X), solution).exact(1) is None


def test_what_is_not_precise_in_floating_point_is_computed_exactly_if_it_is_small():
    X = np.array([[1e300, 1e-300], [1e300, -1e-300]])
    solution = HullSolution(X, np.array([1.0, -1.0]), np.ones(2, bool), np.array([0.0, 1e300]), 0.0, np.ones(2), "free")
    assert not measure(Rows(X), solution).is_precise
    found = precisely(Rows(X), solution)
    assert found.margin.stated_low() == pytest.approx(1e-300)
    assert found.squared_distance.root().stated_high() == pytest.approx(1e-300)


def test_the_difference_of_two_means_contains_the_exact_one_and_is_no_wider_than_its_roundings():
    rng = np.random.default_rng(0)
    for k in range(40):
        duals = rng.uniform(0.1, 9.0, 4)
        solution = HullSolution(
            np.eye(4), np.array([1.0, -1.0, 1.0, -1.0]), np.ones(4, bool), np.ones(4), 0.0, duals, "free"
        )
        rows = Rows(solution.X)
        hulls, unit = _Hulls(rows, solution), rows.exponent
        tiny = k % 2  # a mean below the smallest normal number
        exponent = unit - 1070 if tiny else unit
        sums = [Enclosed(rng.normal(size=3), np.full(3, 1e-9 * (k % 3 > 0)), exponent) for _ in range(2)]
        found = hulls._difference(sums)
        totals = [sum(map(Fraction, duals[side::2].tolist())) for side in (0, 1)]
        means = [[Fraction(x) / t for x in part.middle] for part, t in zip(sums, totals, strict=True)]
        spread = [Fraction(part.radius[0]) / t for part, t in zip(sums, totals, strict=True)]
        scale = Fraction(2) ** (exponent - found.exponent)
        for j in range(3):
            true = (means[0][j] - means[1][j]) * scale
            off, needed = abs(true - Fraction(found.middle[j])), sum(spread) * scale
            assert off + needed <= Fraction(found.radius[j])
            size = float(scale * (abs(means[0][j]) + abs(means[1][j])))
            assert found.radius[j] <= 1.02 * float(needed) + 5 * EPS * size + 2.0**-1059


def a_measurement(*enclosures):
    solution = a_solution(np.random.default_rng(0))
    return Measurement(solution, *enclosures, np.zeros(1, np.int64), np.zeros(1, np.int64))


def test_numbers_are_precise_up_to_a_relative_width_of_2_to_the_minus_30():
    one, unit = Enclosure.exactly(1), Fraction(1, 2**30)
    narrow = [Enclosure(Fraction(1), 1 + unit), Enclosure(-1 - unit, Fraction(-1)), Enclosure.exactly(0), None]
    more = unit + Fraction(1, 2**99)
    wide = [Enclosure(Fraction(1), 1 + more), Enclosure(-1 - more, Fraction(-1)), Enclosure(-unit, unit)]
    wide += [Enclosure(Fraction(1), math.inf), Enclosure(-math.inf, Fraction(1))]
    for place in range(4):
        for found in narrow if place == 3 else narrow[:3]:
            assert a_measurement(*(found if k == place else one for k in range(4))).is_precise
        for found in wide:
            assert not a_measurement(*(found if k == place else one for k in range(4))).is_precise


def test_margins_are_quotients_of_the_measured_numbers():
    found = a_measurement(*(Enclosure.exactly(number) for number in (-6, 4, 9, 1)))
    assert found.margin == Enclosure.exactly(-3)
    assert found.squared_margin == Enclosure.exactly(-9)
    assert found.radius == 3.0


def test_the_radius_is_that_of_the_middle_of_its_enclosure():
    found = a_measurement(*(Enclosure.exactly(1) for _ in range(2)), Enclosure(Fraction(4), Fraction(16)), None)
    assert found.radius == 3.0


@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_a_plane_of_zeros_has_a_direction_only_by_a_penalised_intercept(intercept):
    X, signs = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    for weight, bias in ((0.0, 0.0), (0.0, 1.0), (5e-324, 0.0)):
        solution = HullSolution(X, signs, np.ones(2, bool), np.array([weight]), bias, None, intercept)
        expected = weight != 0 or (intercept == "penalized" and bias != 0)
        assert measure(Rows(X), solution).has_direction == expected


def test_duals_bound_margins_if_they_are_not_0_and_of_both_classes_if_the_intercept_is_free():
    signs, X = np.array([1.0, 1.0, -1.0, -1.0]), np.eye(4)
    for duals, free, other in (
        (None, False, False),
        (np.zeros(4), False, False),
        (np.array([5e-324, 0.0, 0.0, 0.0]), False, True),
        (np.array([0.0, 0.0, 0.5, 0.0]), False, True),
        (np.array([0.5, 0.0, 0.0, 5e-324]), True, True),
    ):
        for intercept in ("free", "penalized", "none"):
            solution = HullSolution(X, signs, np.ones(4, bool), np.ones(4), 0.0, duals, intercept)
            assert solution.has_distance == (free if intercept == "free" else other)


def test_the_smallest_of_several_blocks_keeps_every_row_that_may_have_it():
    smallest = Smallest()
    assert (smallest.low, smallest.high) == (math.inf, math.inf)
    smallest.add(np.array([0, 1, 2]), np.array([3.0, 1.0, 7.0]), np.array([4.0, 2.0, 8.0]))
    smallest.add(np.array([5, 6, 7]), np.array([1.5, 2.0, 2.5]), np.array([1.75, 3.0, 3.0]))
    assert (smallest.low, smallest.high) == (1.0, 1.75)
    assert smallest.rows().tolist() == [1, 5]
    smallest.add(np.array([9]), np.array([1.75]), np.array([1.75]))
    assert smallest.rows().tolist() == [1, 5, 9]
