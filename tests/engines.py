"""Engines of the server for tests: started in a directory, asked with Python objects, and compared bit by bit."""

import hashlib
import json
import threading
from contextlib import contextmanager

import numpy as np
import pytest

from novikoff.persistence import dumps
from novikoff.serve.engine.engine import Engine
from novikoff.serve.errors import Asleep, ServeError
from novikoff.serve.settings import Settings

PERCEPTRON = {"learner": "perceptron"}
ONE = {"x": {"u": 1.0, "v": "w"}, "y": "a"}
OTHER = {"x": {"u": -1.0}, "y": "b"}


def refused(call):
    """Return the status and the code of the error that a call raises."""
    with pytest.raises(ServeError) as error:
        call()
    return error.value.status, error.value.code


class Client:
    """An engine that is asked with Python objects and waits for its answers."""

    def __init__(self, directory, **settings):
        self.engine = Engine(directory, Settings(**{"durability": "off"} | settings))
        self.engine.start()

    def awake(self, call, name):
        """Return what a call answers, after the model was loaded if it was not in memory."""
        while True:
            try:
                return call()
            except Asleep:
                self.engine.wake(name).result(20)

    def begin(self, name, examples):
        body = json.dumps(examples).encode()
        return self.awake(lambda: self.engine.learn(name, body), name)

    def learn(self, name, examples):
        return json.loads(self.begin(name, examples).result(20))

    def predict(self, name, examples):
        body = json.dumps(examples).encode()
        return json.loads(self.awake(lambda: self.engine.predict(name, body), name))

    def stream(self, name, lines, cut=50, form="ndjson", answers=True):
        """Feed lines in pieces of so many bytes; return all answers."""
        stream = self.awake(lambda: self.engine.open_stream(name, form, answers), name)
        text = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
        pieces = [text[begin : begin + cut] for begin in range(0, len(text), cut)] + [b""]
        futures = [stream.feed(piece, place == len(pieces) - 1) for place, piece in enumerate(pieces)]
        return [json.loads(line) for future in futures for line in future.result(20).splitlines()]

    def create(self, name="m", specification=PERCEPTRON):
        return self.engine.create(name, specification).result(20)

    def counts(self, name="m"):
        return self.awake(lambda: self.engine.describe(name), name)["counts"]

    def model(self, name="m"):
        """Return a model after everything was published."""
        self.engine.wake(name).result(20)
        self.engine._commands.put(self.engine._memory.publish_all).result(20)
        return self.engine._memory.find(self.engine.known(name).number)


@contextmanager
def running(directory, **settings):
    """Run an engine in a directory."""
    client = Client(directory, **settings)
    try:
        yield client
    finally:
        client.engine.stop()


@contextmanager
def held(engine):
    """Let the writer thread of an engine do nothing meanwhile: what is sent waits, and is learned together."""
    begun, go_on = threading.Event(), threading.Event()
    waiting = engine._commands.put(lambda: begun.set() or go_on.wait(20))
    assert begun.wait(20)
    try:
        yield
    finally:
        go_on.set()
        waiting.result(20)


def digest(learner):
    """Return a short text that differs if any bit of a learner does."""
    return hashlib.blake2b(dumps(learner), digest_size=8).hexdigest()


def fingerprint(model):
    """Return all of a model that a restart must keep, bit by bit."""
    arms = {
        name: (digest(arm.learner) if arm.tally.examples else "", arm.tally.state(), arm.stopped)
        for name, arm in model.arms.items()
    }
    tables = (model.names.since(0)[: model.stored_names], model.labels.since(0)[: model.stored_labels])
    return (model.examples, tables, model.ids.state(), arms)


def learned(model):
    """Return the same without the curve, whose points depend on which examples were learned together."""
    examples, tables, ids, arms = fingerprint(model)
    counts = {name: {key: own[1][key] for key in own[1] if key != "curve"} for name, own in arms.items()}
    return examples, tables, ids, {name: (own[0], counts[name], own[2]) for name, own in arms.items()}


def random_examples(count, seed=0, classes=("a", "b"), width=12, **others):
    """Return examples of a few features each, with labels that a plane decides for, but for noise."""
    random = np.random.default_rng(seed)
    direction = random.normal(size=width)
    found = []
    for _ in range(count):
        columns = random.choice(width, size=random.integers(1, 5), replace=False)
        values = random.normal(size=len(columns)).round(3)
        score = float(direction[columns] @ values) + 0.3 * random.normal()
        place = int(np.clip(np.floor(score + len(classes) / 2), 0, len(classes) - 1))
        x = {f"f{column}": value for column, value in zip(columns.tolist(), values.tolist(), strict=True)}
        found.append({"x": x, "y": classes[place]} | others)
    return found
