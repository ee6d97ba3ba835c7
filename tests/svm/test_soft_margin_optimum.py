"""LinearSVM finds the optimum of LIBSVM, LIBLINEAR, a quadratic program and the reference implementation."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from machines import INTERCEPTS, LOSSES, MACHINES, assert_proven, fewer_examples
from real_data import two_classes
from reference import quadratic_program, soft_margin
from strategies import soft_problems

SETS = ("iris", "wine", "breast cancer", "breast cancer, unscaled", "overlap", "wide")


def small_set(name):
    """A set that needs no download, with labels -1 and +1."""
    if name == "overlap":
        rng = np.random.default_rng(0)
        return rng.normal(size=(300, 8)), np.where(rng.random(300) < 0.5, 1, -1)
    if name == "wide":
        rng = np.random.default_rng(1)
        return rng.normal(size=(40, 300)), np.where(rng.random(40) < 0.3, 1, -1)
    load = {"iris": load_iris, "wine": load_wine}.get(name, load_breast_cancer)
    X, y = load(return_X_y=True)
    if not name.endswith("unscaled"):
        X = StandardScaler().fit_transform(X)
    return X, np.where(y == 1, 1, -1)


def objective(w, b, X, y, C, loss, intercept):
    return soft_margin.primal(w, b, X, y, np.full(len(y), C), loss, penalized=intercept == "penalized")


FAST = {  # every set with every C; losses and intercepts take turns
    (name, C, LOSSES[(i + j) % 2], list(INTERCEPTS)[(i + j) % 3])
    for (i, name), (j, C) in itertools.product(enumerate(SETS), enumerate((0.01, 1.0, 100.0)))
}
CASES = [
    pytest.param(*case, marks=() if case in FAST else pytest.mark.slow)
    for case in itertools.product(SETS, (0.01, 1.0, 100.0), LOSSES, INTERCEPTS)
]


@pytest.mark.parametrize(("name", "C", "loss", "intercept"), CASES)
def test_the_objective_is_that_of_the_quadratic_program(name, C, loss, intercept):
    X, y = small_set(name)
    w, b, _ = quadratic_program.solve(X, y.astype(float), np.full(len(y), C), loss, intercept)
    theirs = objective(w, b, X, y, C, loss, intercept)
    model = MACHINES[f"{loss}, {intercept}"](C=C, tol=1e-9).fit(X, y)
    assert_proven(model, X, y)
    certificate = model.certificate_
    assert certificate.dual <= theirs * (1 + 1e-12)
    assert certificate.primal <= theirs * (1 + 1e-9)
    assert model.objective_[0] == pytest.approx(theirs, rel=1e-6)


def libsvm(X, y, C):
    """The optimum by LIBSVM's dual point, which hardly feels that products of rows are kept in single precision."""
    model = SVC(kernel="linear", C=C, tol=1e-9, cache_size=500).fit(X, y)
    a = np.zeros(len(y))
    a[model.support_] = np.abs(sp.csr_matrix(model.dual_coef_).toarray()[0])
    return soft_margin.dual(a, X, y, np.full(len(y), C))


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("name", [name for name in SETS if not name.endswith("unscaled")])
def test_the_hinge_with_a_free_intercept_is_libsvm(name, C):
    X, y = small_set(name)
    model = MACHINES["hinge, free"](C=C, tol=1e-9).fit(X, y)
    assert_proven(model, X, y)
    assert model.objective_[0] == pytest.approx(libsvm(X, y, C), rel=1e-6)


@pytest.mark.parametrize(("name", "C"), [("colon", 1e-8), ("mushrooms", 1.0)])
def test_the_hinge_with_a_free_intercept_is_libsvm_on_real_data(name, C):
    X, y = two_classes(name)
    X, y = sp.csr_matrix(X[:2000]), y[:2000]
    model = MACHINES["hinge, free"](C=C, tol=1e-9).fit(X, y)
    assert_proven(model, X, y)
    assert model.objective_[0] == pytest.approx(libsvm(X, y, C), rel=1e-6)


@pytest.mark.parametrize(("loss", "C"), [("hinge", 1.0), ("squared_hinge", 0.01)])
@pytest.mark.parametrize("name", [name for name in SETS if not name.endswith("unscaled")])
def test_a_penalized_intercept_is_liblinear(name, C, loss):
    X, y = small_set(name)
    theirs = LinearSVC(C=C, loss=loss, dual=True, tol=1e-10, max_iter=10**7, intercept_scaling=1).fit(X, y)
    model = MACHINES[f"{loss}, penalized"](C=C, tol=1e-10).fit(X, y)
    value = objective(theirs.coef_[0], theirs.intercept_[0], X, y, C, loss, "penalized")
    assert model.objective_[0] == pytest.approx(value, rel=1e-6)
    assert np.linalg.norm(model.coef_ - theirs.coef_) <= 1e-3 * np.linalg.norm(theirs.coef_)


@pytest.mark.parametrize("loss", LOSSES)
def test_no_intercept_is_liblinear_without_one(loss):
    X, y = small_set("breast cancer")
    theirs = LinearSVC(loss=loss, dual=True, tol=1e-10, max_iter=10**7, fit_intercept=False).fit(X, y)
    model = MACHINES[f"{loss}, none"](C=1.0, tol=1e-10).fit(X, y)
    assert model.objective_[0] == pytest.approx(objective(theirs.coef_[0], 0.0, X, y, 1.0, loss, "none"), rel=1e-6)
    assert model.intercept_[0] == 0


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("loss", LOSSES)
@fewer_examples
@given(problem=soft_problems(), C=st.sampled_from([0.01, 1.0, 30.0]))
def test_the_optimum_is_that_of_the_reference(loss, intercept, problem, C):
    X, y, weights = problem
    w, b, a = soft_margin.solve(X, y, C * weights, loss, intercept)
    penalized = intercept == "penalized"
    least = soft_margin.dual(a, X, y, C * weights, loss, penalized)
    model = MACHINES[f"{loss}, {intercept}"](C=C, tol=1e-8, max_iter=20_000).fit(X, y, weights)
    assert_proven(model, X, y, weights)
    assert model.certificate_.primal >= least * (1 - 1e-9)
    assert model.certificate_.dual <= soft_margin.primal(w, b, X, y, C * weights, loss, penalized) * (1 + 1e-9)
    gap = 1e-7 * model.objective_[0]
    assert np.linalg.norm(model.coef_[0] - w) <= np.sqrt(2 * gap)


def test_as_the_cost_grows_on_separable_data_the_margin_becomes_the_largest():
    X = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0], [-1.0, 5.0]])
    y = np.array([-1, -1, 1, 1, -1])
    widths = [1 / np.linalg.norm(MACHINES["hinge, free"](C=C, tol=1e-12).fit(X, y).coef_) for C in (0.1, 10, 1e6)]
    assert widths[0] >= widths[1] >= widths[2] * (1 - 1e-9)  # a dearer error makes the margin no wider
    w, b, _ = quadratic_program.solve(X, y.astype(float), np.full(5, 1e6))
    assert (y * (X @ w + b)).min() > 1 - 1e-6  # the hard margin
    assert widths[2] == pytest.approx(1 / np.linalg.norm(w), rel=1e-6)
    squared = MACHINES["squared_hinge, free"](C=1e9, tol=1e-12).fit(X, y)
    assert 1 / np.linalg.norm(squared.coef_) == pytest.approx(widths[2], rel=1e-6)
