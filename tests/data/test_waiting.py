"""A function that is called while a stream waits: in the thread that waits, and whatever the source is."""

import gzip
import os
import threading
import time

import pytest

import novikoff as nk
from novikoff.data.waiting import is_watched, notify, while_waiting

SVMLIGHT, CSV = b"1 1:1\n0 2:1\n", b"x,y\n1,a\n2,b\n"


def test_it_is_called_during_the_block_and_in_its_thread_only():
    calls = []
    notify()
    with while_waiting(lambda: calls.append(threading.get_ident())):
        assert is_watched()
        notify()
        other = threading.Thread(target=notify)
        other.start()
        other.join()
    notify()
    assert calls == [threading.get_ident()]
    assert not is_watched()


def test_an_inner_block_takes_its_place():
    calls = []
    with while_waiting(lambda: calls.append("outer")):
        with while_waiting(lambda: calls.append("inner")):
            notify()
        notify()
    assert calls == ["inner", "outer"]


class Waited(Exception):
    """Ends a wait."""


def stop_after(count):
    """A function that ends a wait when it is called for this time."""
    calls = []

    def action():
        calls.append(threading.get_ident())
        if len(calls) == count:
            raise Waited

    return action, calls


def first_rows(stream):
    """Read the rows that there are, and wait for more."""
    found = 0
    for batch in stream.widening():
        found += batch.X.shape[0]
        yield found


@pytest.mark.parametrize(("kind", "text"), [("svmlight", SVMLIGHT), ("csv", CSV)])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_it_is_called_while_a_file_is_followed(tmp_path, kind, text, pack):
    (tmp_path / "data").write_bytes(pack(text))
    action, calls = stop_after(2)
    rows = first_rows(nk.scan(tmp_path / "data", format=kind, follow=True))
    with while_waiting(action):
        assert next(rows) == 2
        with pytest.raises(Waited):
            list(rows)
    assert set(calls) == {threading.get_ident()}


@pytest.mark.parametrize(("kind", "text"), [("svmlight", SVMLIGHT), ("csv", CSV)])
def test_it_is_called_while_a_pipe_is_silent_and_the_rows_after_that_come(kind, text):
    reading, writing = os.pipe()
    seen = []

    def write_more_once():
        if not seen:
            seen.append(time.monotonic())
            os.write(writing, text.splitlines(keepends=True)[-1])
            os.close(writing)

    os.write(writing, text)
    with open(reading, "rb") as file, while_waiting(write_more_once):
        assert list(first_rows(nk.scan(file, format=kind)))[-1] == 3
    assert seen
