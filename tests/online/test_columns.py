"""The columns of online learners: by number, by name, and hashed."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from strategies import few, streams

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


@few
@given(data=st.data())
def test_a_late_feature_stands_as_if_it_had_always_been_zero(make, data):
    X, y = data.draw(streams(2))
    half = len(y) // 2
    X[:half, X.shape[1] // 2 :] = 0
    late, known = make(), make()
    names = {f"x{j}": 0.0 for j in range(X.shape[1])}
    known.partial_fit(np.zeros((1, X.shape[1])), y[:1], sample_weight=[0], classes=[0, 1])
    for row, label in zip(X, y.tolist(), strict=True):
        sparse = {f"x{j}": float(value) for j, value in enumerate(row) if value}
        late.learn_one(sparse, label)
        known.learn_one({j: float(value) for j, value in enumerate(row) if value}, label)
        if sparse:
            assert late.score_one({**sparse, "never seen": 3.0}) == pytest.approx(late.score_one(sparse), abs=1e-12)
    seen = late._learner.names
    columns = [int(name[1:]) for name in seen]
    assert set(seen) <= set(names)
    np.testing.assert_array_equal(late.coef_[0], known.coef_[0, columns])
    np.testing.assert_array_equal(late.intercept_, known.intercept_)


def test_features_are_known_by_name_whatever_the_order_of_the_dict(make_streaming):
    model = make_streaming().partial_fit([[1.0, 0.0]], [1], classes=[0, 1])
    for i in range(20):
        model.learn_one({0: 1.0 + i, 1: -1.0}, i % 2)
    score = model.score_one({0: 2.0, 1: 3.0})
    assert model.score_one({1: 3.0, 0: 2.0}) == pytest.approx(score, rel=1e-14)  # the sum has another order
    assert model.score_one({0: 2.0}) == model.score_one({0: 2.0, 99: 5.0})


def test_max_features_bounds_the_memory_of_a_stream_of_new_names(make_streaming):
    model = make_streaming(max_features=8)
    for i in range(500):
        model.learn_one({f"name {i}": 1.0, f"other {i}": -1.0}, i % 2)
    assert model.coef_.shape == (1, 8)
    assert model.n_features_in_ == 8
    assert len(pickle.dumps(model.coef_)) < 1000
    assert model._learner.names == []


def test_max_features_folds_names_that_meet_into_their_sum():
    model = nk.Perceptron(max_features=1, fit_intercept=False)
    model.learn_one({"a": 2.0, "b": 3.0}, 1)
    model.learn_one({"c": -1.0}, 0)
    assert abs(model.score_one({"a": 1.0})) == 5
    assert model.certificate_.radius == 5


def test_string_and_integer_keys_are_different_features():
    model = nk.Perceptron(fit_intercept=False)
    model.learn_one({"1": 1.0}, 1)
    model.learn_one({1: 1.0}, 0)
    assert model.n_features_in_ == 2
    assert model.score_one({"1": 1.0}) > 0 > model.score_one({1: 1.0})


@pytest.mark.parametrize("buckets", [2**31 + 1, 2**53, 2**61, 2**64])
def test_more_buckets_than_a_file_may_have_are_refused_before_memory_is_asked_for(make_streaming, buckets):
    model = make_streaming(max_features=buckets)
    with pytest.raises(nk.InvalidInputError, match="max_features must be at most 2147483648"):
        model.learn_one({"a": 1.0}, 1)
    assert not hasattr(model, "_learner")


def test_frames_are_read_by_the_names_that_are_known_by_then():
    model = nk.Perceptron()
    model.learn_one({"a": 1.0}, 0)
    for name, label in [("b", 1), ("c", 1), ("d", 0)]:
        model.learn_one({name: 1.0}, label)
        names = list(model.record_.column_names)
        rows = pd.DataFrame(np.eye(len(names)), columns=names)
        for one in (model, model, pickle.loads(pickle.dumps(model))):
            assert one.predict(rows).tolist() == [model.predict_one({key: 1.0}) for key in names]


@pytest.mark.parametrize(("max_features", "count"), [(None, 1), (8, 0)])
def test_a_kernel_knows_how_many_names_it_has(max_features, count):
    model = nk.Perceptron(max_features=max_features)
    model.learn_one({"a": 1.0}, 0)
    model.learn_one({"a": -1.0}, 1)
    assert model._learner.name_count == count
    assert (model.record_.column_names is None) == (count == 0)
