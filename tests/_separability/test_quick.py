"""Separability in floating point: true answers within bounded work, or none."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff._separability import quick
from novikoff._separability.quick import is_separable, work_of


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
    assert is_separable(X, signs, True, None, np.inf) is exact
    assert is_separable(X, signs, True, np.ones(5), np.inf) is exact


def test_a_tiny_margin_is_still_a_margin():
    X, signs = data(1)
    plane = nk.HardMarginSVM().fit(X, signs)
    w, b = plane.coef_[0], plane.intercept_[0]
    X = X - np.outer((X @ w + b) - signs * np.maximum(1e-6, np.abs(X @ w + b) - 1), w) / (w @ w)
    assert nk.separability(X, signs).kind == "complete"
    assert is_separable(X, signs, True, None, np.inf) is True


def test_opposite_labels_of_equal_rows_are_inseparable():
    X, signs = data(2)
    X[1], signs[:2] = X[0], [1, -1]
    assert is_separable(X, signs, True, None, np.inf) is False


def test_without_an_intercept_the_plane_contains_the_origin():
    X, signs = np.array([[1.0], [2.0], [3.0]]), np.array([-1.0, 1.0, 1.0])
    assert is_separable(X, signs, True, None, np.inf) is True
    assert is_separable(X, signs, False, None, np.inf) is False


def test_one_class_alone_is_separable_by_the_intercept():
    assert is_separable(np.eye(3), -np.ones(3), True, None, np.inf) is True
    assert is_separable(np.eye(3), -np.ones(3), False, None, np.inf) is None


def test_wide_data_are_separated_without_a_linear_program(monkeypatch):
    monkeypatch.setattr(quick, "linear_program", None)
    X, signs = np.random.default_rng(0).normal(size=(40, 100)), np.repeat([1.0, -1.0], 20)
    assert is_separable(X, signs, True, None, 0.0) is True


def test_what_would_take_too_much_work_is_not_decided():
    X, signs = data(3, noise=0.5)
    assert is_separable(X, signs, True, None, work_of(*X.shape, X.size) / 2) is None


def test_the_work_grows_with_the_columns_and_with_the_entries():
    assert work_of(10_000, 10, 10_000) < work_of(10_000, 10, 100_000) < work_of(10_000, 20, 200_000)
    assert work_of(10, 100, 50) < work_of(1000, 1000, 10**6)


def test_a_numerical_balance_that_is_not_one_decides_nothing(monkeypatch):
    X, signs = data(4, noise=0.5)
    monkeypatch.setattr(quick, "linear_program", lambda examples, rows: (np.ones(5), np.ones(len(rows))))
    assert is_separable(X, signs, True, None, np.inf) is None
    monkeypatch.setattr(quick, "linear_program", lambda examples, rows: None)
    assert is_separable(X, signs, True, None, np.inf) is None
