"""Stopping: a fit that can converge is left alone, and any other ends soon and says why."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff.online import stopped_in_words
from novikoff.online._stopping import FREE_WORK, INSEPARABLE, NO_PROGRESS, REASONS, SMALL_PASS_WORK, Stopping, Trial

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


def overlapping(rows=3000, columns=6, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    scores = X @ rng.normal(size=(columns, classes)) + rng.normal(size=(rows, classes))
    return X, np.argmax(scores, axis=1)


def slow(gap=2e-3):
    """Separable rows of a tiny margin: the perceptron needs thousands of passes, with one or two mistakes in each."""
    return np.array([[1.0, 1.0], [1.0, 1.0 - gap], [-1.0, -1.0 - gap]]), np.array([1, 0, 0])


# ---- the decision ----------------------------------------------------------------------------------------------------


def stopping(answer=None, patience=3, max_iter=1000, work=0.0, pass_work=1.0):
    asked = []
    trial = Trial(lambda allowance: asked.append(allowance) or answer, work, pass_work)
    return Stopping(patience, max_iter, trial), asked


def passes_until(stop, mistakes):
    """The pass after which it stops, and why."""
    for passes, count in enumerate(mistakes, start=1):
        if reason := stop.reason_to_stop(passes, count):
            return passes, reason
    return None


def test_nothing_is_tested_while_mistakes_become_fewer():
    stop, asked = stopping(answer=False)
    assert passes_until(stop, range(900, 0, -1)) is None
    assert asked == []


def test_inseparable_rows_stop_it_when_mistakes_no_longer_become_fewer():
    stop, asked = stopping(answer=False)
    assert passes_until(stop, [9, 7, 5, 6, 8, 5, 4]) == (6, INSEPARABLE)
    assert len(asked) == 1


def test_separable_rows_are_never_given_up():
    stop, asked = stopping(answer=True)
    assert passes_until(stop, [1] * 999) is None
    assert len(asked) == 1


def test_where_it_is_not_known_patience_grows_with_the_passes():
    assert passes_until(stopping(answer=None)[0], [5] * 999) == (13, NO_PROGRESS)
    assert passes_until(stopping(answer=None)[0], [*range(105, 5, -1), *[6] * 800]) == (162, NO_PROGRESS)


def test_the_test_waits_until_the_passes_have_cost_as_much():
    stop, asked = stopping(answer=False, work=100.0, pass_work=5.0)
    assert passes_until(stop, [5] * 999) == (13, INSEPARABLE), "but it is cheap, so it is made before giving up"
    stop, asked = stopping(answer=False, work=8 * FREE_WORK, pass_work=FREE_WORK)
    assert passes_until(stop, [5] * 999) == (8, INSEPARABLE)
    stop, asked = stopping(answer=False, work=100 * FREE_WORK, pass_work=FREE_WORK)
    assert passes_until(stop, [5] * 999) == (13, NO_PROGRESS)
    assert asked == []


def test_nothing_is_tested_that_could_save_no_passes():
    stop, asked = stopping(answer=False, max_iter=10, work=5.0)
    assert passes_until(stop, [5] * 10) == (5, INSEPARABLE)
    stop, asked = stopping(answer=False, max_iter=10, work=6.0)
    assert passes_until(stop, [5] * 10) is None
    assert asked == []


def test_passes_that_cost_less_than_the_test_are_made_and_the_test_only_says_how_it_ended():
    stop, asked = stopping(answer=False, max_iter=50, work=100.0)
    assert passes_until(stop, [5] * 50) == (50, INSEPARABLE)
    stop, asked = stopping(answer=None, max_iter=50, work=100.0)
    assert passes_until(stop, [5] * 50) is None
    assert len(asked) == 1
    stop, asked = stopping(answer=False, max_iter=50, work=100.0)
    assert passes_until(stop, [*range(100, 60, -1), *[99] * 10]) is None, "mistakes have become fewer until lately"
    assert asked == []


def test_none_never_stops():
    stop, asked = stopping(answer=False, patience=None)
    assert passes_until(stop, [5] * 999) is None
    assert asked == []


def test_at_the_end_it_is_tested_if_that_costs_no_more_than_the_passes_or_if_they_were_many():
    for passes, work, is_tested in ((10, 10.0, True), (10, 11.0, False), (12, 1e6, True), (12, 2 * FREE_WORK, False)):
        stop, asked = stopping(answer=False, max_iter=passes, work=work)
        assert stop.is_inseparable_after(passes) is is_tested
        assert len(asked) == is_tested
    stop, asked = stopping(answer=False, patience=None)
    assert not stop.is_inseparable_after(1000)
    assert asked == []


def test_of_few_rows_it_is_tested_at_the_end_if_a_reason_is_due():
    for values, promises, is_tested in ((SMALL_PASS_WORK, 1, 1), (SMALL_PASS_WORK, 0, 0), (SMALL_PASS_WORK + 1, 1, 0)):
        stop, asked = stopping(answer=False, work=1e6, pass_work=values)
        stop.promises_to_halt = bool(promises)
        assert stop.is_inseparable_after(2) is bool(is_tested)
        assert len(asked) == is_tested


# ---- learners --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cls",
    [
        nk.Perceptron,
        pytest.param(nk.AveragedPerceptron, marks=pytest.mark.slow),
        nk.MarginPerceptron,
        nk.PassiveAggressiveI,
    ],
)
def test_a_learner_ends_on_rows_that_overlap_and_its_certificate_holds(cls):
    X, y = overlapping()
    model = cls(max_iter=1000).fit(X, y)
    assert model.stopped_ == INSEPARABLE
    assert model.n_iter_ < 200
    assert nk.verify(model, X, y)


def test_rows_of_a_tiny_margin_are_learned_to_the_end():
    X, y = slow()
    model = nk.Perceptron(max_iter=100_000).fit(X, y)
    assert model.stopped_ == "converged"
    assert model.n_iter_ > 300, "otherwise this tests nothing"
    assert model.score(X, y) == 1
    assert nk.verify(model, X, y)


def test_a_limit_that_keeps_separable_rows_from_convergence_is_warned_of():
    X, y = slow()
    with pytest.warns(ConvergenceWarning, match="a plane separates the rows, but 200 passes were not enough, "):
        model = nk.Perceptron(max_iter=200).fit(X, y)
    assert model.stopped_ == "max_iter"


def test_private_features_make_all_rows_separable_so_nothing_is_given_up():
    X, y = overlapping(rows=300)
    model = nk.Perceptron(slack_feature=2.0, max_iter=20_000).fit(X, y)
    assert model.stopped_ == "converged"


def test_a_margin_that_is_proven_impossible_ends_the_passes():
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1, 0])
    assert nk.MarginPerceptron(margin=0.9, fit_intercept=False).fit(X, y).stopped_ == "converged"
    model = nk.MarginPerceptron(margin=9.0, fit_intercept=False).fit(X, y)
    assert (model.stopped_, model.n_iter_) == (INSEPARABLE, 1)
    assert model.certificate_.margin_upper_bound < 4.5


def test_every_class_ends_by_itself():
    X = np.vstack([overlapping(rows=400)[0], np.full((50, 6), 40.0)])
    y = np.append(overlapping(rows=400)[1], np.full(50, 2))
    model = nk.Perceptron().fit(X, y)
    assert model.stopped_ == [INSEPARABLE, INSEPARABLE, "converged"]
    again = nk.Perceptron(n_jobs=2).fit(X, y)
    assert again.stopped_ == model.stopped_
    assert np.array_equal(again.coef_, model.coef_)
    assert nk.verify(model, X, y)


@pytest.mark.parametrize("convert", [lambda X: X.astype(np.float32), lambda X: X])
def test_rows_of_weight_zero_do_not_count(convert):
    X, y = slow()
    X, y = np.vstack([X, X]), np.append(y, 1 - y)
    weights = np.array([1.0, 2.0, 1.0, 0.0, 0.0, 0.0])
    model = nk.Perceptron(max_iter=100_000).fit(convert(X), y, sample_weight=weights)
    assert model.stopped_ == "converged"
    assert nk.Perceptron().fit(convert(X), y).stopped_ == INSEPARABLE


def test_a_warm_start_says_how_it_ended_and_a_stream_does_not():
    X, y = overlapping()
    model = nk.Perceptron(warm_start=True).fit(X, y).fit(X, y)
    assert model.stopped_ == INSEPARABLE
    model.partial_fit(X[:5], y[:5])
    assert not hasattr(model, "stopped_")
    assert not hasattr(nk.Perceptron(), "stopped_")
    streamed = nk.Perceptron()
    streamed.learn_one({"a": 1.0}, "x")
    assert not hasattr(streamed, "stopped_")


def test_the_reason_is_saved(tmp_path):
    X, y = overlapping(classes=3)
    model = nk.Perceptron().fit(X, y)
    model.save(tmp_path / "model.nvk")
    again = nk.load(tmp_path / "model.nvk")
    assert again.stopped_ == model.stopped_ == [INSEPARABLE] * 3
    assert again.n_iter_no_change == 5


@pytest.mark.parametrize("value", [0, -1, 2.5, "5"])
def test_n_iter_no_change_is_a_positive_integer_or_none(value):
    with pytest.raises(nk.InvalidInputError, match="n_iter_no_change"):
        nk.Perceptron(n_iter_no_change=value).fit([[1.0], [2.0]], [0, 1])


def test_ties_that_are_no_mistakes_are_not_taken_for_inseparable_rows():
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [1e-3, 1.0]]), np.array([1, 1, 0, 0])
    strict = nk.Perceptron(fit_intercept=False, max_iter=200).fit(X, y)
    assert strict.stopped_ == INSEPARABLE
    model = nk.Perceptron(fit_intercept=False, tie="positive", max_iter=200).fit(X, y)
    assert model.stopped_ in ("converged", NO_PROGRESS, "max_iter")


def test_the_end_is_told_in_words():
    assert stopped_in_words(1200, INSEPARABLE) == (
        "1,200; no plane separates the rows by the margin that is needed, so they would never end"
    )
    found = stopped_in_words(7, ["converged", INSEPARABLE, "converged"])
    assert found == "at most 7 per class; converged: 2, inseparable: 1"
    assert set(REASONS) == {"converged", "inseparable", "no progress", "max_iter"}


@pytest.mark.parametrize("cls", [nk.PassiveAggressive, nk.PassiveAggressiveI, nk.PassiveAggressiveII])
def test_passive_aggressive_learners_converge_without_mistakes_but_not_without_rows_to_learn_from(cls):
    X, y = slow(0.5)
    model = cls(max_iter=1000, shuffle=False).fit(X, y)
    assert model.stopped_ == "converged"
    scores = np.where(y == 1, 1, -1) * model.decision_function(X)
    assert 0 < scores.min() < 1
    before = model.coef_.copy()
    assert not np.array_equal(model.partial_fit(X, y).coef_, before), "another pass learns"


def test_a_margin_perceptron_converges_without_updates():
    X, y = slow(0.5)
    model = nk.MarginPerceptron(shuffle=False).fit(X, y)
    assert model.stopped_ == "converged"
    before = model.coef_.copy()
    np.testing.assert_array_equal(model.partial_fit(X, y).coef_, before)


@pytest.mark.slow
def test_python_suggests_no_private_name_where_there_is_no_reason():
    code = "import novikoff as nk; nk.Perceptron().partial_fit([[1.0], [0.0]], [1, 0]).stopped_"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    last = run.stderr.strip().splitlines()[-1]
    assert last == "AttributeError: Perceptron has no stopped_: it was not learned by fit alone."
