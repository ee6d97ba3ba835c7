"""Elimination without fractions, and limits on its work."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrices import NUMBERS, matrices
from novikoff.theory.elimination import (
    MAX_WORK,
    SMALL_WORK,
    Budget,
    Factors,
    Reduced,
    WorkLimitReached,
    pivots_modulo,
    primitive,
    solve,
)


def test_a_primitive_vector_keeps_its_direction():
    assert primitive([4, -6, 0]) == [2, -3, 0]
    assert primitive([0, 0]) == [0, 0]


@given(matrix=matrices(st.integers(-3, 3)) | matrices(NUMBERS))
def test_elimination_agrees_with_fractions(matrix):
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
    pivots = pivots_modulo(matrix)
    assert pivots == reduced.pivots
    chosen = pivots_modulo([list(column) for column in zip(*matrix, strict=True)])
    if pivots:
        square = [[matrix[i][j] for j in pivots] for i in chosen]
        (x,), divisor = solve(square, [list(range(len(pivots)))])
        assert [sum(a * b for a, b in zip(row, x, strict=True)) for row in square] == [
            divisor * k for k in range(len(x))
        ]
    some = reduced.null_vector(list(range(1, len(reduced.free) + 1)))
    assert not any(sum(a * b for a, b in zip(row, some, strict=True)) for row in matrix)
    assert any(some) == bool(reduced.free)
    assert all(reduced.spans(matrix))
    assert reduced.spans(kernel) == [False] * len(kernel)


@given(left=matrices(st.integers(-3, 3)) | matrices(NUMBERS))
def test_products_are_exact(left):
    expected = [[sum(a * b for a, b in zip(v, w, strict=True)) for w in left] for v in left]
    assert Factors(left).products(left) == expected


def test_the_form_of_full_rank():
    assert Reduced.of_full_rank(3).null_space() == []
    assert Reduced([[2, 0], [1, 5]], 2).pivots == Reduced.of_full_rank(2).pivots


def test_large_eliminations_are_not_begun():
    """Twenty columns of doubles are small, two hundred are not, and seven hundred take more than a minute."""
    Reduced([[(i * j) % 7 * 2**50 + 1 for j in range(20)] for i in range(20)], 20, Budget(SMALL_WORK))
    for size, most in ((200, SMALL_WORK), (700, MAX_WORK)):
        with pytest.raises(WorkLimitReached):
            Reduced([[2**52] * size] * size, size, Budget(most))


def test_a_budget_is_spent_before_work_is_done():
    budget = Budget(10.0)
    budget.spend(6.0)
    with pytest.raises(WorkLimitReached):
        budget.spend(6.0)
    budget.spend(4.0)
    with pytest.raises(WorkLimitReached):
        budget.spend(float("nan"))
