"""Rows that balance exactly, found near weights that nearly do."""

import numpy as np

import novikoff as nk
from novikoff.theory.balance import balance
from novikoff.theory.certificate import Duals
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
