"""Runs of online learners, repeated."""

import numpy as np

import novikoff as nk

rng = np.random.default_rng(5)
X = rng.normal(size=(40, 3))
TWO = np.where(X @ [1.0, -2.0, 0.5] > 0.1, "yes", "no")


def test_several_fits_are_left_open():
    model = nk.Perceptron().fit(X, TWO).partial_fit(X[:5], TWO[:5])
    found = nk.verify(model, 0.01 * X, TWO)
    assert not found
    assert "open" in [check.status for check in found.checks]
