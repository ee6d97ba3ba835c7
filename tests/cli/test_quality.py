"""How accurate a model is, and on which rows."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.cli._quality import (
    CrossValidated,
    Qualities,
    cross_validation_of,
    on_held_out_rows,
    on_training_rows,
)
from novikoff.data.batch import Batch

rng = np.random.default_rng(8)
X = rng.normal(size=(100, 2))
Y = np.where(X[:, 0] > 0.3, "yes", "no")
BATCH = Batch(X, Y)
MODEL = nk.LinearSVM().fit(X, Y)


def test_the_seed_of_the_learner_decides_which_rows_are_held_out():
    noisy = Batch(X, rng.permutation(Y))
    found = {
        on_held_out_rows(nk.LinearSVM(random_state=seed), noisy, 0.3, quiet=True).scores.accuracy for seed in range(8)
    }
    assert len(found) > 1


def test_a_second_fit_that_fails_is_a_reason():
    class Fails(nk.LinearSVM):
        def fit(self, X, y, sample_weight=None):
            raise nk.InvalidInputError("Fails: not today.")

    assert on_held_out_rows(Fails(), BATCH, None, quiet=True) == "Fails: not today"


def test_cross_validation_has_the_score_of_the_chosen_C():
    model = nk.LinearSVMCV(Cs=[0.01, 1.0], cv=4).fit(X, Y)
    found = cross_validation_of(model)
    place = model.Cs_.tolist().index(model.C_)
    assert (found.mean, found.standard_error) == (model.mean_scores_[place], model.standard_errors_[place])
    assert (found.folds, found.scoring) == (4, "accuracy")


@pytest.mark.parametrize(("mean", "expected"), [(0.5, 1), (0.9, 0)])
def test_cross_validation_that_is_no_better_than_the_most_frequent_label_is_a_warning(mean, expected):
    training = on_training_rows(MODEL, BATCH)
    found = Qualities(training, None, "", CrossValidated(mean, 0.01, 5, "accuracy"))
    warnings = [words for words in found.warnings(MODEL.record_, BATCH) if "no better than" in words]
    assert len(warnings) == expected
    assert all("folds, with a standard error of 1.00% (always 'no':" in words for words in warnings)
