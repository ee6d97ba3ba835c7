"""``fit`` of the online learners."""

import numpy as np
import pytest

import novikoff as nk


def test_a_projection_repeated_a_billion_times_is_made_once():
    X = np.random.default_rng(4).normal(size=(60, 4))
    y = X[:, 0] > 0
    many = nk.PassiveAggressive(max_iter=3).fit(X, y, sample_weight=np.full(60, 1e9))
    two = nk.PassiveAggressive(max_iter=3).fit(X, y, sample_weight=np.full(60, 2.0))
    np.testing.assert_allclose(many.coef_, two.coef_, rtol=1e-9)


def test_a_refused_fit_leaves_the_model_as_it_was():
    model = nk.Perceptron()
    model.learn_one({"a": 1.0, "b": 2.0}, "x")
    model.learn_one({"c": 1.0}, "y")
    with pytest.raises(nk.InvalidInputError):
        model.fit(np.ones((5, 4)), np.zeros(5))
    assert model.predict_one({"a": 1.0}) == "x"
    assert model.n_features_in_ == 3


def test_private_features_refuse_more_copies_than_can_be_kept():
    with pytest.raises(nk.InvalidInputError, match="every copy"):
        nk.Perceptron(slack_feature=1.0).fit(np.eye(2), [0, 1], sample_weight=[1e9, 1e9])
