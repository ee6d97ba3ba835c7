"""Rows that are held out, and the scores on them."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.evaluate import held_out_rows, holdout

rng = np.random.default_rng(4)
X = rng.normal(size=(200, 3))
Y = np.where(X[:, 0] + 0.5 * rng.normal(size=200) > 0, "yes", "no")


@given(st.lists(st.integers(0, 4), min_size=1, max_size=80), st.floats(0, 0.99), st.integers(0, 9))
def test_every_class_keeps_a_row_and_the_fraction_is_met(labels, fraction, seed):
    y = np.array(labels)
    rows = held_out_rows(y, fraction=fraction, seed=seed)
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert set(np.delete(y, rows).tolist()) == set(labels)
    assert len(rows) == min(int(fraction * len(y) + 0.5), len(y) - len(set(labels)))


def test_every_class_is_held_out_in_proportion():
    y = np.repeat([0, 1, 2], [700, 200, 100])
    assert np.bincount(y[held_out_rows(y, fraction=0.2)]).tolist() == pytest.approx([140, 40, 20], abs=1)
    many = np.repeat(np.arange(100), 5)
    assert np.bincount(many[held_out_rows(many, fraction=0.2)]).tolist() == [1] * 100


def test_the_seed_decides_the_rows():
    one, same, other = (held_out_rows(Y, fraction=0.2, seed=seed).tolist() for seed in (1, 1, 2))
    assert one == same != other


def test_rows_of_weight_0_are_not_held_out_and_a_class_keeps_a_row_with_weight():
    weights = (np.arange(200) % 4 > 0).astype(float)
    rows = held_out_rows(Y, weights, fraction=0.5)
    assert np.all(weights[rows] > 0)
    assert len(held_out_rows(["a", "a", "b", "b"], [1, 0, 1, 0], fraction=0.9)) == 0


@pytest.mark.parametrize("as_matrix", [np.asarray, sp.csr_array])
def test_the_scores_are_those_of_a_model_of_the_other_rows(as_matrix):
    weights = rng.random(200)
    found = holdout(nk.LinearSVM(probability=True), as_matrix(X), Y, weights)
    others = np.delete(np.arange(200), found.rows)
    model = nk.LinearSVM().fit(as_matrix(X)[others], Y[others], weights[others])
    expected = nk.evaluate.scores(model, as_matrix(X)[found.rows], Y[found.rows], weights[found.rows])
    assert found.scores.accuracy == pytest.approx(expected.accuracy)
    assert found.scores.baseline == pytest.approx(expected.baseline)
    assert found.model.coef_.tolist() == model.coef_.tolist()


def test_the_model_is_not_changed():
    model = nk.LinearSVM()
    holdout(model, X, Y)
    assert not hasattr(model, "coef_")


def test_too_few_rows_and_impossible_fractions_are_refused():
    with pytest.raises(nk.InvalidInputError, match="too few rows"):
        holdout(nk.LinearSVM(), [[0.0], [1.0]], ["a", "b"])
    with pytest.raises(nk.InvalidInputError, match="below 1"):
        holdout(nk.LinearSVM(), X, Y, fraction=1.5)
