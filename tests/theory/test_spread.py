"""The spread of rows, and the C that follows from it."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory import spread as module
from novikoff.theory.enclosed_sums import Rows
from novikoff.theory.spread import check_cost, default_cost, exact_spread, spread, three_digits

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 7)) * [1, 2, 3, 0.5, 10, 0.1, 1] + [0, 5, -100, 1, 0, 3, 1e4]


def value(X, weights=None, centered=True):
    found = spread(X, weights, centered, X.shape[1], Rows(X)).value
    assert found.width <= 1e-9 * found.high
    return float(found.high)


def cost(X, weights=None, centered=True):
    return default_cost(X, weights, centered, X.shape[1])


def test_spread_is_the_sum_of_the_variances_of_the_columns():
    assert value(X) == pytest.approx(X.var(axis=0).sum(), rel=1e-9)


def test_spread_without_centering_is_the_mean_squared_length():
    assert value(X, centered=False) == pytest.approx(np.mean((X**2).sum(axis=1)), rel=1e-12)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_the_exact_spread_lies_in_its_enclosure(seed, centered, layout):
    rng = np.random.default_rng(seed)
    scale, shift = 10.0 ** rng.uniform(-150, 150) if seed % 2 else 1.0, rng.choice([0.0, 3.0, 1e6])
    rows = (rng.normal(size=(int(rng.integers(1, 9)), 3)) + shift) * (rng.random(3) < 0.9) * scale
    rows *= rng.random(rows.shape) < 0.8
    weights = rng.choice([None, 1]) and 10.0 ** rng.uniform(-8, 8, len(rows)) * np.append(
        rng.random(len(rows) - 1) < 0.8, 1
    )
    found, truth = (
        spread(layout(rows), weights, centered, 3, Rows(layout(rows))),
        exact_spread(layout(rows), weights, centered, 3),
    )
    w = [Fraction(1)] * len(rows) if weights is None else [Fraction(c) for c in weights.tolist()]
    x = [[Fraction(v) for v in row] for row in rows.tolist()]
    mean = [sum(c * row[j] for c, row in zip(w, x, strict=True)) / sum(w) * centered for j in range(3)]
    by_hand = sum(c * (v - m) ** 2 for c, row in zip(w, x, strict=True) for v, m in zip(row, mean, strict=True)) / sum(
        w
    )
    assert truth.value.low == truth.value.high == by_hand
    assert found.value.low <= by_hand <= found.value.high
    assert found.noise == truth.noise
    C = default_cost(layout(rows), weights, centered, 3)
    for exact in (False, True):
        assert check_cost(C, layout(rows), weights, centered, exact).status == "holds"
        assert (
            check_cost(three_digits(Fraction(C) * Fraction(1011, 1000)), layout(rows), weights, centered, exact).status
            == "fails"
        )


@pytest.mark.parametrize("centered", [True, False])
def test_sparse_and_dense_rows_have_the_same_spread(centered):
    table = X * (RNG.random(X.shape) < 0.3)
    assert value(sp.csr_array(table), centered=centered) == pytest.approx(value(table, centered=centered), rel=1e-9)


def test_integer_weights_are_copies_of_rows():
    weights = RNG.integers(0, 4, len(X)).astype(float)
    assert value(X, weights) == pytest.approx(value(np.repeat(X, weights.astype(int), axis=0)), rel=1e-9)


@pytest.mark.parametrize("factor", [1e-150, 1e-3, 1e100])
def test_spread_follows_the_unit_of_the_rows(factor):
    assert value(factor * X) == pytest.approx(factor**2 * value(X))


@pytest.mark.parametrize("number", [0.0, 0.1, -3.0, 1e100])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("limit", [0, 20_000])
def test_equal_rows_have_no_spread(number, storage, limit, monkeypatch):
    monkeypatch.setattr(module, "SMALL_WORK", limit)
    weights = np.array([1.0, 1 / 3, 0.7, 2.0, 1.0])
    rows = storage(np.full((5, 3), number))
    assert default_cost(rows, weights, True, 3) == 1.0
    assert check_cost(1.0, rows, weights, True, exact=False).status == "holds"


def test_without_spread_the_cost_is_one():
    assert cost(np.zeros((3, 2))) == 1.0
    assert cost(np.full((3, 2), 1e-170), centered=False) == 1.0  # 1 / spread is not a float


def test_standardised_columns_cost_one_divided_by_their_number():
    assert cost((X - X.mean(axis=0)) / X.std(axis=0)) == pytest.approx(1 / 7, rel=1e-2)


def test_columns_with_large_units_do_not_lower_the_cost_further():
    assert cost(X) == float(f"{1 / 7:.3g}")


@pytest.mark.parametrize(
    ("number", "rounded"),
    [
        (Fraction(1, 32), 0.0312),
        (Fraction(3, 32), 0.0938),
        (Fraction(9995, 10), 1000.0),
        (Fraction(1, 3200), 0.000312),
        (Fraction(10) ** 300, 1e300),
        (Fraction(81, 10), 8.1),
        (Fraction(0), 0.0),
    ],
)
def test_the_cost_has_three_digits_and_ties_go_to_even(number, rounded):
    assert three_digits(number) == rounded


def test_a_spread_at_the_border_of_two_costs_allows_both():
    """1 / 32 is halfway between 0.0312 and 0.0313."""
    rows = np.vstack([np.eye(33), -np.eye(33)]) * math.sqrt(32)  # without centering, the spread is about 32
    assert {check_cost(C, rows, None, False, exact).status for C in (0.0312, 0.0313) for exact in (False, True)} == {
        "holds"
    }
    assert check_cost(0.0311, rows, None, False, exact=True).status == "fails"
    assert check_cost(0.03125, rows, None, False, exact=True).status == "fails"


def test_rounding_that_hides_the_spread_leaves_the_cost_open(monkeypatch):
    monkeypatch.setattr(module, "SMALL_WORK", 0)
    rng = np.random.default_rng(0)
    rows = 1e16 + 2.0 * rng.integers(0, 2, (5, 1))
    assert check_cost(1.0, rows, None, True, exact=False).status in ("open", "holds")
    assert check_cost(1.0, rows, None, True, exact=True).status == "holds"
    assert check_cost(1.0, np.array([[np.nan]]), None, True, exact=False).claim == "data"
