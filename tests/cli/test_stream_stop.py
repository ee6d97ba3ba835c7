"""Signals that end a stream: they interrupt a wait, and nothing else."""

import os
import signal
from contextlib import nullcontext

import pytest

from novikoff.cli._stream_stop import Stopped, stoppable

NUMBERS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def _hangup():
    """Signals as a terminal gives them to a process, also where the tests themselves run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_is_noted_and_interrupts_a_wait_only(number, waits):
    with stoppable(saves=True) as stop:
        stop.waiting = waits
        with pytest.raises(Stopped) if waits else nullcontext():
            os.kill(os.getpid(), number)
        stop.waiting = False
        assert stop.asked


@pytest.mark.parametrize(
    ("numbers", "is_orderly"),
    [
        ([signal.SIGTERM], True),
        ([signal.SIGTERM, signal.SIGTERM], True),
        ([signal.SIGINT], False),
        ([signal.SIGHUP], False),
        ([signal.SIGTERM, signal.SIGINT], False),
        ([signal.SIGINT, signal.SIGTERM], False),
    ],
)
def test_an_end_is_orderly_if_only_sigterm_asked_for_it(numbers, is_orderly):
    with stoppable(saves=True) as stop:
        for number in numbers:
            os.kill(os.getpid(), number)
    assert stop.is_orderly == is_orderly


def test_handlers_are_restored():
    before = [signal.getsignal(number) for number in (*NUMBERS, signal.SIGPIPE)]
    with stoppable(saves=True):
        assert signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is not before[1]
    assert [signal.getsignal(number) for number in (*NUMBERS, signal.SIGPIPE)] == before


def test_without_a_file_a_closed_pipe_ends_the_process_as_usual():
    before = signal.getsignal(signal.SIGPIPE)
    with stoppable(saves=False):
        assert signal.getsignal(signal.SIGPIPE) is before


def test_nohup_is_respected():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stoppable(saves=True):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
