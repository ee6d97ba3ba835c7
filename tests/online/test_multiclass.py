"""Learners whose classes are learned together: those of the reference, their bounds, and classes that appear late."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.theory import kesler_bounds
from reference.kesler import by_appearance, multiclass, multiclass_arow
from strategies import few, lift, streams
from streams import SLACK

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

PA = {nk.MulticlassPassiveAggressiveI: "I", nk.MulticlassPassiveAggressiveII: "II"}


def step_of(cls, C):
    """The size of a step, and the lead from which on there is none."""

    def step(loss, square):
        if square == 0:
            return 0.0
        return min(C, loss / square) if PA[cls] == "I" else loss / (square + 1 / (2 * C))

    return (step, 1.0) if cls in PA else (lambda loss, square: 1.0, 0.0)


@few
@given(
    data=streams(4),
    intercept=st.booleans(),
    C=st.sampled_from([0.01, 0.125, 1.0, 50.0]),
    cls=st.sampled_from([nk.MulticlassPerceptron, *PA]),
)
def test_J6_J7_a_stream_is_learned_as_by_the_reference_and_mistakes_stay_below_the_bounds(data, intercept, C, cls):
    X, y = data
    model = cls(fit_intercept=intercept, **({"C": C} if cls in PA else {})).partial_fit(X, y)
    codes, classes = by_appearance(y)
    step, threshold = step_of(cls, C)
    wrong, _, w = multiclass(lift(X, intercept), codes, len(classes), step, threshold)
    certificate, w = model.certificate_, w[np.argsort(classes)]
    weights, biases = certificate.planes()
    np.testing.assert_allclose(weights, w[:, : X.shape[1]], rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(biases, w[:, -1] if intercept else 0.0, rtol=1e-7, atol=1e-7)
    assert certificate.mistakes == wrong.sum()
    assert not nk.verify(model, X, y).failures
    others = np.random.default_rng(0).normal(size=(2, len(classes), X.shape[1]))
    for u in (*others, weights):
        assert certificate.mistakes <= certificate.comparator_bound(X, y, u) * SLACK


@few
@given(
    data=streams(3),
    intercept=st.booleans(),
    r=st.sampled_from([0.1, 1.0, 8.0]),
    floor=st.sampled_from([0.0, 0.25]),
)
def test_weights_variances_and_sums_of_arow_are_those_of_the_reference(data, intercept, r, floor):
    X, y = data
    model = nk.MulticlassAROW(r=r, floor=floor, fit_intercept=intercept).partial_fit(X, y)
    codes, classes = by_appearance(y)
    updates, Z, w, s = multiclass_arow(lift(X, intercept), codes, len(classes), r, floor)
    order, width, certificate = np.argsort(classes), X.shape[1], model.certificate_
    np.testing.assert_allclose(certificate.planes()[0], w[order, :width], rtol=1e-7, atol=1e-7)
    variances = np.where(certificate.sum.variances == 0, 1.0, certificate.sum.variances)
    np.testing.assert_allclose(variances, s[order, :width], rtol=1e-7)
    sums = Z.sum(axis=0).reshape(len(classes), -1)[order]
    np.testing.assert_allclose(certificate.sum.weights, sums[:, :width], rtol=1e-9, atol=1e-9)
    if intercept:
        np.testing.assert_allclose(certificate.sum.biases, sums[:, -1], atol=1e-9)
        np.testing.assert_allclose(certificate.sum.bias_variances, s[order, -1], rtol=1e-7)
    assert certificate.updates == certificate.sum.added == len(updates)
    assert certificate.mistakes == sum(mistake for *_, mistake in updates)


@pytest.mark.parametrize("cls", [nk.MulticlassPerceptron, *PA])
def test_J6_J7_mistakes_stay_below_the_bounds_of_the_plane_that_made_the_labels(cls):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, u = rng.normal(size=(60, 3)), rng.normal(size=(4, 3))
        y = np.argmax(X @ u.T, axis=1)
        if seed % 2:
            y[::5] = rng.integers(4, size=12)
        certificate = cls(fit_intercept=False).partial_fit(X, y).certificate_
        classes = [int(label) for label in certificate.labels()]
        for scale in (0.0, 0.3, 3.0):
            assert certificate.mistakes <= certificate.comparator_bound(X, y, scale * u[classes]) * SLACK
        if cls is nk.MulticlassPerceptron:
            leads = [(u[c] - np.delete(u, c, axis=0)) @ x for x, c in zip(X, y, strict=True)]
            margin = float(np.min(leads)) / np.linalg.norm(u)
            assert certificate.mistakes <= certificate.bound(margin) * SLACK
            assert margin <= certificate.margin_upper_bound
            assert certificate.model.length() <= certificate.radius * np.sqrt(2 * certificate.mistakes) * SLACK


def test_two_classes_are_learned_as_by_the_perceptron_once_both_are_known():
    """After an example of each class, both make the same mistakes if they start from the same weights."""
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (200, 4)) * 1.0
    y = (X @ [1.0, -1.0, 2.0, 0.0] + rng.normal(size=200) > 0).astype(int)
    X, y = np.vstack([np.zeros(4), X]), np.append(1 - y[0], y)  # a row of zeros shows the other class
    joint = nk.MulticlassPerceptron(fit_intercept=False).partial_fit(X, y)
    single = nk.Perceptron(fit_intercept=False).partial_fit(X, y, classes=[0, 1])
    assert joint.coef_.tolist() == (2 * single.coef_).tolist()  # both classes move
    assert joint.certificate_.mistakes == single.certificate_.mistakes - 1  # that of zeros, while one class was known
    assert joint.decision_function(X).tolist() == (2 * single.decision_function(X)).tolist()
    assert joint.score_one(X[1]) == joint.decision_function(X)[1]


def test_fit_separates_what_can_be_separated():
    rng = np.random.default_rng(2)
    X, u = rng.normal(size=(80, 3)), rng.normal(size=(5, 3))
    scores = np.sort(X @ u.T, axis=1)
    X = X[scores[:, -1] - scores[:, -2] > 0.3]
    y = np.argmax(X @ u.T, axis=1)
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


@pytest.mark.parametrize("cls", PA)
def test_a_large_C_lands_on_a_lead_of_one_over_the_strongest_other_class(cls):
    model = cls(C=1e9).partial_fit([[1.0, 1.0], [-2.0, 1.0], [0.0, 3.0]], ["a", "b", "c"])
    for x, label in (([3.0, -4.0], "a"), ([0.1, 0.0], "c")):
        before = {other: score for other, score in model.score_one(x).items() if other != label}
        model.learn_one(x, label)
        scores = model.score_one(x)
        assert scores[label] - scores[max(before, key=before.get)] == pytest.approx(1)


def test_one_class_and_rows_of_zeros_are_learned_by_arow():
    one = nk.MulticlassAROW().partial_fit([[1.0], [2.0]], ["a", "a"])
    assert (one.certificate_.mistakes, one.certificate_.sum.added) == (0.0, 0.0)
    assert nk.verify(one, [[1.0], [2.0]], ["a", "a"])
    rows, labels = np.array([[0.0], [0.0], [1.0], [0.0]]), [0, 1, 1, 0]
    zeros = nk.MulticlassAROW(fit_intercept=False).partial_fit(rows, labels, sample_weight=[1, 2.5, 1, 1])
    assert (zeros.certificate_.mistakes, zeros.certificate_.updates, zeros.certificate_.sum.added) == (4.5, 5, 4.5)
    assert nk.verify(zeros, rows, labels, [1, 2.5, 1, 1])


@pytest.mark.parametrize("scale", [1e-120, 1e-60, 1e60, 1e140])
def test_rows_of_any_length_are_learned_by_arow_and_not_refuted(scale):
    random = np.random.default_rng(5)
    y = random.integers(5, size=60)
    X = scale * ((random.random((60, 40)) < 0.05) + np.eye(40)[8 * y])
    model = nk.MulticlassAROW(normalize=scale > 1).partial_fit(X, y)
    assert np.all(np.isfinite(model.coef_))
    assert not nk.verify(model, X, y).failures
