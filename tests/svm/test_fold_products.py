"""Folds scored over products of rows: the predictions are those of the weights, also where scores are exactly 0."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.svm import _experiment
from novikoff.svm._fold_products import FoldProducts


def wide(classes=2, rows=60, columns=150):
    rng = np.random.default_rng(1)
    factors = rng.normal(size=(rows, 4))
    X = factors @ rng.normal(size=(4, columns)) + rng.normal(size=(rows, columns))
    order = np.argsort(factors[:, 0] + 0.3 * rng.normal(size=rows))
    y = np.empty(rows, dtype=int)
    y[order] = np.arange(rows) * classes // rows
    return X, y


def scored(model, monkeypatch, X, y, **weights):
    """Return the scores over products, those of weights alone, and the number of models that needed weights."""
    made, original = [], _experiment._models
    monkeypatch.setattr(_experiment, "_models", lambda *given: made.append(len(given[2])) or original(*given))
    over_products, needed = model.fit(X, y, **weights).scores_, sum(made)
    with monkeypatch.context() as patch:
        patch.setattr(FoldProducts, "predict", lambda self, *_: [None] * len(self.paths[0].biases))
        by_weights = model.fit(X, y, **weights).scores_
    return over_products, by_weights, needed


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_scores_over_products_are_those_of_the_weights(make, classes, multi_class, monkeypatch):
    X, y = wide(classes)
    weights = np.random.default_rng(2).integers(1, 4, len(y)).astype(float)
    model = nk.LinearSVMCV(Cs=[1e-3, 0.1, 10.0], cv=3, multi_class=multi_class)
    over_products, by_weights, needed = scored(model, monkeypatch, make(X), y, sample_weight=weights)
    assert needed == 0
    assert np.array_equal(over_products, by_weights)


def test_rows_whose_score_is_0_are_predicted_by_the_weights(monkeypatch):
    X, y = wide()
    X[::6] = 0.0  # without an intercept, the score of these rows is 0
    model = nk.LinearSVMCV(Cs=[1e-3, 0.1, 10.0], cv=3, fit_intercept=False)
    over_products, by_weights, needed = scored(model, monkeypatch, X, y)
    assert needed == 9
    assert np.array_equal(over_products, by_weights)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_models_of_a_fold_are_those_of_single_fits(loss, monkeypatch):
    X, y = wide()
    held_out = np.arange(0, 60, 3)
    learned = np.setdiff1d(np.arange(60), held_out)
    found = []

    def score(model, X, y):
        found.append((model.C, model.coef_.copy(), model.intercept_.copy()))
        return float(model.score(X, y))

    cv = [(learned, held_out), (learned, held_out)]
    nk.LinearSVMCV(Cs=[0.01, 1.0], cv=cv, scoring=score, loss=loss, tol=1e-8).fit(X, y)
    for C, weights, bias in found:
        alone = nk.LinearSVM(C=C, loss=loss, tol=1e-8).fit(X[learned], y[learned])
        np.testing.assert_allclose(weights, alone.coef_, rtol=1e-3, atol=1e-4 * np.abs(alone.coef_).max())
        np.testing.assert_allclose(bias, alone.intercept_, rtol=1e-3, atol=1e-4)


def test_threads_do_not_change_a_bit():
    X, y = wide()
    ends = [nk.LinearSVMCV(Cs=4, cv=3, n_jobs=jobs).fit(X, y) for jobs in (1, 3)]
    assert np.array_equal(ends[0].scores_, ends[1].scores_)
    assert np.array_equal(ends[0].coef_, ends[1].coef_)
