"""A lock that threads get in the order of their requests."""

import linecache
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from novikoff._fair_lock import FairLock


def waiting(lock):
    """Number of threads in the queue behind the one that holds the lock."""
    ticket, count = lock._last, 0
    while ticket is not None and ticket.ahead is not None:
        ticket, count = ticket.ahead, count + 1
    return count


def queue_up(lock, order, name, places):
    """Start a thread that takes the lock, and return when it waits as the given number in the queue."""

    def run():
        with lock.held():
            order.append(name)

    thread = threading.Thread(target=run)
    thread.start()
    while waiting(lock) < places:
        time.sleep(0.001)
    return thread


def test_threads_get_the_lock_in_the_order_of_their_requests():
    lock, order = FairLock(), []
    with lock.held():
        threads = [queue_up(lock, order, k, k + 1) for k in range(8)]
        assert order == []
    for thread in threads:
        thread.join(10)
    assert order == list(range(8))


def test_a_thread_that_asks_again_comes_after_one_that_waits():
    lock, order = FairLock(), []
    with lock.held():
        thread = queue_up(lock, order, "waited", 1)
    with lock.held():
        assert order == ["waited"]
    thread.join(10)


def test_a_thread_that_holds_the_lock_may_take_it_again():
    lock = FairLock()
    with lock.held(), lock.held() as again:
        assert again
    with lock.held(wait=False) as free:
        assert free


def test_without_waiting_a_lock_that_is_taken_is_not_held():
    lock, found = FairLock(), []

    def ask():
        with lock.held(wait=False) as held:
            found.append(held)

    with lock.held():
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join(10)
    ask()
    assert found == [False, True]


def test_many_threads_are_never_inside_together():
    lock, inside, most = FairLock(), [], []

    def work():
        for _ in range(200):
            with lock.held():
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert max(most) == 1
    assert len(most) == 1200


class Interrupt:
    """Raises a KeyboardInterrupt at the n-th line of the lock that this thread runs.

    Lines at which Python handles no signal are left out: a ``with`` that is left, which tracing comes by once more; the
    beginning of a ``try``; and that of a handler.
    """

    def __init__(self, at):
        self.at, self.seen = at, set()

    def __call__(self, frame, event, arg):
        if not frame.f_code.co_filename.endswith("_fair_lock.py"):
            return None
        if event == "line":
            place = (frame, frame.f_lineno)
            text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
            if (text.startswith("with ") and place in self.seen) or text in ("try:", "place.release()"):
                return self
            self.seen.add(place)
            self.at -= 1
            if self.at == 0:
                raise KeyboardInterrupt
        return self


@pytest.mark.parametrize("line", range(1, 26))
def test_an_interrupt_at_any_line_leaves_the_lock_free(line):
    lock, before = FairLock(), sys.gettrace()
    sys.settrace(Interrupt(line))
    try:
        with lock.held():
            pass
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    found = []

    def ask():
        with lock.held(wait=False) as held:
            found.append(held)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join(10)
    assert found == [True]


def test_the_place_of_a_thread_that_was_interrupted_while_it_waited_is_skipped():
    lock, order = FairLock(), []

    def leave_early():
        sys.settrace(Interrupt(13))
        try:
            with lock.held():
                order.append("interrupted")
        except KeyboardInterrupt:
            order.append("left")
        finally:
            sys.settrace(None)

    with lock.held():
        thread = threading.Thread(target=leave_early)
        thread.start()
        thread.join(0.2)
        last = queue_up(lock, order, "next", 1)
        time.sleep(0.02)
        assert "next" not in order
    thread.join(10)
    last.join(10)
    assert order[-1] == "next"


def test_a_handler_that_runs_while_its_thread_waits_has_the_place_of_this_thread():
    lock, order, behind = FairLock(), [], []
    released = threading.Event()

    def handler():
        with lock.held() as held:
            order.append(("handler", held))

    class Trace:
        """Runs the handler at a line of the lock, as a finalizer or a signal may."""

        def __init__(self, line):
            self.line, self.is_done = line, False

        def __call__(self, frame, event, arg):
            if not frame.f_code.co_filename.endswith("_fair_lock.py"):
                return None
            text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
            if event == "line" and text == self.line and not self.is_done:
                self.is_done = True
                behind.append(queue_up(lock, order, "behind", 2))  # the handler must not wait for this one
                released.set()
                sys.settrace(None)
                handler()
            return self

    def run():
        sys.settrace(Trace("while ahead is not None:"))
        with lock.held():
            order.append("thread")

    thread = threading.Thread(target=run, daemon=True)
    with lock.held():
        thread.start()
        assert released.wait(10)
        assert order == []
    thread.join(10)
    behind[0].join(10)
    assert order == [("handler", True), "thread", "behind"]


def test_an_interrupt_that_is_still_reported_does_not_keep_the_lock():
    lock, kept, before = FairLock(), [], sys.gettrace()
    try:
        with lock.held():
            raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        kept.append(error)
    sys.settrace(Interrupt(9))
    try:
        with lock.held():
            pass
    except KeyboardInterrupt as error:
        kept.append(error)
    finally:
        sys.settrace(before)  # that of a measurement of coverage, for example
    assert len(kept) == 2
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: lock.held(wait=False).__enter__()).result(10)
