"""The model that a certificate of an online learner speaks of, compared with data and with a repeated run."""

import dataclasses

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory.certificate import Duals
from novikoff.theory.geometry import Lifted

X = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, 0.5], [-2.0, -1.5]])
Y = np.array([1, 1, 0, 0])
EVIDENCE = nk.Perceptron().fit(X, Y).certificate_.evidence


def recombined(evidence, X=X, y=Y):
    return evidence.recombined(Lifted(X, evidence.geometry), evidence.signs(y))


def test_weights_are_the_sum_of_the_rows_that_caused_updates():
    anew = recombined(EVIDENCE)
    assert anew.check.status == "holds"
    assert anew.steps == EVIDENCE.duals.weights.sum()
    assert anew.ratio == pytest.approx(EVIDENCE.length() / anew.steps)


@pytest.mark.parametrize(
    "other",
    [
        {"weights": EVIDENCE.weights + 1.0},
        {"duals": Duals(EVIDENCE.duals.rows + 100, EVIDENCE.duals.weights)},
        {"duals": Duals(EVIDENCE.duals.rows, -EVIDENCE.duals.weights)},
    ],
)
def test_other_weights_are_not_the_sum(other):
    assert recombined(dataclasses.replace(EVIDENCE, **other)).check.status == "fails"


def test_the_support_is_named_for_its_own_data_only():
    support = EVIDENCE.support(X, Y)
    assert support.name == "examples with an update"
    assert support.rows.tolist() == EVIDENCE.duals.rows.tolist()
    for other in (2.0 * X, X[:, :1], X[:1]):
        assert len(EVIDENCE.support(other, Y[: len(other)]).rows) == 0
    assert len(dataclasses.replace(EVIDENCE, duals=None).support(X, Y).rows) == 0


def test_private_features_count_in_the_length_and_the_margins():
    evidence = nk.Perceptron(slack_feature=2.0).fit(X, Y).certificate_.evidence
    a = evidence.duals.dense(len(Y))
    plain = evidence.weights @ evidence.weights + evidence.intercept**2
    assert evidence.length() == pytest.approx(np.sqrt(plain + 4.0 * a @ a))
    margins, _ = evidence.margins(Lifted(X, evidence.geometry), evidence.signs(Y))
    scores = X @ evidence.weights + evidence.intercept
    np.testing.assert_allclose(margins, np.where(Y == 1, 1, -1) * scores + 4.0 * a)
