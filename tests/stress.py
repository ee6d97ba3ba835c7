"""Threads that learn, predict, score, save, pickle and collect garbage on one estimator, and a replay of it.

A saved model must be the one that a single thread makes of some first part of the examples, bit for bit.
"""

import gc
import pickle
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np

import novikoff as nk


class Crew:
    """Functions that are called again and again, each on a thread of its own.

    The first error ends all of them, and is raised by ``run``.
    """

    def __init__(self, *jobs):
        self._jobs, self._errors, self._stop = jobs, [], threading.Event()

    def _work(self, job):
        try:
            while not self._stop.is_set():
                job()
        except BaseException as error:
            self._errors.append(error)
            self._stop.set()

    def run(self, seconds, is_enough=lambda: True):
        """Work for some seconds, and longer if ``is_enough`` says so, but not much."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(2e-4)  # threads interrupt each other more often than usual
        try:
            self._run(seconds, is_enough)
        finally:
            sys.setswitchinterval(before)

    def _run(self, seconds, is_enough):
        threads = [threading.Thread(target=self._work, args=(job,), daemon=True) for job in self._jobs]
        for thread in threads:
            thread.start()
        self._stop.wait(seconds)
        end = time.monotonic() + 120
        while not is_enough() and time.monotonic() < end:
            self._stop.wait(0.05)
        self._stop.set()
        for thread in threads:
            thread.join(60)
        if self._errors:
            raise self._errors[0]
        assert not any(thread.is_alive() for thread in threads), "threads wait for each other"


@contextmanager
def garbage_collected_at_every_allocation():
    """Run the collector of garbage at every allocation of an object that it knows."""
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class Saves:
    """Ways to save a model, one after the other, and the models that were saved."""

    def __init__(self, model, pause=0.002, most=2000):
        self._model, self._pause, self._most = model, pause, most
        self.models = []

    def __call__(self):
        ways = (nk.dumps, lambda model: nk.dumps(pickle.loads(pickle.dumps(model))), lambda m: nk.dumps(m.snapshot()))
        if self._model.__sklearn_is_fitted__() and len(self.models) < self._most:
            self.models.append(ways[len(self.models) % len(ways)](self._model))
        time.sleep(self._pause)

    def distinct(self):
        """The models that were saved, each once, in the order in which they were learned.

        Of two after the same examples, the one whose columns have got names is the later one.
        """
        return sorted(set(self.models), key=_time_of)


def _time_of(data):
    model = nk.loads(data)
    return examples_of(model), model._by_name


def examples_of(model):
    """The number of examples that a model was learned from."""
    record = model.record_
    return int(record.state.balance.sum() or record.problems[0].certificate.examples)


class Names:
    """Examples as dicts, each of which has a name of its own, so that a model tells in which order it learned them.

    Each thread has its own examples. Labels and names appear all the time.
    """

    def __init__(self, model, classes=6, every=40):
        self.model, self._classes, self._every = model, classes, every

    def example(self, thread, i):
        label = f"class {(i // self._every + i) % (1 + min(self._classes - 1, i // self._every))}"
        shared = {f"shared {(i * k) % 50}": float(1 + (i + k) % 3) for k in (3, 5, 7)}
        return {f"{thread}:{i}": 1.0, **shared, "sign": 1.0 if i % 2 else -1.0}, label

    def learner(self, thread):
        counter = iter(range(10**9))

        def learn():
            for _ in range(5):
                self.model.learn_one(*self.example(thread, next(counter)))

        return learn

    def reader(self):
        counter = iter(range(10**9))

        def read():
            x, _ = self.example(0, next(counter) % 500)
            self.model.predict_one(x)
            self.model.score_one(x)

        return read

    def replay(self, models):
        """Learn all examples on one thread, and compare with every saved model on the way."""
        order = [name for name in nk.loads(models[-1]).record_.column_names if ":" in name]
        alone, done = type(self.model)(**self.model.get_params()), 0
        for data in models:
            names = [name for name in nk.loads(data).record_.column_names if ":" in name]
            assert names == order[: len(names)]
            for name in names[done:]:
                alone.learn_one(*self.example(*map(int, name.split(":"))))
            done = len(names)
            assert nk.dumps(alone) == data, f"after {done} examples"


class Rows:
    """Examples as rows of numbers, learned by one thread in their order, in batches of many sizes."""

    def __init__(self, model, count=20_000, columns=8, classes=5, sizes=(1, 1, 7, 300, 5000)):
        random = np.random.default_rng(5)
        self.model, self._sizes, self._done, self._step = model, sizes, 0, 0
        self.X = random.normal(size=(count, columns))
        known = 1 + np.minimum(
            np.arange(count) * 10 * (classes - 1) // count, classes - 1
        )  # classes that have appeared
        self.y = np.where(random.random(count) < 0.3, 0, (self.X[:, 0] * 3).astype(int) % known)

    def part(self, begin, end):
        """Rows from ``begin`` to ``end`` of a sequence without end."""
        rows = np.arange(begin, end) % len(self.y)
        return self.X[rows], self.y[rows]

    def learn(self):
        size = self._sizes[self._step % len(self._sizes)]
        X, y = self.part(self._done, self._done + size)
        if size == 1:
            self.model.learn_one(X[0], int(y[0]))
        elif self._step % 2:
            self.model.partial_fit(X, y)
        else:
            self.model.predict_then_learn(X, y)
        self._done, self._step = self._done + size, self._step + 1

    def read(self):
        if self.model.__sklearn_is_fitted__():
            scores = self.model.decision_function(self.X[:3])
            assert len(scores) == 3
            self.model.predict(self.X[:3])
            self.model.predict_one(dict(enumerate(self.X[0].tolist())))
            self.model.predict_one(self.X[1])

    def replay(self, models):
        """Learn all rows on one thread, and compare with every saved model on the way."""
        alone, done = type(self.model)(**self.model.get_params()), 0
        for data in models:
            saved = nk.loads(data)
            count = examples_of(saved)
            while done < count:
                size = min(count - done, 50_000)
                alone.partial_fit(*self.part(done, done + size))
                done += size
            if saved._by_name:  # it was asked about a dict, which gave the columns their names
                alone.predict_one(dict(enumerate(self.X[0].tolist())))
            assert nk.dumps(alone) == data, f"after {done} rows"


def times_of(function, seconds):
    """Call a function for some seconds; return the seconds of each call."""
    times, end = [], time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end:
        function()
        times.append(time.perf_counter() - begin)
    return np.array(times)
