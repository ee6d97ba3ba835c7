"""The folds of a cross-validation: scores of machines that did not learn from the rows, and the baseline."""

import numpy as np
import pytest

import novikoff as nk
from binary_problems import training_set
from novikoff._multiclass import OneVsRest
from novikoff.svm._experiment import Experiment
from novikoff.svm._settings import Settings

RNG = np.random.default_rng(0)
Y = np.arange(90) % 3
X = RNG.normal(size=(90, 4)) + 1.5 * np.eye(4)[Y]
SPLITS = [(np.flatnonzero(np.arange(90) % 2 == side), np.flatnonzero(np.arange(90) % 2 != side)) for side in (0, 1)]


def experiment(weights=None, **parameters):
    data, settings = training_set(X, Y, weights), Settings.of("test", nk.LinearSVM(loss="hinge", **parameters), 1.0)
    return Experiment("test", data, OneVsRest(data.classes, data.counts), Y, weights, SPLITS, None, None, settings)


def test_the_baseline_is_the_mean_share_of_the_most_frequent_label():
    weights = np.where(Y == 1, 2.0, 1.0)
    label, accuracy = experiment(weights).baseline()
    assert (label, accuracy) == (1, pytest.approx(0.5))


def test_the_widest_gap_is_that_of_all_folds_and_of_all_calls():
    tried = experiment(max_iter=1, tol=1e-12, n_jobs=2)
    widest = []
    for C in (100.0, 1e-3):
        tried.score(np.array([C]))
        widest.append(tried.widest_gap)
    alone = [experiment(max_iter=1, tol=1e-12, n_jobs=1) for _ in SPLITS]
    for one, split in zip(alone, SPLITS, strict=True):
        one.splits = [split]
        one.score(np.array([100.0]))
    assert widest[0] == widest[1] == max(one.widest_gap for one in alone)
