"""Repeated runs of second-order learners."""

import numpy as np
import pytest
from sklearn.base import clone

import novikoff as nk
from novikoff.theory.replay import replay

LEARNERS = [
    nk.AROW(),
    nk.AROW(full=True),
    nk.SecondOrderPerceptron(),
    nk.SecondOrderPerceptron(full=True),
    nk.NormalizedAdaptive(),
    nk.SoftConfidenceWeighted(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_repeated_run_agrees_within_its_allowance(learner):
    for seed in range(4):
        random = np.random.default_rng(seed)
        X = random.normal(size=(80, 4)) * 10.0 ** random.integers(-4, 5, 4)
        y = np.where(random.normal(size=80) + X[:, 0] / np.abs(X[:, 0]).max() * 4 > 0, 1, 0)
        weights = random.choice([0.5, 1.0, 3.0], 80)
        model = clone(learner).partial_fit(X, y, classes=[0, 1], sample_weight=weights)
        rule = model.record_.problems[0].run.rule
        run = replay(X, np.where(y == 1, 1.0, -1.0), weights, rule.implementation(), rule.geometry, [np.arange(80)])
        certificate = model.certificate_
        assert run.updates == certificate.updates
        assert sum(run.mistaken) == pytest.approx(certificate.mistakes)
        gap = np.linalg.norm(np.append(run.weights - model.coef_[0], run.bias - model.intercept_[0]))
        assert gap <= run.rounding / 10 <= 1e-6 * (1 + np.abs(model.coef_).max())


def test_a_row_of_zeros_is_counted_and_changes_nothing():
    X, y = np.array([[1.0, 2.0], [0.0, 0.0], [-1.0, 0.5]]), np.array([1, 0, 0])
    model = nk.AROW(fit_intercept=False).partial_fit(X, y, sample_weight=[1, 2.5, 1])
    assert nk.verify(model, X, y, [1, 2.5, 1])
