"""What the tests of the server share."""

import contextlib
import itertools
import math

import pytest
from asgi_calls import Local

from novikoff.serve.engine import model


@pytest.fixture(autouse=True)
def versions_at_once(monkeypatch):
    """Let a model publish what it has learned whenever nothing else waits, however long that takes."""
    monkeypatch.setattr(model, "SHORT", math.inf)


@pytest.fixture
def start(tmp_path):
    """A function that makes an application of some settings and starts its engine, which stops after the test."""
    with contextlib.ExitStack() as stack:
        numbers = itertools.count()
        yield lambda **settings: stack.enter_context(Local(tmp_path / f"state {next(numbers)}", **settings))


@pytest.fixture
def local(start):
    """An application with the model ``default``."""
    return start()
