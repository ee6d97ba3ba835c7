"""One learner, many threads: every saved model is one that some first part of the examples makes, bit for bit."""

import gc
import os
import threading
import time

import numpy as np
import pytest

import novikoff as nk
from share import share_of
from stress import Crew, Names, Rows, Saves, garbage_collected_at_every_allocation, times_of

SECONDS = share_of(600)
LEARNERS = {
    "perceptron": nk.Perceptron,
    "averaged": nk.AveragedPerceptron,
    "voted": nk.VotedPerceptron,
    "balanced": lambda: nk.PassiveAggressiveI(class_weight="balanced"),
}
OTHERS = ("averaged", "voted", "balanced")


def stress(names, rows, seconds):
    """Let threads work on a learner of dicts and on one of rows; replay what they saved."""
    of_names, of_rows = Saves(names.model), Saves(rows.model)
    jobs = (names.learner(0), names.learner(1), names.reader(), of_names, rows.learn, rows.read, of_rows)
    crew = Crew(*jobs, lambda: gc.collect() or time.sleep(0.01))
    crew.run(seconds, lambda: len(set(of_names.models)) > 3 and len(set(of_rows.models)) > 3)
    for one, saves in ((names, of_names), (rows, of_rows)):
        models = saves.distinct()
        assert len(models) > 3
        one.replay(models)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["perceptron", *(pytest.param(k, marks=pytest.mark.slow) for k in OTHERS)])
def test_every_saved_model_is_that_of_a_first_part_of_the_examples(kind):
    make = LEARNERS[kind]
    stress(Names(make()), Rows(make(), sizes=(1, 1, 7, 300)), 0.4)


@pytest.mark.slow
def test_garbage_collection_at_every_allocation_makes_no_difference():
    with garbage_collected_at_every_allocation():
        stress(Names(nk.Perceptron(), every=5), Rows(nk.Perceptron(), sizes=(1, 1, 7, 30)), 0.6)


@pytest.mark.slow
def test_ten_minutes_of_threads():
    share = SECONDS / (len(LEARNERS) + 1)
    for kind, make in LEARNERS.items():
        sizes = (1, 7, 300, 1, 500) if kind == "voted" else (1, 7, 200_000, 1, 5000)  # it keeps a vector per mistake
        stress(Names(make(), classes=12, every=200), Rows(make(), count=200_000, sizes=sizes), share)
    with garbage_collected_at_every_allocation():
        stress(Names(nk.Perceptron(), every=20), Rows(nk.Perceptron(), sizes=(1, 1, 7, 3000)), share)


# ---- waiting --------------------------------------------------------------------------------------------------------


def batches(count, classes=3):
    random = np.random.default_rng(0)
    X = random.normal(size=(count, 20))
    return X, random.integers(classes, size=count)


@pytest.mark.timed
@pytest.mark.parametrize("form", ["dict", "row"])
@pytest.mark.parametrize(
    ("count", "seconds", "share"),
    [(50_000, 0.5, 0.9), pytest.param(200_000, 10, 0.99, marks=pytest.mark.slow)],
    ids=["short", "long"],
)
def test_a_prediction_does_not_wait_for_a_batch(form, count, seconds, share):
    X, y = batches(count)
    model = nk.Perceptron().partial_fit(X[:100], y[:100])
    x = dict(enumerate(X[0].tolist())) if form == "dict" else X[0]
    stop = threading.Event()

    def learn():
        while not stop.is_set():
            model.partial_fit(X, y)

    thread = threading.Thread(target=learn)
    thread.start()
    try:
        # Other programs on the machine disturb some of the windows. A batch takes much longer than a millisecond.
        windows = (times_of(lambda: model.predict_one(x), seconds / 10) for _ in range(30))
        assert any(np.quantile(window, share) < 1e-3 for window in windows)
    finally:
        stop.set()
        thread.join(60)


def test_a_save_comes_before_the_next_batch():
    X, y = batches(20_000)
    model = nk.Perceptron().partial_fit(X, y)
    started, stop, seen = threading.Event(), threading.Event(), []

    def learn():
        while not stop.is_set():
            started.set()
            model.partial_fit(X, y)
            seen.append(1)

    thread = threading.Thread(target=learn)
    thread.start()
    started.wait(10)
    waited = []
    for _ in range(5):
        before = len(seen)
        model.snapshot()
        waited.append(len(seen) - before)
    stop.set()
    thread.join(60)
    assert max(waited) <= 2  # the batch under way, and one that ended while the thread woke up


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork (run the tests on Linux)")
def test_a_child_of_a_fork_while_others_learn_has_a_model_and_does_not_hang():
    X, y = batches(50_000)
    model = nk.Perceptron().partial_fit(X, y)
    stop = threading.Event()

    def learn():
        while not stop.is_set():
            model.partial_fit(X, y)

    threads = [threading.Thread(target=learn) for _ in range(2)]
    for thread in threads:
        thread.start()
    codes = []
    for _ in range(3):
        time.sleep(0.01)
        child = os.fork()
        if child == 0:
            try:
                model.predict_one(X[0])
                model.partial_fit(X[:10], y[:10])
                again = nk.loads(nk.dumps(model))
                os._exit(0 if again.predict(X[:50]).tolist() == model.predict(X[:50]).tolist() else 3)
            finally:
                os._exit(4)
        codes.append(wait_for(child))
    stop.set()
    for thread in threads:
        thread.join(60)
    assert codes == [0, 0, 0]


def wait_for(child, seconds=30):
    """Return the exit code of a child; end it if it hangs."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "it hung"


def test_classes_are_learned_one_by_one_in_a_time_that_does_not_grow_with_their_number():
    model = nk.Perceptron()
    begin = time.process_time()
    for k in range(2000):
        model.learn_one({"a": 1.0, f"b{k % 10}": 1.0}, f"class {k}")
    assert time.process_time() - begin < 2.5  # 3.8 s when each class copied all labels
    assert len(model.classes_) == 2000


@pytest.mark.slow
def test_20000_classes_are_learned_one_by_one_in_seconds():
    model, begin, count = nk.Perceptron(), time.process_time(), max(4000, share_of(20_000))
    for k in range(count):
        model.learn_one({"a": 1.0, f"b{k % 10}": 1.0}, f"class {k}")
    assert time.process_time() - begin < count / 500
    assert model.predict_one({"a": 1.0}) in set(model.classes_.tolist())
    copied = model.snapshot()
    copied.learn_one({"c": 1.0}, "another")
    assert (len(model.classes_), len(copied.classes_)) == (count, count + 1)
