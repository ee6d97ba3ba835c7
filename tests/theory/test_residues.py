"""Products of floats with integers that are exactly 0."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from matrices import FLOATS, matrices
from novikoff.theory import residues
from novikoff.theory.elimination import Budget
from novikoff.theory.residues import _powers, _primes, _sieve, are_zero


@given(
    rows=matrices(FLOATS | st.sampled_from([0.0, 0.18257, -0.18257, 1.0])),
    direction=st.lists(st.integers(-(10**30), 10**30) | st.integers(-1, 1), min_size=6, max_size=6),
    sparse=st.booleans(),
)
def test_residues_find_the_products_that_are_zero(rows, direction, sparse):
    X = np.array(rows)
    width = X.shape[1]
    first = [int(j == 0) for j in range(width + 1)]
    cancelling = [1, -1, *[0] * (width - 1)] if width > 1 else [0] * (width + 1)
    directions = [direction[: width + 1], first, cancelling]
    found = are_zero(sp.csr_array(X) if sparse else X, True, directions)
    for i, row in enumerate(rows):
        for k, v in enumerate(directions):
            assert found[i, k] == (sum(Fraction(x) * c for x, c in zip([*row, 1.0], v, strict=True)) == 0)


def multiples(X, biases, primes):
    """A direction whose product with the one row of X is the product of some primes, in the unit of the row."""
    return [math.prod(primes), *[0] * (X.shape[1] - 1 + biases)]


@pytest.mark.parametrize("biases", [False, True])
@pytest.mark.parametrize("columns", [1, 3, 60])
@pytest.mark.parametrize("value", [1.0, 2.0**-53, 2.0**60, 2.0**-900, 3.0])
def test_a_product_that_is_0_modulo_many_primes_is_not_0(value, columns, biases):
    """Multiples of the largest primes, the first that are tried, of ever more bits."""
    X = np.full((1, columns), value)
    primes = _sieve(min((53 - (columns + 1).bit_length()) // 2, 20))
    for count in (1, 2, 3, 4, 5, 7, 13, 39):
        direction = multiples(X, biases, primes[:count])
        found = are_zero(X, biases, [direction])
        assert found is None or not found.any()
        assert found is not None or value < 1e-200 or count > 13


def test_products_that_cancel_in_all_columns_are_0():
    X = np.full((2, 1000), 2.0**53 - 1)
    ones = [1, -1] * 500
    for sparse in (False, True):
        table = sp.csr_array(X) if sparse else X
        assert are_zero(table, False, [ones, [2, *ones[1:]]]).tolist() == [[True, False]] * 2
        bias = -(2**53 - 1)
        assert are_zero(table, True, [[1, *[0] * 999, bias], [1, *[0] * 999, bias + 1]]).tolist() == [[True, False]] * 2


def test_biases_have_the_unit_of_the_rows():
    X = np.array([[0.375, 2.0**-1074], [0.75, 0.0], [0.0, 0.0], [2.0**70, 0.0]])
    directions = [[8, 0, -3], [4, 0, -3], [0, 0, 0], [0, 2**1074, -1], [0, 0, 1], [1, 0, -(2**70)]]
    for sparse in (False, True):
        found = are_zero(sp.csr_array(X) if sparse else X, True, directions)
        expected = [
            [sum(Fraction(x) * c for x, c in zip([*row, 1.0], v, strict=True)) == 0 for v in directions] for row in X
        ]
        assert found.tolist() == expected
    assert are_zero(np.zeros((2, 1)), False, [[5]]).tolist() == [[True], [True]]


def test_numbers_with_more_bits_than_the_primes_have_together_are_not_decided(monkeypatch):
    assert are_zero(np.ones((1, 1)), False, [[3 << 1000]]).tolist() == [[False]]
    monkeypatch.setattr(residues, "_sieve", lambda bits: [31, 29, 23])
    assert are_zero(np.ones((1, 1)), False, [[1]]) is None


def spent(X, biases, directions):
    """What the decision takes from a budget."""
    budget = Budget(1e9)
    are_zero(X, biases, directions, budget)
    return budget.most - budget.left


@pytest.mark.parametrize("exponent", [10, 70])
def test_the_work_is_that_of_the_residues_and_products_modulo_each_prime(exponent):
    # 54 bits of a mantissa, 53 of the bias or those of the largest value, the direction, and a sum of 4 numbers
    X = np.array([[2.0**exponent, 1.0, 0.0], [0.0, 1.0, 3.0]])
    for length in range(1, 30):
        directions = [[1 << (length - 1), 0, 0, 0]] * 8
        bits = 54 + max(exponent + 1, 53) + length + 3
        primes = len(_primes(20, bits + 1))
        assert spent(X, True, directions) == primes * (6 + 2) * (8 + 8 / 4)
        assert spent(sp.csr_array(X), True, directions) == primes * (4 + 2) * (8 + 8 / 4)
    wide = np.ones((1, 2**15 - 1))  # sums of 2^15 products of two residues of 18 bits are exact in floating point
    primes = len(_primes(18, 54 + 53 + 1 + 16 + 1))
    assert spent(wide, False, [[1] * (2**15 - 1)]) == primes * 2**15 * (8 + 1 / 4)


def test_primes_are_all_below_a_power_of_two_and_as_many_as_are_needed():
    assert _sieve(5) == [31, 29, 23, 19, 17, 13, 11, 7, 5, 3, 2]
    assert _sieve(1) == []
    assert _sieve(2) == [3, 2]
    assert _sieve(8)[:2] == [251, 241]
    assert all(prime % k for prime in _sieve(8) for k in range(2, math.isqrt(prime) + 1))
    for enough in range(3, 36):
        found = _primes(5, enough)
        assert found == _sieve(5)[: len(found)]
        assert math.prod(found).bit_length() > enough + 1
        assert math.prod(found[:-1]).bit_length() <= enough + 1
    most = math.prod(_sieve(5)).bit_length()
    assert _primes(5, most - 2) == _sieve(5)
    assert _primes(5, most - 1) == []
    assert _primes(30, 50) == _sieve(20)[:3]


def test_powers_of_two_modulo_a_prime():
    assert _powers(7, 11).tolist() == [1, 2, 4, 8, 5, 10, 9]
    assert _powers(1, 3).tolist() == [1]
