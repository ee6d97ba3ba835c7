"""The online learners as estimators: checks of scikit-learn and of our own on every public class."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks

import novikoff as nk
from learners import LEARNERS, ONLINE_CLASSES
from snapshots import learned
from strategies import few, streams

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

SHUFFLED = "it shuffles the rows between the fits that it compares; an online learner goes by their order"
TIED = "it takes a score of 0 for the negative class; here the votes for a row are equally many"
UNLUCKY = "the rows cannot be separated, so the last weights depend on their order; a test below tries other orders"
NARROW = "variances of large rows shrink towards 0, and so do the margins that the rule asks for, whatever the weights"
REFUSED = "it has no class weights, because they depend on labels that it does not ask for"
QUICK = (nk.Perceptron, nk.VotedPerceptron, nk.AROW, nk.MulticlassPerceptron, nk.Tracker)
OTHERS = [cls() for cls in ONLINE_CLASSES if cls not in QUICK] + [make() for make in LEARNERS.values() if make.keywords]
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": SHUFFLED,
    "check_sample_weight_equivalence_on_sparse_data": SHUFFLED,
}


def expected_of(estimator):
    """The checks that are not the learner's own: those of row orders, and that no vote is exactly 0."""
    if isinstance(estimator, nk.VotedPerceptron) and estimator.normalize:
        return EXPECTED | {"check_classifiers_train": TIED}
    if isinstance(estimator, nk.MarginPerceptron) and estimator.epsilon == 0.25:
        return EXPECTED | {"check_class_weight_classifiers": UNLUCKY}
    if getattr(estimator, "half_life", None) is not None:
        return EXPECTED | {"check_class_weight_classifiers": "fit of learners that forget refuses balanced weights"}
    if isinstance(estimator, nk.SoftConfidenceWeighted) and estimator.variant == "I":
        return EXPECTED | {"check_class_weight_classifiers": NARROW}
    return EXPECTED


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([cls() for cls in QUICK], expected_failed_checks=expected_of)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(OTHERS, expected_failed_checks=expected_of)
def test_scikit_learn_accepts_the_others_and_other_parameters(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_class_of_large_weight_is_predicted(seed):
    """What the check of class weights asks for, with other row orders than that of seed 0."""
    X, y = make_blobs(centers=3, random_state=0, cluster_std=20)
    weights = {0: 1000, 1: 0.0001, 2: 0.0001}
    model = nk.MarginPerceptron(
        epsilon=0.25, margin=0.5, class_weight=weights, max_iter=1000, n_iter_no_change=20, random_state=seed
    )
    assert np.mean(model.fit(X[::2], y[::2]).predict(X[1::2]) == 0) > 0.87


def test_the_list_of_learners_is_complete():
    public = {value for value in vars(nk).values() if isinstance(value, type) and hasattr(value, "learn_one")}
    assert public == set(ONLINE_CLASSES), "add the learner to LEARNERS in tests/learners.py"


# ---- the contract of an online learner ------------------------------------------------------------------------------


def as_dict(row):
    return {f"x{j}": float(value) for j, value in enumerate(row) if value}


@few
@given(data=st.data(), classes=st.sampled_from([2, 3]), by_name=st.booleans())
def test_predicting_changes_nothing(make_streaming, data, classes, by_name):
    X, y = data.draw(streams(classes))
    watched, other = make_streaming(), make_streaming()
    for i, (row, label) in enumerate(zip(X, y.tolist(), strict=True)):
        x = as_dict(row) if by_name else row
        new = {**as_dict(row), "never seen": 1.0} if by_name else row
        for model in (watched, other):
            model.learn_one(x, label)
        before = learned(watched)
        watched.predict_one(x), watched.score_one(new), watched.predict_one(new)
        if not by_name:
            watched.predict(X), watched.decision_function(X[: i + 1]), watched.predict_sign(X)
        assert learned(watched) == before
        assert watched._learner.names == other._learner.names
    assert learned(watched) == learned(other)


@few
@given(data=streams(2))
def test_a_score_is_the_same_bits_asked_twice_and_alone_or_in_a_batch(make_streaming, data):
    X, y = data
    model = make_streaming().partial_fit(X, y)
    scores = model.decision_function(X)
    assert scores.tobytes() == model.decision_function(X).tobytes()
    assert [model.score_one(x) for x in X] == scores.tolist()
    assert [model.predict_one(x) for x in X] == model.predict(X).tolist()
    assert model.predict_sign(X).tolist() == np.sign(scores).tolist()


@few
@given(data=st.data(), classes=st.sampled_from([2, 3]), by_name=st.booleans())
def test_a_pickled_model_goes_on_bit_for_bit(make_streaming, data, classes, by_name):
    X, y = data.draw(streams(classes))
    place = data.draw(st.integers(1, len(y) - 1))
    model = make_streaming(class_weight=data.draw(st.sampled_from([None, "balanced"])))
    rows = [as_dict(row) if by_name else row for row in X]
    for x, label in zip(rows[:place], y[:place].tolist(), strict=True):
        model.learn_one(x, label)
    copy = pickle.loads(pickle.dumps(model))
    assert learned(copy) == learned(model)
    for x, label in zip(rows[place:], y[place:].tolist(), strict=True):
        assert copy.score_one(x) == model.score_one(x)
        copy.learn_one(x, label)
        model.learn_one(x, label)
    assert learned(copy) == learned(model)
    assert copy._learner.names == model._learner.names


@pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
def test_a_pickled_fit_has_the_same_certificate(make):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(2, size=40)
    model = make(max_iter=3).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.certificate_.to_json() == model.certificate_.to_json()
    assert bool(copy.certificate_.verify(X, y)) == bool(model.certificate_.verify(X, y))
