"""Labels of any kind, several classes, classes that come late, and their weights."""

import gc
import sys

import numpy as np
import pytest
import sklearn.base
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from learners import SEVERAL_PASSES
from novikoff.online._classes import Classes
from share import slow_unless
from snapshots import learned
from strategies import cuts, few, fractional_weights, streams

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = RNG.integers(2, size=60)
KINDS = {
    "strings": ["no", "yes"],
    "words of other lengths": ["a", "a much longer word"],
    "bytes": [b"no", b"yes"],
    "booleans": [False, True],
    "integers": [-7, 3],
    "unsigned": np.array([3, 250], dtype=np.uint8),
    "floats": [-1.0, 1.0],
    "objects": np.array(["no", "yes"], dtype=object),
}


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_any_kind_come_back_as_they_went_in(make_streaming, kind):
    values = np.asarray(KINDS[kind])
    for parameters in [{}] if make_streaming.keywords.get("scale") == "centred" else [{}, {"max_iter": 3}]:
        plain, model = (make_streaming(**parameters) for _ in range(2))
        for one, y in ((plain, Y), (model, values[Y])):
            (one.fit if parameters else one.partial_fit)(X, y)
        np.testing.assert_array_equal(model.coef_, plain.coef_)
        assert model.classes_.tolist() == values.tolist()
        assert model.classes_.dtype == values.dtype or not parameters  # a stream cannot know what is still to come
        np.testing.assert_array_equal(model.predict(X), values[plain.predict(X)])
    stream = make_streaming()
    for x, label in zip(X, values[Y].tolist(), strict=True):
        stream.learn_one(x, label)
    plain = make_streaming().partial_fit(X, Y)
    np.testing.assert_array_equal(stream.coef_, plain.coef_)
    assert [stream.predict_one(x) for x in X] == [values.tolist()[k] for k in plain.predict(X)]
    assert type(stream.predict_one(X[0])) is type(values.tolist()[0])


def test_the_later_class_in_order_is_the_positive_one(make):
    for first, second in [("a", "b"), ("b", "a")]:
        model = make(fit_intercept=False)
        model.learn_one([1.0], first)
        model.learn_one([-1.0], second)
        assert model.classes_.tolist() == ["a", "b"]
        assert np.sign(model.score_one([1.0])) == (1 if first == "b" else -1)
        assert model.predict_one([1.0]) == first


@few
@given(data=streams(3))
def test_more_classes_are_one_question_each(make_one_vs_rest, data):
    make, (rows, y) = make_one_vs_rest, data
    model = make(shuffle=False, max_iter=1).fit(rows, y)
    assert model.coef_.shape == (3, rows.shape[1])
    scores = model.decision_function(rows)
    for k in range(3):
        alone = make(shuffle=False, max_iter=1).fit(rows, y == k)
        np.testing.assert_array_equal(model.coef_[k], alone.coef_[0])
        np.testing.assert_array_equal(scores[:, k], alone.decision_function(rows))
    np.testing.assert_array_equal(model.predict(rows), scores.argmax(axis=1))
    assert model.score_one(rows[0]) == dict(enumerate(scores[0].tolist()))
    assert model.predict_sign(rows).tolist() == np.sign(scores).tolist()


@pytest.mark.parametrize("jobs", slow_unless({-1, 5}.__contains__, [2, -1, 5, None]))
def test_the_number_of_threads_changes_nothing(make, jobs):
    y = RNG.integers(5, size=60)
    one = learned(make(max_iter=4, random_state=3).fit(X, y), X)
    assert learned(make(max_iter=4, random_state=3, n_jobs=jobs).fit(X, y), X) == one
    assert learned(make(n_jobs=jobs).partial_fit(X, y), X) == learned(make().partial_fit(X, y), X)


def test_a_third_class_may_come_after_the_short_way_of_dicts_is_open(make_streaming):
    model, by_row = make_streaming(), make_streaming()
    for row, label in zip(X, np.where(np.arange(60) % 20 == 19, 2, Y).tolist(), strict=True):
        model.learn_one(dict(enumerate(row.tolist())), label)
        by_row.learn_one(row, label)
        x = dict(enumerate(X[0].tolist()))
        assert model.predict_one(x) == by_row.predict_one(X[0])
    assert model.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("labels", [(-1, 1), (1, -1), (0, 1), (1, 0), (-1.0, 1.0), (0, 7), (1, -3)])
def test_the_sign_of_the_weights_does_not_change_when_the_second_label_arrives(make, labels):
    first, second = labels
    model = make(fit_intercept=False).partial_fit(X[:5], [first] * 5)
    declared = make(fit_intercept=False).partial_fit(X[:5], [first] * 5, classes=sorted(labels))
    np.testing.assert_array_equal(model.coef_, declared.coef_)
    np.testing.assert_array_equal(model.decision_function(X), declared.decision_function(X))
    assert model.score_one(X[0]) == declared.score_one(X[0])
    assert model.predict(X).tolist() == [first] * len(X)
    assert model.predict_one(X[0]) == first
    for either in (model, declared):
        either.learn_one(X[5], second)
    np.testing.assert_array_equal(model.coef_, declared.coef_)


@pytest.mark.parametrize("label", [0, -1, 1, 2.0, "no"])
def test_a_stream_of_one_label_is_saved_and_verified(make_streaming, label, tmp_path):
    model, y = make_streaming(), [label] * len(X)
    assert nk.verify(model.partial_fit(X, y), X, y)
    model.save(tmp_path / "one.nvk")
    again = nk.load(tmp_path / "one.nvk")
    np.testing.assert_array_equal(again.coef_, model.coef_)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


# ---- class_weight ---------------------------------------------------------------------------------------------------


@few
@given(data=st.data())
def test_class_weights_multiply_the_weights_of_the_rows(make, data):
    rows, y = data.draw(streams(2))
    weights = data.draw(fractional_weights(len(y)))
    weights[[np.argmax(y == 0), np.argmax(y == 1)]] = 1.7
    by_class = {0: 0.5, 1: 3.0}
    product = weights * np.array([0.5, 3.0])[y]
    model = make(class_weight=by_class, shuffle=False, max_iter=2).fit(rows, y, sample_weight=weights)
    plain = make(shuffle=False, max_iter=2).fit(rows, y, sample_weight=product)
    assert learned(model) == learned(plain)


@few
@given(data=st.data())
def test_class_weights_are_the_same_in_every_batching(make_streaming, data):
    rows, y = data.draw(streams(3))
    weight = data.draw(st.sampled_from([{0: 0.5, 1: 2.0}, {0: 0.0, 2: 0.3}, "balanced"]))
    whole = make_streaming(class_weight=weight).partial_fit(rows, y)
    single, batched = make_streaming(class_weight=weight), make_streaming(class_weight=weight)
    for x, label in zip(rows, y.tolist(), strict=True):
        single.learn_one(x, label)
    places = data.draw(cuts(len(y)))
    for begin, end in zip([0, *places], [*places, len(y)], strict=True):
        batched.partial_fit(rows[begin:end], y[begin:end])
    assert learned(single) == learned(whole)
    assert learned(batched) == learned(whole)


@pytest.mark.parametrize("make", SEVERAL_PASSES)
@few
@given(data=streams(3))
def test_balanced_gives_every_class_the_same_total_weight(make, data):
    rows, y = data
    counts = np.bincount(y)
    weights = (len(y) / (3 * counts))[y]
    model = make(class_weight="balanced", shuffle=False, max_iter=2).fit(rows, y)
    assert learned(model) == learned(make(shuffle=False, max_iter=2).fit(rows, y, sample_weight=weights))
    assert model.record_.certificates[0].examples == pytest.approx(model._runs[0].passes * len(y))


@few
@given(data=st.data())
def test_balanced_counts_a_weighted_row_as_that_many(data):
    rows, y = data.draw(streams(2))
    weights = data.draw(fractional_weights(len(y)))
    weights[[np.argmax(y == 0), np.argmax(y == 1)]] = 1.0
    totals = np.bincount(y, weights)
    product = weights * (totals.sum() / (2 * totals))[y]
    model = nk.Perceptron(class_weight="balanced", shuffle=False, max_iter=1).fit(rows, y, sample_weight=weights)
    plain = nk.Perceptron(shuffle=False, max_iter=1).fit(rows, y, sample_weight=product)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize("rows", [X, [dict(enumerate(row.tolist())) for row in X]], ids=["rows", "dicts"])
def test_balanced_on_a_stream_goes_by_what_was_seen_so_far(make_streaming, classes, rows):
    y = np.arange(len(rows)) ** 2 % 11 % classes
    balanced, given, seen = make_streaming(class_weight="balanced"), make_streaming(), np.zeros(classes)
    for x, label in zip(rows, y.tolist(), strict=True):
        seen[label] += 1
        balanced.learn_one(x, label)
        given.learn_one(x, label, seen.sum() / ((seen > 0).sum() * seen[label]))
    assert learned(balanced) == learned(given)
    if rows is X:
        assert learned(make_streaming(class_weight="balanced").partial_fit(X, y)) == learned(given)


@pytest.mark.parametrize("make", SEVERAL_PASSES)
def test_balanced_takes_a_warm_start_on_rows_that_lack_a_class(make):
    model = make(class_weight="balanced", warm_start=True, max_iter=2).fit(X, Y)
    model.fit(X[Y == 1], Y[Y == 1])
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("labels", [[0, 1], [0, 1, 2], (1, 0), np.array([1, 0, 5])], ids=str)
def test_classes_of_the_constructor_are_those_of_the_first_batch(make, labels):
    single, batch = make(classes=labels), make(classes=labels)
    expected = make().partial_fit(X, Y, classes=labels)
    for x, label in zip(X, Y.tolist(), strict=True):
        single.learn_one(x, label)
    batch.partial_fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:], classes=labels)
    assert learned(single) == learned(batch) == learned(expected)
    assert single.classes_.tolist() == sorted(labels)
    assert single._learner.problems == single._classes.problem_count <= 3
    assert learned(nk.loads(nk.dumps(single))) == learned(expected)
    assert sklearn.base.clone(single).fit(X, Y).classes_.tolist() == sorted(labels)


def test_fit_takes_the_classes_of_the_constructor():
    model = nk.AveragedPerceptron(classes=[0, 1, 7], max_iter=3).fit(X, Y)
    assert model.classes_.tolist() == [0, 1, 7]
    assert model.coef_.shape == (3, X.shape[1])
    assert set(model.predict(X).tolist()) <= {0, 1}
    assert nk.verify(model, X, Y)
    two = nk.Perceptron(classes=[1, 0]).fit(X, Y)
    assert learned(two) == learned(nk.Perceptron().fit(X, Y))


def test_other_labels_than_those_of_the_constructor_are_refused(make):
    model = make(classes=["a", "b"])
    model.learn_one({"x": 1.0}, "a")
    before = nk.dumps(model)
    for call in (
        lambda: model.learn_one({"x": 1.0}, "c"),
        lambda: make(classes=["a", "b"]).partial_fit([[1.0], [2.0]], ["a", "c"]),
        lambda: make(classes=["a", "b"]).learn_one({"x": 1.0}, "c"),
        lambda: make(classes=["a", "b"]).fit([[1.0], [2.0]], ["a", "c"]),
    ):
        with pytest.raises(nk.InvalidInputError, match=r"'c'.* is not among the declared classes"):
            call()
    assert nk.dumps(model) == before
    with pytest.raises(nk.InvalidInputError, match="as in the constructor"):
        make(classes=["a", "b"]).partial_fit([[1.0]], ["a"], classes=["a", "c"])
    with pytest.raises(nk.InvalidInputError):
        make(classes=["a"]).learn_one({"x": 1.0}, "a")


@pytest.mark.parametrize("weights", [{0: 0.25, 1: 1.0}, {0: 1.0, 1: 0.25}, "balanced", {0: 1.0, 1: 3.0}, {1: 3.0}])
def test_class_weights_act_in_every_rule_or_are_refused(make, weights):
    """The rows overlap, so that one class is predicted more often if it weighs more."""
    random = np.random.default_rng(5)
    y = (random.random(400) < 0.2).astype(int)
    rows = random.normal(size=(400, 2)) + y[:, None]
    if isinstance(make(), nk.PassiveAggressive) and weights != "balanced" and max(weights.values()) > 1:
        with pytest.raises(nk.InvalidInputError, match="would have no effect"):
            make(class_weight=weights).partial_fit(rows, y)
        return
    assert learned(make(class_weight=weights).partial_fit(rows, y)) != learned(make().partial_fit(rows, y))
    mean = [
        np.mean([make(class_weight=w).partial_fit(rows[:n], y[:n]).predict(rows).mean() for n in range(300, 400, 5)])
        for w in (None, weights)
    ]
    heavier = 1 if weights == "balanced" or weights.get(1, 1.0) > weights.get(0, 1.0) else 0
    assert (mean[1] > mean[0]) == (heavier == 1)


def test_a_class_of_weight_zero_moves_nothing(make):
    model = make(class_weight={1: 0.0}, shuffle=False, max_iter=1).fit(X, Y)
    problem = make().partial_fit(X[Y == 0], Y[Y == 0], classes=[0, 1])
    np.testing.assert_array_equal(model.coef_, problem.coef_)


@pytest.mark.parametrize("line", range(1, 12))
def test_a_new_class_whose_first_example_is_interrupted_is_as_if_it_had_never_been_there(make_streaming, line):
    examples = [
        ({"a": 1.0}, "x"),
        ({"b": 1.0}, "y"),
        ({"c": 1.0}, "z"),
        ({"a": 1.0, "c": -1.0}, "w"),
        ({"b": 2.0}, "x"),
    ]
    undisturbed, disturbed = make_streaming(), make_streaming()
    for x, y in examples:
        undisturbed.learn_one(x, y)
    for x, y in examples[:2]:
        disturbed.learn_one(x, y)
    interrupt(disturbed, {"d": 1.0}, "v", line)
    assert disturbed.classes_.tolist() == ["x", "y"]
    for x, y in examples[2:]:
        disturbed.learn_one(x, y)
    assert disturbed.classes_.tolist() == undisturbed.classes_.tolist()
    for x, _ in examples:
        assert disturbed.score_one(x) == undisturbed.score_one(x)


def interrupt(model, x, y, line):
    """Learn an example, with an interruption at a line of the meeting of its class, before the kernel learns it."""
    seen = 0

    def trace(frame, event, arg):
        nonlocal seen
        if frame.f_code.co_filename.endswith("_classes.py") and event == "line":
            seen += 1
            if seen == line:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(KeyboardInterrupt):
            model.learn_one(x, y)
    finally:
        sys.settrace(before)


def test_labels_are_read_whole_while_a_class_is_added():
    """Garbage collection, which may run whenever an object is made, lets other threads in."""
    classes = Classes(["a", "b"])

    def add(phase, info):
        classes.codes_of_all[f"added {len(classes.codes_of_all)}"] = len(classes.codes_of_all)

    thresholds = gc.get_threshold()
    gc.callbacks.append(add)
    gc.set_threshold(1)
    try:
        found = [classes.labels for _ in range(100)]
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(add)
    assert found == [["a", "b"]] * 100
