import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.enclosed_sums import (
    Combination,
    Enclosed,
    Rows,
    exact_total,
    exponent_of,
    scaled,
    weighted_squares,
    weighted_sum,
)
from novikoff.theory.enclosure import Enclosure


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def numbers(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Return numbers of all magnitudes, among them subnormal ones, zeros and, by chance, the same magnitude in all."""
    kind = rng.integers(4)
    spread = [0, 3, 40, 300][kind]
    middle = rng.choice([0, -290, 290]) if spread < 40 else 0
    values = rng.normal(size=shape) * 10.0 ** np.clip(middle + rng.uniform(-spread, spread, size=shape), -323, 307)
    return np.where(rng.random(shape) < 0.2, 0.0, values)


def fractions(values: np.ndarray) -> list[Fraction]:
    return [Fraction(v) for v in np.ravel(values).tolist()]


def encloses(found: Enclosed, truth: list[Fraction]) -> bool:
    scale = Fraction(2) ** found.exponent
    return all(
        math.isinf(r) or abs(t - Fraction(m) * scale) <= Fraction(r) * scale
        for m, r, t in zip(found.middle.tolist(), found.radius.tolist(), truth, strict=True)
    )


@pytest.mark.parametrize("seed", range(300))
def test_all_sums_enclose_the_exact_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 7)), int(rng.integers(1, 5))
    dense = numbers(rng, (n, d))
    X = sp.csr_array(dense) if rng.random() < 0.5 else dense
    w, b, a = numbers(rng, (d,)), float(numbers(rng, (1,))[0]), numbers(rng, (n,))
    rows = Rows(X)
    of_scores, of_a = rows.score_exponent(w, b), exponent_of(a)
    sums = Combination(rows, of_a)
    for block in rows.blocks():
        scores = [sum(map(lambda x, v: x * v, fractions(x), fractions(w)), Fraction(b)) for x in dense[block.cut]]
        found = rows.scores(block, w, b, of_scores)
        assert encloses(found, scores)
        assert found.smallest().low <= min(scores) <= found.smallest().high
        assert found.largest().low <= max(scores) <= found.largest().high
        assert encloses(rows.squared_lengths(block), [sum(x * x for x in fractions(row)) for row in dense[block.cut]])
        sums.add(block, scaled(a, of_a)[block.cut])
    total = [
        sum((p * q for p, q in zip(fractions(a), fractions(column), strict=True)), Fraction(0)) for column in dense.T
    ]
    assert encloses(sums.total(), total)
    square = sums.total().squared_length()
    assert square.low <= sum(t * t for t in total) <= square.high
    size = [sum((abs(p * q) for p, q in zip(fractions(a), fractions(x), strict=True)), Fraction(0)) for x in dense.T]
    assert encloses(sums.size(), size)


@pytest.mark.parametrize("seed", range(200))
def test_weighted_sums_enclose_the_exact_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    c, s = np.abs(numbers(rng, (5,))), np.abs(numbers(rng, (5,)))
    plain = sum((p * q for p, q in zip(fractions(c), fractions(s), strict=True)), Fraction(0))
    squares = sum((p * q * q for p, q in zip(fractions(c), fractions(s), strict=True)), Fraction(0))
    for found, truth in [(weighted_sum(c, s, s, 7), plain * 2**7), (weighted_squares(c, s, s, 7), squares * 2**14)]:
        assert found.low <= truth <= found.high
        assert found.low >= 0


def test_sums_of_ordinary_numbers_are_narrow(rng: np.random.Generator) -> None:
    X, w = rng.normal(size=(400, 30)), rng.normal(size=30)
    rows = Rows(X)
    (block,) = rows.blocks()
    found = rows.scores(block, w, 0.5, rows.score_exponent(w, 0.5))
    assert np.ldexp(found.radius.max(), found.exponent) < 1e-12
    sums = Combination(rows, 0)
    sums.add(block, np.full(400, 0.5))
    square = sums.total().squared_length()
    assert square.width < 1e-10 * square.high


@pytest.mark.parametrize("scale", [2.0**-1000, 1.0, 2.0**1000])
def test_scaling_by_powers_of_two_changes_nothing_but_the_exponent(scale: float, rng: np.random.Generator) -> None:
    X, w = rng.normal(size=(40, 3)), rng.normal(size=3)
    ones, others = Rows(X), Rows(X * scale)
    (a,), (b,) = ones.blocks(), others.blocks()
    lengths = [rows.squared_lengths(block) for rows, block in ((ones, a), (others, b))]
    factor = round(math.log2(scale))
    assert lengths[1].smallest().low == pytest.approx(lengths[0].smallest().low * Fraction(4) ** factor, rel=1e-12)
    found = [r.scores(x, w, 0.0, r.score_exponent(w)) for r, x in ((ones, a), (others, b))]
    assert found[0].exponent + factor == found[1].exponent
    assert np.allclose(found[0].middle, found[1].middle, rtol=1e-12)


def test_unknown_numbers_are_enclosed_by_everything() -> None:
    unknown = Enclosed(np.zeros(2), np.array([0.0, np.inf]), 0)
    assert unknown.smallest().low == -math.inf
    assert unknown.squared_length() == Enclosure(Fraction(0), math.inf)
    assert weighted_sum(np.ones(1), np.zeros(1), np.full(1, np.inf)) == Enclosure(Fraction(0), math.inf)
    assert weighted_sum(np.zeros(1), np.zeros(1), np.full(1, np.inf)) == Enclosure.exactly(0)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_several_scores_and_combinations_are_those_of_each_alone(layout, rng: np.random.Generator) -> None:
    X, W, a = layout(rng.normal(size=(40, 3))), rng.normal(size=(3, 2)), rng.normal(size=(40, 2)) / 8
    rows = Rows(X)
    (block,) = rows.blocks()
    together = rows.scores(block, W, np.array([0.5, -2.0]), rows.score_exponent(W, 4.0))
    sums = Combination(rows, 0, count=2)
    sums.add(block, a)
    for k, bias in enumerate((0.5, -2.0)):
        alone, own = rows.scores(block, W[:, k], bias, together.exponent), Combination(rows, 0)
        own.add(block, a[:, k])
        np.testing.assert_allclose(together.middle[:, k], alone.middle, rtol=1e-12)
        np.testing.assert_allclose(together.radius[:, k], alone.radius, rtol=1e-12)
        np.testing.assert_allclose(sums.total().middle[:, k], own.total().middle, rtol=1e-12)
        np.testing.assert_allclose(sums.total().radius[:, k], own.total().radius, rtol=1e-12)
    expected = sum(float(own) for own in np.square(X.T @ a).ravel())
    assert float(sums.total().squared_length().low) <= expected * (1 + 1e-12)
    assert float(sums.total().squared_length().high) >= expected * (1 - 1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_long_sums_are_exact_or_as_accurate_as_short_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    c, s = rng.random(3_000), rng.random(3_000)
    truth = sum(p * q for p, q in zip(fractions(c), fractions(s), strict=True))
    found = weighted_sum(c, s, s)
    assert found.low <= truth <= found.high
    assert found.width < 3e-13 * truth
    assert exact_total(c - s) == sum(fractions(c - s), Fraction(0))


def test_a_known_largest_value_saves_a_pass(rng: np.random.Generator) -> None:
    X = rng.normal(size=(5, 3))
    assert Rows(X, largest=9.0).reach == 4
    assert Rows(X, largest=2.0**300).exponent == 301


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_noticed(value: float) -> None:
    X = np.ones((3, 2))
    X[1, 1] = value
    assert not Rows(X).is_finite
    assert not Rows(sp.csr_array(X)).is_finite
    assert Rows(np.ones((3, 2), dtype=np.uint8)).is_finite
    assert Rows(np.zeros((0, 2))).is_finite


@pytest.mark.parametrize("seed", range(50))
def test_totals_are_exact(seed: int) -> None:
    values = numbers(np.random.default_rng(seed), (20 if seed % 2 else 500,))
    assert exact_total(values) == sum(fractions(values), Fraction(0))
    assert exact_total(np.array([1.0, 2.0, -5.0])) == -2
    assert exact_total(np.zeros(0)) == 0


def test_rows_are_not_changed(rng: np.random.Generator) -> None:
    X = sp.csr_array(rng.normal(size=(5, 3)) * 1e250)
    before = X.data.copy()
    X.data.flags.writeable = False
    for block in Rows(X).blocks():
        assert block.values.shape == (5, 3)
    assert np.array_equal(X.data, before)


def test_coefficients_that_become_0_when_scaled_are_enclosed() -> None:
    X = np.full((10_001, 1), 2.0**199)
    X[0] = 0.0
    a = np.full(10_001, 2.0**-52 * 2.0**-1022)
    a[0] = 2.0**1023
    rows, e = Rows(X), exponent_of(a)
    sums = Combination(rows, e)
    for block in rows.blocks():
        sums.add(block, scaled(a[block.cut], e))
    assert encloses(sums.total(), [10_000 * Fraction(a[1]) * Fraction(2) ** 199])
