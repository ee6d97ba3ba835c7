"""``fit`` of the online learners."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.data.reading import Reading

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


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


def test_a_warm_fit_to_a_table_that_fails_after_its_passes_leaves_a_learner_that_learns(monkeypatch):
    table = b"a,b,label\n1,0,x\n0,1,y\n"
    model = nk.Perceptron(warm_start=True)
    model.fit(nk.scan(table, format="csv"))

    def fail(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Reading, "after", fail)
        with pytest.raises(KeyboardInterrupt):
            model.fit(nk.scan(table, format="csv"))
    examples = model.certificate_.examples
    model.learn_one([1.0, 0.0], "x")
    assert model.certificate_.examples == examples + 1
