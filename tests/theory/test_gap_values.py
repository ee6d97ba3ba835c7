"""Objectives of soft-margin machines: enclosures that contain the exact values, for numbers of all sizes."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory import enclosed_sums, geometry
from novikoff.theory.enclosed_sums import Enclosed, Rows
from novikoff.theory.gap_values import Point, SoftMargin, add, shortfall, work_of
from share import share_of

LOSSES, INTERCEPTS = ("hinge", "squared_hinge"), ("free", "penalized", "none")


def numbers(rng, shape, spread):
    """Numbers of magnitudes up to 10^spread and down to 10^-spread, some of them 0."""
    values = rng.normal(size=shape) * 10.0 ** rng.uniform(-spread, spread, size=shape)
    return np.where(rng.random(shape) < 0.15, 0.0, values)


@np.errstate(all="ignore")
def random_problem(rng, loss, intercept, spread):
    """A problem and a point of it, near or far from balanced, with rows near the margin."""
    n, d = int(rng.integers(1, 9)), int(rng.integers(1, 5))
    X, signs = numbers(rng, (n, d), spread), rng.choice([-1.0, 1.0], n)
    costs = np.abs(numbers(rng, n, spread)) if rng.random() < 0.5 else np.full(n, 10.0 ** rng.uniform(-spread, spread))
    a = costs * rng.choice([0.0, 1.0, 0.5, 1e-3], n)
    if intercept == "free" and a[signs > 0].sum() > 0 and rng.random() < 0.7:
        a[signs < 0] *= min(1.0, a[signs > 0].sum() / max(a[signs < 0].sum(), 1e-300))
    weights = numbers(rng, d, spread)
    if rng.random() < 0.5:  # some score is about 1
        size = np.nan_to_num(np.max(np.abs(X @ weights)))
        weights *= 10.0 ** np.clip(-np.log10(size + 1e-300), -250, 250)
        weights = np.where(np.isfinite(weights), weights, 1.0)
    bias = (
        0.0 if intercept == "none" else float(rng.choice([0.0, 1.0, -1.0, rng.normal() * 10.0 ** rng.uniform(-9, 9)]))
    )
    table = sp.csr_array(X) if rng.random() < 0.4 else X
    return SoftMargin(table, signs, costs, loss, intercept), Point(weights, bias, np.minimum(a, costs))


def contains(enclosure, exact):
    return enclosure.low <= exact.low <= enclosure.high


def check(seed):
    rng = np.random.default_rng(seed)
    loss, intercept, spread = LOSSES[seed % 2], INTERCEPTS[seed % 3], [0, 2, 20, 150, 300][seed % 5]
    problem, point = random_problem(rng, loss, intercept, spread)
    exact = problem.exact(point)
    for quick in (False, True):
        with np.errstate(all="ignore"):
            found = problem.enclose(point, Rows(problem.X), quick)
        assert contains(found[0], exact[0]), seed
        assert contains(found[1], exact[1]), seed
    assert exact[1].high <= exact[0].low or intercept == "none" or not np.all(point.duals <= problem.costs), seed


@pytest.mark.parametrize("seed", range(50))
def test_costs_of_very_different_sizes_lose_no_digits(seed):
    rng = np.random.default_rng(seed)
    small = rng.uniform(1, 2) * 10.0 ** rng.uniform(-14, -9)
    costs, a = np.array([1e300, small]), 4e6 * small * np.array([1.0, 1e-3 * rng.uniform(0.5, 1)])
    problem = SoftMargin(np.zeros((2, 1)), np.ones(2), costs, "squared_hinge", "none")
    point = Point(np.zeros(1), 0.0, a)
    assert contains(problem.enclose(point, Rows(problem.X))[1], problem.exact(point)[1])


@pytest.mark.parametrize("block", range(10))
def test_the_exact_objectives_lie_in_their_enclosures(block):
    for seed in range(60 * block, 60 * (block + 1)):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(share_of(8)))
def test_the_exact_objectives_lie_in_their_enclosures_for_many_problems(block):
    for seed in range(1000 * (block + 1), 1000 * (block + 2)):
        check(seed)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_enclosures_of_ordinary_data_are_narrow_whatever_the_blocks(loss, layout, monkeypatch):
    rng = np.random.default_rng(0)
    X, signs = rng.normal(size=(900, 5)), rng.choice([-1.0, 1.0], 900)
    problem = SoftMargin(layout(X), signs, np.full(900, 0.1), loss, "free")
    a = 0.05 * rng.random(900)
    a[signs < 0] *= a[signs > 0].sum() / a[signs < 0].sum()
    point = Point(rng.normal(size=5), 0.3, a)
    exact = problem.exact(point)
    for entries in (1 << 22, 100):
        monkeypatch.setattr(geometry, "BLOCK_ENTRIES", entries)
        monkeypatch.setattr(enclosed_sums, "CACHED_ENTRIES", entries)
        for found, truth in zip(problem.enclose(point, Rows(problem.X)), exact, strict=True):
            assert contains(found, truth)
            assert found.width <= 1e-11 * abs(truth.high)


def test_no_loss_is_exactly_0():
    X, signs = np.ones((4, 2)), np.ones(4)
    problem = SoftMargin(X, signs, np.full(4, 1e300), "hinge", "free")
    primal, dual = problem.enclose(Point(np.zeros(2), 1.0, np.zeros(4)), Rows(X))
    assert (primal.low, primal.high, dual.low, dual.high) == (0, 0, 0, 0)


@pytest.mark.parametrize("bias", [1e17, -1e17, 2.0**53 + 2, 1e300, 5e-324, 1.0])
def test_shortfalls_count_the_errors_of_both_additions(bias):
    scores = Enclosed(np.array([0.1, 0.0, -3.0]), np.zeros(3), 1)
    signs = np.array([1.0, -1.0, 1.0])
    found = shortfall(scores, signs, bias)
    for middle, radius, sign, score in zip(found.middle, found.radius, signs, scores.middle, strict=True):
        truth = (1 - Fraction(sign) * (2 * Fraction(score) + Fraction(bias))) / 2
        assert abs(truth - Fraction(middle)) <= Fraction(radius)


def test_a_shortfall_of_numbers_that_scaling_does_not_change_is_exact():
    """The bias and 1 lose nothing if they are at least 2^-1022 after scaling, and a bit if they are below it."""
    normal = 2.0**-1022
    for score, sign, bias, exponent in ((-normal, 1.0, 2 * normal, 1), (normal, 1.0, 0.0, 1022)):
        found = shortfall(Enclosed(np.array([score]), np.zeros(1), exponent), np.array([sign]), bias)
        truth = 1 - Fraction(sign) * (Fraction(score) * 2**exponent + Fraction(bias))
        assert Fraction(found.middle[0]) * 2**exponent == truth
        assert found.radius[0] == 0
    for score, bias, exponent in ((0.0, 3 * 2.0**-1074, 1), (0.0, normal, 2000), (0.0, 0.0, 1100), (0.0, 0.0, 1074)):
        found = shortfall(Enclosed(np.array([score]), np.zeros(1), exponent), np.array([1.0]), bias)
        truth = (1 - Fraction(bias)) / 2**exponent
        assert abs(Fraction(found.middle[0]) - truth) <= Fraction(found.radius[0])


def test_the_error_of_a_sum_is_exact():
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=200) * 10.0 ** rng.uniform(-20, 20, 200) for _ in range(2))
    for p, q, found, lost in zip(a, b, *add(a, b), strict=True):
        assert abs(Fraction(p) + Fraction(q) - Fraction(found)) == Fraction(lost)


def test_the_work_is_the_number_of_stored_values_and_rows():
    assert work_of(np.ones((4, 3))) == 16
    assert work_of(sp.csr_array(np.eye(4))) == 8
