"""The updates of a run: those of ``fit``, bit for bit, and the inequalities of the proof in every row."""

import math
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given

import novikoff as nk
from strategies import few, lift, margin_of, separable, ties
from wide_rows import HUGE, cut, wide_rows

# A run that does not halt, because max_iter is small or no plane separates the rows, is part of what is tested.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

PERCEPTRONS = [
    nk.Perceptron(),
    nk.Perceptron(tie="positive"),
    nk.Perceptron(fit_intercept=False, shuffle=False),
    nk.Perceptron(random_state=5, max_iter=3),
    nk.Perceptron(random_state=np.random.RandomState(1)),
    nk.Perceptron(slack_feature=0.5),
    nk.AveragedPerceptron(),
    nk.VotedPerceptron(tie="positive"),
    nk.MarginPerceptron(),
    nk.MarginPerceptron(epsilon=0.1, fit_intercept=False),
    nk.MarginPerceptron(normalize=True, shuffle=False),
    nk.MarginPerceptron(margin=0.05),
]
PICKS = ("cycle", "first", "worst", "random")


def plane_of_fit(learner, X, y):
    """The last weights of a fit, and the intercept where there is one."""
    weights, bias = learner.fit(X, y).record_.problems[0].certificate.plane()
    return np.append(weights, bias) if learner.fit_intercept else weights


def copied(learner):
    """A learner with the same random state, which ``fit`` would use up."""
    return (
        nk.Perceptron(random_state=np.random.RandomState(1)) if not isinstance(learner.random_state, int) else learner
    )


@pytest.mark.parametrize("learner", PERCEPTRONS, ids=lambda learner: re.sub(r" at 0x\w+|\n *", "", str(learner)))
@given(data=separable())
@few
def test_the_updates_are_those_of_fit_bit_for_bit_and_the_proof_holds(learner, data):
    learner, labels = copied(learner), np.where(data.y > 0, "b", "a")
    steps = nk.trace(learner, data.X, labels)
    expected = plane_of_fit(learner, data.X, labels)
    np.testing.assert_array_equal(steps.v[-1, : len(expected)], expected)
    assert steps.halted == (learner.stopped_ == "converged")
    assert not steps.is_cut
    assert steps.holds
    assert steps.bound == math.inf or len(steps) <= steps.bound * (1 + 1e-9)
    np.testing.assert_array_equal(steps.label, labels[steps.example])


@pytest.mark.parametrize("pick", PICKS)
@pytest.mark.parametrize(
    "learner", [nk.Perceptron(max_iter=100_000), nk.MarginPerceptron(max_iter=100_000)], ids=["perceptron", "margin"]
)
@given(data=separable(max_rows=20, smallest_gap=0.1))
@few
def test_whatever_row_is_chosen_next_the_run_halts_within_the_bound(learner, pick, data):
    steps = nk.trace(learner, data.X, data.y, pick=pick)
    assert steps.halted
    assert steps.holds
    assert len(steps) <= steps.bound
    U = lift(data.X, True)
    assert margin_of(U, data.y, steps.v[-1]) > 0
    assert np.all(steps.score <= steps.threshold + 1e-9)


@given(data=separable(intercept=False))
@few
def test_each_row_of_the_table_follows_from_the_definitions(data):
    steps = nk.trace(nk.Perceptron(fit_intercept=False), data.X, data.y, comparator=data.w)
    v = np.zeros(data.X.shape[1])
    for k, i in enumerate(steps.example):
        assert steps.score[k] == pytest.approx(data.y[i] * data.X[i] @ v, abs=1e-9)
        assert bool(steps.is_mistake[k]) == (data.y[i] * data.X[i] @ v <= 1e-12)
        v = v + data.y[i] * data.X[i]
        np.testing.assert_allclose(steps.v[k], v, atol=1e-9)
    np.testing.assert_allclose(steps.length, np.linalg.norm(steps.v, axis=1))
    np.testing.assert_allclose(steps.projection, steps.v @ data.w / np.linalg.norm(data.w), atol=1e-9)
    np.testing.assert_allclose(steps.upper, data.radius * np.sqrt(steps.step))
    np.testing.assert_allclose(steps.margin_bound, steps.length / steps.step)
    np.testing.assert_allclose(steps.update, data.y[steps.example, None] * data.X[steps.example], atol=1e-9)
    assert steps.margin == pytest.approx(data.margin)
    assert steps.bound == pytest.approx((data.radius / data.margin) ** 2)


@given(data=separable())
@few
def test_the_angle_to_the_separator_stays_within_its_bound(data):
    steps = nk.trace(nk.Perceptron(fit_intercept=data.intercept), data.X, data.y)
    assert np.all(steps.angle <= steps.angle_bound + 1e-4)
    expected = np.degrees(np.arccos(np.minimum(1.0, np.sqrt(steps.step / steps.bound))))
    np.testing.assert_allclose(steps.angle_bound, expected, atol=1e-4)


def test_the_bound_of_note_1_holds_for_unit_vectors_and_half_the_margin():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] > 0
    X[:, 0] += np.where(y, 0.2, -0.2)
    first = nk.trace(nk.MarginPerceptron(fit_intercept=False, normalize=True), X, y)
    steps = nk.trace(nk.MarginPerceptron(margin=first.margin, fit_intercept=False, normalize=True), X, y)
    gamma, L = steps.margin, np.append(0.0, steps.length)
    assert steps.radius == 1.0
    assert len(steps) <= steps.bound <= 16 / gamma**2
    np.testing.assert_allclose(steps.upper, 1 + 2 / gamma + 0.75 * gamma * steps.step)
    np.testing.assert_allclose(steps.step_bound[1:], L[1:-1] + 1 / (2 * L[1:-1]) + gamma / 2)
    assert np.all(steps.length <= steps.step_bound + 1e-9)
    assert not steps.is_mistake.all()  # some updates followed margins that were too small


@given(data=ties())
@few
def test_scores_of_0_are_decided_as_fit_decides_them(data):
    X, y = data[0], data[1]
    for tie in ("mistake", "positive"):
        learner = nk.Perceptron(tie=tie, max_iter=4)
        if len(np.unique(y)) == 2:
            steps = nk.trace(learner, X, y)
            np.testing.assert_array_equal(steps.v[-1], plane_of_fit(learner, X, y))


@given(data=separable(max_rows=15))
@few
def test_the_row_chosen_next_is_the_first_or_the_worst_of_those_that_are_wrong(data):
    X, y = data.X, data.y
    for pick in ("first", "worst"):
        steps = nk.trace(nk.Perceptron(fit_intercept=False), X, y, pick=pick, max_updates=30)
        before = np.vstack([np.zeros(X.shape[1]), steps.v[:-1]])
        scores = y * (before @ X.T)
        for k, row in enumerate(steps.example):
            assert scores[k, row] <= 1e-9
            if pick == "worst":
                assert scores[k, row] <= scores[k].min() + 1e-9
            else:
                assert np.all(scores[k, :row] > -1e-9)


def test_random_choices_depend_on_the_seed_alone():
    X, y = np.arange(-20.0, 20.0)[:, None] ** 3, np.arange(-20, 20) > 3
    runs = [nk.trace(nk.Perceptron(random_state=seed), X, y, pick="random").example.tolist() for seed in (0, 0, 1)]
    assert runs[0] == runs[1] != runs[2]


def test_rows_that_no_plane_separates_have_no_bound():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
    steps = nk.trace(nk.Perceptron(max_iter=20), X, y)
    assert steps.comparator is None
    assert not steps.halted
    assert steps.bound == math.inf
    assert np.isnan(steps.projection).all()
    assert steps.holds
    assert "No plane separates the rows" in steps.summary()


def test_private_features_separate_rows_that_no_plane_separates():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
    steps = nk.trace(nk.Perceptron(max_iter=1000, slack_feature=1.0), X, y)
    assert steps.v.shape[1] == 3 + 4
    assert steps.halted
    assert steps.holds
    assert len(steps) <= steps.bound < math.inf


def test_a_trace_is_cut_at_max_updates_and_says_so():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    steps = nk.trace(nk.Perceptron(), X, y, max_updates=4)
    assert len(steps) == 4
    assert steps.is_cut
    assert not steps.halted
    assert "the first 4 updates of a longer run" in str(steps)
    assert nk.trace(nk.Perceptron(), X, y, max_updates=7, pick="first").is_cut


def test_wide_rows_limit_the_number_of_updates(monkeypatch):
    monkeypatch.setattr("novikoff._trace.follow.MAX_ENTRIES", 20)
    steps = nk.trace(nk.Perceptron(), [[0.0], [1.0], [2.0]], [0, 1, 0])
    assert len(steps) == 10
    assert steps.is_cut


def test_the_learner_is_not_modified():
    X, y = [[1.0], [-1.0]], [1, 0]
    learner = nk.Perceptron(random_state=np.random.RandomState(0))
    nk.trace(learner, X, y)
    assert not hasattr(learner, "classes_")
    assert learner.random_state.randint(100) == np.random.RandomState(0).randint(100)
    fitted = nk.Perceptron(warm_start=True).fit(X, y)
    before = fitted.coef_.copy()
    assert nk.trace(fitted, X, y).step[0] == 1
    np.testing.assert_array_equal(fitted.coef_, before)


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_matrix, lambda X: X.astype(np.float32), pd.DataFrame])
def test_rows_may_have_any_form(make):
    rng = np.random.default_rng(1)
    X = rng.integers(-3, 4, size=(30, 2)).astype(float)
    y = np.where(X @ [1, 2] > 0, 1, 0)
    steps, plain = (nk.trace(nk.MarginPerceptron(normalize=True), rows, y) for rows in (make(X), X))
    np.testing.assert_allclose(steps.v, plain.v)
    assert steps.holds


def test_a_comparator_may_be_a_model_of_either_order_of_classes():
    X, y = np.array([[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0]]), np.array(["b", "b", "a"])
    model = nk.LinearSVM(C=100.0).fit(X, y)
    steps = nk.trace(nk.Perceptron(), X, y, comparator=model)
    np.testing.assert_array_equal(steps.comparator, np.append(model.coef_, model.intercept_))
    same = nk.trace(nk.Perceptron(), X, y, comparator=[*model.coef_[0], model.intercept_[0]])
    np.testing.assert_array_equal(steps.projection, same.projection)
    assert steps.holds


def test_a_comparator_that_does_not_separate_gives_no_bound_but_the_inequalities_hold():
    X, y = np.array([[2.0, 1.0], [1.0, 1.0], [-1.0, 1.0]]), np.array([1, 1, 0])
    steps = nk.trace(nk.Perceptron(), X, y, comparator=[0.0, 1.0, 0.0])
    assert steps.margin == -1.0
    assert steps.bound == math.inf
    assert steps.holds


@pytest.mark.parametrize(
    ("learner", "y", "options", "message"),
    [
        (nk.PassiveAggressive(), [0, 1, 1], {}, "PassiveAggressive does not add whole examples"),
        (nk.LinearSVM(), [0, 1, 1], {}, "LinearSVM is not an online learner"),
        (nk.Perceptron(class_weight="balanced"), [0, 1, 1], {}, "Set class_weight=None"),
        (nk.Perceptron(), ["a", "b", "c"], {}, "y has 3 classes. .* pass y == 'a' as y"),
        (nk.Perceptron(), [0, 1, 1], {"pick": "best"}, 'pick must be "cycle"'),
        (nk.Perceptron(), [0, 1, 1], {"max_updates": 0}, "max_updates must be an integer of at least 1"),
        (nk.Perceptron(), [0, 1, 1], {"comparator": [1.0, 2.0, 3.0]}, "must have 1 weights or 2, the intercept last"),
        (nk.Perceptron(), [0, 1, 1], {"comparator": [0.0, 0.0]}, "not all 0"),
        (nk.Perceptron(), [0, 1, 1], {"comparator": "best"}, "a vector of weights or a fitted linear classifier"),
        (nk.Perceptron(), [0, 1, 1], {"comparator": nk.Perceptron().fit([[1], [2]], [7, 8])}, "the same two classes"),
        (
            nk.Perceptron(fit_intercept=False),
            [0, 1, 1],
            {"comparator": nk.LinearSVM().fit([[1], [2]], [0, 1])},
            "comparator has an intercept, but the learner has none",
        ),
    ],
)
def test_what_cannot_be_traced_is_refused_in_plain_words(learner, y, options, message):
    with pytest.raises(nk.InvalidInputError, match=message):
        nk.trace(learner, [[0.0], [1.0], [2.0]], y, **options)


def test_the_margin_has_the_geometry_of_the_learner():
    X, y = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [3.0, 1.0]], [0, 0, 1, 1]
    for parameters in ({}, {"fit_intercept": False}, {"normalize": True}, {"slack_feature": 0.5}):
        learner = nk.Perceptron(**parameters)
        if (margin := nk.trace(learner, X, y).margin) > 0:
            assert learner.fit(X, y).certificate_.bound(margin) >= learner.certificate_.mistakes
            assert margin.normalize == bool(parameters.get("normalize"))


def test_rows_too_wide_for_a_dense_v_are_refused_with_their_width():
    X, y = wide_rows()
    with pytest.raises(nk.InvalidInputError, match=f"{HUGE:,} columns.*Number those that occur anew"):
        nk.trace(nk.Perceptron(), X, y)
    assert nk.trace(nk.Perceptron(), cut(X), y).halted
