"""Logs that an engine in this process has written."""

import contextlib
import json
import random

from novikoff.serve.engine.engine import Engine
from novikoff.serve.errors import Asleep
from novikoff.serve.settings import Settings


@contextlib.contextmanager
def running(directory, **settings):
    """An engine that runs."""
    engine = Engine(directory, Settings(state=str(directory), durability="off", **settings))
    engine.start()
    try:
        yield engine
    finally:
        engine.stop()


def awake(engine, name, call):
    """What a call returns, after its model was loaded."""
    try:
        return call()
    except Asleep:
        engine.wake(name).result()
        return call()


WORDS = [f"w{number}" for number in range(40)]


def example(numbers):
    """A random example whose label depends on its words."""
    words = numbers.sample(WORDS, 6)
    x = {word: round(numbers.uniform(0.5, 2), 3) for word in words}
    return {"x": x, "y": "high" if sum(value * (int(word[1:]) - 20) for word, value in x.items()) > 0 else "low"}


def learn(engine, examples, name="default"):
    """Learn examples in one request."""
    body = json.dumps(examples).encode()
    return json.loads(awake(engine, name, lambda: engine.learn(name, body)).result())


def dump(engine, name="default"):
    """The model file."""
    return awake(engine, name, lambda: engine.dump(name))


def describe(engine, name="default"):
    return awake(engine, name, lambda: engine.describe(name))


def examples(count, seed=1):
    numbers = random.Random(seed)
    return [example(numbers) for _ in range(count)]


def written(directory, groups=6, size=10, seed=1, learner="perceptron", parameters=None, shadow=None):
    """Write a log with one model, and return its examples and its model file."""
    everything = examples(groups * size, seed)
    with running(directory) as engine:
        engine.create("default", {"learner": learner, "parameters": parameters or {}}).result()
        if shadow is not None:
            engine.add_shadow("default", "other", shadow).result()
        for group in range(groups):
            learn(engine, everything[group * size : (group + 1) * size])
        return everything, dump(engine)
