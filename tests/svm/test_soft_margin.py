"""LinearSVM: its fitted attributes, warm starts, clones and pickles."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from machines import assert_proven, each_machine, fewer_examples
from reference import soft_margin
from strategies import soft_problems

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 7))
Y = np.where(X[:, 0] + RNG.normal(size=300) > 0.2, 1, 0)


def signs(y):
    return np.where(y == 1, 1.0, -1.0)


@each_machine
@fewer_examples
@given(problem=soft_problems(), C=st.sampled_from([0.1, 1.0, 10.0]))
def test_dual_coefficients_are_y_a_on_the_support_and_make_the_weights(make, problem, C):
    X, y, weights = problem
    model = make(C=C, tol=1e-7, max_iter=20_000).fit(X, y, weights)
    certificate = model.certificate_
    a = certificate.model.duals.dense(len(y))
    assert model.support_.tolist() == np.flatnonzero(a).tolist()
    assert model.dual_coef_.shape == (1, len(model.support_))
    np.testing.assert_array_equal(model.dual_coef_[0], (y * a)[model.support_])
    # The weights that a makes attain 1/2 |w - w_a|^2 <= P(w) - D(a), the gap of the pair.
    made = model.dual_coef_ @ X[model.support_]
    gap = max(0.0, certificate.primal - certificate.dual) + 1e-12 * certificate.primal
    assert np.linalg.norm(model.coef_ - made) <= np.sqrt(2 * gap)
    if make.keywords["loss"] == "hinge":
        assert np.all(np.abs(model.dual_coef_) <= C * weights[model.support_] * (1 + 1e-12))
    if not make.keywords.keys() & {"penalized_intercept", "fit_intercept"}:
        assert abs(model.dual_coef_.sum()) <= 1e-9 * np.abs(model.dual_coef_).sum()


@each_machine
def test_the_objective_is_that_of_the_weights(make):
    model = make(C=0.3, tol=1e-7).fit(X, Y)
    loss, penalized = make.keywords["loss"], "penalized_intercept" in make.keywords
    value = soft_margin.primal(model.coef_[0], model.intercept_[0], X, signs(Y), np.full(300, 0.3), loss, penalized)
    assert model.objective_.shape == (1,)
    assert model.objective_[0] == pytest.approx(value, rel=1e-12)
    assert model.certificate_.primal == model.objective_[0]
    assert model.n_iter_ == model.certificate_.iterations == model.history_.step[-1]


@each_machine
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_history_contains_bounds_on_the_optimum(make, C):
    few, labels = X[:100], Y[:100]
    model = make(C=C, tol=1e-8).fit(few, labels)
    loss, penalized = make.keywords["loss"], "penalized_intercept" in make.keywords
    intercept = "penalized" if penalized else "free" if make.keywords.get("fit_intercept", True) else "none"
    _, _, a = soft_margin.solve(few, signs(labels), np.full(100, C), loss, intercept)
    optimum = soft_margin.dual(a, few, signs(labels), np.full(100, C), loss, penalized)
    history = model.history_
    assert history.dtype.names == ("time", "step", "primal", "dual", "gap", "method")
    assert history.step[-1] == model.n_iter_
    assert np.all(np.diff(history.step, prepend=0) >= 0)  # the gap is not measured after every step
    assert np.all(np.diff(history.time) >= 0)
    assert history.time[0] >= 0
    assert np.all(history.primal >= optimum * (1 - 1e-9))
    assert np.all(history.dual <= optimum * (1 + 1e-9))
    np.testing.assert_allclose(history.gap, np.maximum(0, history.primal - history.dual) / history.primal, atol=1e-15)
    assert np.all(history.gap[history.step < model.n_iter_] > model.tol)
    assert history.gap[-1] <= model.tol
    assert history.primal[-1] == pytest.approx(model.objective_[0], rel=1e-9)


@each_machine
@fewer_examples
@given(problem=soft_problems(), lam=st.sampled_from([0.01, 0.25, 7.0]))
def test_lam_is_another_way_to_state_C(make, problem, lam):
    X, y, weights = problem
    by_lam = make(lam=lam, tol=1e-6, max_iter=20_000).fit(X, y, weights)
    by_cost = make(C=1 / (2 * lam), tol=1e-6, max_iter=20_000).fit(X, y, weights)
    assert by_lam.coef_.tobytes() == by_cost.coef_.tobytes()
    assert by_lam.certificate_.C == by_cost.C
    w, b = by_lam.coef_[0], by_lam.intercept_[0]
    slack = np.maximum(0, 1 - y * (X @ w + b))
    penalty = w @ w + (b * b if "penalized_intercept" in make.keywords else 0.0)
    notes = weights @ (slack if make.keywords["loss"] == "hinge" else slack**2) + lam * penalty
    assert notes == pytest.approx(2 * lam * by_lam.objective_[0], rel=1e-9)


@each_machine
def test_the_same_seed_gives_the_same_bits(make):
    one, again = (make(random_state=3, tol=1e-9).fit(X, Y) for _ in range(2))
    assert one.coef_.tobytes() == again.coef_.tobytes()
    assert one.history_.primal.tolist() == again.history_.primal.tolist()
    other = make(random_state=4, tol=1e-9).fit(X, Y)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-3)


@each_machine
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_a_warm_start_takes_fewer_steps(make, C):
    cold = make(C=C, tol=1e-6).fit(X, Y)
    warm = make(C=C, tol=1e-6, warm_start=True).fit(X, Y)
    assert warm.n_iter_ == cold.n_iter_
    warm.fit(X, Y)
    assert warm.n_iter_ < max(2, cold.n_iter_)
    assert_proven(warm, X, Y)
    warm.set_params(C=1.05 * C).fit(X, Y)
    assert_proven(warm, X, Y)
    if C >= 1:  # at small C a few passes of coordinate descent are all there is to save
        assert warm.n_iter_ <= make(C=1.05 * C, tol=1e-6).fit(X, Y).n_iter_


def test_a_warm_start_on_data_of_another_shape_begins_anew():
    model = nk.LinearSVM(warm_start=True).fit(X, Y)
    model.fit(X[:100, :3], Y[:100])
    fresh = nk.LinearSVM().fit(X[:100, :3], Y[:100])
    assert model.coef_.tobytes() == fresh.coef_.tobytes()


def test_a_warm_start_from_one_loss_to_the_other_is_right():
    model = nk.LinearSVM(warm_start=True, loss="squared_hinge", C=100.0, tol=1e-8).fit(X, Y)
    model.set_params(loss="hinge", C=0.01).fit(X, Y)
    assert_proven(model, X, Y)
    model.set_params(penalized_intercept=True).fit(X, Y, sample_weight=1 + Y)
    assert_proven(model, X, Y, 1 + Y)


def test_fit_without_warm_start_forgets():
    model = nk.LinearSVM(tol=1e-6).fit(X, 1 - Y)
    assert model.fit(X, Y).coef_.tobytes() == nk.LinearSVM(tol=1e-6).fit(X, Y).coef_.tobytes()


@each_machine
@pytest.mark.parametrize("warm", [False, True])
def test_a_pickled_machine_predicts_and_proves_the_same(make, warm):
    model = make(warm_start=warm).fit(X, Y)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert copy.certificate_.to_json() == model.certificate_.to_json()
    assert copy.certificate_.verify(X, Y)
    assert copy.fit(X, Y).coef_.tobytes() == model.fit(X, Y).coef_.tobytes()


def test_the_certificate_of_other_data_does_not_verify():
    model = nk.LinearSVM(tol=1e-6).fit(X, Y)
    assert model.certificate_.verify(X, Y)
    assert not model.certificate_.verify(X, 1 - Y)
    assert not model.certificate_.verify(X[::-1], Y)
    assert not model.certificate_.verify(2 * X, Y)
    assert not model.certificate_.verify(X[:100], Y[:100])
