"""Elimination without fractions, and limits on its work."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrices import NUMBERS, matrices
from novikoff.theory.elimination import (
    CONVERSION,
    MAX_WORK,
    OPERATION,
    SHORT_CONVERSION,
    SMALL_WORK,
    Budget,
    Factors,
    Reduced,
    WorkLimitReached,
    longest,
    pivots_modulo,
    primitive,
    product_work,
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


def test_vectors_without_a_common_divisor_are_returned_as_they_are():
    vector = [4, -9, 6]
    assert primitive(vector) is vector
    assert primitive([0, -2]) == [0, -1]


def test_the_longest_entry_counts_its_bits():
    assert longest([[1, -8], [7, 0]]) == 4
    assert longest([[]]) == longest([]) == 0


def test_matrices_without_rows_or_columns_have_rank_0():
    nothing = Reduced([], 2)
    assert (nothing.rank, nothing.free, nothing.divisor, nothing.table.shape) == (0, [0, 1], 1, (0, 2))
    assert nothing.null_space() == [[1, 0], [0, 1]]
    assert nothing.null_vector([2, -6]) == [1, -3]
    assert nothing.spans([[0, 0], [0, 1]]) == [True, False]
    flat = Reduced([[], []], 0)
    assert (flat.rank, flat.free, flat.table.shape) == (0, [], (2, 0))
    assert Reduced.of_full_rank(2).spans([[3, 4], [0, 0]]) == [True, True]
    assert Reduced([[0, 0]], 2).spans([[0, 0], [1, 0]]) == [True, False]


def test_a_null_vector_has_the_given_entries_in_the_free_columns():
    reduced = Reduced([[2, 4, 0, 6], [0, 0, 3, 1]], 4)
    assert (reduced.pivots, reduced.free) == ([0, 2], [1, 3])
    assert reduced.null_vector([1, 0]) == [-2, 1, 0, 0]
    assert reduced.null_vector([0, 3]) == [-9, 0, -1, 3]
    assert reduced.null_vector([1, 3]) == [-11, 1, -1, 3]
    assert reduced.null_space() == [[-2, 1, 0, 0], [-9, 0, -1, 3]]


def test_products_with_no_vectors_are_empty():
    assert Factors([]).products([[1, 2], [3, 4]]) == [[], []]
    assert Factors([[1, 2]]).products([]) == []


def test_solutions_have_a_positive_divisor():
    for matrix, right, expected in (
        ([[0, 1], [1, 0]], [3, 4], [4, 3]),
        ([[-2, 0], [0, 3]], [1, 1], [Fraction(-1, 2), Fraction(1, 3)]),
    ):
        (x,), divisor = solve(matrix, [right])
        assert divisor > 0
        assert [Fraction(entry, divisor) for entry in x] == expected


def test_columns_that_are_0_modulo_the_prime_are_no_pivots():
    prime = 2**61 - 1
    assert pivots_modulo([[prime, 1]]) == [1]
    assert pivots_modulo([[prime + 1, 1]]) == [0]
    assert pivots_modulo([[-1, prime], [0, -prime]]) == [0]
    assert pivots_modulo([]) == []


# ---- work ------------------------------------------------------------------------------------------------------------


def spent(work):
    """What some work takes from a budget."""
    budget = Budget(1e12)
    work(budget)
    return 1e12 - budget.left


def test_work_is_counted_in_products_of_digits_of_two_nanoseconds():
    assert SMALL_WORK == 0.2 / 2e-9
    assert MAX_WORK == 60 / 2e-9
    assert product_work(0, 0) == OPERATION == 150
    assert product_work(60, 90) == 150 + 2 * 3
    assert (CONVERSION, SHORT_CONVERSION) == (500, 20)


def test_the_work_of_an_elimination_grows_with_the_entries_that_hadamard_allows():
    for rows, columns in ((3, 2), (2, 3), (3, 3)):
        matrix = [[2**40] * columns] * rows
        rank = min(rows, columns)
        bits = rank * (41 + math.log2(rank + 1)) / 2
        expected = rows * columns * (rank * bits / 30 / 5 + (150 + (bits / 30) ** 2) / 4)
        assert spent(lambda budget, m=matrix, n=columns: Reduced(m, n, budget)) == pytest.approx(expected, rel=1e-6)


def test_the_work_of_products_depends_on_whether_floats_are_exact():
    # entries of 25 and 26 bits in 3 columns: sums have up to 53 bits
    short, other, longer = [[2**24] * 3] * 2, [[2**25] * 3] * 5, [[2**26] * 3] * 5
    assert spent(lambda budget: Factors(short).products(other, budget)) == 5 * 3 * (20 + 2 / 4)
    in_integers = 5 * 3 * (2 * 2 * (150 + (25 / 30) * (27 / 30)) / 150 + 150)
    assert spent(lambda budget: Factors(short).products(longer, budget)) == pytest.approx(in_integers, rel=1e-6)
    assert spent(lambda budget: Factors([[2**24] * 4] * 2).products([[2**25] * 4] * 5, budget)) > 2000


def test_products_of_more_bits_than_floats_have_are_exact():
    for bits in range(20, 32):
        big = 2**bits - 1
        assert Factors([[big, big, 1]]).products([[big, big, 1]]) == [[2 * big * big + 1]]


def test_the_work_of_pivots_and_solutions():
    matrix = [[1, 2, 0], [0, 1, 7]]
    assert spent(lambda budget: pivots_modulo(matrix, budget)) == 2 * 3 * (20 + 2)
    assert spent(lambda budget: pivots_modulo([*matrix, *matrix], budget)) == 4 * 3 * (20 + 3)
    steps = 2 * 2 * (4 + math.log2(3)) / 60
    found = spent(lambda budget: solve([[1, 2], [0, 7]], [[1, 8], [1, 1], [0, 1]], budget))
    assert found == pytest.approx(5 * 2 * 2 * (2 + 3 * steps), rel=1e-4)
