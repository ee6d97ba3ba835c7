"""The labels of many examples in one call: they are those of single calls."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk

X = np.random.default_rng(0).normal(size=(60, 3))
DICTS = [dict(enumerate(row.tolist())) for row in X]
pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


def learned_from(model, rows, classes):
    for k, x in enumerate(rows):
        model.learn_one(x, f"class {k % classes}")
    return model


@pytest.mark.parametrize("classes", [1, 2, 3])
@pytest.mark.parametrize("rows", [X, DICTS], ids=["rows", "dicts"])
def test_they_are_those_of_single_calls(make_streaming, classes, rows):
    model = learned_from(make_streaming(), rows[:30], classes)
    labels = [model.predict_one(x) for x in rows]
    assert model.predict_many(rows) == model.predict_many(list(rows)) == labels


def test_scores_of_exactly_zero_are_decided_as_in_single_calls(make):
    for classes in (2, 3):
        model = learned_from(make(fit_intercept=False), DICTS[:9], classes)
        unknown = [{}, {"never seen": 1.0}, {0: 0.0}]
        assert model.predict_many(unknown) == [model.predict_one(x) for x in unknown]
        assert model.predict_many(unknown)[0] == model.predict_and_score_one({})[0]


def test_many_dicts_have_the_bits_of_one(make_streaming):
    model = learned_from(make_streaming(), [{"a": 0.1, "b": 0.7, "c": -0.3}, {"b": 1 / 3}], 2)
    examples = [{"a": 0.1, "new": 1e3, "c": 0.2, "b": 0.3}, {"b": 5.0}, {}]
    problems = model._classes.problems
    scores = np.empty((len(problems), 3))
    model._learner.score_many(examples, problems, scores)
    assert scores.T.tolist() == [model._learner.score_one(x, problems) for x in examples]


@pytest.mark.parametrize("parameters", [{"max_features": 4}, {}], ids=["hashed", "named"])
def test_dicts_after_rows_and_hashed_dicts_are_predicted_alike(make_streaming, parameters):
    model = make_streaming(**parameters).partial_fit(np.c_[X, X[:, 0]], X[:, 0] > 0)
    examples = [dict(enumerate(row)) for row in np.c_[X, X[:, 0]].tolist()]
    assert model.predict_many(examples) == [model.predict_one(x) for x in examples]


def test_more_dicts_than_are_scored_with_the_lock_of_the_interpreter(make_streaming):
    model = learned_from(make_streaming(), DICTS, 3)
    assert model.predict_many(DICTS * 40) == [model.predict_one(x) for x in DICTS] * 40


def test_the_columns_of_wide_sparse_rows_are_found():
    rng = np.random.default_rng(0)
    places = np.sort(rng.choice(3_000_000, (50, 30)), axis=1)
    rows = sp.csr_array((rng.normal(size=1500), places.ravel(), np.arange(0, 1501, 30)), shape=(50, 3_000_000))
    model = nk.Perceptron().partial_fit(rows, np.arange(50) % 2)
    examples = [dict(zip(rows[[i]].indices.tolist(), rows[[i]].data.tolist(), strict=True)) for i in range(5)]
    assert model.predict_many(rows[:5]) == model.predict(rows[:5]).tolist()
    assert model.predict_many(examples) == [model.predict_one(x) for x in examples]


@pytest.mark.parametrize("parameters", [{"scale": "running"}, {"scale": "running", "max_features": 4}], ids=str)
def test_scaled_columns_have_the_bits_of_single_calls(make_one_vs_rest, parameters):
    model = learned_from(make_one_vs_rest(**parameters), DICTS[:30], 2)
    examples = [*DICTS, {}, {"never seen": 5.0, 0: 1.0}]
    scores = np.empty((1, len(examples)))
    model._learner.score_many(examples, model._classes.problems, scores)
    assert scores[0].tolist() == [model.score_one(x) for x in examples]
    assert model.predict_many(examples) == [model.predict_one(x) for x in examples]


def test_without_a_label_there_is_no_prediction(make_streaming):
    assert make_streaming().predict_many([{"a": 1.0}, {}]) == [None, None]
    assert make_streaming().predict_many(X) == [None] * len(X)
    assert make_streaming().predict_and_score_one({"a": 1.0}) == (None, 0.0)
    assert (make_streaming().predict_one({"a": 1.0}), make_streaming().score_one([1.0, 2.0])) == (None, 0.0)
    assert make_streaming().predict_many([]) == learned_from(make_streaming(), DICTS, 2).predict_many([]) == []


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        ({"a": 1.0}, "predict_one for a single dict"),
        ([{0: 1.0}, [1.0, 2.0, 3.0]], "must all be dicts"),
        ([{0: 1.0}, {0: float("nan")}], "example 1: feature 0 must be finite"),
        ([{0: "a"}], "example 0: feature 0 must be a number"),
        ([{0: 1e200}], "example 0: the squared norm"),
        ([{1.5: 1.0}], "example 0: feature keys must be strings or integers"),
        ([[1.0, 2.0]], "3 features"),
        ([["a", "b", "c"]], "."),
    ],
)
def test_bad_examples_are_refused(examples, message):
    of_dicts = type(examples) is list and type(examples[0]) is dict  # with names, all are examined in one call
    model = learned_from(nk.Perceptron(), DICTS if of_dicts else X, 2)
    with pytest.raises(nk.InvalidInputError, match=message):
        model.predict_many(examples)


def test_a_value_whose_code_changes_the_list_is_survived():
    class Number:
        def __float__(self) -> float:
            examples.clear()
            return 1.0

    model = learned_from(nk.Perceptron(), DICTS, 2)
    examples = [{0: Number()}, {1: 1.0}]
    assert model.predict_many(examples) == model.predict_many([{0: 1.0}, {1: 1.0}])
    assert examples == []
