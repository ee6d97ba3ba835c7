"""What floating point proves of rows that balance is true in fractions, and much is proven."""

import math
from fractions import Fraction

import numpy as np
import pytest

from novikoff.theory.float_balance import balanced_basis, has_positive_weights
from reference.separability_claims import reduce


def solved(z, weights, basis):
    """The weights of the basis for which all rows balance, in fractions."""
    rest = [i for i in range(len(z)) if i not in set(basis)]
    rows = [[Fraction(v) for v in row] for row in z.tolist()]
    total = [-sum(Fraction(float(weights[i])) * rows[i][j] for i in rest) for j in range(z.shape[1])]
    table, pivots = reduce([[*[rows[i][j] for i in basis], total[j]] for j in range(z.shape[1])])
    assert pivots == list(range(len(basis)))  # the matrix is invertible
    return [row[-1] for row in table]


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e150])
def test_weights_that_nearly_balance_are_close_to_some_that_do(scale):
    rng = np.random.default_rng(0)
    proven = 0
    for _ in range(30):
        columns = int(rng.integers(1, 5))
        rows = columns + int(rng.integers(1, 6))
        z, weights = rng.normal(size=(rows, columns)), 10.0 ** rng.uniform(-3, 3, rows)
        z[-1] = -(weights[:-1] @ z[:-1]) / weights[-1]
        z *= scale
        basis = balanced_basis(z, weights)
        proven += basis is not None
        if basis is not None:
            exact = solved(z, weights, basis.tolist())
            assert all(
                abs(a / Fraction(float(w)) - 1) < Fraction(1, 2) for a, w in zip(exact, weights[basis], strict=True)
            )
    assert proven >= 25


def test_what_does_not_balance_or_span_is_not_proven():
    square = np.eye(3)
    assert balanced_basis(np.vstack([square, [[-1.0, -1.0, -1.0]]]), np.ones(4)) is not None
    assert balanced_basis(np.vstack([square, [[-1.0, -1.0, -1.5]]]), np.ones(4)) is None  # they do not balance
    assert balanced_basis(square, np.ones(3)) is None
    assert balanced_basis(square[:2], np.ones(2)) is None  # they do not span
    dependent = np.array([[1.0, 1.0], [-1.0, -1.0], [2.0, 2.0], [-2.0, -2.0]])
    assert balanced_basis(dependent, np.ones(4)) is None
    assert balanced_basis(np.array([[1.0, 1e200], [-1.0, -1e-200]]), np.ones(2)) is None
    assert balanced_basis(np.zeros((3, 2)), np.ones(3)) is None


def test_nearly_dependent_rows_are_not_taken_for_independent():
    """The determinant is 0, but elimination in floating point finds a pivot of 1e-17."""
    z = np.array([[0.1, 0.3], [0.2, 0.6], [-0.1, -0.3], [-0.2, -0.6]])
    assert balanced_basis(z, np.ones(4)) is None


def test_positive_weights_are_proven_and_others_are_not():
    rng = np.random.default_rng(1)
    proven = 0
    for _ in range(60):
        columns = int(rng.integers(1, 6))
        square = rng.normal(size=(columns, columns)) * 10.0 ** rng.integers(-100, 100, columns)
        target = rng.normal(size=columns) @ square if rng.random() < 0.3 else rng.random(columns) @ square
        rows = [[Fraction(v) for v in row] for row in zip(*square.tolist(), target.tolist(), strict=True)]
        exact = [row[-1] for row in reduce(rows)[0]]
        if has_positive_weights(square, target):
            assert len(exact) == columns
            assert min(exact) > 0
            proven += 1
    assert proven > 20


def test_a_weight_of_0_or_a_singular_matrix_is_not_proven():
    assert has_positive_weights(np.eye(2), np.array([1.0, 2.0]))
    assert not has_positive_weights(np.eye(2), np.array([1.0, 0.0]))
    assert not has_positive_weights(np.eye(2), np.array([1.0, -1e-300]))
    assert not has_positive_weights(np.array([[0.1, 0.3], [0.2, 0.6]]), np.array([0.3, 0.9]))
    assert not has_positive_weights(np.zeros((2, 2)), np.array([1.0, 1.0]))


# ---- where the proofs end --------------------------------------------------------------------------------------------

UNIT = Fraction(1, 2**53)
SAFETY = Fraction(1.01)


def nearly_parallel(bits):
    """Two rows whose angle is about 2^-bits / 2. Elimination and the inverse are exact in floating point."""
    return np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-bits]])


def absolute_inverse(square):
    (a, b), (c, d) = [[Fraction(value) for value in row] for row in square.tolist()]
    det = abs(a * d - b * c)
    return [[abs(d) / det, abs(b) / det], [abs(c) / det, abs(a) / det]]


def times(vector, matrix):
    return [sum(v * row[j] for v, row in zip(vector, matrix, strict=True)) for j in range(2)]


def distance_from_unit(square):
    """The bound on |I - B C| of the exact inverse: four roundings of the sums of absolute values."""
    inverse = absolute_inverse(square)
    sums = times([Fraction(1)] * 2, [times([abs(Fraction(v)) for v in row], inverse) for row in square.tolist()])
    return 4 * UNIT * (max(sums) + 1)


@pytest.mark.parametrize("bits", [40, 44, 45, 46, 47, 48, 49, 50])
def test_rows_balance_as_far_as_the_bound_on_the_change_of_their_weights_goes(bits):
    """The sum of the rows is (x, 0), which the rows of the basis balance with weights of about x 2^bits."""
    square = nearly_parallel(bits)
    inverse, q = absolute_inverse(square), distance_from_unit(square)
    answers = set()
    for steps in range(0, min(64, 2 ** (52 - bits))):
        for weight in (1.0,) if steps % 2 else (1.0, 1.5):  # so that the sum of the rows is exact
            x = steps * 2.0**-52
            z = np.vstack([square, [-1.0 + x, -1.0], -square[1]])
            sizes = [Fraction(weight) * sum(abs(Fraction(v)) for v in column) for column in z.T.tolist()]
            total = [size * 6 * UNIT + Fraction(weight) * Fraction(x) * (j == 0) for j, size in enumerate(sizes)]
            change = max(times(total, inverse))
            basis = balanced_basis(z, np.full(4, weight))
            expected = q < Fraction(1, 2) and change / (1 - q) < Fraction(1, 4)
            assert (basis is not None) == expected
            assert not expected or sorted(basis.tolist()) == [0, 1]
            answers.add(expected)
    assert answers == ({True, False} if 44 <= bits <= 45 else {bits < 44})


def test_a_change_of_a_quarter_is_the_limit():
    """The rows 1 and -(1 - t) balance if the weight of the first changes by t, up to rounding."""
    low, high = 0.2, 0.3
    for _ in range(60):
        middle = (low + high) / 2
        found = balanced_basis(np.array([[1.0], [middle - 1.0]]), np.ones(2)) is not None
        low, high = (middle, high) if found else (low, middle)
    assert low == pytest.approx(0.25, rel=0, abs=1e-14)


@pytest.mark.parametrize("places", [(0, 0), (60, -70), (-400, 500)])
def test_powers_of_two_in_columns_and_in_rows_with_their_weights_change_nothing(places):
    columns, rows = 2.0 ** np.array(places), np.array([1.0, 2.0**40, 0.25, 2.0**-60])
    for bits, proven in ((44, True), (45, True), (46, False)):
        z = np.vstack([nearly_parallel(bits), -nearly_parallel(bits)])
        basis = balanced_basis(z * columns / rows[:, None], rows)
        assert (basis is not None) == proven


def test_values_far_below_the_largest_of_their_column_are_refused():
    for weight in (1.0, 2.0**-30, 2.0**30):
        for exponent, proven in ((-399, True), (-400, True), (-401, False)):
            z = np.array([[1.0], [-1.0], [2.0**exponent / weight]])
            assert (balanced_basis(z, np.array([1.0, 1.0, weight])) is not None) == proven
            z[0] = 0.0  # the largest is that of the second row then
            assert balanced_basis(z, np.array([1.0, 1.0, weight])) is None
    assert has_positive_weights(np.array([[1.0, 0.0], [2.0**-400, 1.0]]), np.ones(2))
    assert not has_positive_weights(np.array([[1.0, 0.0], [2.0**-401, 1.0]]), np.ones(2))


@pytest.mark.parametrize("bits", [30, 44, 45, 46, 47, 48, 49, 50])
def test_weights_are_positive_as_far_as_they_exceed_the_bound_on_their_error(bits):
    """The weights u = (a, b) are exact. The bound is that of five roundings of |t| + |u| |B|, which is 2 t."""
    square = nearly_parallel(bits)
    inverse, q = absolute_inverse(square), distance_from_unit(square)
    share = 20 * UNIT * SAFETY * 2**bits / (1 - q)  # of a + b, which each must exceed
    answers = set()
    for a in range(0, 30):
        near = math.floor(a * (1 - share) / share)
        for b in {1, 2, 17, 31, 50, 63, *range(near - 2, near + 3)}:
            if not 0 < a + b < 2 ** (52 - bits) or b < 0:
                continue  # the weights would not be exact
            target = np.array([a, b], dtype=float) @ square
            error = SAFETY * max(times([10 * UNIT * Fraction(t) for t in target.tolist()], inverse))
            expected = q < Fraction(1, 2) and min(a, b) > error / (1 - q)
            assert has_positive_weights(square, target) == expected
            assert has_positive_weights(square[::-1], target) == expected
            answers.add(expected)
    assert answers == ({True, False} if bits < 48 else {False})
