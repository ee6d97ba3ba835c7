"""The batches of a stream: saved between them and while they are waited for, and ended by a signal."""

import re

import numpy as np
import pytest

import novikoff as nk
from novikoff.cli._stream_batches import Batches, Rows
from novikoff.cli._stream_stop import Stop, Stopped
from novikoff.data.reading import Reading
from novikoff.data.waiting import notify

BATCH = nk.scan(b"1 1:1\n0 2:1\n")


class Log:
    """A saver that writes down what it is told."""

    def __init__(self):
        self.calls = []

    def learning(self):
        self.calls.append("learning")

    def learned(self, rows):
        self.calls.append(f"learned {rows}")

    def save_if_due(self):
        self.calls.append("save if due")


def batches_of(parts, stop):
    made = Batches(parts, Reading(), stop, nk.Perceptron(), quiet=True, hashes=False)
    made.saver = Log()
    return made


def test_a_save_may_happen_after_each_batch_and_while_the_next_is_waited_for():
    def parts():
        yield from BATCH.widening()
        notify()
        yield from BATCH.widening()

    made = batches_of(parts(), Stop())
    assert len(list(made)) == 2
    # one after the first batch and one while the second is waited for; more if the machine makes a wait long
    calls = r"(save )*learning learned 2 (save ){2,}learning learned 2 (save )+"
    assert re.fullmatch(calls, "".join(f"{call.removesuffix(' if due')} " for call in made.saver.calls))


def test_nothing_is_saved_for_a_wait_outside():
    made = batches_of(BATCH.widening(), Stop())
    list(made)
    before = list(made.saver.calls)
    notify()
    assert made.saver.calls == before


def test_a_signal_during_a_save_ends_the_wait_after_it():
    stop = Stop()

    class Asked(Log):
        def save_if_due(self):
            super().save_if_due()
            assert not stop.waiting  # a handler would not interrupt it
            stop.asked = True

    def parts():
        notify()
        yield from BATCH.widening()

    made = batches_of(parts(), stop)
    made.saver = Asked()
    assert list(made) == []
    assert made.saver.calls == ["save if due"]
    assert not stop.waiting


def test_a_signal_while_waiting_ends_the_batches():
    stop = Stop()

    def parts():
        yield from BATCH.widening()
        assert stop.waiting
        raise Stopped

    made = batches_of(parts(), stop)
    assert len(list(made)) == 1
    stop.asked = True
    assert list(batches_of(BATCH.widening(), stop)) == []


def test_the_fingerprint_is_that_of_whole_batches():
    made = Batches(BATCH.widening(), Reading(), Stop(), nk.Perceptron(), quiet=True, hashes=True)
    ((X, y),) = ((batch.X, batch.y) for batch in made)
    assert made.fingerprint(2) == nk.fingerprint(X, y)
    assert made.fingerprint(1) is None


@pytest.mark.parametrize("skipped", [0, 1])
def test_rows_continue_with_the_files_that_take_the_place_of_the_first(tmp_path, skipped):
    path = tmp_path / "data.svm"
    path.write_bytes(b"1 1:1\nbad\n0 2:1\n")
    begun = []

    class Begun(Log):
        def begin(self, files):
            begun.append(files.are_known)
            files.close()

    def reopen():
        if len(begun) == 3:
            raise StopIteration
        return nk.scan(path, on_bad="skip")

    rows = Rows(str(path), nk.scan(path, on_bad="skip"), skipped, reopen)
    found = rows.batches(Begun)
    labels = np.concatenate([next(found).y for _ in range(3)])
    assert len(labels) == 6 - skipped
    assert begun == [True, True]
    assert rows.bad_lines == 3
    found.close()
