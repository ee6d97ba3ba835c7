"""Exact arithmetic: whole numbers, elimination without fractions, signs that floating point cannot see."""

import math
import unittest.mock
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from matrices import FLOATS, NUMBERS, matrices
from novikoff.theory import exact
from novikoff.theory.exact import Examples, Reduced, distance_is_at_most, margin_is_at_least, primitive, to_integers


@given(values=st.lists(FLOATS, min_size=1, max_size=6))
def test_whole_numbers_are_the_floats_themselves(values):
    numbers, exponent = to_integers(np.array(values))
    assert [Fraction(number) * Fraction(2) ** exponent for number in numbers] == [Fraction(v) for v in values]
    assert not any(numbers) or any(number % 2 for number in numbers)


def test_a_primitive_vector_keeps_its_direction():
    assert primitive([4, -6, 0]) == [2, -3, 0]
    assert primitive([0, 0]) == [0, 0]


@given(matrix=matrices(st.integers(-3, 3)) | matrices(NUMBERS), library=st.sampled_from([None, exact._flint()]))
def test_elimination_agrees_with_fractions(matrix, library):
    with unittest.mock.patch.object(exact, "_flint", return_value=library):
        check_elimination(matrix)


def check_elimination(matrix):
    width = len(matrix[0])
    reduced = Reduced(matrix, width)
    table = [[Fraction(int(v), int(reduced.divisor)) for v in row] for row in reduced.table]
    for place, column in enumerate(reduced.pivots):
        assert [row[column] for row in table] == [Fraction(i == place) for i in range(len(matrix))]
    assert not any(v for row in table[reduced.rank :] for v in row)
    kernel = reduced.null_space()
    assert len(kernel) == width - reduced.rank
    for vector in kernel:
        assert any(vector)
        assert all(sum(a * b for a, b in zip(row, vector, strict=True)) == 0 for row in matrix)
    joined = Reduced([*matrix, *[[int(v) for v in row] for row in reduced.table]], width)
    assert joined.rank == reduced.rank  # the rows span what they spanned


@given(
    rows=matrices(FLOATS | st.sampled_from([0.0, 1.0, -1.0, 1e15, 1e-300])),
    direction=st.lists(st.integers(-(10**40), 10**40) | st.integers(-2, 2), min_size=6, max_size=6),
    fit_intercept=st.booleans(),
    sparse=st.booleans(),
)
def test_sides_are_the_signs_of_fractions(rows, direction, fit_intercept, sparse):
    X = np.array(rows)
    y = np.where(np.arange(len(X)) % 2 == 0, 1.0, -1.0)
    direction = direction[: X.shape[1] + fit_intercept]
    found = Examples(sp.csr_array(X) if sparse else X, y, fit_intercept).sides(direction)
    for row, sign, side in zip(rows, y, found, strict=True):
        lifted = [*row, *([1.0] if fit_intercept else [])]
        score = sum(Fraction(x) * v for x, v in zip(lifted, direction, strict=True)) * int(sign)
        assert side == (score > 0) - (score < 0)


def test_a_direction_that_rounds_to_whole_numbers_is_not_taken_for_them():
    """Its share of the largest entry rounds to 1, and x - x' would seem to be 0 exactly."""
    X = np.array([[1.0, -1.0]])
    assert Examples(X, np.ones(1), False).sides([2**80, 2**80 - 1]).tolist() == [1]
    assert Examples(X, np.ones(1), False).sides([2**80 - 1, 2**80]).tolist() == [-1]


@pytest.mark.parametrize("value", [1e308, 5e-324])
def test_overflow_and_underflow_are_settled_exactly(value):
    X = np.array([[value, value], [value, -value]])
    assert Examples(X, np.ones(2), False).sides([10**400, 10**400 - 1]).tolist() == [1, 1]


ROWS = st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=2, max_size=5)


@given(rows=ROWS, direction=st.lists(st.integers(-3, 3), min_size=3, max_size=3), squared=st.integers(0, 30))
def test_a_margin_is_compared_exactly(rows, direction, squared):
    """With whole numbers and a bound whose square is known, floats can say which of the two is larger."""
    X, y = np.array(rows, dtype=float), np.where(np.arange(len(rows)) % 2 == 0, 1.0, -1.0)
    examples = Examples(X, y, True)
    for with_intercept in (False, True):
        counted = direction if with_intercept else direction[:-1]
        scores = y * (X @ direction[:-1] + direction[-1])
        for least in (math.sqrt(squared), -math.sqrt(squared), squared / 4, -squared / 4):
            square = Fraction(least) ** 2 * sum(c * c for c in counted)
            signed = square if least >= 0 else -square
            expected = all(int(score) * abs(int(score)) >= signed for score in scores)
            assert margin_is_at_least(examples, np.array(direction, dtype=float), least, with_intercept) == expected


@given(rows=ROWS, weights=st.lists(st.integers(1, 4), min_size=5, max_size=5), fourths=st.integers(0, 20))
def test_a_distance_is_compared_exactly(rows, weights, fourths):
    X, y = np.array(rows, dtype=float), np.where(np.arange(len(rows)) % 2 == 0, 1.0, -1.0)
    a = [Fraction(w) for w in weights[: len(rows)]]
    for free in (False, True):
        share = dict.fromkeys((1.0, -1.0), Fraction(1))
        if free:
            share = {side: 1 / sum(w for w, label in zip(a, y, strict=True) if label == side) for side in share}
        b = [w * share[label] for w, label in zip(a, y, strict=True)]
        total = [
            sum(w * int(label) * int(v) for w, label, v in zip(b, y, column, strict=True))
            for column in (np.column_stack([X, np.ones(len(X))]) if not free else X).T
        ]
        for most in (fourths / 4, math.sqrt(fourths)):
            expected = sum(t * t for t in total) <= (Fraction(most) * sum(b)) ** 2
            for rows in (X, sp.csr_array(X)):
                found = distance_is_at_most(
                    Examples(rows, y, True), np.arange(len(X)), np.array([float(w) for w in a]), most, free
                )
                assert found == expected
