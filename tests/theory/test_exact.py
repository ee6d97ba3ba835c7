"""Exact arithmetic: whole numbers, and signs that floating point cannot see."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from matrices import FLOATS, matrices
from novikoff.theory.elimination import Budget, WorkLimitReached
from novikoff.theory.exact import Examples, to_integers


@given(values=st.lists(FLOATS, min_size=1, max_size=6))
def test_whole_numbers_are_the_floats_themselves(values):
    numbers, exponent = to_integers(np.array(values))
    assert [Fraction(number) * Fraction(2) ** exponent for number in numbers] == [Fraction(v) for v in values]
    assert not any(numbers) or any(number % 2 for number in numbers)


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


@pytest.mark.parametrize("sparse", [False, True])
def test_the_smallest_score_is_that_of_fractions(sparse):
    X = np.array([[1e300, 1e-300], [0.1, 5e-324], [3.0, -2.0]])
    examples = Examples(sp.csr_array(X) if sparse else X, np.array([1.0, -1.0, 1.0]), True)
    direction = [3, -(10**30), 7]
    scores = [sign * (3 * Fraction(a) - 10**30 * Fraction(b) + 7) for (a, b), sign in zip(X, (1, -1, 1), strict=True)]
    assert examples.smallest_score(direction) == min(scores)


def test_what_takes_too_much_work_is_not_begun():
    examples = Examples(np.array([[1.0, -1.0]] * 1000), np.ones(1000), False)
    assert not examples.sides([10**40, 10**40]).any()
    with pytest.raises(WorkLimitReached):
        examples.sides([10**40, 10**40], Budget(1000.0))
    with pytest.raises(WorkLimitReached):
        examples.off_zero([[10**40, 10**40]], Budget(1000.0))
    with pytest.raises(WorkLimitReached):
        examples.integer_rows(np.arange(1000), budget=Budget(1000.0))


def test_read_only_sparse_rows_with_stored_zeros_are_not_changed():
    X = sp.csr_array((np.array([1.0, 0.0, 2.0, 3.0]), np.array([0, 1, 1, 0]), np.array([0, 2, 3, 4])), shape=(3, 2))
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    examples = Examples(X, np.array([1.0, 1.0, -1.0]), True)
    assert examples.used(np.array([0, 2])).tolist() == [0, 2]
    assert examples.reaches_beyond(np.array([1, 2])).tolist() == [True, False, True]
    assert examples.sides([1, -1, 0]).tolist() == [1, -1, -1]
    assert examples.off_zero([[0, 1, -2]]).tolist() == [True, False, True]
    assert X.data.tolist() == [1.0, 0.0, 2.0, 3.0]
