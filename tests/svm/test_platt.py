"""Platt scaling: the sigmoid, and the probabilities of LinearSVM."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss

import novikoff as nk
from novikoff.svm.platt import Sigmoid, probabilities
from real_data import real

# ---- the sigmoid ----------------------------------------------------------------------------------------------------


def cross_entropy(point, scores, is_positive, weights):
    positive, negative = weights[is_positive].sum(), weights[~is_positive].sum()
    targets = np.where(is_positive, (positive + 1) / (positive + 2), 1 / (negative + 2))
    exponent = point[0] * scores + point[1]
    return float(weights @ (targets * np.logaddexp(0, exponent) + (1 - targets) * np.logaddexp(0, -exponent)))


@pytest.mark.parametrize(("seed", "shift"), [(0, -2.0), (1, 0.0), (2, 1.0)])
def test_the_sigmoid_is_the_one_that_a_general_optimiser_finds(seed, shift):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=80)
    is_positive = scores + rng.normal(size=80) > shift
    is_positive[:2] = [True, False]
    weights = rng.uniform(0.2, 3, 80)
    found = Sigmoid.fit(scores, is_positive, weights)
    reference = minimize(cross_entropy, [0.0, 0.0], (scores, is_positive, weights), method="BFGS", tol=1e-10)
    ours = cross_entropy((found.slope, found.offset), scores, is_positive, weights)
    assert ours <= reference.fun * (1 + 1e-10)
    np.testing.assert_allclose([found.slope, found.offset], reference.x, rtol=1e-3, atol=1e-4)


def test_the_scale_of_the_scores_does_not_matter():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=60)
    is_positive = scores + rng.normal(size=60) > 0
    plain = Sigmoid.fit(scores, is_positive)(scores)
    for scale in (1e-150, 1e-9, 1e9, 1e150):
        np.testing.assert_allclose(Sigmoid.fit(scale * scores, is_positive)(scale * scores), plain, rtol=1e-6)


def test_weights_of_rows_are_copies():
    rng = np.random.default_rng(1)
    scores, weights = rng.normal(size=50), rng.integers(0, 4, 50)
    is_positive = scores + rng.normal(size=50) > 0
    weighted = Sigmoid.fit(scores, is_positive, weights.astype(float))
    copied = Sigmoid.fit(np.repeat(scores, weights), np.repeat(is_positive, weights))
    np.testing.assert_allclose([weighted.slope, weighted.offset], [copied.slope, copied.offset], rtol=1e-6)


@pytest.mark.parametrize(
    "scores", [np.zeros(6), np.array([-3.0, -2, -1, 1, 2, 3]), np.array([-1e300, -1, 0, 0, 1, 1e300])]
)
def test_hard_scores_give_probabilities_that_are_never_certain(scores):
    """All alike, separated, and of very different size."""
    sigmoid = Sigmoid.fit(scores, np.array([False] * 3 + [True] * 3))
    p = sigmoid(scores[np.abs(scores) < 1e9])
    assert np.all((p > 0) & (p < 1))
    assert np.all(np.diff(sigmoid(np.sort(scores))) >= 0)


def test_huge_scores_give_0_and_1_without_a_warning():
    sigmoid = Sigmoid(slope=-2.0, offset=0.5)
    assert sigmoid(np.array([-1e308, 1e308])).tolist() == [0.0, 1.0]


def test_probabilities_are_equal_if_all_sigmoids_are_0():
    never = Sigmoid(slope=0.0, offset=1e6)
    np.testing.assert_allclose(probabilities([never] * 4, np.zeros((2, 4))), 0.25)


# ---- the classifier -------------------------------------------------------------------------------------------------


def data(rows=200, **more):
    return make_classification(rows, 8, random_state=1, class_sep=0.7, **more)


def test_without_probability_there_is_no_predict_proba():
    model = nk.LinearSVM().fit(*data())
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "predict_log_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        model.predict_proba(data()[0])


@pytest.mark.parametrize("classes", [2, 4])
def test_rows_sum_to_1_and_rise_with_the_score(classes):
    X, y = data(n_classes=classes, n_informative=5)
    model = nk.LinearSVM(probability=True).fit(X, y)
    p = model.predict_proba(X)
    assert p.shape == (len(y), classes)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(p))
    if classes == 2:
        order = np.argsort(model.decision_function(X))
        assert np.all(np.diff(p[order, 1]) >= 0)
        assert p[order[-1], 1] > 0.8


def test_probabilities_change_neither_the_machine_nor_its_predictions():
    X, y = data()
    with_them, without = (nk.LinearSVM(probability=flag).fit(X, y) for flag in (True, False))
    assert with_them.coef_.tobytes() == without.coef_.tobytes()
    assert with_them.predict(X).tolist() == without.predict(X).tolist()
    assert with_them.certificate_.verify(X, y)


def test_probabilities_follow_the_seed_and_not_the_threads():
    X, y = data()
    first, threads, other = (
        nk.LinearSVM(probability=True, n_jobs=n, random_state=seed).fit(X, y).predict_proba(X)
        for n, seed in ((1, 0), (2, 0), (1, 1))
    )
    assert first.tobytes() == threads.tobytes()
    assert first.tobytes() != other.tobytes()


def test_probabilities_stay_moderate_if_the_model_fits_noise():
    """200 columns of noise separate 100 rows: scores on the rows themselves would claim certainty."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 200)), rng.integers(0, 2, 100)
    model = nk.LinearSVM(C=100.0, probability=True).fit(X, y)
    assert model.score(X, y) == 1
    assert np.all(np.abs(model.predict_proba(X)[:, 1] - 0.5) < 0.4)


def test_rows_of_weight_0_are_as_if_absent():
    X, y = data(rows=100)
    more, labels = np.vstack([X, 30 * np.ones((20, 8))]), np.append(y, np.arange(20) % 2)
    weights = np.append(np.ones(100), np.zeros(20))
    with_them = nk.LinearSVM(probability=True, tol=1e-8).fit(more, labels, weights)
    without = nk.LinearSVM(probability=True, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(with_them.predict_proba(X), without.predict_proba(X), atol=1e-3)


def test_a_class_of_two_rows_is_enough_and_one_of_one_is_not():
    X, y = data(rows=30)
    y[:] = 0
    y[[3, 7]] = 1
    p = nk.LinearSVM(probability=True).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    y[3] = 0
    with pytest.raises(nk.InvalidInputError, match="only one row"):
        nk.LinearSVM(probability=True).fit(X, y)
    nk.LinearSVM().fit(X, y)


def test_four_rows_are_held_out_one_by_one():
    p = nk.LinearSVM(probability=True).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict_proba([[0.0], [3.0]])
    assert p[1, 1] > p[0, 1]


def peer(C, **parameters):
    return CalibratedClassifierCV(nk.LinearSVM(C=C, **parameters), method="sigmoid", cv=5, ensemble=False)


@pytest.mark.parametrize("name", ["phishing", pytest.param("a9a", marks=pytest.mark.slow)])
def test_the_log_loss_on_real_rows_is_that_of_scikit_learns_calibration(name):
    X, y = nk.read_svmlight(real(f"{name}.svm.gz"))
    order = np.random.default_rng(0).permutation(len(y))
    learned, held_out = order[: len(y) // 2], order[len(y) // 2 :]
    ours = nk.LinearSVM(C=0.1, probability=True).fit(X[learned], y[learned])
    theirs = peer(0.1).fit(X[learned], y[learned])
    losses = [log_loss(y[held_out], model.predict_proba(X[held_out])) for model in (ours, theirs)]
    assert losses[0] < 1.03 * losses[1]
    p, is_positive = ours.predict_proba(X[held_out])[:, 1], y[held_out] == ours.classes_[1]
    assert abs(p.mean() - is_positive.mean()) < 0.01


def test_the_log_loss_of_several_classes_is_that_of_scikit_learns_calibration():
    X, y = load_iris(return_X_y=True)
    ours = nk.LinearSVM(probability=True, multi_class="ovr").fit(X, y)
    theirs = peer(1.0, multi_class="ovr").fit(X, y)
    losses = [log_loss(y, model.predict_proba(X)) for model in (ours, theirs)]
    assert losses[0] < 1.1 * losses[1]


def test_probabilities_asked_for_after_the_fit_need_another_fit():
    model = nk.LinearSVM().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).set_params(probability=True)
    with pytest.raises(NotFittedError, match="Call fit again"):
        model.predict_proba([[1.0]])
