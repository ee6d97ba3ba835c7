"""Gordan's alternative in integers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrices import NUMBERS, matrices
from novikoff.theory.elimination import Budget, WorkLimitReached, product_work
from novikoff.theory.exact_simplex import alternative


@given(vectors=matrices(st.integers(-2, 2), 8, 4) | matrices(NUMBERS, 8, 4))
def test_the_alternative_is_one_or_the_other(vectors):
    weights, direction = alternative(vectors)
    if weights is not None:
        assert direction is None
        assert min(weights) >= 0 < max(weights)
        for column in zip(*vectors, strict=True):
            assert sum(w * v for w, v in zip(weights, column, strict=True)) == 0
    else:
        assert all(sum(a * b for a, b in zip(vector, direction, strict=True)) > 0 for vector in vectors)


def test_each_pivot_spends_work_on_all_entries():
    """Two vectors of one entry: four columns and the right-hand side, three rows, and numbers of at most two bits."""
    vectors = [[1], [-1]]
    assert alternative(vectors, Budget(10.0 * 15 * product_work(3, 3)))[0] == [1, 1]
    with pytest.raises(WorkLimitReached):
        alternative(vectors, Budget(15 * product_work(1, 1) - 1.0))


def test_worked_examples_of_both_alternatives():
    assert alternative([[2, 0], [0, 2], [-1, -1]])[1] is None
    weights, _ = alternative([[2, 0], [0, 2], [-1, -1]])
    assert weights[0] == weights[1] > 0
    assert weights[2] == 2 * weights[0]
    assert alternative([[0, 0]])[0][0] > 0
    _, direction = alternative([[1, 3], [3, -1]])
    assert direction[0] + 3 * direction[1] > 0 < 3 * direction[0] - direction[1]
