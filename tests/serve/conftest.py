"""What the tests of the server share."""

import math

import pytest

from novikoff.serve.engine import model


@pytest.fixture(autouse=True)
def versions_at_once(monkeypatch):
    """Let a model publish what it has learned whenever nothing else waits, however long that takes."""
    monkeypatch.setattr(model, "SHORT", math.inf)
