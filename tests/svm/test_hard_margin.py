"""HardMarginSVM: known margins, other solvers, and the relation to other learners."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

import novikoff as nk
from machines import INTERCEPTS, fewer_examples
from real_data import two_classes, zeros_and_ones
from reference import hard_margin, perceptrons
from share import share_of
from strategies import best_margin_known, make_separable, seeds, separable

each_intercept = pytest.mark.parametrize("intercept", INTERCEPTS)


def machine(intercept="free", **parameters):
    return nk.HardMarginSVM(**INTERCEPTS[intercept], **parameters)


def assert_proven(model, X, y, sample_weight=None):
    """The bounds are as near as was asked for, the smallest y f(x) is 1, and anyone who has the data can check it."""
    certificate = model.certificate_
    assert certificate.converged
    assert certificate.relative_gap <= certificate.tol == model.tol
    assert model.margin_ == certificate.margin_lower_bound
    verification = certificate.verify(X, y, sample_weight)
    assert verification, str(verification)
    used = slice(None) if sample_weight is None else np.asarray(sample_weight) > 0
    scores = np.where(y == model.classes_[1], 1, -1) * model.decision_function(X)
    assert scores[used].min() == pytest.approx(1, rel=1e-9)


# ---- where it is known ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", [[3.0], [0.0, 2.0], [1.0, 2.0, -2.0]])
def test_two_points_have_the_plane_between_them(to):
    X, y = np.array([np.zeros(len(to)), to]), np.array([-1, 1])
    model = machine(tol=1e-12).fit(X, y)
    assert_proven(model, X, y)
    half = np.linalg.norm(to) / 2
    assert model.margin_ == pytest.approx(half, rel=1e-12)
    np.testing.assert_allclose(model.coef_[0], np.array(to) / (2 * half**2), rtol=1e-12)
    assert model.intercept_[0] == pytest.approx(-1, rel=1e-12)
    np.testing.assert_allclose(model.dual_coef_, [[-1 / (2 * half**2), 1 / (2 * half**2)]], rtol=1e-11)


@pytest.mark.parametrize(("intercept", "gamma"), [("free", 1.0), ("none", 1.0), ("penalized", np.sqrt(2))])
def test_one_column(intercept, gamma):
    """x = 1 and 3: half their distance; through the origin the class of -1 lies at -1; with (x, 1) at (-1, 1), too."""
    X, y = {"free": ([[1.0], [3.0]], [0, 1])}.get(intercept, ([[-1.0], [1.0], [5.0]], [0, 1, 1]))
    if intercept == "penalized":
        gamma = hard_margin.margin(np.array(X), np.array([-1, 1, 1]), "penalized")
    model = machine(intercept, tol=1e-10).fit(X, y)
    assert model.margin_ == pytest.approx(gamma, rel=1e-9)


@fewer_examples
@given(data=best_margin_known())
def test_a_margin_that_is_known_is_found(data):
    if len(np.unique(data.y)) < 2:
        return
    model = machine("none", tol=1e-9).fit(data.X, data.y)
    assert_proven(model, data.X, data.y)
    certificate = model.certificate_
    assert certificate.margin_lower_bound <= data.margin * (1 + 1e-11)
    assert certificate.margin_upper_bound >= data.margin * (1 - 1e-11)
    assert certificate.margin_lower_bound == pytest.approx(data.margin, rel=1e-8)


@pytest.mark.parametrize("columns", [2, 5, 40])
def test_a_free_margin_that_is_known_is_found_to_12_digits(columns):
    """The two nearest rows are 2 gamma apart along w, and all others are farther along w: no plane does better."""
    rng = np.random.default_rng(columns)
    w = rng.normal(size=columns)
    w /= np.linalg.norm(w)
    gamma, y = 0.37, np.where(rng.random(200) < 0.5, 1, -1)
    X = rng.normal(size=(200, columns))
    X += np.outer(y * (gamma + rng.exponential(size=200)) - X @ w, w)
    middle = rng.normal(size=columns)
    middle -= (middle @ w) * w
    X[0], X[1], y[0], y[1] = middle + gamma * w, middle - gamma * w, 1, -1
    X += rng.normal(size=columns)
    model = machine(tol=1e-11).fit(X, y)
    assert_proven(model, X, y)
    assert model.margin_ == pytest.approx(gamma, rel=1e-11)
    assert model.certificate_.margin_lower_bound <= gamma * (1 + 1e-14)
    assert model.certificate_.margin_upper_bound >= gamma * (1 - 1e-14)


@each_intercept
@fewer_examples
@given(seed=seeds, columns=st.integers(1, 5))
def test_the_lower_bound_is_below_the_margin_in_exact_arithmetic(intercept, seed, columns):
    data = make_separable(np.random.default_rng(seed), 12, columns, 0.1, intercept=intercept != "none")
    model = machine(intercept).fit(data.X, data.y)
    w, b = [Fraction(value) for value in model.coef_[0].tolist()], Fraction(float(model.intercept_[0]))
    rows = [[Fraction(value) for value in row] for row in data.X.tolist()]
    scores = [
        int(sign) * (sum(p * q for p, q in zip(row, w, strict=True)) + b)
        for row, sign in zip(rows, data.y, strict=True)
    ]
    square = sum(value * value for value in w) + (b * b if intercept == "penalized" else 0)
    lower = Fraction(model.certificate_.margin_lower_bound)
    assert min(scores) > 0
    assert lower * lower * square <= min(scores) ** 2


# ---- where others find it -------------------------------------------------------------------------------------------


@each_intercept
@fewer_examples
@given(data=separable(intercept=True, max_rows=25))
def test_it_is_the_distance_of_the_hulls(intercept, data):
    X, y = data.X, data.y
    if intercept == "none":
        X = np.column_stack([X, np.ones(len(y))])
    best = hard_margin.margin(X, y, intercept)
    model = machine(intercept).fit(X, y)
    assert_proven(model, X, y)
    certificate = model.certificate_
    assert certificate.margin_lower_bound <= best * (1 + 1e-9)
    assert certificate.margin_upper_bound >= best * (1 - 1e-9)
    assert hard_margin.margin_of(model.coef_[0], model.intercept_[0], X, y, intercept) == pytest.approx(best, rel=2e-6)


@each_intercept
@pytest.mark.parametrize(("rows", "columns", "gap"), [(30, 2, 0.01), (300, 10, 0.5), (40, 400, 0.5), (200, 60, 0.01)])
def test_it_is_that_of_the_quadratic_program(intercept, rows, columns, gap):
    data = make_separable(np.random.default_rng(rows), rows, columns, gap, intercept=intercept != "none")
    model = machine(intercept).fit(data.X, data.y)
    assert_proven(model, data.X, data.y)
    w, b = hard_margin.solve(data.X, data.y, intercept)
    assert model.margin_ == pytest.approx(hard_margin.margin_of(w, b, data.X, data.y, intercept), rel=2e-6)
    assert model.certificate_.margin_upper_bound >= hard_margin.margin_of(w, b, data.X, data.y, intercept)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_that_of_libsvm(seed):
    data = make_separable(np.random.default_rng(seed), 80, 6, 0.1, intercept=True)
    model = machine().fit(data.X, data.y)
    theirs = SVC(kernel="linear", C=1e10, tol=1e-8).fit(data.X, data.y)
    reached = hard_margin.margin_of(theirs.coef_[0], theirs.intercept_[0], data.X, data.y)
    assert reached <= model.certificate_.margin_upper_bound
    assert model.margin_ == pytest.approx(reached, rel=1e-5)


def real_set(name):
    return zeros_and_ones() if name == "digits" else two_classes(name)


SETS = ("mushrooms", "colon", "digits", "leukemia", "basehock", "pcmac")


@pytest.mark.parametrize(
    "name", [name if name in ("mushrooms", "colon") else pytest.param(name, marks=pytest.mark.slow) for name in SETS]
)
def test_it_is_no_less_than_that_of_libsvm_on_real_data(name):
    X, y = real_set(name)
    model = machine().fit(X, y)
    assert_proven(model, X, y)
    theirs = SVC(kernel="linear", C=1e10, cache_size=500).fit(X, y)
    w = np.asarray(sp.csr_matrix(theirs.coef_).toarray())[0]
    reached = hard_margin.margin_of(w, theirs.intercept_[0], X, y)
    assert reached <= model.certificate_.margin_upper_bound
    assert model.margin_ >= reached * (1 - 1e-6)
    assert model.margin_ == pytest.approx(reached, rel=2e-2)


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS[: max(2, share_of(len(SETS)))])
def test_it_is_that_of_the_quadratic_program_on_real_data(name):
    X, y = real_set(name)
    model = machine().fit(X, y)
    w, b = hard_margin.solve(X, y)
    reached = hard_margin.margin_of(w, b, X, y)
    assert reached <= model.certificate_.margin_upper_bound
    assert model.margin_ == pytest.approx(reached, rel=1e-5)


# ---- what it has to do with other machines --------------------------------------------------------------------------


@each_intercept
def test_E5_the_soft_margin_tends_to_it(intercept):
    data = make_separable(np.random.default_rng(3), 60, 4, 0.1, intercept=intercept != "none")
    model = machine(intercept, tol=1e-9).fit(data.X, data.y)
    enough = np.abs(model.dual_coef_).max()
    for C in (1.01 * enough, 1e3 * enough):
        soft = nk.LinearSVM(C=C, loss="hinge", tol=1e-12, **INTERCEPTS[intercept]).fit(data.X, data.y)
        np.testing.assert_allclose(soft.coef_, model.coef_, atol=1e-4 * np.linalg.norm(model.coef_))
    less = nk.LinearSVM(C=0.5 * enough, loss="hinge", tol=1e-12, **INTERCEPTS[intercept]).fit(data.X, data.y)
    assert less.objective_[0] < soft.objective_[0] * (1 - 1e-9)


@pytest.mark.parametrize("delta", [0.5, 2.0])
@pytest.mark.parametrize("intercept", ["none", "free"])
def test_D3_with_private_features_it_is_the_squared_hinge(delta, intercept):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.where(rng.random(60) < 0.5, 1, -1)
    soft = nk.LinearSVM(C=1 / (2 * delta**2), loss="squared_hinge", tol=1e-10, **INTERCEPTS[intercept]).fit(X, y)
    extended = perceptrons.private_features(X, delta)
    model = machine(intercept).fit(extended, y)
    assert_proven(model, extended, y)
    assert model.margin_ == pytest.approx(1 / np.sqrt(2 * soft.objective_[0]), rel=2e-6)
    np.testing.assert_allclose(model.coef_[0, :3], soft.coef_[0], atol=5e-3 * np.linalg.norm(model.coef_))


@pytest.mark.parametrize("intercept", ["none", "penalized"])
@pytest.mark.parametrize("epsilon", [0.5, 0.1])
def test_the_margin_perceptron_has_its_share_of_it(intercept, epsilon):
    data = make_separable(np.random.default_rng(4), 80, 4, 0.2, intercept=intercept != "none")
    best = machine(intercept).fit(data.X, data.y).certificate_
    online = nk.MarginPerceptron(margin="auto", epsilon=epsilon, fit_intercept=intercept != "none", max_iter=10**5).fit(
        data.X, data.y
    )
    assert online.certificate_.halted
    assert online.certificate_.margin_lower_bound >= (1 - epsilon) * best.margin_lower_bound
    assert online.certificate_.margin_lower_bound <= best.margin_upper_bound
    assert online.certificate_.margin_upper_bound >= best.margin_lower_bound
