"""Objectives of joint machines: enclosures that contain the exact values, for numbers of all sizes."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.enclosed_sums import EPS, Enclosed, Rows
from novikoff.theory.joint_duals import JointDuals
from novikoff.theory.joint_values import JointMargin, JointPoint, _losses
from share import share_of

INTERCEPTS = ("free", "penalized", "none")


def numbers(rng, shape, spread):
    """Numbers of magnitudes up to 10^spread and down to 10^-spread, some of them 0."""
    values = rng.normal(size=shape) * 10.0 ** rng.uniform(-spread, spread, size=shape)
    return np.where(rng.random(shape) < 0.15, 0.0, values)


def check(seed):
    rng, intercept, spread = np.random.default_rng(seed), INTERCEPTS[seed % 3], [0, 2, 20, 150, 300][seed % 5]
    n, d, k = int(rng.integers(1, 9)), int(rng.integers(1, 5)), int(rng.integers(2, 5))
    X, codes = numbers(rng, (n, d), spread), rng.integers(0, k, n)
    costs = np.abs(numbers(rng, n, spread)) if rng.random() < 0.5 else np.full(n, 10.0 ** rng.uniform(-spread, spread))
    betas = rng.random((n, k)) * costs[:, None] / rng.choice([1, k], (n, 1)) * (rng.random((n, k)) < 0.6)
    betas[np.arange(n), codes] = 0.0
    weights = numbers(rng, (k, d), spread)
    if rng.random() < 0.5:
        with np.errstate(all="ignore"):
            size = np.nan_to_num(np.max(np.abs(X @ weights.T)))
            weights *= 10.0 ** np.clip(-np.log10(size + 1e-300), -250, 250)
            weights = np.where(np.isfinite(weights), weights, 1.0)
    biases = numbers(rng, k, 9) * rng.choice([0.0, 1.0]) * (intercept != "none")
    problem = JointMargin(sp.csr_array(X) if rng.random() < 0.4 else X, codes, costs, intercept, k)
    point = JointPoint(weights, biases, JointDuals.of(betas))
    exact = problem.exact(point)
    for quick in (False, True):
        with np.errstate(all="ignore"):
            found = problem.enclose(point, Rows(problem.X), quick)
        for enclosure, truth in zip(found, exact, strict=True):
            assert enclosure.low <= truth.low <= enclosure.high, seed


@pytest.mark.parametrize("block", range(10))
def test_the_exact_objectives_lie_in_their_enclosures(block):
    for seed in range(40 * block, 40 * (block + 1)):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(share_of(5)))
def test_the_exact_objectives_lie_in_their_enclosures_for_many_problems(block):
    for seed in range(1000 * (block + 1), 1000 * (block + 2)):
        check(seed)


@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_enclosures_of_ordinary_data_are_narrow(intercept):
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(300, 4)), np.arange(300) % 3
    betas = rng.random((300, 3)) / 3
    betas[np.arange(300), codes] = 0.0
    problem = JointMargin(X, codes, np.ones(300), intercept, 3)
    biases = np.array([0.1, -0.2, 0.3]) * (intercept != "none")
    point = JointPoint(rng.normal(size=(3, 4)), biases, JointDuals.of(betas))
    for found, truth in zip(problem.enclose(point, Rows(X)), problem.exact(point), strict=True):
        assert found.low <= truth.low <= found.high
        assert found.width <= 1e-11 * abs(truth.high)
    assert problem.is_small


def test_no_loss_is_exactly_0():
    X, codes = np.ones((4, 2)), np.zeros(4, dtype=np.intp)
    problem = JointMargin(X, codes, np.full(4, 1e300), "free", 2)
    nothing = JointDuals.of(np.zeros((4, 2)))
    primal, dual = problem.enclose(JointPoint(np.zeros((2, 2)), np.array([0.5, -0.5]), nothing), Rows(X))
    assert (primal.low, primal.high, dual.low, dual.high) == (0, 0, 0, 0)


def worked(intercept):
    """Two rows of three classes with losses of 0 and 4, one of which is above its cost by a factor of 4/3."""
    problem = JointMargin(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0, 2]), np.array([1.0, 0.75]), intercept, 3)
    betas = np.array([[0.0, 0.5, 0.25], [0.5, 0.5, 0.0]])
    weights = np.array([[2.0, 1.0], [0.0, 0.0], [1.0, -0.5]])
    return problem, JointPoint(weights, np.array([0.5, 0.0, 0.5]), JointDuals.of(betas))


@pytest.mark.parametrize("quick", [False, True])
def test_objectives_of_a_worked_example(quick):
    # scores (2.5, 0, 1.5) of class 0 and (2.5, 0, -0.5) of class 2; with t = 3/4, the coefficients are
    # 3/4 (3/4, -1/2, -1/4) and 3/4 (-1/2, -1/2, 1), with the sums 3/4 (1/4, -1, 3/4)
    primal, dual = Fraction(3, 4) * 4 + Fraction(4 + 1 + 1 + Fraction(1, 4), 2), Fraction(3, 4) * Fraction(7, 4)
    lengths = Fraction(9, 16) + Fraction(1, 4) + Fraction(1, 16) + 4 * Fraction(1 + 1 + 4, 4)
    sums = Fraction(1 + 16 + 9, 16)
    for intercept, penalty, more in (("free", 0, 0), ("penalized", Fraction(1, 4), sums)):
        problem, point = worked(intercept)
        expected = primal + penalty, dual - Fraction(9, 32) * (lengths + more)
        assert [found.low for found in problem.exact(point)] == list(expected)
        for found, truth in zip(problem.enclose(point, Rows(problem.X), quick), expected, strict=True):
            assert found.low <= truth <= found.high
            assert found.width <= 1e-12 * (100 if quick else 1)


def test_quick_enclosures_are_wider():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(60, 20)), np.arange(60) % 3
    betas = rng.random((60, 3)) / 3
    betas[np.arange(60), codes] = 0.0
    problem = JointMargin(X, codes, np.ones(60), "penalized", 3)
    point = JointPoint(rng.normal(size=(3, 20)), np.ones(3), JointDuals.of(betas))
    plain, slow, quick = (problem.enclose(point, Rows(X), *given) for given in ((), (False,), (True,)))
    for default, narrow, wide in zip(plain, slow, quick, strict=True):
        assert (default.low, default.high) == (narrow.low, narrow.high)
        assert narrow.width < wide.width


def test_problems_of_up_to_20000_values_and_rows_times_classes_are_small():
    for rows, classes, expected in ((2000, 2, True), (2001, 2, False), (2000, 3, False), (1333, 3, True)):
        problem = JointMargin(np.ones((rows, 4)), np.zeros(rows, dtype=np.intp), np.ones(rows), "none", classes)
        assert problem.is_small is expected


@pytest.mark.parametrize("classes", [2, 3, 9])
@pytest.mark.parametrize("size", [1.0, 2.0**-1000, 1e300])
def test_coefficients_are_at_most_1_in_their_unit(classes, size):
    betas = np.full((2, classes), np.nextafter(2.0, 0.0)) * size
    betas[:, 1] = 0.0
    problem = JointMargin(np.ones((2, 1)), np.ones(2, dtype=np.intp), np.ones(2), "none", classes)
    coefficients, unit = problem._coefficients(JointDuals.of(betas))
    assert 0.1 <= np.abs(coefficients.toarray()).max() <= 1
    exact = -Fraction(betas[0, 0]) / Fraction(2) ** unit
    assert Fraction(float(coefficients.toarray()[0, 0])) == exact


# ---- losses ----------------------------------------------------------------------------------------------------------


def exact_losses(scores, biases, codes):
    """The least and the largest loss of each row for scores within their radii, in units of 2^exponent."""
    unit, found = Fraction(2) ** scores.exponent, []
    for middle, radius, own in zip(scores.middle.tolist(), scores.radius.tolist(), codes.tolist(), strict=True):
        ends = []
        for sign in (-1, 1):
            each = [
                Fraction(1 + Fraction(biases[k]) - Fraction(biases[own])) / unit
                + (Fraction(middle[k]) + sign * Fraction(radius[k]))
                - (Fraction(middle[own]) - sign * Fraction(radius[own]))
                for k in range(len(middle))
                if k != own
            ]
            ends.append(max(Fraction(0), *each))
        found.append(ends)
    return found


@pytest.mark.parametrize("exponent", [2, 30, 1015, 1060])
@pytest.mark.parametrize("radius", [0.0, 1e-12])
@pytest.mark.parametrize("spread", [0, 8, 16])
def test_losses_are_enclosed_and_wider_than_the_scores_by_roundings_only(exponent, radius, spread):
    rng = np.random.default_rng([exponent, spread])
    middle = numbers(rng, (40, 3), spread / 2) * 2.0 ** (-exponent if exponent > 1000 else -10)
    biases = numbers(rng, 3, spread)
    scores = Enclosed(middle, radius * rng.random((40, 3)) * np.abs(middle), exponent)
    codes = rng.integers(0, 3, 40)
    low, high = _losses(scores, biases, codes)
    sizes = 2 * np.abs(middle).max(axis=1) + np.ldexp(2 * np.abs(biases).max() + 1, -exponent)
    for least, most, size, (truly_least, truly_most) in zip(
        low, high, sizes, exact_losses(scores, biases.tolist(), codes), strict=True
    ):
        assert Fraction(least) <= truly_least <= truly_most <= Fraction(most)
        slack = Fraction(size) * Fraction(8 * EPS) + Fraction(8, 2**1074)
        assert Fraction(most) - truly_most <= slack
        assert truly_least - Fraction(least) <= slack


ZERO = np.zeros(1, dtype=np.intp)


def loss(middle, biases, exponent, radius=0.0):
    scores = Enclosed(np.array([[0.0, middle]]), np.array([[0.0, radius]]), exponent)
    low, high = _losses(scores, np.array(biases), ZERO)
    return float(low[0]), float(high[0])


def test_losses_that_are_not_positive_are_exactly_0_and_others_are_between_their_neighbours():
    assert loss(-0.25, [0.0, 0.0], 2) == (0.0, 0.0)
    assert loss(-0.5, [0.0, 1.0], 2) == (0.0, 0.0)
    assert loss(-1.0, [0.0, 1.0], 2) == (0.0, 0.0)
    assert loss(-0.25, [0.0, 1.0], 2) == (np.nextafter(0.25, 0.0), np.nextafter(0.25, 1.0))
    assert loss(0.0, [1.0, 0.0], 2) == (0.0, 0.0)
    low, high = loss(-0.25, [0.0, 0.0], 2, radius=2.0**-1070)
    assert low == 0
    assert 2.0**-1070 <= high <= 2.0**-1068
    assert loss(-(2.0**-1022), [0.0, 0.0], 1022) == (0.0, 0.0)  # the smallest normal number is exact
    assert loss(-(2.0**-1018) - 2.0**-1022, [-1.0, 2.0**-3], 1019) == (0.0, 0.0)


def test_digits_that_biases_lose_by_underflow_are_not_lost():
    # in the unit 2^1020, the bias 2^-10 + 2^-60 loses its last digit, and the loss is 2^-1080
    low, high = loss(-(2.0**-1019) - 2.0**-1030, [-1.0, 2.0**-10 + 2.0**-60], 1020)
    assert low == 0 < high <= 2.0**-1070
    low, high = loss(0.0, [0.0, 0.0], 1100)  # the loss of 1 is 2^-1100
    assert low == 0 < high <= 2.0**-1070
