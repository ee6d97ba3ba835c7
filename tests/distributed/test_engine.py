"""The choice of an engine: by its address, by a client, or by the data."""

import numpy as np
import pytest

from novikoff.distributed.engine import ENGINES, choose_engine
from novikoff.distributed.engines.local import LocalEngine
from novikoff.errors import InvalidInputError

X = np.ones((2, 2))


class Fake:
    """An engine that accepts any address."""

    name = "fake"

    def __init__(self, on):
        self.on = on

    @classmethod
    def of(cls, where, on):
        return None if on == "fake://nowhere" else cls(on)


@pytest.fixture
def fake():
    ENGINES.register("fake", Fake)
    yield
    ENGINES.unregister("fake")


def test_arrays_are_for_threads_of_this_process():
    for data in (X, [X], X.tolist(), "rows.csv"):
        assert isinstance(choose_engine("here", None, data), LocalEngine)


def test_an_address_has_the_name_of_its_engine(fake):
    assert choose_engine("here", "fake://host:1", X).on == "fake://host:1"
    assert choose_engine("here", "fake", X).on == "fake"
    for threads in (1, 3, 1024):
        assert choose_engine("here", f"local:{threads}", X).workers() == threads
    assert choose_engine("here", "local", X).workers() >= 1


def test_other_addresses_are_refused(fake):
    message = r'^here: on must be "local", .* or a client of such a cluster, but'
    for on in ("", "cluster", "locally", "local:x", "local:-1", "local: 2", "fake://nowhere", 3, X):
        with pytest.raises(InvalidInputError, match=message):
            choose_engine("here", on, X)


def test_threads_must_be_from_1_to_1024():
    for on in ("local:0", "local:1025"):
        with pytest.raises(InvalidInputError, match=f'on="{on}" must have a number of threads from 1 to 1024'):
            choose_engine("here", on, X)
