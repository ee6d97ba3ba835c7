"""The model that a certificate of an online learner speaks of."""

import dataclasses

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory import Geometry
from novikoff.theory.certificate import Duals

X = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, 0.5], [-2.0, -1.5]])
Y = np.array([1, 1, 0, 0])
EVIDENCE = nk.Perceptron().fit(X, Y).certificate_.evidence


def test_a_model_fits_its_own_data():
    assert EVIDENCE.fits(X, Y, None) is None
    assert EVIDENCE.misfit(np.ones(len(Y))) is None


@pytest.mark.parametrize(
    "other",
    [
        {"weights": np.array([np.nan, 1.0])},
        {"intercept": np.inf},
        {"geometry": Geometry(fit_intercept=False), "intercept": 1.0},
        {"duals": Duals(EVIDENCE.duals.rows + 100, EVIDENCE.duals.weights)},
        {"duals": Duals(EVIDENCE.duals.rows, -EVIDENCE.duals.weights)},
        {"duals": Duals(EVIDENCE.duals.rows, EVIDENCE.duals.weights * np.nan)},
        {"duals": Duals(np.array([-1]), np.ones(1))},
        {"duals": Duals(np.array([1, 1]), np.ones(2))},
        {"duals": Duals(np.array([0, 1]), np.ones(3))},
        {"duals": Duals(np.array([4]), np.ones(1))},
    ],
)
def test_impossible_numbers_are_refused(other):
    assert dataclasses.replace(EVIDENCE, **other).misfit(np.ones(len(Y))).status == "fails"


@pytest.mark.parametrize("weights", [np.zeros(4), np.array([1.0, -1.0, 1.0, 1.0]), np.full(4, np.inf), np.ones(3)])
def test_impossible_weights_of_rows_are_refused(weights):
    assert EVIDENCE.fits(X, Y, weights).status == "fails"


def test_more_copies_than_fit_into_memory_are_refused():
    private = dataclasses.replace(EVIDENCE, geometry=Geometry(slack_feature=1.0))
    assert private.fits(X, Y, np.full(4, 1e12)).status == "fails"


def test_each_copy_of_a_row_has_its_own_private_feature():
    private = dataclasses.replace(EVIDENCE, geometry=Geometry(slack_feature=1.0))
    rows, signs, copies = private.examples(X, Y, np.array([2.5, 1.0, 0.0, 1.0]))
    assert copies.tolist() == [1.0, 1.0, 0.5, 1.0, 0.0, 1.0]
    assert rows.tolist() == X[[0, 0, 0, 1, 2, 3]].tolist()
    assert signs.tolist() == [1, 1, 1, 1, -1, -1]


def test_private_features_count_in_the_length():
    evidence = nk.Perceptron(slack_feature=2.0).fit(X, Y).certificate_.evidence
    a = evidence.duals.dense(len(Y))
    plain = evidence.weights @ evidence.weights + evidence.intercept**2
    assert evidence.length() == pytest.approx(np.sqrt(plain + 4.0 * a @ a))


@pytest.mark.parametrize("scale", [5e-324, 1e-200, 1e200, 1e308])
def test_the_length_neither_overflows_nor_underflows(scale):
    evidence = dataclasses.replace(EVIDENCE, weights=np.array([scale, 0.0]), intercept=0.0)
    assert scale <= evidence.length() <= scale * (1 + 1e-12) + 1e-323
