"""The online learners as estimators: checks of scikit-learn and of our own on every public class."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import novikoff as nk
from learners import CLASSES, LEARNERS
from snapshots import learned, snapshot
from strategies import few, make_separable, streams

SHUFFLED = "it shuffles the rows between the fits that it compares; an online learner goes by their order"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": SHUFFLED,
    "check_sample_weight_equivalence_on_sparse_data": SHUFFLED,
}


@parametrize_with_checks([cls() for cls in CLASSES], expected_failed_checks=lambda _: EXPECTED)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [make() for make in LEARNERS.values() if make.keywords], expected_failed_checks=lambda _: EXPECTED
)
def test_scikit_learn_accepts_the_estimator_with_other_parameters(estimator, check):
    check(estimator)


def test_the_list_of_learners_is_complete():
    public = {value for value in vars(nk).values() if isinstance(value, type) and hasattr(value, "learn_one")}
    assert public == set(CLASSES), "add the learner to LEARNERS in tests/learners.py"


# ---- the contract of an online learner ------------------------------------------------------------------------------


def as_dict(row):
    return {f"x{j}": float(value) for j, value in enumerate(row) if value}


@few
@given(data=st.data(), classes=st.sampled_from([2, 3]), by_name=st.booleans())
def test_predicting_changes_nothing(make, data, classes, by_name):
    X, y = data.draw(streams(classes))
    watched, other = make(), make()
    for i, (row, label) in enumerate(zip(X, y.tolist(), strict=True)):
        x = as_dict(row) if by_name else row
        new = {**as_dict(row), "never seen": 1.0} if by_name else row
        for model in (watched, other):
            model.learn_one(x, label)
        before = learned(watched)
        watched.predict_one(x), watched.score_one(new), watched.predict_one(new)
        if not by_name:
            watched.predict(X), watched.decision_function(X[: i + 1]), watched.predict_sign(X)
        assert learned(watched) == before
        assert watched._learner.names == other._learner.names
    assert learned(watched) == learned(other)


@few
@given(data=streams(2))
def test_a_score_is_the_same_bits_asked_twice_and_alone_or_in_a_batch(make, data):
    X, y = data
    model = make().partial_fit(X, y)
    scores = model.decision_function(X)
    assert scores.tobytes() == model.decision_function(X).tobytes()
    assert [model.score_one(x) for x in X] == scores.tolist()
    assert [model.predict_one(x) for x in X] == model.predict(X).tolist()
    assert model.predict_sign(X).tolist() == np.sign(scores).tolist()


def test_predict_before_any_label_is_none_and_the_score_zero(make):
    assert make().predict_one({"a": 1.0}) is None
    assert make().score_one([1.0, 2.0]) == 0


@few
@given(data=streams(2))
def test_a_clone_knows_nothing_and_touches_nothing(make, data):
    X, y = data
    model = make().partial_fit(X, y)
    before = snapshot(model)
    copy = clone(model)
    assert not hasattr(copy, "classes_")
    copy.partial_fit(X[::-1], y[::-1])
    assert snapshot(model) == before
    assert learned(clone(model).partial_fit(X, y)) == learned(model)


@few
@given(data=st.data(), classes=st.sampled_from([2, 3]), by_name=st.booleans())
def test_a_pickled_model_goes_on_bit_for_bit(make, data, classes, by_name):
    X, y = data.draw(streams(classes))
    place = data.draw(st.integers(1, len(y) - 1))
    model = make(class_weight=data.draw(st.sampled_from([None, "balanced"])))
    rows = [as_dict(row) if by_name else row for row in X]
    for x, label in zip(rows[:place], y[:place].tolist(), strict=True):
        model.learn_one(x, label)
    copy = pickle.loads(pickle.dumps(model))
    assert learned(copy) == learned(model)
    for x, label in zip(rows[place:], y[place:].tolist(), strict=True):
        assert copy.score_one(x) == model.score_one(x)
        copy.learn_one(x, label)
        model.learn_one(x, label)
    assert learned(copy) == learned(model)
    assert copy._learner.names == model._learner.names


def test_a_pickled_fit_has_the_same_certificate(make):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(2, size=40)
    model = make(max_iter=3).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.certificate_.to_json() == model.certificate_.to_json()
    assert bool(copy.certificate_.verify(X, y)) == bool(model.certificate_.verify(X, y))


@few
@given(data=st.data())
def test_a_late_class_stands_as_if_it_had_always_been_asked_for(make, data):
    X, y = data.draw(streams(3))
    order = np.argsort(y == 2, kind="stable")
    X, y = X[order], y[order]
    late = make()
    for x, label in zip(X, y.tolist(), strict=True):
        late.learn_one(x, label)
    known = make().partial_fit(X, y, classes=[0, 1, 2])
    assert learned(late, X) == learned(known, X)


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
        sparse = as_dict(row)
        late.learn_one(sparse, label)
        known.learn_one({j: float(value) for j, value in enumerate(row) if value}, label)
        if sparse:
            assert late.score_one({**sparse, "never seen": 3.0}) == pytest.approx(late.score_one(sparse), abs=1e-12)
    seen = late._learner.names
    columns = [int(name[1:]) for name in seen]
    assert set(seen) <= set(names)
    np.testing.assert_array_equal(late.coef_[0], known.coef_[0, columns])
    np.testing.assert_array_equal(late.intercept_, known.intercept_)


def test_features_are_known_by_name_whatever_the_order_of_the_dict(make):
    model = make().partial_fit([[1.0, 0.0]], [1], classes=[0, 1])
    for i in range(20):
        model.learn_one({0: 1.0 + i, 1: -1.0}, i % 2)
    assert model.score_one({0: 2.0, 1: 3.0}) == model.score_one({1: 3.0, 0: 2.0})
    assert model.score_one({0: 2.0}) == model.score_one({0: 2.0, 99: 5.0})


def test_max_features_bounds_the_memory_of_a_stream_of_new_names(make):
    model = make(max_features=8)
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


def test_without_max_features_every_name_has_a_column(make):
    model = make()
    for i in range(300):
        model.learn_one({f"name {i}": 1.0}, i % 2)
    assert model.n_features_in_ == 300
    assert model.coef_.shape == (1, 300)


def test_string_and_integer_keys_are_different_features():
    model = nk.Perceptron(fit_intercept=False)
    model.learn_one({"1": 1.0}, 1)
    model.learn_one({1: 1.0}, 0)
    assert model.n_features_in_ == 2
    assert model.score_one({"1": 1.0}) > 0 > model.score_one({1: 1.0})


def test_a_dict_that_was_changed_is_read_again(make):
    model, fresh = make(), make()
    x = {"a": 1.0}
    for value, label in [(1.0, 1), (2.0, 0), (-3.0, 1), (0.5, 0)]:
        x["a"] = value
        x[f"only {value}"] = 1.0
        assert model.score_one(x) == pytest.approx(fresh.score_one(dict(x)))
        model.learn_one(x, label)
        fresh.learn_one(dict(x), label)
        del x[f"only {value}"]
    assert learned(model) == learned(fresh)


def test_numbers_of_every_kind_are_numbers(make):
    from decimal import Decimal
    from fractions import Fraction

    plain, odd = make(), make()
    for label in (1, 0, 1):
        plain.learn_one({"a": 1.5, "b": 1.0, "c": 2.0}, label)
        odd.learn_one({"a": Fraction(3, 2), "b": True, "c": np.float32(2)}, label)
        assert odd.score_one({"a": Decimal("1.5")}) == plain.score_one({"a": 1.5})
    assert learned(odd) == learned(plain)


def test_a_zero_row_leaves_weights_unchanged_without_an_intercept(make):
    model = make(fit_intercept=False).partial_fit([[1.0, 2.0], [-1.0, 0.0]], [1, 0])
    before = model._learner.last_weights(0).tobytes()
    model.learn_one([0.0, 0.0], 1)
    model.learn_one({}, 0)
    assert model._learner.last_weights(0).tobytes() == before
    assert model.certificate_.examples == 4


def test_fit_then_partial_fit_goes_on_with_the_weights(make):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(30, 3)), rng.integers(2, size=30)
    model = make(shuffle=False, max_iter=1).fit(X, y).partial_fit(X[:9], y[:9])
    assert learned(model) == learned(make().partial_fit(X, y).partial_fit(X[:9], y[:9]))


def test_sequences_arrays_and_sparse_rows_are_examples(make):
    X = np.array([[1.0, 0.0, -2.0], [0.5, 1.0, 0.0]])
    forms = [
        lambda x: x.tolist(),
        tuple,
        lambda x: x,
        lambda x: x.reshape(1, -1),
        lambda x: sp.csr_matrix(x.reshape(1, -1)),
        lambda x: sp.csc_matrix(x.reshape(1, -1)),
        lambda x: sp.coo_array(x),
    ]
    expected = None
    for form in forms:
        model = make()
        for x, label in zip(X, [1, 0], strict=True):
            model.learn_one(form(x), label)
        bits = (model.coef_.tolist(), model.intercept_.tolist())
        assert expected in (None, bits)
        expected = bits


def test_A7_holds_for_every_learner(make):
    data = make_separable(np.random.default_rng(7), 80, 3, 0.01, intercept=True)
    model = make().partial_fit(data.X[:1], data.y[:1], classes=[-1.0, 1.0])
    mistakes = model.certificate_.mistakes
    for x, label in zip(data.X[1:], data.y[1:], strict=True):
        last = model.certificate_.evidence
        mistakes += label * (last.weights @ x + last.intercept) <= 0
        model.learn_one(x, label)
    assert model.certificate_.mistakes == mistakes > 1
