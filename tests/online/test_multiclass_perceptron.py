"""The multiclass perceptron: that of the reference, its bounds, and classes that appear at any time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.theory import kesler_bounds
from reference.kesler import by_appearance, multiclass
from share import share_of
from strategies import few, lift, streams
from streams import SLACK

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


def compared(X, y, intercept):
    """A stream that was learned, and the same by the reference: mistakes, and weights in ascending order of classes."""
    model = nk.MulticlassPerceptron(fit_intercept=intercept).partial_fit(X, y)
    codes, classes = by_appearance(y)
    wrong, _, w = multiclass(lift(X, intercept), codes, len(classes), lambda loss, square: 1.0)
    return model, wrong, w[np.argsort(classes)]


@few
@given(data=streams(4), intercept=st.booleans())
def test_a_stream_is_learned_as_by_the_reference(data, intercept):
    X, y = data
    model, wrong, w = compared(X, y, intercept)
    assert model.certificate_.mistakes == model.certificate_.updates == wrong.sum()
    weights, biases = model.certificate_.planes()
    np.testing.assert_allclose(weights, w[:, : X.shape[1]], rtol=1e-9, atol=1e-9)
    if intercept:
        np.testing.assert_allclose(biases, w[:, -1], rtol=1e-9, atol=1e-9)


def test_two_classes_are_learned_as_by_the_perceptron_once_both_are_known():
    """After an example of each class, both make the same mistakes if they start from the same weights."""
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (200, 4)) * 1.0
    y = (X @ [1.0, -1.0, 2.0, 0.0] + rng.normal(size=200) > 0).astype(int)
    X, y = np.vstack([np.zeros(4), X]), np.append(1 - y[0], y)  # a row of zeros shows the other class
    joint = nk.MulticlassPerceptron(fit_intercept=False).partial_fit(X, y)
    single = nk.Perceptron(fit_intercept=False).partial_fit(X, y, classes=[0, 1])
    assert joint.coef_.shape == (1, 4)
    assert joint.coef_.tolist() == (2 * single.coef_).tolist()  # both classes move
    assert joint.certificate_.mistakes == single.certificate_.mistakes - 1  # that of zeros, while one class was known
    assert joint.decision_function(X).tolist() == (2 * single.decision_function(X)).tolist()
    assert joint.score_one(X[1]) == joint.decision_function(X)[1]


def test_J6_mistakes_stay_below_the_bounds_on_separable_and_noisy_streams():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, u = rng.normal(size=(60, 3)), rng.normal(size=(4, 3))
        y = np.argmax(X @ u.T, axis=1)
        if seed % 2:
            y[::5] = rng.integers(4, size=12)
        certificate = nk.MulticlassPerceptron(fit_intercept=False).partial_fit(X, y).certificate_
        classes = [int(label) for label in certificate.labels()]
        for scale in (0.0, 0.3, 3.0):
            assert certificate.mistakes <= certificate.comparator_bound(X, y, scale * u[classes]) * SLACK
        leads = [(u[c] - np.delete(u, c, axis=0)) @ x for x, c in zip(X, y, strict=True)]
        margin = float(np.min(leads)) / np.linalg.norm(u)
        assert certificate.mistakes <= certificate.bound(margin) * SLACK
        assert margin <= certificate.margin_upper_bound
        assert certificate.model.length() <= certificate.radius * np.sqrt(2 * certificate.mistakes) * SLACK


@pytest.mark.slow
def test_J6_mistakes_stay_below_the_bounds_on_many_streams():
    for seed in range(share_of(2000)):
        rng = np.random.default_rng([1, seed])
        X, u = rng.integers(-2, 3, (12, 3)) * 1.0, rng.normal(size=(4, 3))
        y = np.where(rng.random(12) < 0.8, np.argmax(X @ u.T, axis=1), rng.integers(4, size=12))
        model = nk.MulticlassPerceptron(fit_intercept=False).partial_fit(X, y)
        certificate = model.certificate_
        classes = [int(label) for label in certificate.labels()]
        if len(classes) > 1:
            assert certificate.mistakes <= certificate.comparator_bound(X, y, u[classes]) * SLACK
        assert nk.verify(model, X, y)


def test_fit_separates_what_can_be_separated():
    rng = np.random.default_rng(2)
    X, u = rng.normal(size=(80, 3)), rng.normal(size=(5, 3))
    scores = np.sort(X @ u.T, axis=1)
    X, y = X[scores[:, -1] - scores[:, -2] > 0.3], np.argmax(X @ u.T, axis=1)[scores[:, -1] - scores[:, -2] > 0.3]
    model = nk.MulticlassPerceptron(fit_intercept=False).fit(X, y)
    assert model.stopped_ == "converged"
    assert model.score(X, y) == 1.0
    assert nk.verify(model, X, y)
    assert model.certificate_.mistakes <= kesler_bounds.multiclass_perceptron(
        model.certificate_.radius, 0.3 / np.linalg.norm(u)
    )


def test_a_class_that_appears_late_starts_with_weights_of_zero():
    model = nk.MulticlassPerceptron()
    assert model.predict_one({"a": 1.0}) is None
    model.learn_one({"a": 1.0}, "x")
    assert model.certificate_.mistakes == 0
    assert model.predict_one({"b": 1.0}) == "x"
    model.learn_one({"b": 1.0}, "y")
    before = model.score_one({"a": 1.0, "b": 1.0})
    assert before == 2.0 + 2.0  # y minus x: weights and intercepts
    model.learn_one({"c": 1.0}, "w")  # y leads by its intercept
    assert model.score_one({"a": 1.0}) == {"w": 1.0, "x": -1.0, "y": 0.0}
    assert model.coef_.tolist() == [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [0.0, 1.0, -1.0]]
    assert model.intercept_.tolist() == [1.0, -1.0, 0.0]


def test_no_weights_are_stored_for_classes_that_an_example_does_not_touch():
    """With 400 classes of a column each, a file has two weights per column, not 400."""
    model, rng = nk.MulticlassPerceptron(fit_intercept=False), np.random.default_rng(3)
    for label in rng.permutation(400).tolist():
        model.learn_one({f"column {label}": 1.0}, label)
    assert len(nk.dumps(model)) < 8 * 400 * 400 // 2
    certificate = model.certificate_
    assert certificate.mistakes == 399
    assert np.count_nonzero(certificate.planes()[0]) == 2 * 399
