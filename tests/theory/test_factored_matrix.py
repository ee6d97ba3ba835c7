"""Products with a matrix in factors, against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from novikoff.theory.factored_matrix import FactoredMatrix


def random_matrix(seed, n=4, spread=3):
    random = np.random.default_rng(seed)
    factor = random.normal(size=n * (n - 1) // 2) * 10.0 ** random.integers(-spread, spread + 1, n * (n - 1) // 2)
    return FactoredMatrix(float(random.uniform(0.1, 2)), random.uniform(0, 5, n) ** 8, factor), random


def exact(matrix):
    """The matrix as fractions."""
    n, next_entry = matrix.size, iter(matrix.factor.tolist())
    U = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    for j in range(n):
        for i in range(j):
            U[i][j] = Fraction(next(next_entry))
    D = [Fraction(matrix.a) + Fraction(gain) for gain in matrix.gains.tolist()]
    return [[sum(U[i][k] * D[k] * U[j][k] for k in range(n)) for j in range(n)] for i in range(n)]


def fractions(x):
    return [Fraction(value) for value in x.tolist()]


@pytest.mark.parametrize("spread", [0, 3, 12])
def test_enclosures_contain_the_true_values_and_are_narrow(spread):
    for seed in range(30):
        matrix, random = random_matrix(seed, spread=spread)
        A, x, v = exact(matrix), random.normal(size=4), random.normal(size=4) * 100
        products = [sum(a * t for a, t in zip(row, fractions(x), strict=True)) for row in A]
        square = sum(p * t for p, t in zip(products, fractions(x), strict=True))
        found = matrix.square(x)
        assert found.low <= square <= found.high <= square * Fraction(1 + 1e-9) or spread > 3
        length = math.sqrt(sum((t - p) ** 2 for p, t in zip(products, fractions(v), strict=True)))
        residual = matrix.residual(v, np.zeros(4), x)
        assert residual.low <= length * (1 + 1e-15)
        assert residual.high >= length * (1 - 1e-15)
        assert residual.high <= length + 3 * residual.rounding


def test_a_vector_that_is_not_known_exactly_makes_the_residual_wider():
    matrix, random = random_matrix(1, spread=0)
    x = random.normal(size=4)
    known, unknown = (matrix.residual(np.ones(4), np.full(4, radius), x) for radius in (0.0, 0.5))
    assert unknown.low <= known.low - 0.5
    assert unknown.high >= known.high + 0.5


def test_the_log_determinant_is_that_of_the_pivots_also_if_they_hardly_grew():
    matrix = FactoredMatrix(2.0, np.array([1e-20, 2.0, 6.0]), np.ones(3))
    expected = math.log1p(5e-21) + math.log(2) + math.log(4)
    found = matrix.log_determinant()
    assert found.low <= expected <= found.high <= expected * (1 + 1e-13)
    tiny = FactoredMatrix(2.0, np.array([1e-20]), np.zeros(0)).log_determinant()
    assert 0 < tiny.low <= 5e-21 <= tiny.high


@pytest.mark.parametrize(
    ("a", "gains", "factor"),
    [
        (0.0, [1.0, 1.0], [0.5]),
        (1.0, [1.0, -1e-9], [0.5]),
        (1.0, [1.0, math.inf], [0.5]),
        (1.0, [1.0, 1.0], [math.nan]),
        (1.0, [1.0, 1.0], [0.5, 0.5]),
    ],
)
def test_what_is_not_positive_definite_is_not_valid(a, gains, factor):
    assert not FactoredMatrix(a, np.array(gains), np.array(factor)).is_valid()
    assert FactoredMatrix(1.0, np.array([1.0, 0.0]), np.array([0.5])).is_valid()


def test_numbers_that_overflow_give_no_bound():
    matrix = FactoredMatrix(1.0, np.array([1e300, 1e300]), np.array([1e300]))
    x = np.array([1e100, 1e100])
    assert matrix.square(x).high == math.inf
    assert not matrix.residual(x, np.zeros(2), x).high < math.inf


def test_small_pivots_are_valid_and_residuals_of_small_vectors_are_narrow():
    matrix = FactoredMatrix(0.5, np.array([0.0, 0.25, 0.0]), np.array([0.5, 0.25, 2.0]))
    assert matrix.is_valid()
    x = np.array([1.0, -2.0, 0.5])
    product = np.array([float(entry) for entry in matrix.exact_product(x)])
    own = matrix.residual(product, np.zeros(3), x)
    assert own.low == 0.0
    assert own.high <= 1e-13
    apart = matrix.residual(product + np.array([0.0, 0.25, 0.0]), np.zeros(3), x)
    assert 0.25 * (1 - 1e-12) <= apart.low <= 0.25 <= apart.high <= 0.25 * (1 + 1e-12)


def test_an_exact_product_with_numbers_that_are_not_rounded():
    """U has the columns (1), (0.5, 1) and (0.25, 2, 1), and the pivots are 1/2, 3/4 and 1/2."""
    matrix = FactoredMatrix(0.5, np.array([0.0, 0.25, 0.0]), np.array([0.5, 0.25, 2.0]))
    U, D = np.array([[1.0, 0.5, 0.25], [0.0, 1.0, 2.0], [0.0, 0.0, 1.0]]), np.diag([0.5, 0.75, 0.5])
    x = np.array([1.0, -2.0, 0.5])
    assert matrix.exact_product(x) == [Fraction(entry) for entry in (U @ D @ U.T @ x).tolist()]
    square = matrix.square(x)
    assert square.low <= Fraction(float(x @ U @ D @ U.T @ x)) <= square.high
    none = matrix.square(np.zeros(3))
    assert 0 <= none.low <= 0 <= none.high <= 1e-300
