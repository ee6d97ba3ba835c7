"""The smallest C of a path: below it the solution only scales with C."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

import novikoff as nk
from machines import INTERCEPTS, LOSSES

every_intercept = pytest.mark.parametrize("intercept", INTERCEPTS)
every_loss = pytest.mark.parametrize("loss", LOSSES)


def classes(weights=None, seed=1, rows=200, apart=0.7, **more):
    X, y = make_classification(rows, 8, weights=weights, random_state=seed, class_sep=apart, **more)
    return X, y


def distance(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


@every_intercept
@pytest.mark.parametrize("weights", [None, [0.8], [0.2]])
def test_below_the_smallest_c_the_weights_of_the_hinge_only_scale_and_above_they_do_not(intercept, weights):
    X, y = classes(weights)
    settings = INTERCEPTS[intercept] | {"loss": "hinge"}
    least = nk.LinearSVMPath(Cs=2, **settings).fit(X, y).Cs_[0]
    path = nk.LinearSVMPath(Cs=least * np.array([0.1, 0.2, 0.95, 2.0]), tol=1e-6, **settings).fit(X, y)
    slopes = path.coefs_[:, 0] / path.Cs_[:, None]
    assert distance(slopes[1], slopes[0]) < 5e-3
    assert distance(slopes[2], slopes[0]) < 5e-3
    assert distance(slopes[3], slopes[0]) > 0.05


@every_intercept
def test_below_the_smallest_c_the_squared_hinge_is_least_squares(intercept):
    """No row is beyond its margin, so the loss is the square of y - score for all."""
    X, y = classes([0.7])
    settings = {"loss": "squared_hinge", **INTERCEPTS[intercept]}
    least = nk.LinearSVMPath(Cs=2, **settings).fit(X, y).Cs_[0]
    C = 0.9 * least
    path = nk.LinearSVMPath(Cs=[C], tol=1e-10, **settings).fit(X, y)
    U = X if intercept == "none" else np.column_stack([X, np.ones(len(X))])
    ridge = np.ones(U.shape[1])
    if intercept == "free":
        ridge[-1] = 0
    expected = np.linalg.solve(np.diag(ridge) + 2 * C * U.T @ U, 2 * C * U.T @ (2.0 * y - 1))
    np.testing.assert_allclose(path.coefs_[0, 0], expected[: X.shape[1]], rtol=1e-3, atol=1e-6)


def test_the_smallest_c_of_one_pair_is_known():
    """x = -1 and +1: w = 2C until both margins are reached, at C = 1/2."""
    path = nk.LinearSVMPath(Cs=3, loss="hinge").fit([[-1.0], [1.0]], [0, 1])
    assert path.Cs_[0] == pytest.approx(0.5)
    np.testing.assert_allclose(path.coefs_[:, 0, 0], 1.0, rtol=1e-3)


@every_loss
@every_intercept
def test_equal_rows_have_a_path(loss, intercept):
    path = nk.LinearSVMPath(Cs=3, loss=loss, **INTERCEPTS[intercept]).fit(np.ones((4, 2)), [0, 1, 0, 1])
    np.testing.assert_allclose(path.coefs_, 0, atol=0.01)  # what a gap of 1e-4 allows
    assert np.all(np.isfinite(path.Cs_))


@every_loss
@every_intercept
@pytest.mark.parametrize("scale", [1e-6, 1e5])
def test_the_grid_follows_the_scale_of_the_rows(loss, intercept, scale):
    X, y = classes()
    if intercept == "penalized":  # a penalised intercept sees the scale
        X = np.column_stack([X, np.ones(len(X))])
        settings = INTERCEPTS["none"]
        grid = nk.LinearSVMPath(Cs=2, loss=loss, **INTERCEPTS["penalized"]).fit(X[:, :-1], y).Cs_
        np.testing.assert_allclose(nk.LinearSVMPath(Cs=2, loss=loss, **settings).fit(X, y).Cs_, grid, rtol=1e-6)
        return
    grid = nk.LinearSVMPath(Cs=2, loss=loss, **INTERCEPTS[intercept]).fit(X, y).Cs_
    scaled = nk.LinearSVMPath(Cs=2, loss=loss, **INTERCEPTS[intercept]).fit(scale * X, y).Cs_
    np.testing.assert_allclose(scaled * scale**2, grid, rtol=1e-6)
