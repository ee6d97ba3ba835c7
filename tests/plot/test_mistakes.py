import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits

import novikoff as nk
from novikoff.plot import MistakesDisplay
from novikoff.plot.mistakes import doublings
from novikoff.theory.bound_curves import FREUND_SCHAPIRE, NOVIKOFF, OTHER_THEOREM
from real_data import two_classes


@pytest.fixture(scope="module")
def zeros():
    X, digit = load_digits(return_X_y=True)
    return X[:500], digit[:500] == 0


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_curve_ends_at_the_count_of_the_certificate(zeros, kind):
    X, y = kind(zeros[0]), zeros[1]
    display = MistakesDisplay.from_estimator(nk.Perceptron(), X, y)
    assert display.mistakes[-1] == nk.Perceptron().partial_fit(X, y).certificate_.mistakes
    assert display.examples[-1] == len(y)
    assert np.all(np.diff(display.mistakes) >= 0)
    assert np.all(display.mistakes <= display.examples)


def test_no_curve_is_above_its_bounds(zeros):
    X, y = zeros
    separator = nk.HardMarginSVM().fit(X, y)
    for learner in (nk.Perceptron(), nk.PassiveAggressive(), nk.PassiveAggressiveI(C=0.1), nk.PassiveAggressiveII()):
        display = MistakesDisplay.measure(learner, X, y, comparator=separator)
        assert display.bounds
        for most in display.bounds.values():
            assert np.all(display.mistakes <= most)


def test_novikoffs_bound_is_that_of_the_certificate(zeros):
    X, y = zeros
    separator = nk.HardMarginSVM().fit(X, y)
    display = MistakesDisplay.measure(nk.Perceptron(), X, y, comparator=separator)
    v = np.append(separator.coef_[0], separator.intercept_)
    margin = np.min(np.where(y, 1, -1) * separator.decision_function(X)) / np.linalg.norm(v)
    assert display.bounds[NOVIKOFF][-1] == pytest.approx(nk.Perceptron().partial_fit(X, y).certificate_.bound(margin))
    pa = MistakesDisplay.measure(nk.PassiveAggressiveI(), X, y, comparator=separator)
    assert list(pa.bounds) == [OTHER_THEOREM]


def test_data_that_cannot_be_separated_have_the_bound_of_freund_and_schapire():
    X, y = two_classes("phishing")
    model = nk.Perceptron(max_iter=5).fit(X, y)
    display = MistakesDisplay.from_estimator(model, X, y, comparator=nk.LinearSVM(C=0.1).fit(X, y))
    assert list(display.bounds) == [FREUND_SCHAPIRE]
    assert np.all(display.mistakes <= display.bounds[FREUND_SCHAPIRE])
    assert len(display.ax_.lines) == 3


def test_bound_of_freund_and_schapire_above_the_number_of_examples_is_left_out():
    X, y = load_breast_cancer(return_X_y=True)
    assert MistakesDisplay.measure(nk.Perceptron(), X, y).bounds == {}


def test_estimator_is_not_modified(zeros):
    X, y = zeros
    model = nk.Perceptron().fit(X, y)
    before = model.coef_.copy()
    display = MistakesDisplay.measure(model, X, y)
    assert_array_equal(model.coef_, before)
    assert NOVIKOFF in display.bounds  # by the separator that it is itself


def test_one_of_several_classes():
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    display = MistakesDisplay.measure(nk.Perceptron(), X, y, class_=4)
    learned = nk.Perceptron().partial_fit(X, y, classes=range(10))
    assert display.mistakes[-1] == learned.certificate_[4].mistakes


def test_learners_without_theorem_have_no_bound(zeros):
    X, y = zeros
    for learner in (nk.MarginPerceptron(), nk.Perceptron(slack_feature=1.0), nk.Perceptron(class_weight="balanced")):
        display = MistakesDisplay.measure(learner, X, y)
        assert display.bounds == {}
        assert np.isfinite(display.mistakes).all()


def test_predictions_are_counted():
    display = MistakesDisplay.from_predictions(["a", "b", "a"], ["b", "b", "b"], bound=7)
    assert_array_equal(display.examples, [1, 2, 3])
    assert_array_equal(display.mistakes, [1, 1, 2])
    assert display.bounds["bound"][-1] == 7


@pytest.mark.parametrize("total", [1, 2, 3, 1000, 10**7])
def test_points_rise_from_1_to_the_number_of_examples(total):
    points = doublings(total)
    assert points[0] == 1
    assert points[-1] == total
    assert np.all(np.diff(points) > 0)


def test_wrong_arguments_are_refused(zeros):
    X, y = zeros
    with pytest.raises(
        nk.InvalidInputError, match=r"an online learner of novikoff is needed, but the estimator is a LinearSVM"
    ):
        MistakesDisplay.from_estimator(nk.LinearSVM(), X, y)
    with pytest.raises(nk.InvalidInputError, match="at least two classes"):
        MistakesDisplay.from_estimator(nk.Perceptron(), X, np.zeros(len(y)))
    with pytest.raises(nk.InvalidInputError, match="their lengths are 1 and 2"):
        MistakesDisplay.from_predictions([0], [0, 1])
