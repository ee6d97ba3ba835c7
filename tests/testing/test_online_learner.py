"""Every online learner passes the public checks, and a broken one fails the check that is about it."""

import copy

import numpy as np
import pytest

import novikoff as nk
from learners import CENTRED, CLASSES, LATE_CLASSES, LEARNERS, REPRESENTATIVES, TRACKERS, forgets
from novikoff.testing import check_online_learner, online_learner_checks

ZERO_ROW = "zero_row_leaves_weights_unchanged"
FITS = "certificates_verify"  # tests/online/test_classifier_scale.py verifies those that have no fit
pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


@pytest.mark.parametrize(("name", "check"), online_learner_checks())
@pytest.mark.parametrize("cls", CLASSES)
def test_learners_pass_all_checks(cls, name, check):
    check(cls())


@pytest.mark.parametrize(("name", "check"), [pair for pair in online_learner_checks() if pair[0] != LATE_CLASSES])
@pytest.mark.parametrize("tracker", TRACKERS)
def test_trackers_pass_all_checks_but_those_they_cannot(tracker, name, check):
    model = TRACKERS[tracker]()
    is_centred = model.learners is None or any(learner.scale == "centred" for learner in model.learners)
    if name == ZERO_ROW and is_centred:  # a row of zeros is not 0 as such members see it
        with pytest.raises(AssertionError, match="a row of zeros"):
            check(model)
    else:
        check(model)


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_learners_with_other_parameters_pass_all_checks(learner):
    # a row of zeros has an intercept, which a full matrix relates to all columns, and a half-life fades with it
    moves = forgets(LEARNERS[learner])
    check_online_learner(LEARNERS[learner](), exclude=[ZERO_ROW] if moves else [])


@pytest.mark.parametrize(
    "learner", [pytest.param(name, marks=() if name in REPRESENTATIVES else pytest.mark.slow) for name in CENTRED]
)
def test_learners_with_a_centred_scale_pass_all_checks_but_those_they_cannot(learner):
    model = CENTRED[learner]()
    check_online_learner(model, exclude=[ZERO_ROW, FITS])
    if learner == "PA-I, centred":
        with pytest.raises(AssertionError, match="a row of zeros"):
            dict(online_learner_checks())[ZERO_ROW](model)


# ---- broken learners -----------------------------------------------------------------------------------------------


class ForgetsBetweenBatches(nk.Perceptron):
    def partial_fit(self, X, y=None, classes=None, sample_weight=None):
        fresh = nk.Perceptron().partial_fit(X, y, classes, sample_weight)
        self.__dict__.update(vars(fresh))
        return self


class LearnsOneTwice(nk.Perceptron):
    def learn_one(self, x, y, sample_weight=1.0):
        super().learn_one(x, y, sample_weight)
        super().learn_one(x, y, sample_weight)


class IgnoresWeights(nk.Perceptron):
    def partial_fit(self, X, y=None, classes=None, sample_weight=None):
        return super().partial_fit(X, y, classes)


class MovesOnZeros(nk.Perceptron):
    def learn_one(self, x, y, sample_weight=1.0):
        super().learn_one(np.asarray(x) + 1.0, y, sample_weight)


class NumbersForLabels(nk.Perceptron):
    def predict(self, X):
        return (self.decision_function(X) >= 0).astype(int)


class OnlyTwoClasses(nk.Perceptron):
    def learn_one(self, x, y, sample_weight=1.0):
        super().learn_one(x, min(y, 1), sample_weight)


class DropsSparseZeros(nk.Perceptron):
    def partial_fit(self, X, y=None, classes=None, sample_weight=None):
        return super().partial_fit(X if isinstance(X, np.ndarray) else 2.0 * X, y, classes, sample_weight)


class LearnsFromPredictions(nk.Perceptron):
    def predict_one(self, x):
        label = super().predict_one(x)
        if label is not None:
            super().learn_one(x, label)
        return label


class TakesNaN(nk.Perceptron):
    def partial_fit(self, X, y=None, classes=None, sample_weight=None):
        return super().partial_fit(np.nan_to_num(X), y, classes, sample_weight)


class FalseCertificate(nk.Perceptron):
    @property
    def record_(self):
        X, y = np.array([[1.0, 0, 0, 0], [-1.0, 0, 0, 0]]), [1, 0]
        return nk.Perceptron().partial_fit(X, y).record_


class AlwaysWrong(nk.Perceptron):
    def predict_one(self, x):
        label = super().predict_one(x)
        return label if label is None else self._truth(x)

    def _truth(self, x):
        return 1 - int(x @ np.array([1.0, -0.5, 0.25, 0.0]) > 0)


class NotRegistered(nk.Perceptron):
    pass


class ForgetsWhenPickled(nk.Perceptron):
    def __getstate__(self):
        return nk.Perceptron().partial_fit(np.eye(4), [0, 1, 0, 1]).__getstate__()


class CloneIsFitted(nk.Perceptron):
    def __sklearn_clone__(self):
        return copy.deepcopy(self)


BROKEN = {
    "any_batching_gives_the_same_bits": ForgetsBetweenBatches,
    "learn_one_equals_partial_fit": LearnsOneTwice,
    "integer_weight_equals_copies": IgnoresWeights,
    "zero_weight_equals_absence": IgnoresWeights,
    "zero_row_leaves_weights_unchanged": MovesOnZeros,
    "labels_of_any_kind": NumbersForLabels,
    "new_classes_may_come_later": OnlyTwoClasses,
    "sparse_rows_equal_dense_rows": DropsSparseZeros,
    "predicting_changes_nothing": LearnsFromPredictions,
    "bad_values_are_refused_without_effect": TakesNaN,
    "certificates_verify": FalseCertificate,
    "mistakes_within_the_bound": AlwaysWrong,
    "save_and_load": NotRegistered,
    "pickle": ForgetsWhenPickled,
    "clone_is_unfitted": CloneIsFitted,
}


def test_every_check_has_a_broken_learner():
    assert set(BROKEN) == {name for name, _ in online_learner_checks()}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_learner_fails_its_check(name):
    check, broken = dict(online_learner_checks())[name], BROKEN[name]()
    expected = nk.InvalidInputError if name == "save_and_load" else AssertionError
    with pytest.raises(expected):
        check(broken)


def test_the_failed_check_is_named():
    with pytest.raises(AssertionError) as caught:
        check_online_learner(IgnoresWeights(), exclude=["any_batching_gives_the_same_bits"])
    assert caught.value.__notes__ == ["IgnoresWeights failed the check 'integer_weight_equals_copies'."]


def test_only_checks_that_exist_are_left_out():
    with pytest.raises(ValueError, match="no check named 'third'; known: any_batching_gives_the_same_bits, learn_one"):
        check_online_learner(nk.Perceptron(), exclude=["third"])
