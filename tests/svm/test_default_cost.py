"""The default C: the inverse of the sum of the variances of the columns, in three digits."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.svm.default_cost import EQUAL_ROWS, default_cost, three_digits


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_the_cost_is_that_of_the_exact_spread(seed, centered, layout):
    rng = np.random.default_rng(seed)
    scale, shift = 10.0 ** rng.uniform(-150, 150) if seed % 2 else 1.0, rng.choice([0.0, 3.0, 1e6])
    rows = (rng.normal(size=(int(rng.integers(1, 9)), 3)) + shift) * (rng.random(3) < 0.9) * scale
    rows *= rng.random(rows.shape) < 0.8
    weights = None
    if rng.random() < 0.5:
        weights = 10.0 ** rng.uniform(-8, 8, len(rows)) * np.append(rng.random(len(rows) - 1) < 0.8, 1)
    w = [Fraction(1)] * len(rows) if weights is None else [Fraction(c) for c in weights.tolist()]
    x = [[Fraction(v) for v in row] for row in rows.tolist()]
    mean = [sum(c * row[j] for c, row in zip(w, x, strict=True)) / sum(w) * centered for j in range(3)]
    squares = [sum((v - m) ** 2 for v, m in zip(row, mean, strict=True)) for row in x]
    spread = sum(c * square for c, square in zip(w, squares, strict=True)) / sum(w)
    found = default_cost(layout(rows), weights, centered, 3)
    if spread <= centered * EQUAL_ROWS * max(max(map(abs, row)) for row in x) ** 2:
        assert found == 1.0
    else:
        nearby = [1 / min(spread * (1 + Fraction(change, 2**30)), Fraction(3)) for change in (1, 0, -1)]
        assert found in map(three_digits, nearby)


@pytest.mark.parametrize("number", [0.0, 0.1, -3.0, 1e100])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("count", [5, 100_000])
def test_equal_rows_have_no_spread(number, storage, count):
    weights = np.resize([1.0, 1 / 3, 0.7, 2.0, 1.0], count)
    assert default_cost(storage(np.full((count, 3), number)), weights, True, 3) == 1.0


def test_a_spread_whose_inverse_is_no_float_costs_one():
    assert default_cost(np.full((3, 2), 1e-170), None, False, 2) == 1.0


@pytest.mark.parametrize(
    ("number", "rounded"),
    [
        (Fraction(1, 32), 0.0312),
        (Fraction(3, 32), 0.0938),
        (Fraction(9995, 10), 1000.0),
        (Fraction(1, 3200), 0.000312),
        (Fraction(10) ** 300, 1e300),
        (Fraction(10) ** 300 * (1 - Fraction(1, 10**20)), 1e300),
        (Fraction(81, 10), 8.1),
    ],
)
def test_the_cost_has_three_digits_and_ties_go_to_even(number, rounded):
    assert three_digits(number) == rounded
