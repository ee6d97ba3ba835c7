"""Class probabilities: sigmoids of scores, coupled for pairs of classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.svm import SVC

import novikoff as nk
from novikoff._multiclass import OneVsOne
from novikoff.svm import _probabilities
from novikoff.svm._probabilities import coupled
from strategies import seeds


@given(st.integers(3, 6), seeds)
def test_probabilities_that_agree_are_found_again(classes, seed):
    """If r_ij = p_i / (p_i + p_j) for some p, then p has the objective 0."""
    p = np.random.default_rng(seed).dirichlet(np.ones(classes), size=5) + 1e-3
    p /= p.sum(axis=1, keepdims=True)
    pairs = OneVsOne(np.arange(classes)).pairs
    wins = np.column_stack([p[:, i] / (p[:, i] + p[:, j]) for i, j in pairs])
    np.testing.assert_allclose(coupled(wins, pairs, classes), p, atol=1e-9)


def test_the_coupling_minimises_its_objective():
    rng = np.random.default_rng(0)
    pairs = OneVsOne(np.arange(4)).pairs
    wins = rng.random((1, 6))

    def objective(p):
        return sum((r * p[j] - (1 - r) * p[i]) ** 2 for (i, j), r in zip(pairs, wins[0], strict=True))

    best = coupled(wins, pairs, 4)[0]
    assert best.sum() == pytest.approx(1)
    for _ in range(200):
        other = np.abs(best + 0.05 * rng.normal(size=4))
        assert objective(best) <= objective(other / other.sum()) + 1e-15


def test_certain_probabilities_can_be_coupled(monkeypatch):
    pairs = OneVsOne(np.arange(3)).pairs
    wins = np.array([[0.0, 0.0, 0.5], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    found = coupled(wins, pairs, 3)
    assert found[:2].argmax(axis=1).tolist() == [0, 1]
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert np.all(found >= 0)
    monkeypatch.setattr(_probabilities, "BLOCK_NUMBERS", 16)
    assert coupled(wins, pairs, 3).tobytes() == found.tobytes()


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
def test_the_log_loss_of_pairs_is_that_of_scikit_learns_svc():
    X, y = load_iris(return_X_y=True)
    ours = nk.LinearSVM(probability=True).fit(X[::2], y[::2])
    theirs = SVC(kernel="linear", probability=True, random_state=0).fit(X[::2], y[::2])
    losses = [log_loss(y[1::2], model.predict_proba(X[1::2])) for model in (ours, theirs)]
    assert losses[0] < 1.2 * losses[1]


def test_rows_of_weight_0_do_not_change_probabilities():
    X, y = load_iris(return_X_y=True)
    weights = np.where(np.arange(150) % 7 == 0, 0.0, 1.0)
    other = np.where(weights == 0, (y + 1) % 3, y)
    one, two = (nk.LinearSVM(probability=True, tol=1e-9).fit(X, labels, weights) for labels in (y, other))
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), rtol=1e-3, atol=1e-4)
