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
    interval_of_products,
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


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_quick_sums_enclose_the_exact_ones(seed: int, layout) -> None:
    rng = np.random.default_rng(seed)
    n, d, size = int(rng.integers(1, 7)), int(rng.integers(1, 5)), 2.0 ** [-600, 0, 600][seed % 3]
    dense = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7) * size
    W, biases, a = rng.normal(size=(d, 2)) / size, rng.normal(size=2), rng.normal(size=(n, 2)) / 16
    rows, share = Rows(layout(dense)), Fraction(1, 8)
    quick, accurate = Combination(rows, 3, count=2, quick=True), Combination(rows, 3, count=2)
    for block in rows.blocks():
        found = rows.scores(block, W, biases, rows.score_exponent(W, biases), quick=True)
        for k, b in enumerate(biases.tolist()):
            own = [
                sum((Fraction(p) * Fraction(q) for p, q in zip(x, W[:, k], strict=True)), Fraction(b)) for x in dense
            ]
            assert encloses(Enclosed(found.middle[:, k], found.radius[:, k], found.exponent), own)
            alone = rows.scores(block, W[:, k], b, found.exponent, quick=True)
            assert encloses(alone, own)
            assert alone.radius.max() <= 2.0**-40 * np.ldexp(1.0, -found.exponent) * 100
        quick.add(block, a[block.cut])
        accurate.add(block, a[block.cut])
    for changed in (a, a * (1 + 0.125 * np.sign(a)), a * (1 - 0.125 * rng.choice([-1, 1], a.shape))):
        truth = sum(
            (8 * sum((Fraction(p) * Fraction(q) for p, q in zip(x, c, strict=True)), Fraction(0))) ** 2
            for x in dense.T
            for c in changed.T
        )
        for sums in (quick, accurate):
            found = sums.squared_length(share if changed is not a else Fraction(0))
            assert found.low <= truth <= found.high


def radius_of(size: float, operations: int, products: int) -> float:
    """The bound on a rounding error: that of Higham for these operations and four more, and what underflows."""
    return (operations + 4) * 2.0**-52 * size + (products + 4) * 2.0**-871


def test_the_radius_of_a_score_is_that_of_its_terms() -> None:
    w, rows = np.array([1.0, -2.0]), Rows(np.array([[4.0, 1.5], [0.0, 0.0]]))
    (block,) = rows.blocks()
    e = rows.score_exponent(w, 0.5)
    assert e == 5  # below 8 and 4
    found = rows.scores(block, w, 0.5, e)
    assert found.middle.tolist() == [1.5 / 32, 0.5 / 32]
    assert found.radius == pytest.approx([radius_of(size / 32, 3, 3) for size in (7.5, 0.5)], rel=1e-12, abs=0)
    quick = rows.scores(block, w, 0.5, e, quick=True)
    assert quick.middle.tolist() == found.middle.tolist()
    size = 4 * math.sqrt(2) * math.sqrt(5) + 0.5  # |x| |w| + |b|
    assert quick.radius == pytest.approx([radius_of(size / 32, 3, 3)] * 2, rel=1e-12, abs=0)
    nothing = rows.scores(block, 0 * w, 0.0, 0)
    assert nothing.radius.tolist() == [radius_of(0.0, 3, 3)] * 2


def test_the_quick_radius_of_sparse_rows_counts_the_values_of_each() -> None:
    w, rows = np.array([[3.0, 0.0], [4.0, 1.0]]), Rows(sp.csr_array(np.array([[2.0, 0.0], [1.0, -2.0], [0.0, 0.0]])))
    (block,) = rows.blocks()
    found = rows.scores(block, w, np.zeros(2), 0, quick=True)
    lengths = [2.0, 2 * math.sqrt(2), 0.0]
    expected = [
        [radius_of(x * 5, k + 1, k + 1), radius_of(x, k + 1, k + 1)] for k, x in zip((1, 2, 0), lengths, strict=True)
    ]
    assert found.radius == pytest.approx(np.array(expected), rel=1e-12, abs=0)
    assert rows.bound_lengths(block) == pytest.approx(lengths, rel=1e-15, abs=0)
    assert rows.bound_lengths(block, 2).shape == (3, 1)


@pytest.mark.parametrize("size", [2.0**-900, 2.0**-30, 2.0**40, 2.0**900])
def test_the_radius_of_a_squared_length_is_that_of_its_terms(size: float) -> None:
    for X in (np.array([[3.0, 4.0]]) * size, sp.csr_array(np.array([[3.0, 4.0]]) * size)):
        rows = Rows(X)
        (block,) = rows.blocks()
        found = rows.squared_lengths(block)
        assert Fraction(found.middle[0]) * Fraction(2) ** found.exponent == 25 * Fraction(size) ** 2
        assert found.radius == pytest.approx([radius_of(found.middle[0], 2, 2)], rel=1e-12, abs=0)


def test_the_radius_of_a_combination_counts_rows_products_and_pieces() -> None:
    rows = Rows(np.array([[1.0, -2.0], [3.0, 0.0], [2.0, 2.0]]))
    (block,) = rows.blocks()
    sums = Combination(rows, 5)
    sums.add(block, np.array([0.5, 0.0, -0.25]))
    parts = sums.parts()
    assert (parts.sum.tolist(), parts.size.tolist()) == ([0.0, -1.5], [1.0, 1.5])
    assert (parts.terms, parts.pieces, parts.products, parts.exponent) == (2, 1, 3, 5)
    sums.add(block, np.array([0.5, 0.0, 0.0]))
    parts = sums.parts()
    assert (parts.terms, parts.pieces, parts.products) == (2, 2, 6)
    assert sums.total().radius == pytest.approx([radius_of(size, 4, 6) for size in (1.5, 2.5)], rel=1e-12, abs=0)
    assert sums.size().middle.tolist() == [1.5, 2.5]
    assert sums.size().radius.tolist() == sums.total().radius.tolist()
    both = parts + parts
    assert (both.sum.tolist(), both.size.tolist()) == ([1.0, -5.0], [3.0, 5.0])
    assert (both.terms, both.pieces, both.products, both.exponent) == (2, 5, 12, 5)
    share = Fraction(
        1, 4
    )  # (0.5 + 1.5 / 4)^2 + (2.5 + 2.5 / 4)^2 at most, (0.5 - 1.5 / 4)^2 + (2.5 - 2.5 / 4)^2 at least
    found = sums.squared_length(share)
    assert float(found.high) == pytest.approx(2.0**10 * (0.875**2 + 3.125**2), rel=1e-12, abs=0)
    assert float(found.low) == pytest.approx(2.0**10 * (0.125**2 + 1.875**2), rel=1e-12, abs=0)
    assert found.low <= 2**10 * Fraction(0.125**2 + 1.875**2)
    assert found.high >= 2**10 * Fraction(0.875**2 + 3.125**2)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 4)])
def test_a_quick_squared_length_is_as_wide_as_the_lengths_of_the_rows(share: Fraction) -> None:
    rows = Rows(np.full((2, 2), 2.0**20))
    (block,) = rows.blocks()
    sums = Combination(rows, 1, quick=True)
    sums.add(block, np.array([0.5, -0.5]))  # the rows cancel; the sum of |c_i| |x_i| is 2^20 sqrt(2)
    found = sums.squared_length(share)
    error = 2 * 2.0**20 * math.sqrt(2) * (float(share) + (2 + 1 + 8) * 2.0**-52)
    assert float(found.high) == pytest.approx(error**2, rel=1e-9, abs=0)
    assert found.low == 0


def test_the_ends_of_an_enclosure_are_the_next_floats() -> None:
    found = Enclosed(np.array([1.0, -2.0]), np.array([0.25, 0.5]), 3)
    low, high = found.ends()
    assert low.tolist() == np.nextafter([0.75, -2.5], -np.inf).tolist()
    assert high.tolist() == np.nextafter([1.25, -1.5], np.inf).tolist()
    assert found.smallest() == Enclosure(Fraction(8 * low[1]), Fraction(8 * high[1]))
    assert found.largest() == Enclosure(Fraction(8 * low[0]), Fraction(8 * high[0]))
    square = found.squared_length()
    assert float(square.low) == pytest.approx(64 * (0.75**2 + 1.5**2), rel=1e-14, abs=0)
    assert float(square.high) == pytest.approx(64 * (1.25**2 + 2.5**2), rel=1e-14, abs=0)
    assert square.low <= 64 * Fraction(0.75**2 + 1.5**2)
    assert square.high >= 64 * Fraction(1.25**2 + 2.5**2)
    assert Enclosed(np.array([0.5, -0.5]), np.ones(2), 0).squared_length().low == 0
    assert Enclosed(np.zeros(0), np.zeros(0), 0).squared_length() == Enclosure.exactly(0)


def test_exponents_are_the_least_that_bound_all_entries() -> None:
    assert [exponent_of(np.array([x])) for x in (1.0, -0.75, 0.5, 2.0**1023, 5e-324)] == [1, 0, 0, 1024, -1073]
    assert exponent_of(np.array([0.1, -3.0]), np.array([[5.0]]), np.zeros(0)) == 3
    assert [exponent_of(np.array(x)) for x in ([0.0], [], [np.inf])] == [0, 0, 0]
    assert exponent_of() == 0
    for e in (-1100, -1023, -1022, -1, 0, 1, 1022, 1023, 1100):
        x = 2.0**-100 if e < 0 else 2.0**100
        assert scaled(np.array([x]), e).tolist() == [math.ldexp(x, -e)]


def test_rows_are_scaled_beyond_two_hundred_places() -> None:
    largest = [2.0**199, 2.0**200, 2.0**-201, 2.0**-202, 0.0]
    found = [Rows(np.array([[x, -x]])) for x in largest]
    assert [rows.reach for rows in found] == [200, 201, -200, -201, 0]
    assert [rows.exponent for rows in found] == [0, 201, 0, -201, 0]
    assert [next(iter(rows.blocks())).values.tolist() for rows in found[1:4:2]] == [[[0.5, -0.5]]] * 2
    assert [rows.score_exponent(np.array([3.0, 0.0]), 2.0**200) for rows in found] == [202, 203, 201, 201, 201]
    assert [rows.score_exponent(np.zeros(2)) for rows in found] == [0] * 5


def test_blocks_have_as_many_entries_as_the_cache() -> None:
    many = 1 << 18
    X = np.zeros((many + 1, 1))
    assert [block.cut for block in Rows(X, 1.0).blocks()] == [slice(0, many), slice(many, many + 1)]
    X = X[: many // 2].reshape(-1, 2)
    assert [block.cut.stop for block in Rows(X[:3], 1.0).blocks(many)] == [1, 2, 3]
    assert [block.cut.stop for block in Rows(X[:3], 1.0).blocks(many // 2)] == [2, 3]
    assert [block.cut.stop for block in Rows(X[:3], 1.0).blocks(2 * many)] == [1, 2, 3]
    assert [len(block.values) for block in Rows(np.zeros((5, 0)), 0.0).blocks()] == [5]


@pytest.mark.parametrize("change", [np.float32, np.asfortranarray, lambda X: X[:, ::-1][:, ::-1]])
def test_blocks_of_any_layout_hold_the_same_values(change) -> None:
    X = np.arange(-6.0, 6.0).reshape(6, 2)
    for block, plain in zip(Rows(change(X)).blocks(1 << 16), Rows(X).blocks(1 << 16), strict=True):
        assert block.cut == plain.cut
        assert block.values.tolist() == plain.values.tolist() == X[block.cut].tolist()
        assert block.absolute.tolist() == plain.absolute.tolist() == np.abs(X[block.cut]).tolist()
        assert block.terms == 2


def test_the_largest_value_of_many_rows_is_found_in_any_of_them() -> None:
    X = np.zeros(((1 << 18) + 5, 1))
    for row in (0, (1 << 18) - 1, 1 << 18, len(X) - 1):
        for value in (-7.0, 7.0):
            X[row] = value
            assert Rows(X).largest == 7.0
            assert Rows(X[::-1]).largest == 7.0
        X[row] = math.nan
        assert not Rows(X).is_finite
        X[row] = 0.0
    assert Rows(np.array([[1.0, -3.0], [2.0, 0.0]])).largest == 3.0


def test_the_interval_of_a_sum_of_products_is_that_of_its_terms() -> None:
    one, half = np.ones(1), np.full(1, 0.5)
    found = interval_of_products(half, one, one, one)
    assert found.low == pytest.approx(0.5 - 7 * 2.0**-53, rel=1e-15, abs=2.0**-53)
    assert 0.5 - 8.5 * 2.0**-53 <= found.low <= 0.5 - 7 * 2.0**-53
    assert 1 + 7 * 2.0**-52 <= found.high <= 1 + 8 * 2.0**-52
    for terms in (512, 513, 1500):
        ones = np.ones(terms)
        found = interval_of_products(ones, ones, ones, ones)
        assert found.low == pytest.approx(terms - terms * 518 * 2.0**-52, rel=3e-16, abs=0)
        assert found.high == pytest.approx(terms + terms * 518 * 2.0**-52, rel=3e-16, abs=0)
    nothing = np.zeros(8)
    assert interval_of_products(nothing, nothing, nothing, nothing).high == 8 * 2.0**-1072 + 5e-324
    assert interval_of_products(nothing, nothing, nothing, nothing).low == 0


def test_products_that_underflow_are_enclosed() -> None:
    a = np.full(1000, 2.0**-540)
    exact = 1000 * Fraction(2) ** -1080
    found = interval_of_products(a, a, a, a)
    assert found.low <= exact <= Fraction(found.high)
    rows = Rows(np.full((1, 1000), 2.0**-190))
    (block,) = rows.blocks()
    scores = rows.scores(block, np.full(1000, 2.0**-1000), 0.0, 0)
    assert encloses(scores, [1000 * Fraction(2) ** -1190])


def test_weights_of_zero_leave_unknown_numbers_out() -> None:
    c, low, high = np.array([2.0, 0.0, 1.0]), np.array([1.0, 0.0, 3.0]), np.array([1.5, np.inf, 4.0])
    for found, ends in ((weighted_sum(c, low, high, 2), (20, 28)), (weighted_squares(c, low, high, 2), (176, 328))):
        assert float(found.low) == pytest.approx(ends[0], rel=1e-14, abs=0)
        assert float(found.high) == pytest.approx(ends[1], rel=1e-14, abs=0)
        assert found.low <= ends[0]
        assert found.high >= ends[1]
    assert weighted_squares(np.ones(1), np.zeros(1), np.full(1, np.inf)) == Enclosure(Fraction(0), math.inf)
    assert weighted_squares(np.zeros(1), np.zeros(1), np.full(1, np.inf)) == Enclosure.exactly(0)
    assert weighted_squares(np.ones(1), np.zeros(1), np.zeros(1)) == Enclosure.exactly(0)
    assert weighted_sum(np.ones(1), np.zeros(1), np.zeros(1)) == Enclosure.exactly(0)


def test_totals_of_more_numbers_than_are_added_at_once_are_exact() -> None:
    values = np.full((1 << 18) + 300, 1 - 2.0**-53)
    values[-1], values[-2] = 5e-324, -(2.0**1000)
    exact = (len(values) - 2) * Fraction(values[0]) + Fraction(values[-1]) + Fraction(values[-2])
    assert exact_total(values) == exact
    assert exact_total(-values) == -exact
