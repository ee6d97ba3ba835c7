"""Vectors that binary problems share."""

import threading
import time

import numpy as np
import pytest

from novikoff.solvers.shared import Shared


def test_a_vector_is_computed_once_for_all_threads_and_cannot_be_changed():
    shared, calls, found = Shared(), [], []

    def compute():
        calls.append(1)
        time.sleep(0.01)
        return np.arange(3.0)

    threads = [threading.Thread(target=lambda: found.append(shared.get("norms", compute))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert all(vector is found[0] for vector in found)
    with pytest.raises(ValueError, match="read-only"):
        found[0][0] = 1.0


def test_a_computation_that_failed_is_tried_again():
    shared = Shared()
    with pytest.raises(ZeroDivisionError):
        shared.get("norms", lambda: np.zeros(1 // 0))
    assert shared.get("norms", lambda: np.zeros(2)).shape == (2,)


def test_a_value_is_known_from_its_computation_until_it_is_forgotten():
    shared = Shared()
    assert shared.known("rows", "others") == "others"
    assert shared.once("rows", lambda: "these") == "these"
    assert shared.known("rows", "others") == "these"
    shared.forget("rows")
    assert shared.known("rows", "others") == "others"
