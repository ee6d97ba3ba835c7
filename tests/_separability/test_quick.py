"""Separability in floating point: true answers within bounded work, or none."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff._separability import quick
from novikoff._separability.quick import decide_quickly, work_of


def data(seed, rows=200, columns=4, noise=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    signs = np.where(X @ rng.normal(size=columns) + 0.3 + noise * rng.normal(size=rows) > 0, 1.0, -1.0)
    return X, signs


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_it_agrees_with_the_exact_answer(seed, noise, form):
    X, signs = data(seed, noise=noise)
    X = form(X)
    exact = nk.separability(X, signs).kind == "complete"
    assert decide_quickly(X, signs, True, None, np.inf).is_separable is exact
    assert decide_quickly(X, signs, True, np.ones(5), np.inf).is_separable is exact


def test_a_tiny_margin_is_still_a_margin():
    X, signs = data(1)
    plane = nk.HardMarginSVM().fit(X, signs)
    w, b = plane.coef_[0], plane.intercept_[0]
    X = X - np.outer((X @ w + b) - signs * np.maximum(1e-6, np.abs(X @ w + b) - 1), w) / (w @ w)
    assert nk.separability(X, signs).kind == "complete"
    assert decide_quickly(X, signs, True, None, np.inf).is_separable is True


@pytest.mark.parametrize("gap", [1e-10, 1e-13, 2.0**-52])
def test_a_margin_below_what_is_searched_for_decides_nothing(gap):
    X, signs = np.array([[1.0], [1.0 + gap]]), np.array([-1.0, 1.0])
    assert nk.separability(X, signs).kind == "complete"
    found = decide_quickly(X, signs, True, None, np.inf)
    assert (found.is_separable, found.witness) == (None, None)
    assert found.is_negligible


def test_a_balance_whose_proof_would_take_too_much_work_decides_nothing(monkeypatch):
    X, signs = data(2, noise=0.5)
    assert decide_quickly(X, signs, True, None, np.inf).is_separable is False
    monkeypatch.setattr(quick, "SMALL_WORK", 0.0)
    assert decide_quickly(X, signs, True, None, np.inf)[:3] == (None, None, None)


def test_opposite_labels_of_equal_rows_are_inseparable():
    X, signs = data(2)
    X[1], signs[:2] = X[0], [1, -1]
    assert decide_quickly(X, signs, True, None, np.inf).is_separable is False


def test_without_an_intercept_the_plane_contains_the_origin():
    X, signs = np.array([[1.0], [2.0], [3.0]]), np.array([-1.0, 1.0, 1.0])
    assert decide_quickly(X, signs, True, None, np.inf).is_separable is True
    assert decide_quickly(X, signs, False, None, np.inf).is_separable is False


def test_one_class_alone_is_separable_by_the_intercept():
    assert decide_quickly(np.eye(3), -np.ones(3), True, None, np.inf).is_separable is True
    assert decide_quickly(np.eye(3), -np.ones(3), False, None, np.inf).is_separable is None


def test_wide_data_are_separated_without_a_linear_program(monkeypatch):
    monkeypatch.setattr(quick, "linear_program", None)
    X, signs = np.random.default_rng(0).normal(size=(40, 100)), np.repeat([1.0, -1.0], 20)
    assert decide_quickly(X, signs, True, None, 0.0).is_separable is True


def test_what_would_take_too_much_work_is_not_decided():
    X, signs = data(3, noise=0.5)
    assert decide_quickly(X, signs, True, None, work_of(*X.shape, X.size) / 2).is_separable is None


def test_the_work_grows_with_the_columns_and_with_the_entries():
    assert work_of(10_000, 10, 10_000) < work_of(10_000, 10, 100_000) < work_of(10_000, 20, 200_000)
    assert work_of(10, 100, 50) < work_of(1000, 1000, 10**6)


def test_a_numerical_balance_that_is_not_one_decides_nothing(monkeypatch):
    X, signs = data(4, noise=0.5)
    monkeypatch.setattr(quick, "linear_program", lambda examples, rows: (np.ones(5), np.ones(len(rows))))
    assert decide_quickly(X, signs, True, None, np.inf).is_separable is None
    monkeypatch.setattr(quick, "linear_program", lambda examples, rows: None)
    assert decide_quickly(X, signs, True, None, np.inf).is_separable is None


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_an_answer_comes_with_a_plane_or_with_rows_that_balance(form, intercept):
    for noise in (0.0, 0.5):
        X, signs = data(3, noise=noise)
        X[:, 1] = 0.0  # a column that does not occur
        signs = np.where(X[:, 0] - 0.5 * X[:, 2] + noise * X[:, 3] ** 2 > 0, 1.0, -1.0)
        found = decide_quickly(form(X), signs, intercept, None, np.inf)
        Z = signs[:, None] * (np.hstack([X, np.ones((len(X), 1))]) if intercept else X)
        if found.is_separable:
            assert found.witness is None
            assert np.all(Z @ found.direction > 0)
        else:
            assert found.direction is None
            assert np.all(found.witness.weights > 0)
            assert found.witness.weights.sum() == pytest.approx(1)
            np.testing.assert_allclose(found.witness.weights @ Z[found.witness.rows], 0, atol=1e-9)
        assert found.is_separable is (noise == 0.0)


@pytest.mark.parametrize("columns", [1, 2, 6, 20, 21])
def test_few_rows_balance_if_there_are_few_columns(columns):
    rng = np.random.default_rng(columns)
    X = rng.normal(size=(400, columns)) * 10.0 ** rng.integers(-3, 4, size=columns)
    signs = rng.choice([-1.0, 1.0], size=400)
    witness = decide_quickly(X, signs, True, None, np.inf).witness
    Z = signs[:, None] * np.hstack([X, np.ones((400, 1))])
    assert np.all(witness.weights > 0)
    assert witness.weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(witness.weights @ (Z / np.abs(Z).max(axis=0))[witness.rows], 0, atol=1e-9)
    assert (len(witness.rows) <= columns + 2) is (columns < quick.MAX_COLUMNS_TO_REDUCE)
