"""The bounds as functions: known values, the best gamma, and the theorems on many random streams."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.theory import bounds
from novikoff.theory.geometry import length_of
from reference import perceptrons
from reference.passive_aggressive import passive_aggressive
from share import share_of
from strategies import lift, make_separable, seeds, separable

positive = st.floats(1e-3, 1e3)


@given(radius=positive, margin=positive)
def test_novikoff_is_the_squared_ratio_in_both_forms(radius, margin):
    assert bounds.novikoff(radius, margin) == pytest.approx(radius**2 / margin**2)
    assert bounds.novikoff_unscaled(radius, 7.0, 7.0 * margin) == pytest.approx(bounds.novikoff(radius, margin))


def test_margin_upper_bound_is_length_over_steps_and_infinite_before_the_first():
    assert bounds.margin_upper_bound(3.0, 4) == 0.75
    assert bounds.margin_upper_bound(0.0, 0) == np.inf


@given(margin=st.floats(1e-3, 1.0))
def test_margin_perceptron_is_below_the_textbooks_16_over_gamma_squared(margin):
    assert bounds.margin_perceptron(1.0, margin, 0.5) == pytest.approx(4 / margin + 8 / margin**2)
    assert bounds.margin_perceptron(1.0, margin, 0.5) <= 16 / margin**2


@given(margins=st.lists(st.floats(-2, 2), min_size=1, max_size=12), passes=st.integers(1, 3))
def test_freund_schapire_is_the_smallest_over_gamma(margins, passes):
    m = np.array(margins)
    radius = max(1.0, float(np.abs(m).max()))
    grid = np.logspace(-8, 5, 3000) * radius
    deficits = np.maximum(0, grid[:, None] - m) ** 2
    on_grid = (((radius + np.sqrt(passes * deficits.sum(axis=1))) / grid) ** 2).min()
    found = bounds.freund_schapire(radius, m, passes=passes)
    assert found <= on_grid * (1 + 1e-9)
    assert found >= on_grid * (1 - 0.02)  # the grid is fine: nothing below it can be a value of the bound


@given(margins=st.lists(st.floats(-2, 2), min_size=1, max_size=8), data=st.data())
def test_freund_schapire_counts_a_weight_as_copies(margins, data):
    copies = data.draw(st.lists(st.integers(0, 4), min_size=len(margins), max_size=len(margins)))
    if sum(copies):
        expected = bounds.freund_schapire(2.0, np.repeat(margins, copies))
        assert bounds.freund_schapire(2.0, margins, copies) == pytest.approx(expected, rel=1e-4)


def test_freund_schapire_of_a_separator_is_novikoffs_bound_where_all_margins_are_equal():
    assert bounds.freund_schapire(3.0, [0.5] * 10_000) == pytest.approx(36)


def test_freund_schapire_by_hand_with_one_example_on_the_wrong_side():
    # gamma = 1, margins 1, 1, -1: D = 2, R = 1: ((1 + 2) / 1)^2 = 9 at gamma = 1, and less further out
    assert bounds.freund_schapire(1.0, [1.0, 1.0, -1.0]) <= 9
    gamma = 4.0
    assert bounds.freund_schapire(1.0, [1.0, 1.0, -1.0]) <= ((1 + np.sqrt(9 + 9 + 25)) / gamma) ** 2


def mistakes_of(U, y, variant, C):
    path = passive_aggressive(U, y, variant, C)
    return int((y * np.einsum("ij,ij->i", path[:-1], U) <= 0).sum())


@given(data=separable(), C=st.sampled_from([0.05, 1.0, 20.0]))
def test_passive_aggressive_mistakes_stay_within_their_bounds(data, C):
    limits = {
        "PA": bounds.novikoff(data.radius, data.margin),
        "PA-I": bounds.passive_aggressive_I(data.radius, data.margin, C),
        "PA-II": bounds.passive_aggressive_II(data.radius, data.margin, C),
    }
    models = {
        "PA": nk.PassiveAggressive(),
        "PA-I": nk.PassiveAggressiveI(C=C),
        "PA-II": nk.PassiveAggressiveII(C=C),
    }
    for variant, model in models.items():
        model.set_params(fit_intercept=data.intercept, shuffle=False, max_iter=1).fit(data.X, data.y)
        certificate = model.certificate_
        assert certificate.mistakes == mistakes_of(data.U, data.y, variant, C)
        assert certificate.mistakes <= limits[variant]
        assert certificate.bound(data.margin) == pytest.approx(limits[variant])


def test_every_bound_has_an_example_that_runs():
    public = [f for name, f in inspect.getmembers(bounds, inspect.isfunction) if name[0] != "_"]
    assert len(public) >= 7
    assert all(">>>" in inspect.getdoc(function) for function in public)


@given(seed=seeds)
def test_the_reference_perceptron_keeps_the_theorem_too(seed):
    data = make_separable(np.random.default_rng(seed), 30, 3, 0.1, intercept=True)
    _, mistakes = perceptrons.perceptron(data.U, data.y)
    assert mistakes <= bounds.novikoff(data.radius, data.margin)


# ---- many streams ----------------------------------------------------------------------------------------------------


def check_streams(count, seed):
    """Novikoff, B and Freund-Schapire on random streams: separable ones, and the same with some labels turned."""
    rng = np.random.default_rng(seed)
    tightest = 0.0
    for k in range(count):
        intercept, tie = bool(k & 1), ("mistake", "positive")[k >> 1 & 1]
        rows, columns = int(rng.integers(2, 40)), int(rng.integers(1, 8))
        data = make_separable(rng, rows, columns, float(rng.choice([0.01, 0.1, 1.0])), intercept=intercept)
        v = np.append(data.w, data.b) if intercept else data.w
        y = data.y.copy()
        noisy = k % 3 == 0
        if noisy:
            y[rng.random(rows) < 0.2] *= -1
        model = nk.Perceptron(tie=tie, fit_intercept=intercept).partial_fit(data.X, y, classes=[-1.0, 1.0])
        certificate = model.certificate_
        U = lift(data.X, intercept)
        radius = float(np.sqrt(np.einsum("ij,ij->i", U, U).max()))
        assert certificate.radius == pytest.approx(radius)
        margins = y * (U @ v) / np.linalg.norm(v)
        for gamma in (0.05, 0.5, 2.0):
            deficit = np.linalg.norm(np.maximum(0, gamma - margins))
            assert certificate.mistakes <= ((radius + deficit) / gamma) ** 2
        if k % 10 == 0:
            assert certificate.mistakes <= bounds.freund_schapire(radius, margins) * (1 + 1e-9)
        if certificate.updates:
            assert certificate.margin_upper_bound <= radius / np.sqrt(certificate.updates) * (1 + 1e-8)
        if not noisy:
            assert certificate.mistakes <= bounds.novikoff(radius, data.margin)
            assert data.margin <= certificate.margin_upper_bound
            tightest = max(tightest, certificate.mistakes / bounds.novikoff(radius, data.margin))
    return tightest


def test_the_bounds_hold_on_random_streams():
    assert 0.1 < check_streams(200, seed=0) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_the_bounds_hold_on_a_hundred_thousand_random_streams(part):
    assert 0.1 < check_streams(share_of(25_000), seed=1 + part) <= 1


def test_bounds_of_extremes_are_infinite_and_never_raise():
    for bound in (bounds.passive_aggressive_I, bounds.passive_aggressive_II):
        assert bound(radius=1.0, margin=1e-200, C=1.0) == math.inf
        assert bound(radius=1.0, margin=0.0, C=1.0) == math.inf
    assert bounds.freund_schapire(radius=0.0, margins=[0.0] * 4, passes=2) == pytest.approx(8.0)
    assert length_of(np.zeros(1), 1e200) == math.inf
    assert length_of(np.zeros(1), 0.0, np.ones(1), 1e200) == math.inf


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.4, 0.4999, 0.5, 0.6, 0.9, 1.0])
def test_the_length_with_a_dynamic_margin_follows_its_recursion(epsilon):
    squares = [1.0]
    for M in range(1, 400):
        squares.append((1 + 2 * (1 - epsilon) / M) * squares[-1] + 1)
    found = bounds.dynamic_margin_length(3.0, epsilon, np.arange(1, 401))
    expected = 3 * np.sqrt(squares)
    assert np.all(found >= expected * (1 - 1e-10))
    assert np.all(found <= expected * (1 + (0.002 if abs(epsilon - 0.5) < 1e-3 else 1e-10)))


@pytest.mark.parametrize("epsilon", [0.2, 0.5, 0.75, 1.0])
def test_the_largest_number_of_updates_is_where_both_bounds_on_the_length_meet(epsilon):
    radius, margin = 2.0, 0.3
    M = bounds.dynamic_margin_perceptron(radius, margin, epsilon)
    lengths = bounds.dynamic_margin_length(radius, epsilon, [M, M + 1])
    assert margin * M <= lengths[0] * (1 + 1e-9)
    assert margin * (M + 1) > lengths[1]
    N = bounds.margin_perceptron(radius, margin, epsilon)
    assert bounds.margin_perceptron_length(radius, margin, epsilon, [N])[0] == pytest.approx(margin * N)


@pytest.mark.parametrize("epsilon", [0.1, 0.15, 0.2, 1.0])
def test_a_number_of_updates_that_floats_cannot_resolve_is_rounded_up(epsilon):
    radius, margin = 1.0, 1e-5 if epsilon < 1 else 1e-9
    M = bounds.dynamic_margin_perceptron(radius, margin, epsilon)
    assert M > 1e12
    assert margin * M > bounds.dynamic_margin_length(radius, epsilon, [M])[0]


def test_bounds_of_margin_perceptrons_without_a_margin_are_infinite():
    assert bounds.dynamic_margin_perceptron(1.0, 0.0, 0.5) == math.inf
    assert bounds.dynamic_margin_perceptron(1.0, 1e-9, 0.01) == math.inf
    assert bounds.margin_perceptron_length(1.0, 0.0, 0.5, [1, 2]).tolist() == [math.inf] * 2
    assert bounds.margin_perceptron_length(1.0, 0.5, 0.0, [1]).tolist() == [math.inf]
    assert bounds.margin_perceptron_length(1.0, 0.5, 0.5, [0]).tolist() == [0.0]
    assert bounds.margin_perceptron(1.0, 0.0, 0.5) == bounds.novikoff(1.0, 0.0) == math.inf


def test_bounds_by_hand():
    """With R = 3, gamma = 2 and eps = 1/4: 2 R / (eps gamma) = 12, and 2 (R / (eps gamma))^2 = 72."""
    assert bounds.novikoff(3.0, 2.0) == 2.25
    assert bounds.novikoff_unscaled(3.0, 4.0, 2.0) == 36.0
    assert bounds.margin_upper_bound(3.0, 0.5) == 6.0
    assert bounds.margin_perceptron(3.0, 2.0, 0.25) == 84.0
    # 3 + 9 / (1/4 2) = 21, and (1 - 1/8) 2 = 1.75 per update
    assert bounds.margin_perceptron_length(3.0, 2.0, 0.25, [0, 1, 2, 84]).tolist() == [0.0, 22.75, 24.5, 168.0]
    assert bounds.passive_aggressive_I(3.0, 2.0, 0.5) == bounds.passive_aggressive_I(3.0, 2.0, 100.0) == 2.25
    assert bounds.passive_aggressive_I(3.0, 2.0, 0.0625) == 4.0
    assert bounds.passive_aggressive_II(3.0, 2.0, 0.25) == 2.75
    for margin in (-2.0, 0.0):
        assert bounds.novikoff(3.0, margin) == bounds.margin_perceptron(3.0, margin, 0.25) == math.inf
        assert (
            bounds.passive_aggressive_I(3.0, margin, 1.0) == bounds.passive_aggressive_II(3.0, margin, 1.0) == math.inf
        )
        assert bounds.dynamic_margin_perceptron(3.0, margin, 0.5) == math.inf
        assert bounds.margin_perceptron_length(3.0, margin, 0.25, [1]).tolist() == [math.inf]
    assert bounds.margin_perceptron_length(3.0, 2.0, -0.25, [1]).tolist() == [math.inf]


def test_the_length_with_a_dynamic_margin_by_hand():
    """For eps = 1/4, a = 3/2: s = 1, then (1 + 3/2) 1 + 1 = 7/2, then (1 + 3/4) 7/2 + 1 = 57/8."""
    squares = bounds.dynamic_margin_length(2.0, 0.25, [1, 2, 3]) ** 2
    assert squares == pytest.approx([4.0, 14.0, 28.5], rel=1e-12)
    assert bounds.dynamic_margin_length(2.0, 0.0, [1, 2, 3]) == pytest.approx([2.0, 4.0, 6.0], rel=1e-12)


def test_next_to_its_singular_value_the_length_is_that_of_a_slightly_smaller_epsilon():
    for epsilon in (0.4996, 0.5, 0.5004):  # a = 2 (1 - eps) is within a thousandth of 1
        found = bounds.dynamic_margin_length(1.0, epsilon, [5, 50])
        assert found.tolist() == bounds.dynamic_margin_length(1.0, 0.4995, [5, 50]).tolist()
    for epsilon in (0.499, 0.501):
        assert bounds.dynamic_margin_length(1.0, epsilon, [50]) != bounds.dynamic_margin_length(1.0, 0.4995, [50])


def test_with_the_whole_margin_lost_the_dynamic_bound_is_novikoffs():
    """R^2 M >= (gamma M)^2 means M <= (R / gamma)^2. No row is on the right side by more than its length."""
    for ratio in np.sqrt([1, 1.5, 2, 3, 3.5, 4, 5, 7, 8, 9, 1000, 1000.5, 65_536, 99_999, 1e9]):
        expected = math.floor(ratio * ratio * (1 + 1e-12))
        assert bounds.dynamic_margin_perceptron(float(ratio), 1.0, 1.0) == expected
    assert bounds.dynamic_margin_perceptron(1.0, 1.001, 0.5) == bounds.dynamic_margin_perceptron(1.0, 5.0, 1.0) == 0.0


def test_the_dynamic_bound_is_infinite_above_a_limit_only():
    """For eps = 1/4, |v| is about R M^(3/4) times a constant, so the bound grows like (R / gamma)^4."""
    assert 1e95 < bounds.dynamic_margin_perceptron(1.0, 1e-24, 0.25) < 1e98
    assert bounds.dynamic_margin_perceptron(1.0, 1e-26, 0.25) == math.inf


@pytest.mark.parametrize("rows", [100, 2048, 2049, 5000])
def test_freund_schapire_searches_a_part_of_many_rows_and_counts_all_of_them(rows):
    """Margins that fall into three groups, mixed so that a part of the rows has the same shares of them."""
    m = np.array([2.0, 1.0, -0.5])[np.arange(rows) % 7 % 3]
    copies = np.array([1.0, 0.5, 0.25, 0.0, 2.0])[np.arange(rows) % 5]
    grid = np.logspace(-2, 4, 4001) * 3
    deficits = np.maximum(0, grid[:, None] - [2.0, 1.0, -0.5]) ** 2
    counts = np.array([copies[m == value].sum() for value in (2.0, 1.0, -0.5)])
    on_grid = (((3 + np.sqrt(2 * deficits @ counts)) / grid) ** 2).min()
    found = bounds.freund_schapire(3.0, m, copies, passes=2)
    assert on_grid * (1 - 1e-4) <= found <= on_grid * (1 + 1e-4)


def test_freund_schapire_is_exact_where_the_best_gamma_is_a_margin():
    """Beyond the margins, R + D rises faster than gamma; below them, D is 0."""
    assert bounds.freund_schapire(1.0, [0.25, 0.25, 0.5], passes=9) == pytest.approx(16.0, rel=1e-12)
    assert bounds.freund_schapire(1.0, [0.25] * 40 + [0.0], [1.0] * 40 + [0.0]) == 16.0
    assert bounds.freund_schapire(1.0, [1e-9] * 3) == pytest.approx(
        3.0, rel=1e-4
    )  # R / gamma + sqrt(3) (1 - m / gamma)
    assert bounds.freund_schapire(1e-3, [-1e-3] * 2) == pytest.approx(2.0, rel=1e-5)
