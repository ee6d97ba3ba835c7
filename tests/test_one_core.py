"""The limit on the threads of BLAS."""

import os
import signal
import subprocess
import sys
import threading

import pytest
import scipy.linalg
from threadpoolctl import threadpool_info, threadpool_limits

from novikoff import _one_core as module
from novikoff._one_core import one_core

LATE = """
from threadpoolctl import threadpool_info
from novikoff._one_core import one_core
import numpy
def threads():
    return {pool["filepath"]: pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
before = threads()
with one_core:
    one_core.linear_algebra()
    inside = threads()
after = threads()
print(max(inside.values()))
print(all(after[path] == number for path, number in before.items()), min(after.values()) == max(after.values()))
"""


@pytest.fixture(autouse=True)
def two_threads():
    """Two threads for BLAS, of which make test allows one."""
    with threadpool_limits(2, "blas"):
        yield


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


class Recorder:
    """A controller and its limit, which note what happens."""

    def __init__(self):
        self.events = []

    def limit(self, limits):
        self.events.append(f"limit {limits}")
        return self

    def restore_original_limits(self):
        self.events.append("restore")


@pytest.fixture
def recorder(monkeypatch):
    recorder = Recorder()
    monkeypatch.setattr(module, "_controller", lambda has_scipy: recorder)
    return recorder


def test_blas_has_one_thread_inside_and_as_many_as_before_outside():
    before = blas_threads()
    for _ in range(2):
        with one_core:
            assert set(blas_threads()) <= {1}
        assert blas_threads() == before


def test_the_first_thread_sets_the_limit_and_the_last_removes_it(recorder):
    inside, leave = threading.Event(), threading.Event()

    def stay():
        with one_core:
            inside.set()
            leave.wait(10)

    other = threading.Thread(target=stay)
    other.start()
    assert inside.wait(10)
    with one_core:
        pass
    assert recorder.events == ["limit 1"]
    leave.set()
    other.join()
    assert recorder.events == ["limit 1", "restore"]


def test_a_thread_that_enters_twice_has_left_after_the_first_exit(recorder):
    with one_core, one_core:
        pass
    assert recorder.events == ["limit 1", "restore"]


def test_a_library_that_is_loaded_inside_is_limited_until_the_last_thread_leaves(recorder, monkeypatch):
    monkeypatch.setattr(one_core, "_linear_algebra", None)
    with one_core:
        assert one_core.linear_algebra() is scipy.linalg
        assert one_core.linear_algebra() is scipy.linalg
        assert recorder.events == ["limit 1", "limit 1"]
    assert recorder.events == ["limit 1", "limit 1", "restore", "restore"]
    with one_core:
        pass
    assert recorder.events[4:] == ["limit 1", "restore"]


def test_scipys_blas_has_one_thread_if_it_is_loaded_inside_and_as_many_as_before_outside():
    """In a process of its own, because this one has loaded it already."""
    env = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.split() == ["1", "True", "True"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork (run the tests on Linux)")
def test_a_forked_process_has_left_with_the_threads_that_do_not_exist_in_it(recorder):
    """The fork waits for a thread that sets the limit, and the child can enter and leave."""
    setting, proceed = threading.Event(), threading.Event()

    def limit(limits):
        setting.set()
        proceed.wait(10)
        return recorder

    recorder.limit = limit
    other = threading.Thread(target=lambda: one_core.__enter__())
    other.start()
    assert setting.wait(10)
    threading.Timer(0.05, proceed.set).start()
    if (child := os.fork()) == 0:
        signal.alarm(10)  # if it waits for a lock
        with one_core:
            pass
        os._exit(0 if recorder.events == ["restore"] else 1)
    assert os.waitpid(child, 0)[1] == 0
    other.join()
    one_core._inside.clear()
    one_core.__exit__()
