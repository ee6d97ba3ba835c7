"""Progressive evaluation, where each prediction is made before its label is seen."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import SGDClassifier

import novikoff as nk
from snapshots import learned
from strategies import streams


class Spy:
    """A learner that writes down what it was asked and told, in order."""

    def __init__(self):
        self.log = []

    def predict_one(self, x):
        self.log.append(("predict", x))
        return "a"

    def learn_one(self, x, y, *weight):
        self.log.append(("learn", x, y, *weight))


def test_every_example_is_predicted_before_it_is_learned():
    spy = Spy()
    records = list(nk.evaluate.progressive(spy, [(1, "a"), (2, "b"), (3, "a", 0.5)]))
    assert spy.log == [
        ("predict", 1),
        ("learn", 1, "a"),
        ("predict", 2),
        ("learn", 2, "b"),
        ("predict", 3),
        ("learn", 3, "a", 0.5),
    ]
    assert [record.mistakes for record in records] == [0, 1, 1]


@settings(max_examples=10)
@given(data=streams(3), every=st.one_of(st.none(), st.integers(1, 40)))
def test_counts_are_those_of_a_plain_loop(make, data, every):
    X, y = data
    progress = nk.evaluate.progressive(make(), zip(X, y.tolist(), strict=True), every=every)
    records = list(progress)
    model, wrong, right = make(), [], np.zeros(3)
    for i, (x, label) in enumerate(zip(X, y.tolist(), strict=True), start=1):
        if model.predict_one(x) == label:
            right[label] += 1
        else:
            wrong.append(i)
        model.learn_one(x, label)
    last = records[-1]
    assert list(progress.mistakes) == wrong
    assert (last.examples, last.mistakes) == (len(y), len(wrong))
    assert last.accuracy == pytest.approx(1 - len(wrong) / len(y))
    assert last.loss == pytest.approx(len(wrong) / len(y))
    assert last.balanced_accuracy == pytest.approx(np.mean(right / np.bincount(y)))
    assert sum(record.examples_since for record in records) == len(y)
    assert sum(record.mistakes_since for record in records) == len(wrong)
    assert last.label == y[-1]


def test_records_come_at_powers_of_two_or_at_multiples_of_every_and_at_the_end():
    stream = [([1.0], 0)] * 11
    at = [record.examples for record in nk.evaluate.progressive(nk.Perceptron(), stream)]
    assert at == [1, 2, 4, 8, 11]
    at = [record.examples for record in nk.evaluate.progressive(nk.Perceptron(), stream, every=4)]
    assert at == [4, 8, 11]
    at = [record.examples for record in nk.evaluate.progressive(nk.Perceptron(), stream[:8], every=4)]
    assert at == [4, 8]
    assert list(nk.evaluate.progressive(nk.Perceptron(), [])) == []


def test_model_learns_only_as_far_as_the_records_are_read():
    model = nk.Perceptron()
    progress = iter(nk.evaluate.progressive(model, [([1.0], i % 2) for i in range(100)]))
    next(progress)
    next(progress)
    assert model.certificate_.examples == 2


def test_first_prediction_is_none_and_counts_as_a_mistake():
    (record,) = nk.evaluate.progressive(nk.Perceptron(), [({"a": 1.0}, "x")])
    assert record.prediction is None
    assert record.mistakes == 1
    assert record.label == "x"


FORMS = {
    "dense": lambda X: X,
    "csr": sp.csr_matrix,
    "csr_array": sp.csr_array,
    "frame": pd.DataFrame,
    "polars": pl.DataFrame,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [1, 4, 8])
def test_rows_of_a_batch_are_predicted_and_learned_one_after_the_other(form, rows):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(17, 3)), rng.integers(3, size=17)
    whole = FORMS[form](X)
    batches = [(whole[k : k + rows], y[k : k + rows]) for k in range(0, 17, rows)]  # the last has one row
    model, one_by_one = nk.Perceptron(), nk.Perceptron()
    progress = nk.evaluate.progressive(model, batches)
    expected = nk.evaluate.progressive(one_by_one, zip(X, y.tolist(), strict=True))
    assert list(progress) == list(expected)
    assert list(progress.mistakes) == list(expected.mistakes)
    assert learned(model) == learned(one_by_one)


def test_model_without_predict_then_learn_predicts_batches_as_a_whole():
    X, y = np.eye(4)[[0, 1, 0, 1]], np.array([1, 0, 1, 0])
    model = SGDClassifier(random_state=0).partial_fit(X[:1], y[:1], classes=[0, 1])
    expected = model.predict(X[:2]).tolist()
    progress = nk.evaluate.progressive(model, [(X[:2], y[:2]), (X[2:], y[2:])])
    records = list(progress)
    assert [record.examples for record in records] == [1, 2, 4]
    assert [1 in progress.mistakes, 2 in progress.mistakes] == [p != t for p, t in zip(expected, y[:2], strict=True)]


def test_first_batch_of_an_unfitted_model_has_no_predictions():
    class Strict(SGDClassifier):
        def partial_fit(self, X, y):
            return super().partial_fit(X, y, classes=[-1, 1])

    progress = nk.evaluate.progressive(Strict(random_state=0), nk.scan(b"1 1:1\n-1 2:1\n1 1:1\n-1 3:1\n", batch_size=2))
    *_, last = progress
    assert last.examples == 4
    assert list(progress.mistakes)[:2] == [1, 2]


def test_weights_reach_the_learner():
    X, y, w = np.eye(4), [1, 0, 1, 0], [2.0, 0.5, 0.0, 1.0]
    one, batch = nk.Perceptron(), nk.Perceptron()
    list(nk.evaluate.progressive(one, zip(X, y, w, strict=True)))
    list(nk.evaluate.progressive(batch, [(X, y, w)]))
    assert learned(one) == learned(batch) == learned(nk.Perceptron().partial_fit(X, y, sample_weight=w))
