"""The folds of a cross-validation: scores of machines that did not learn from the rows, and the baseline."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from binary_problems import training_set
from novikoff._multiclass import CrammerSinger, OneVsOne, OneVsRest
from novikoff.svm._experiment import Experiment
from novikoff.svm._settings import Settings

RNG = np.random.default_rng(0)
Y = np.arange(90) % 3
X = RNG.normal(size=(90, 4)) + 1.5 * np.eye(4)[Y]
SPLITS = [(np.flatnonzero(np.arange(90) % 2 == side), np.flatnonzero(np.arange(90) % 2 != side)) for side in (0, 1)]


def experiment(strategy, weights=None, scoring=None, **parameters):
    data = training_set(X, Y, weights)
    settings = Settings.of("test", nk.LinearSVM(loss="hinge", **parameters), 1.0)
    return Experiment("test", data, strategy(data.classes, data.counts), Y, weights, SPLITS, None, scoring, settings)


@pytest.mark.parametrize("strategy", [OneVsRest, OneVsOne, CrammerSinger])
@pytest.mark.parametrize("scoring", [None, "accuracy"])
def test_the_scores_are_those_of_machines_fitted_to_the_other_rows(strategy, scoring):
    found = experiment(strategy, scoring=scoring, tol=1e-7).score(np.array([0.01, 1.0]))
    assert found.shape == (2, 2)
    for (learned, held_out), scores in zip(SPLITS, found, strict=True):
        for C, score in zip((0.01, 1.0), scores, strict=True):
            model = nk.LinearSVM(C=C, loss="hinge", tol=1e-7, multi_class=strategy.name).fit(X[learned], Y[learned])
            assert score == pytest.approx(model.score(X[held_out], Y[held_out]), abs=0.03)


def test_the_baseline_is_the_mean_share_of_the_most_frequent_label():
    weights = np.where(Y == 1, 2.0, 1.0)
    label, accuracy = experiment(OneVsRest, weights).baseline()
    assert (label, accuracy) == (1, pytest.approx(0.5))


def test_a_wide_gap_in_a_fold_gives_a_warning():
    tried = experiment(OneVsRest, max_iter=1, tol=1e-12)
    tried.score(np.array([100.0]))
    with pytest.warns(ConvergenceWarning, match="test: in a fold the relative gap is"):
        tried.warn_if_wide()


def test_the_widest_gap_is_that_of_all_folds_and_of_all_calls():
    tried = experiment(OneVsRest, max_iter=1, tol=1e-12, n_jobs=2)
    widest = []
    for C in (100.0, 1e-3):
        tried.score(np.array([C]))
        widest.append(tried.widest_gap)
    alone = [experiment(OneVsRest, max_iter=1, tol=1e-12, n_jobs=1) for _ in SPLITS]
    for one, split in zip(alone, SPLITS, strict=True):
        one.splits = [split]
        one.score(np.array([100.0]))
    assert widest[0] == widest[1] == max(one.widest_gap for one in alone)


def test_an_unknown_score_is_refused():
    with pytest.raises(nk.InvalidInputError, match="scoring must be"):
        experiment(OneVsRest, scoring="beauty")
