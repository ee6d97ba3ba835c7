import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits

import novikoff as nk
from novikoff.plot import MistakesDisplay
from novikoff.plot.mistakes import doublings, whole
from novikoff.theory.bound_curves import FREUND_SCHAPIRE, NOVIKOFF, OTHER_THEOREM
from real_data import two_classes
from wide_rows import cut, never_dense, wide_rows

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


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


def test_comparator_may_be_a_vector_of_weights(zeros):
    X, y = zeros
    separator = nk.HardMarginSVM().fit(X, y)
    expected = MistakesDisplay.measure(nk.Perceptron(), X, y, comparator=separator).bounds[NOVIKOFF]
    vector = np.append(separator.coef_[0], separator.intercept_)
    assert_array_equal(MistakesDisplay.measure(nk.Perceptron(), X, y, comparator=vector).bounds[NOVIKOFF], expected)
    plain = nk.HardMarginSVM(fit_intercept=False).fit(X, y)
    for comparator in (plain, plain.coef_[0], plain.coef_):
        learner = nk.Perceptron(fit_intercept=False)
        last = MistakesDisplay.measure(learner, X, y, comparator=comparator).bounds[NOVIKOFF][-1]
        assert last == pytest.approx((np.linalg.norm(X, axis=1).max() / float(plain.margin_)) ** 2, rel=1e-3)
    for wrong in ([1.0, 2.0], "no vector", vector * np.nan):
        with pytest.raises(nk.InvalidInputError, match="MistakesDisplay: comparator must"):
            MistakesDisplay.measure(nk.Perceptron(), X, y, comparator=wrong)


def test_short_run_has_a_staircase_on_linear_axes_with_integer_ticks():
    display = MistakesDisplay.from_predictions([0, 1, 1, 0, 1], [0, 1, 0, 0, 0], bound=4)
    assert (display.ax_.get_xscale(), display.ax_.get_yscale()) == ("linear", "linear")
    curve = display.ax_.lines[-1]
    assert curve.get_drawstyle() == "steps-post"
    assert_array_equal(curve.get_xydata(), np.column_stack([range(1, 6), [0, 0, 1, 1, 2]]))
    assert np.all(display.ax_.get_yticks() % 1 == 0)
    assert np.all(display.ax_.get_xticks() % 1 == 0)
    assert display.ax_.get_ylim()[1] > 4


@pytest.mark.parametrize(("examples", "bound"), [(5, 4000), (5000, 40)])
def test_long_run_or_high_bound_has_logarithmic_axes(examples, bound):
    display = MistakesDisplay.from_predictions(np.arange(examples) % 2, np.zeros(examples), bound=bound)
    assert (display.ax_.get_xscale(), display.ax_.get_yscale()) == ("log", "log")


def test_legend_names_the_largest_whole_number_of_mistakes():
    display = MistakesDisplay.from_predictions([0, 1], [0, 0], bound=465.6)
    assert "bound: at most 465" in [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert whole(3.0) == whole(np.nextafter(3.0, 0.0)) == 3


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


def test_a_bound_has_the_same_colour_alone_and_beside_another():
    curve, ones = np.arange(1, 5), np.full(4, 9.0)
    data = {"examples": curve, "mistakes": np.ones(4)}
    alone = MistakesDisplay(**data, bounds={FREUND_SCHAPIRE: ones}).plot().ax_.lines[1]
    both = MistakesDisplay(**data, bounds={NOVIKOFF: ones, FREUND_SCHAPIRE: ones}).plot().ax_.lines
    assert (alone.get_color(), alone.get_linestyle()) == (both[2].get_color(), both[2].get_linestyle())
    assert both[1].get_color() != both[2].get_color()


def test_bounds_of_wide_rows_are_those_of_the_columns_that_occur():
    X, y = wide_rows()
    model = nk.Perceptron().fit(X, y)
    with never_dense():
        wide = MistakesDisplay.measure(model, X, y)
        unfitted = MistakesDisplay.measure(nk.Perceptron(), X, y)
    narrow = MistakesDisplay.measure(nk.Perceptron().fit(cut(X), y), cut(X), y)
    assert wide.mistakes.tolist() == narrow.mistakes.tolist() == unfitted.mistakes.tolist()
    assert {name: bound.tolist() for name, bound in wide.bounds.items()} == {
        name: bound.tolist() for name, bound in narrow.bounds.items()
    }
    assert wide.bounds
