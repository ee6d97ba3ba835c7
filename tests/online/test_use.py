"""Who uses a learner: any number of readers, or one thread that changes it; others get an error at once."""

import os
import pickle
import threading
from contextlib import contextmanager

import numpy as np
import pytest

import novikoff as nk

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.where(X[:, 0] > 0, "yes", "no")
LEARNERS = {
    "perceptron": nk.Perceptron,
    "arow": nk.AROW,
    "multiclass": nk.MulticlassPerceptron,
    "tracker": nk.Tracker,
}
READS = {
    "predict": lambda model: model.predict(X),
    "predict_one": lambda model: model.predict_one(X[0]),
    "score_one": lambda model: model.score_one(X[0]),
    "decision_function": lambda model: model.decision_function(X),
    "coef_": lambda model: model.coef_,
    "certificate_": lambda model: model.certificate_,
    "record_": lambda model: model.record_,
    "snapshot": lambda model: model.snapshot(),
    "pickle": pickle.dumps,
    "save": nk.dumps,
}
WRITES = {
    "fit": lambda model: model.fit(X, Y),
    "partial_fit": lambda model: model.partial_fit(X, Y),
    "learn_one": lambda model: model.learn_one(X[0], Y[0]),
    "a new label": lambda model: model.learn_one(X[0], "maybe"),
    "predict_then_learn": lambda model: model.predict_then_learn(X, Y),
    "set_params": lambda model: model.set_params(**model.get_params(deep=False)),
}


class Held:
    """Rows that are given out only when they are asked to be, so that whoever takes them stays inside."""

    def __init__(self):
        self.entered, self.released = threading.Event(), threading.Event()

    def __array__(self, dtype=None, copy=None):
        self.entered.set()
        assert self.released.wait(60)
        return X.astype(dtype or X.dtype)


@contextmanager
def inside(call):
    """Another thread stays inside a call, which ends well at the end."""
    rows, errors = Held(), []

    def work():
        try:
            call(rows)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert rows.entered.wait(60)
    try:
        yield
    finally:
        rows.released.set()
        thread.join()
    assert errors == []


@pytest.fixture(params=LEARNERS)
def model(request):
    """A learner that has learned."""
    return LEARNERS[request.param]().partial_fit(X, Y)


def test_while_a_thread_learns_nobody_else_comes_in(model):
    alone = model.snapshot().partial_fit(X, Y)
    with inside(lambda rows: model.partial_fit(rows, Y)):
        for call in (READS | WRITES).values():
            with pytest.raises(RuntimeError, match="estimator is being changed"):
                call(model)
    assert nk.dumps(model) == nk.dumps(alone)


def test_while_a_thread_predicts_others_may_read_and_nobody_learns(model):
    before = nk.dumps(model)
    with inside(model.predict):
        for call in READS.values():
            call(model)
        for call in WRITES.values():
            with pytest.raises(RuntimeError, match="estimator is being read"):
                call(model)
    assert nk.dumps(model) == before


def test_threads_that_are_refused_leave_no_trace():
    """What was learned are the calls that returned, in some order, whichever were refused."""
    model, learned, done = nk.Perceptron(fit_intercept=False), [0, 0, 0], threading.Barrier(3)

    def work(own):
        done.wait()
        for k in range(3000):
            try:
                model.learn_one({"a": 1.0 + own, f"b{k % 50}": -1.0}, f"label {(k + own) % 3}")
                learned[own] += 1
                model.predict_one({"a": 1.0})
            except RuntimeError:
                pass

    threads = [threading.Thread(target=work, args=(own,)) for own in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert min(learned) > 0
    assert [certificate.examples for certificate in model.certificate_] == [sum(learned)] * 3
    assert nk.dumps(nk.loads(nk.dumps(model))) == nk.dumps(model)


def test_learners_do_not_know_of_each_other(model):
    other = nk.Perceptron()
    with inside(lambda rows: model.partial_fit(rows, Y)):
        assert other.partial_fit(X, Y).predict(X).tolist()


def test_others_run_while_a_learner_learns():
    """Learning does not hold the interpreter's lock."""
    rows = np.random.default_rng(0).normal(size=(200_000, 50))
    labels = rows[:, 0] > 0
    thread = threading.Thread(target=nk.AROW().partial_fit, args=(rows, labels))
    thread.start()
    count = 0
    while thread.is_alive():
        count += 1
    assert count > 1000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork (run the tests on Linux)")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_starts_clean_and_refuses_what_was_half_changed(model):
    def child_says():
        """What a forked process says of the learner: 0 if it learns and predicts, 1 if both are refused."""
        child = os.fork()
        if child == 0:
            refused = 0
            for call in (WRITES["learn_one"], READS["predict"]):
                try:
                    call(model)
                except RuntimeError:
                    refused += 1
            nk.Perceptron().partial_fit(X, Y).predict(X)
            os._exit(refused)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert child_says() == 0
    with inside(model.predict):
        assert child_says() == 0
    with inside(lambda rows: model.partial_fit(rows, Y)):
        assert child_says() == 2
    model.partial_fit(X, Y)


def test_a_rule_in_python_cannot_teach_the_learner_that_calls_it():
    from novikoff.theory.perceptron_rules import PerceptronRule
    from novikoff.theory.rules import RULES

    refused = []

    class Curious(PerceptronRule):
        kernel = None

        def step(self, example):
            with pytest.raises(RuntimeError, match="being changed") as error:
                model.learn_one({"a": 1.0}, 1)
            refused.append(error)
            return super().step(example)

    class Learner(nk.Perceptron):
        _rule_names = ("curious",)

        def _rule(self):
            return nk.theory.rules.Rule("curious")

    RULES.register("curious", Curious)
    try:
        model = Learner()
        model.learn_one({"a": 1.0}, 0)
        model.learn_one({"a": 2.0}, 1)
    finally:
        RULES._entries.pop("curious")
    assert refused
