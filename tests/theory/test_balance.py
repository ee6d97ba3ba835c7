"""Rows that balance exactly, found near weights that nearly do."""

import math
from fractions import Fraction

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory.balance import _as_float, _leading, _spans_all, balance, proven_balance, rounded_to, span_of
from novikoff.theory.certificate import Duals
from novikoff.theory.elimination import OPERATION, Budget, Reduced
from novikoff.theory.exact import Examples
from reference.separability_claims import dot, null_space

# The second row is the mean of the others, with the other label.
X = np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]])
SIGNS = np.array([1.0, -1.0, 1.0])


def test_weights_that_nearly_balance_are_corrected():
    examples = Examples(X, SIGNS, fit_intercept=True)
    proof = balance(examples, Duals(np.arange(3), np.array([0.5, 1.0 + 1e-9, 0.5])))
    np.testing.assert_allclose(proof.duals.weights, [0.5, 1.0, 0.5], rtol=1e-6)
    assert proof.reduced.rank == 2
    assert not proof.outside(examples).any()


def test_rows_that_do_not_balance_have_no_proof():
    moved = X.copy()
    moved[1, 0] = np.nextafter(0.5, 1.0)
    assert balance(Examples(moved, SIGNS, True), Duals(np.arange(3), np.array([0.5, 1.0, 0.5]))) is None
    assert balance(Examples(X, SIGNS, True), Duals(np.arange(3), np.zeros(3))) is None


def test_rows_outside_of_the_span_are_found():
    wider = np.column_stack([np.vstack([X, [3.0, 3.0]]), [0.0, 0.0, 0.0, 1.0]])
    examples = Examples(wider, np.append(SIGNS, 1.0), fit_intercept=True)
    proof = balance(examples, Duals(np.arange(3), np.array([0.5, 1.0, 0.5])))
    assert proof.outside(examples).tolist() == [False, False, False, True]


def test_a_straightened_direction_is_zero_on_rows_that_balance():
    examples = Examples(X, SIGNS, fit_intercept=True)
    proof = balance(examples, Duals(np.arange(3), np.array([0.5, 1.0, 0.5])))
    direction = proof.straighten(np.array([1.0, 1.0 + 1e-12, -1.0]))
    assert any(direction)
    assert examples.sides(direction).tolist() == [0, 0, 0]


def test_pairs_of_equal_rows_in_many_columns_balance():
    rows = np.repeat(np.random.default_rng(0).normal(size=(10, 100)), 2, axis=0)
    labels = np.tile([0, 1], 10)
    found = nk.separability(rows, labels)
    assert found.kind == "overlap"
    assert found.verify(rows, labels, exact=True)


def test_weights_within_a_factor_of_two_are_decided():
    examples = Examples(X, SIGNS, fit_intercept=True)
    for weights, expected in (
        ([0.5, 1.0, 0.5], True),
        ([0.5, 1.9, 0.5], True),
        ([0.5, 3.9, 0.5], True),  # 0.99 and 1.98 are within a factor of two of all
        ([0.5, 4.0, 0.5], False),
        ([0.5, 4.1, 0.5], False),
        ([5e-324, 1e-323, 5e-324], True),
        ([1e-300, 1.0, 1e300], False),
    ):
        proof = proven_balance(examples, Duals(np.arange(3), np.array(weights)), Budget(1e9))
        assert (proof is not None) == expected, weights


def test_rows_of_zeros_balance_and_span_nothing_else():
    zeros = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    examples = Examples(zeros, np.array([1.0, -1.0, 1.0]), fit_intercept=False)
    proof = proven_balance(examples, Duals(np.arange(2), np.ones(2)), Budget(1e9))
    assert proof.outside(examples).tolist() == [False, False, True]


def test_the_span_of_rows_that_do_not_balance_is_known():
    examples = Examples(X, np.ones(3), fit_intercept=False)
    assert span_of(examples, Duals(np.arange(1), np.ones(1)), Budget(1e9)).outside(examples).tolist() == [
        False,
        True,
        True,
    ]


# ---- properties ------------------------------------------------------------------------------------------------------


def fractions_of(rows):
    return [[Fraction(entry) for entry in row] for row in rows.tolist()]


def rows_that_balance(seed, size=12, spread=0):
    """Rows of rank 2 in three columns, times powers of 2, and weights up to a thousandth from some that balance."""
    random = np.random.default_rng(seed)
    plane = random.integers(-9, 10, size=(size, 2)).astype(float)
    weights = random.integers(10, 20, size=size).astype(float)
    plane[-1] = -(weights[:-1] @ plane[:-1]) * 2.0**-3
    weights[-1] = 8.0
    powers = random.integers(-spread, spread + 1, size=size)
    rows = np.ldexp(np.column_stack([plane, plane.sum(axis=1)]), powers[:, None])
    return rows, np.ldexp(weights * random.uniform(0.999, 1.001, size), -powers)


@pytest.mark.parametrize("spread", [0, 3, 400])
@pytest.mark.parametrize("size", [5, 12, 40])
def test_weights_of_a_proof_balance_and_are_close_to_those_given(spread, size):
    for seed in range(6):
        rows, weights = rows_that_balance(seed, size, spread)
        proof = balance(Examples(rows, np.ones(size), False), Duals(np.arange(size), weights), within=1.5)
        found = proof.duals.weights
        assert np.all(np.abs(found / weights - 1) < 0.3)
        with np.errstate(under="ignore"):
            terms = found[:, None] * rows
        assert np.all(np.abs(terms.sum(axis=0)) <= 1e-14 * size * np.abs(terms).sum(axis=0))
        kept = np.setdiff1d(np.arange(size), proof.basis)
        np.testing.assert_allclose(found[kept], weights[kept], rtol=2.0**-12)
        assert len(proof.basis) == proof.reduced.rank == 2
        assert len(null_space(fractions_of(rows[proof.basis]), 3)) == 1


def pairs(seed, fit_intercept=False):
    """Examples of which two thirds are pairs of equal rows with both labels, in a plane or a line; and their z."""
    random = np.random.default_rng(seed)
    rank, columns = int(random.integers(1, 4)), int(random.integers(3, 6))
    rows = random.integers(-2, 3, size=(4, rank)) @ random.integers(-2, 3, size=(rank, columns)) * 1.0
    rows[:, int(random.integers(columns))] = 0.0  # a column that is not used
    others = random.integers(-2, 3, size=(3, rank)) @ np.eye(rank, columns) + random.integers(-1, 2, size=(3, columns))
    X = np.vstack([rows, rows, others])
    signs = np.array([1.0] * 4 + [-1.0] * 4 + [1.0] * 3)
    table = np.column_stack([X, np.ones(11)]) if fit_intercept else X
    return Examples(X, signs, fit_intercept), fractions_of(table * signs[:, None])


PROOFS = {
    "balance": lambda examples: balance(examples, Duals(np.arange(8), np.full(8, 3.0))),
    "span": lambda examples: span_of(examples, Duals(np.arange(8), np.ones(8)), Budget(1e9)),
}


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("kind", PROOFS)
def test_the_span_is_that_of_fractions_and_a_straightened_direction_is_orthogonal_to_it(kind, fit_intercept):
    for seed in range(40):
        examples, z = pairs(seed, fit_intercept)
        proof, width = PROOFS[kind](examples), len(z[0])
        kernel = null_space(z[:8], width)
        assert proof.outside(examples).tolist() == [any(dot(row, vector) for vector in kernel) for row in z]
        assert len(proof.basis) == proof.reduced.rank == width - len(kernel)
        moves = proof.moves(width)
        assert len(moves) == len(proof.columns) - proof.reduced.rank
        assert not any(dot(row, vector) for row in z[:8] for vector in moves)
        direction = np.random.default_rng(seed).normal(size=width)
        straight = proof.straighten(direction)
        assert not any(dot(row, straight) for row in z[:8])
        pivots = {int(proof.columns[place]) for place in proof.reduced.pivots}
        factors = {Fraction(straight[j]) / Fraction(direction[j]) for j in range(width) if j not in pivots}
        assert len(factors) <= 1  # all other columns are as given, but for one factor
        assert all(factor > 0 for factor in factors)


def test_rows_without_weight_are_no_part_of_a_proof():
    proof = balance(Examples(X, SIGNS, True), Duals(np.array([2, 1, 0, 1]), np.array([0.5, 1.0, 0.5, 0.0])))
    assert proof.duals.rows.tolist() == [2, 1, 0]
    assert sorted(proof.basis) == sorted(set(proof.basis))
    alone = Examples(np.array([[1.0], [-1.0], [0.0]]), np.ones(3), False)
    assert balance(alone, Duals(np.arange(3), np.array([1.0, 0.0, 0.0]))) is None


@pytest.mark.parametrize(
    ("rows", "weights"),
    [
        ([1.0, -1.0], [1.0, 2.0]),  # the second weight becomes 1
        ([1.0, -1.0, -1.0], [2.0, 2.0, 2.0]),  # the first becomes 4
    ],
)
def test_weights_that_are_solved_for_stay_within_a_factor(rows, weights):
    size = len(rows)
    examples = Examples(np.array(rows)[:, None], np.ones(size), False)
    duals = Duals(np.arange(size), np.array(weights))
    assert balance(examples, duals, within=2.0) is None
    proof = balance(examples, duals, within=2.0 + 1e-9)
    assert float(proof.duals.weights @ np.array(rows)) == 0
    assert np.count_nonzero(proof.duals.weights == duals.weights) == size - 1


def test_weights_of_a_witness_are_scaled_to_about_1_if_floats_can_do_that():
    for weights in ([0.5, 1.0, 0.5], np.ldexp([0.5, 1.0, 0.5], 900), np.ldexp([0.5, 1.0, 0.5], -1000)):
        witness = Duals(np.arange(3), np.array(weights))
        found = proven_balance(Examples(X, SIGNS, True), witness, Budget(1e9)).duals.weights
        assert found.tolist() == [0.5, 1.0, 0.5]
    for exponent, is_scaled in ((949, True), (950, False)):
        rows = np.array([[2.0**-exponent], [-(2.0**950)]])
        witness = Duals(np.arange(2), np.array([2.0**exponent, 2.0**-950]))
        proof = proven_balance(Examples(rows, np.ones(2), False), witness, Budget(1e9))
        assert (proof.duals is not witness) == is_scaled


def test_up_to_500_directions_are_listed():
    for columns in (501, 502):
        examples = Examples(np.ones((2, columns)), np.array([1.0, -1.0]), False)
        proof = balance(examples, Duals(np.arange(2), np.ones(2)))
        assert (proof.moves(columns) is None) == (columns == 502)
        assert (proof.outside(examples) is None) == (columns == 502)


def test_weights_that_differ_by_more_than_a_factor_of_two_are_no_proof():
    # all multiples of (1, 1, 1) balance; none is within a factor of two of weights that differ by more than four
    examples = Examples(np.array([[1.0, 0.0], [-1.0, 0.125], [0.0, -0.125]]), np.ones(3), False)
    for ratio, expected in ((1.9, True), (1.99, True), (2.0, False), (2.1, False), (2.4, False)):
        witness = Duals(np.arange(3), np.array([1 / ratio, ratio, 1.0]))
        assert (proven_balance(examples, witness, Budget(1e9)) is not None) == expected


def test_the_work_of_floats_and_of_directions_is_taken_from_the_budget():
    budget = Budget(1e9)
    rows = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [-1.0, -1.0, 0.0]])
    proof = balance(Examples(rows, np.ones(4), False), Duals(np.arange(4), np.array([2.0, 2.0, 1.0, 1.0])), budget)
    assert budget.most - budget.left == 4 * 2 * 2 / 4  # a quarter of the products of rows, columns and the rank
    line = Examples(np.array([[1.0, 5.0, 0.0]]), np.ones(1), False)
    flat = span_of(line, Duals(np.arange(1), np.ones(1)), budget)
    before = budget.left
    assert len(flat.moves(7, budget)) == 1
    assert before - budget.left == 7 + 2 * OPERATION
    assert proof.moves(3, budget) == []


def test_weights_are_rounded_to_the_nearest_of_so_many_bits():
    weights = np.array([1.0, 1 / 3, 1e300, 7e-300, 0.75, 4095.0 / 4096])
    for digits in (2, 12, 53):
        found = rounded_to(weights, digits)
        assert np.all(np.abs(found - weights) <= weights * 2.0**-digits)
        assert all(int(m * 2**digits) == m * 2**digits for m in np.frexp(found)[0].tolist())
    assert rounded_to(weights, 53).tolist() == weights.tolist()
    assert rounded_to(np.array([0.74, 0.76]), 1).tolist() == [0.5, 1.0]


def test_fractions_times_powers_of_two_are_floats_within_their_range():
    for number, exponent, expected in (
        (Fraction(3, 7), 5, 96 / 7),
        (Fraction(10**400), -1300, float(Fraction(10**400, 2**1300))),
        (Fraction(1, 10**400), 1300, float(Fraction(2**1300, 10**400))),
        (Fraction(1), 999, 2.0**999),
        (Fraction(1), 1000, math.inf),
        (Fraction(1), -999, 2.0**-999),
        (Fraction(1), -1000, 0.0),
        (Fraction(2**500), 600, math.inf),
        (Fraction(1, 2**500), -600, 0.0),
    ):
        assert _as_float(number, exponent) == pytest.approx(expected, rel=1e-15)


def test_orders_of_rows_begin_with_a_basis_and_few_rows_are_sorted_by_their_terms():
    z = np.zeros((29, 2))
    z[:, 0] = 2.0 ** np.arange(29)
    z[7, 1] = 1.0
    weights = np.ones(29)
    found = list(_leading(z, weights))
    assert len(found) == 1  # more than 4 * 2 + 20 rows
    assert len(found[0]) == 2 + 5
    assert 7 in found[0][:2].tolist()
    weights[0] = 2.0**30
    first, second = _leading(z[:28], weights[:28])
    assert len(first) == 2 + 5
    assert second.tolist() == [0, *range(27, 0, -1)]
    line = z[:28, :1] * [[1.0, 1.0]]
    assert len(next(_leading(line, weights[:28]))) == 1 + 5
    nearly = line + np.array([[0.0, 1e-13]]) * line
    assert len(next(_leading(nearly, np.ones(28)))) == 1 + 5
    assert next(_leading(np.ones((29, 1)), 2.0 ** np.arange(29)))[0] == 28  # the largest term


def test_rows_of_zeros_are_no_part_of_a_basis():
    z = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    for order in _leading(z, np.array([1e300, 1e-300, 1e-300])):
        assert sorted(order.tolist()) == [0, 1, 2]


@pytest.mark.parametrize("bits", [8, 26, 30, 60])
def test_what_a_basis_spans_is_decided_exactly(bits):
    big = 2**bits + 1
    basis = Reduced([[big, 1, 0]], 3)
    assert _spans_all(basis, [([2 * big, 2, 0], 0), ([0, 0, 0], 5)], None)
    for other in ([2 * big + 1, 2, 0], [2 * big, 3, 0], [big, 1, 1], [big**2 - 1, big, 0]):
        assert not _spans_all(basis, [([big, 1, 0], 0), (other, 0)], None)
    assert _spans_all(Reduced.of_full_rank(2), [([3, 4], 0)], Budget(0.0))
