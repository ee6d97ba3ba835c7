"""What floating point proves of rows that balance is true in fractions, and much is proven."""

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
