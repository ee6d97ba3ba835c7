"""What runs ahead comes in order, and ends with whoever reads it."""

import threading

import pytest

from novikoff.data.ahead import ahead
from novikoff.data.compression import DamagedError


def alive():
    return [thread for thread in threading.enumerate() if thread.name == "novikoff-ahead"]


def test_what_runs_ahead_comes_in_order_and_ends():
    with ahead(iter([b"a", b"", b"b"]), 8) as chunks:
        assert list(chunks) == [b"a", b"", b"b"]
    assert alive() == []


def test_an_error_of_the_thread_comes_where_its_chunk_would_have():
    def failing():
        yield b"a"
        raise DamagedError("more", "less")

    with ahead(failing(), 8) as chunks:
        assert next(chunks) == b"a"
        with pytest.raises(DamagedError):
            next(chunks)
    assert alive() == []


def test_a_thread_that_is_far_ahead_ends_with_its_reader():
    with ahead(iter(lambda: b"x", None), 8) as chunks:
        assert next(chunks) == b"x"
    assert alive() == []
    with pytest.raises(ZeroDivisionError), ahead(iter(lambda: b"x", None), 8):
        raise ZeroDivisionError
    assert alive() == []
