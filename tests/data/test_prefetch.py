"""Prefetched items come in order, and the thread ends with its reader."""

import threading

import pytest

from novikoff.data.compression import DamagedError
from novikoff.data.prefetch import prefetched


def alive():
    return [thread for thread in threading.enumerate() if thread.name == "novikoff-prefetch"]


def test_items_come_in_order_and_the_thread_ends():
    with prefetched(iter([b"a", b"", b"b"]), 8) as chunks:
        assert list(chunks) == [b"a", b"", b"b"]
    assert alive() == []


def test_an_error_of_the_thread_is_raised_in_place_of_the_next_item():
    def failing():
        yield b"a"
        raise DamagedError("damaged")

    with prefetched(failing(), 8) as chunks:
        assert next(chunks) == b"a"
        with pytest.raises(DamagedError):
            next(chunks)
    assert alive() == []


def test_a_thread_that_is_ahead_ends_with_its_reader():
    with prefetched(iter(lambda: b"x", None), 8) as chunks:
        assert next(chunks) == b"x"
    assert alive() == []
    with pytest.raises(ZeroDivisionError), prefetched(iter(lambda: b"x", None), 8):
        raise ZeroDivisionError
    assert alive() == []
