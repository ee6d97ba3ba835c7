"""Streams: however the rows come, one by one, in batches or as a whole, the same is learned to the last bit."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import SGDClassifier

import novikoff as nk
from novikoff.data.batch import Batch
from novikoff.data.formats import svmlight
from novikoff.data.stream import Scan
from snapshots import learned, snapshot
from strategies import cuts, fractional_weights, seeds, streams

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

LABELS = {
    "integers": np.array([3, -1, 7, 0]),
    "floats": np.array([3.0, -1.0, 7.0, 0.0]),
    "words": np.array(["b", "a", "long word", "c"]),
    "booleans": np.array([True, False, True, False]),
}


class Parts:
    """Batches that are as wide as their widest row so far, as those of a pipe are."""

    def __init__(self, X, y, weights, edges):
        X = sp.csr_array(X)
        widths = np.maximum.accumulate([0, *(row.indices.max(initial=-1) + 1 for row in map(X.__getitem__, rows(X)))])
        self.parts = []
        for begin, end in pairwise(edges):
            part = Batch(X[begin:end, : widths[end]], y[begin:end], None if weights is None else weights[begin:end])
            self.parts.append(part)

    def width(self):
        return None

    def batches(self, width):
        return iter(self.parts)


def rows(X):
    return [slice(k, k + 1) for k in range(X.shape[0])]


def predicted_one_by_one(model, X, y, weights):
    """What predict_one says of each row before learn_one is told of it."""
    predictions = []
    for row, label, weight in zip(rows(X), y.tolist(), weights.tolist(), strict=True):
        predictions.append(model.predict_one(X[row]))
        model.learn_one(X[row], label, weight)
    return predictions


@st.composite
def cases(draw):
    """Rows, labels of any kind that may appear late, weights or none, and where the rows are cut."""
    X, codes = draw(streams(draw(st.integers(1, 4))))
    if draw(st.booleans()):
        X = np.tril(X)  # features appear late
    if draw(st.booleans()):
        codes = np.sort(codes)  # classes appear late
    y = LABELS[draw(st.sampled_from(sorted(LABELS)))][codes]
    weights = draw(st.none() | fractional_weights(len(y)))
    return X, y, weights, [0, *draw(cuts(len(y))), len(y)]


@settings(max_examples=20)
@given(case=cases(), options=st.sampled_from([{}, {"class_weight": "balanced"}, {"fit_intercept": False}]))
def test_a_stream_that_grows_wider_teaches_what_the_whole_does(make, case, options):
    X, y, weights, edges = case
    stream = Scan(Parts(X, y, weights, edges))
    X = sp.csr_array(X)[:, : max(1, stream._rows.parts[-1].X.shape[1])]
    whole = make(**options).partial_fit(X, y, sample_weight=weights)
    model = make(**options).partial_fit(stream)
    assert model.n_features_in_ == whole.n_features_in_ == X.shape[1]
    if hasattr(whole, "classes_"):
        assert learned(model, X) == learned(whole, X)
    else:
        assert snapshot(model) == snapshot(whole)


@settings(max_examples=20)
@given(case=cases(), sparse=st.booleans(), options=st.sampled_from([{}, {"class_weight": "balanced"}, {"n_jobs": 2}]))
def test_predictions_are_those_of_one_row_after_the_other(make_streaming, case, sparse, options):
    X, y, weights, edges = case
    each = np.ones(len(y)) if weights is None else weights
    model, one_by_one = make_streaming(**options), make_streaming(**options)
    X = sp.csr_array(X) if sparse else X
    for begin, end in pairwise(edges):
        part = slice(begin, end)
        beside = None if weights is None else weights[part]
        predictions = model.predict_then_learn(X[part], y[part], beside)
        assert predictions.tolist() == predicted_one_by_one(one_by_one, X[part], y[part], each[part])
    if each.any():
        assert learned(model, X) == learned(one_by_one, X)


@pytest.mark.parametrize("labels", [[True, False, True], [1, 0, 1], ["b", "a", "b"]])
def test_the_first_prediction_of_all_does_not_know_the_first_label(make_streaming, labels):
    first, *_ = make_streaming().predict_then_learn(np.zeros((3, 1)), labels)
    assert first is None
    records = list(nk.evaluate.progressive(make_streaming(), [(np.zeros((3, 1)), labels)], every=1))
    assert records[0].mistakes == 1


def test_rows_of_weight_0_are_predicted_also_before_any_class_is_known(make_streaming):
    model = make_streaming()
    assert model.predict_then_learn(np.eye(3), [5, 6, 5], [0.0, 0.0, 1.0]).tolist() == [None, None, None]
    assert model.predict_then_learn(np.eye(3), [6, 6, 6], [0.0, 0.0, 0.0]).tolist() == [5, 5, 5]
    assert model.classes_.tolist() == [5]


@settings(max_examples=20)
@given(case=cases())
def test_predictions_of_declared_classes_are_those_of_one_row_after_the_other(make_streaming, case):
    X, y, weights, edges = case
    classes = np.unique([*y, *y[:1], {"i": 99, "f": 99.0, "U": "zz", "b": True}[y.dtype.kind]])
    if len(classes) < 2:
        classes = np.array([False, True])
    each = np.ones(len(y)) if weights is None else weights
    first = X[:1], y[:1]
    model, one_by_one = (make_streaming().partial_fit(*first, classes=classes) for _ in range(2))
    predictions = np.concatenate(
        [
            model.predict_then_learn(Batch(X[a:b], y[a:b], None if weights is None else weights[a:b]))
            for a, b in pairwise(edges)
        ]
    )
    assert predictions.tolist() == predicted_one_by_one(one_by_one, X, y, each)
    assert learned(model, X) == learned(one_by_one, X)


@settings(max_examples=8)
@given(seed=seeds, batch_size=st.integers(1, 40), block=st.sampled_from([16, 64, 1 << 20]))
def test_a_file_in_blocks_of_any_size_teaches_what_the_whole_does(make_streaming, seed, batch_size, block):
    rng = np.random.default_rng(seed)
    lines = [b"0\n2\n"]
    for k in range(30):
        features = np.flatnonzero(rng.random(1 + k) < 0.2) + 1
        lines.append(b"%d " % rng.integers(3) + b" ".join(b"%d:%.3f" % (j, rng.normal()) for j in features) + b"\n")
    text = b"".join(lines)
    X, y = nk.read(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(svmlight, "BLOCK_SIZE", block)
        stream = nk.scan(text, batch_size=batch_size)
        model = make_streaming().partial_fit(stream)
        progress = nk.evaluate.progressive(make_streaming(), stream)
        records = list(progress)
    assert learned(model, X) == learned(make_streaming().partial_fit(X, y), X)
    expected = nk.evaluate.progressive(make_streaming(), zip(map(X.__getitem__, rows(X)), y.tolist(), strict=True))
    assert records == list(expected)
    assert progress.mistakes == expected.mistakes
    assert learned(progress._model, X) == learned(expected._model, X)


# ---- all or nothing -------------------------------------------------------------------------------------------------

GOOD = sp.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, -1.0, 0.0]]))
BAD = {
    "a value": (sp.csr_array(np.array([[1.0, 0.0, 0.0, 5.0], [0.0, np.nan, 0.0, 1.0]])), [0, 1], None),
    "an infinite one": (np.array([[1.0, 0.0, np.inf], [0.0, 0.0, 0.0]]), [0, 1], None),
    "a label": (sp.csr_array(np.eye(2, 9)), [0, 0.5], None),
    "labels of another kind": (sp.csr_array(np.eye(2, 9)), ["a", "b"], None),
    "a weight": (sp.csr_array(np.eye(2, 9)), [0, 1], [1.0, -1.0]),
    "the number of labels": (sp.csr_array(np.eye(2, 9)), [0], None),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
@pytest.mark.parametrize("method", ["partial_fit", "predict_then_learn"])
@pytest.mark.parametrize("fitted", [False, True])
def test_of_a_bad_batch_nothing_is_learned_and_no_width_kept(make_streaming, case, method, fitted):
    if not fitted and case[1] == ["a", "b"]:
        return  # good ones, at first
    X, y, weights = case
    model = make_streaming()
    if fitted:
        model.partial_fit(Batch(GOOD, np.array([0, 1])))
    before = snapshot(model)
    with pytest.raises(nk.InvalidInputError):
        getattr(model, method)(Batch(X, np.array(y), None if weights is None else np.array(weights)))
    assert snapshot(model) == before
    if fitted:
        assert model.n_features_in_ == 3


def test_a_stream_that_breaks_off_has_taught_the_blocks_before(monkeypatch):
    monkeypatch.setattr(svmlight, "BLOCK_SIZE", 16)
    good = b"+1 1:1 2:1\n-1 2:2\n" * 5
    model = nk.Perceptron()
    with pytest.raises(nk.InvalidInputError, match="<bytes>, line 11"):
        model.partial_fit(nk.scan(good + b"+1 9:1 nonsense and no number\n"))
    assert learned(model) == learned(nk.Perceptron().partial_fit(nk.scan(good)))


# ---- widths ---------------------------------------------------------------------------------------------------------


def test_rows_of_a_stream_may_be_wider_or_narrower_and_those_of_a_matrix_may_not(make_streaming):
    model = make_streaming().partial_fit(Batch(GOOD, np.array([0, 1])))
    for width in (2, 4):
        with pytest.raises(nk.InvalidInputError, match=f"X has {width} features.* expecting 3 features"):
            model.partial_fit(sp.csr_array(np.eye(2, width)), [0, 1])
        with pytest.raises(nk.InvalidInputError, match=f"X has {width} features.* expecting 3 features"):
            model.predict_then_learn(np.eye(2, width), [0, 1])
    assert model.partial_fit(Batch(sp.csr_array(np.eye(2, 2)), np.array([0, 1]))).n_features_in_ == 3
    assert model.partial_fit(Batch(sp.csr_array(np.eye(2, 5)), np.array([0, 1]))).n_features_in_ == 5
    assert model.coef_.shape == (1, 5)
    with pytest.raises(nk.InvalidInputError, match="X has 4 features"):
        model.partial_fit(Batch(np.eye(2, 4), np.array([0, 1])))  # columns of a table have their meaning


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_columns_that_have_names_do_not_grow(make_streaming):
    frame = pd.DataFrame({"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 1.0]})
    model = make_streaming().partial_fit(frame, [0, 1])
    for width in (2, 3, 5):
        with pytest.raises(nk.InvalidInputError, match="this batch has columns without names"):
            model.partial_fit(Batch(sp.csr_array(np.eye(2, width)), np.array([0, 1])))
    assert model.coef_.shape == (1, 3)


def test_a_stream_may_begin_without_features(make_streaming):
    parts = [Batch(sp.csr_array((1, 0)), np.array([1])), Batch(sp.csr_array(np.eye(1, 2)), np.array([0]))]
    model, whole = make_streaming(), make_streaming().partial_fit(sp.csr_array([[0.0, 0.0], [1.0, 0.0]]), [1, 0])
    for part in parts:
        model.partial_fit(part)
    assert learned(model) == learned(whole)
    assert make_streaming().predict_then_learn(parts[0]).tolist() == [None]


def test_the_width_that_was_asked_for_holds_from_the_first_batch_on():
    stream = nk.scan(b"+1 1:1\n-1 2:1\n", n_features=7, batch_size=1)
    assert [X.shape[1] for X, _ in stream.widening()] == [7, 7]
    assert nk.Perceptron().partial_fit(stream).n_features_in_ == 7


# ---- what comes along -----------------------------------------------------------------------------------------------


def test_weights_of_a_table_reach_the_learner(make_streaming):
    frame = pd.DataFrame({"a": [1.0, 2.0, -1.0, 0.5], "w": [1.0, 0.0, 0.5, 3.0], "y": [1, 0, 0, 1]})
    X, y, w = nk.read(frame, weight="w")
    expected = make_streaming().partial_fit(X, y, sample_weight=w)
    assert learned(make_streaming().partial_fit(nk.scan(frame, weight="w", batch_size=3))) == learned(expected)
    model = make_streaming()
    list(nk.evaluate.progressive(model, nk.scan(frame, weight="w", batch_size=3)))
    assert learned(model) == learned(expected)


def test_a_model_of_scikit_learn_is_given_batches_of_one_width(monkeypatch):
    monkeypatch.setattr(svmlight, "BLOCK_SIZE", 16)
    stream = nk.scan(b"1 1:1\n0 2:1\n1 3:1\n0 4:1\n" * 4, batch_size=2)
    model = SGDClassifier(random_state=0).partial_fit(np.zeros((1, 4)), [0], classes=[0, 1])
    *_, last = nk.evaluate.progressive(model, stream)
    assert last.examples == 16


TABLE, SWAPPED = b"a,b,label\n1,0,p\n0,1,q\n", b"b,a,label\n0,1,p\n1,0,q\n"


def test_columns_of_a_stream_keep_their_names():
    model = nk.Perceptron().partial_fit(nk.scan(TABLE, format="csv"))
    before = learned(model)
    for other in (SWAPPED, b"c,d,label\n1,0,p\n0,1,q\n", b"a,b,label\nx,0,p\ny,1,q\n"):
        with pytest.raises(nk.InvalidInputError, match=r"the columns were \['a', 'b'\] before, but"):
            model.partial_fit(nk.scan(other, format="csv"))
    assert learned(model) == before
    model.partial_fit(nk.scan(TABLE, format="csv"))
    assert model.predict_one({"b": 1.0}) == "q"


def test_columns_of_a_stream_are_those_of_a_frame_before():
    frame = pd.DataFrame({"a": [1.0, 0.0], "b": [0.0, 1.0]})
    model = nk.Perceptron().partial_fit(frame, ["p", "q"])
    model.partial_fit(nk.scan(TABLE, format="csv"))
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(nk.InvalidInputError, match="the columns were"):
        model.partial_fit(nk.scan(SWAPPED, format="csv"))
    assert model.feature_names_in_.tolist() == ["a", "b"]


def test_fit_forgets_the_names_of_a_stream():
    model = nk.Perceptron().partial_fit(nk.scan(TABLE, format="csv")).fit(np.eye(3), [0, 1, 0])
    assert model.predict_one({0: 1.0}) == 0


# ---- tables whose columns grow ---------------------------------------------------------------------------------------

JOBS = b"job,age,y\nclerk,3,1\ncook,5,0\nclerk,4,1\npilot,7,0\ncook,1,1\n"


def jobs(size, **options):
    return nk.scan(JOBS, format="csv", scale="standard", missing="mean", batch_size=size, **options)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_columns_of_a_table_grow_with_their_names(make_streaming, size):
    model, whole = make_streaming().partial_fit(jobs(size)), make_streaming().partial_fit(jobs(100))
    assert learned(model) == learned(whole)
    assert model.weights_ == whole.weights_
    by_class = [problem.weights for problem in model.record_.problems]
    names = [model.weights_] if len(by_class) == 1 else model.weights_.values()
    assert {name for held in names for name in held} <= {"age", "job=clerk", "job=cook", "job=pilot"}
    assert model.reading_ == whole.reading_
    assert model.reading_.running.names == ("age", "job=clerk", "job=cook", "job=pilot")


def test_a_saved_stream_of_tables_continues_bit_for_bit(make_streaming, tmp_path):
    batches = list(jobs(2).widening())
    model = make_streaming().partial_fit(batches[0])
    model.save(tmp_path / "m.nvk")
    model = nk.load(tmp_path / "m.nvk")
    rest = b"\n".join([JOBS.split(b"\n")[0], *JOBS.split(b"\n")[3:]])
    model.partial_fit(model.reading_.scan(rest, format="csv", batch_size=1))
    whole = make_streaming().partial_fit(jobs(100))
    assert learned(model) == learned(whole)
    assert model.reading_ == whole.reading_


def test_dicts_and_batches_with_names_may_alternate():
    first, second, third = jobs(2).widening()
    model = nk.Perceptron().partial_fit(first)
    model.learn_one({"job=cook": 1.0, "age": 0.5}, 1)
    model.partial_fit(second).partial_fit(third)
    model.learn_one({"job=pilot": 1.0}, 1)
    assert model.n_features_in_ == 4
    assert model.record_.column_names == ["age", "job=clerk", "job=cook", "job=pilot"]
    model.learn_one({"town=a": 1.0}, 0)
    with pytest.raises(nk.InvalidInputError, match="the columns were"):
        model.partial_fit(next(iter(nk.scan(b"job,town,y\ncook,b,1\n", format="csv"))))


def test_other_names_are_refused_in_a_stream_that_grows():
    model = nk.Perceptron().partial_fit(jobs(100))
    before = learned(model)
    with pytest.raises(nk.InvalidInputError, match="the columns were"):
        model.partial_fit(nk.scan(JOBS.replace(b"clerk", b"smith"), format="csv"))
    assert learned(model) == before


def test_weights_have_the_names_of_dict_keys():
    model = nk.Perceptron()
    model.learn_one({"free": 1.0, "money": 2.0}, "spam")
    model.learn_one({"meeting": 1.0}, "ham")
    assert model.weights_ == {"free": 1.0, "money": 2.0, "meeting": -1.0}
    model.learn_one({"lunch": 1.0}, "other")
    assert model.weights_["other"]["lunch"] == 1.0
    assert nk.Perceptron().fit(np.eye(2), [0, 1]).weights_.keys() <= {0, 1}
    assert not hasattr(nk.Perceptron(), "weights_")


def scored_one_by_one(model, X, y, weights):
    """The labels that are known, and what score_one says of each row before learn_one is told of it."""
    found = []
    for row, label, weight in zip(rows(X), y.tolist(), weights.tolist(), strict=True):
        known = model.classes_.tolist() if hasattr(model, "classes_") else []
        score = model.score_one(X[row])
        found.append((known, list(score.values()) if isinstance(score, dict) else score))
        model.learn_one(X[row], label, weight)
    return found


@settings(max_examples=10)
@given(data=streams(3), seed=seeds)
def test_scores_are_those_of_one_row_after_the_other(make_streaming, data, seed):
    X, y = data
    weights = np.random.default_rng(seed).integers(0, 3, len(y)) * 1.0
    weights[-1] = 1.0
    batch, single = make_streaming(), make_streaming()
    runs = batch.score_then_learn(X, y, weights)
    found = [(labels, score) for labels, scores in runs for score in scores.tolist()]
    assert found == scored_one_by_one(single, X, y, weights)
    assert learned(batch) == learned(single)
