"""Rows that balance exactly, found near weights that nearly do."""

import numpy as np

import novikoff as nk
from novikoff.theory.balance import balance, proven_balance, span_of
from novikoff.theory.certificate import Duals
from novikoff.theory.elimination import Budget
from novikoff.theory.exact import Examples

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
