"""How far a follower is behind, as it tells."""

import pytest

from novikoff.serve.replication import progress
from novikoff.serve.replication.progress import Progress


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_lag_counts_missing_records_and_the_time_since_none_was_missing(clock):
    found = Progress("http://leader:1")
    assert found.status(0)["lag_records"] is None
    assert not found.status(0)["ready"]
    found.connect(5, 0)
    assert (found.status(0)["lag_records"], found.status(0)["lag_seconds"]) == (5, None)
    clock[0] += 1
    found.hear(None, 3)
    assert (found.status(3)["lag_records"], found.status(3)["ready"]) == (2, False)
    found.hear(5, 5)
    assert (found.status(5)["lag_records"], found.status(5)["lag_seconds"], found.status(5)["ready"]) == (0, 0, True)
    clock[0] += 2
    found.hear(9, 5)
    clock[0] += 1
    status = found.status(5)
    assert (status["lag_records"], status["lag_seconds"], status["last_contact_seconds"]) == (4, 3, 1)
    assert (status["state"], status["leader"], status["reason"]) == ("following", "http://leader:1", None)


def test_a_follower_without_a_connection_serves_what_it_has():
    found = Progress("http://leader:1")
    assert found.disconnect("It cannot be reached.") is False
    assert (found.status(0)["ready"], found.status(7)["ready"]) == (False, True)
    found.connect(7, 7)
    assert found.disconnect("It was closed.") is True
    assert found.status(7)["reason"] == "It was closed."


def test_a_follower_whose_first_copy_is_not_complete_is_not_ready():
    found = Progress("http://leader:1", is_copying=True)
    assert not found.status(7)["ready"]
    found.connect(9, 7)
    found.disconnect("It was closed.")
    assert not found.status(8)["ready"]
    found.connect(9, 9)
    found.disconnect("It was closed.")
    assert found.status(9)["ready"]


def test_a_follower_whose_log_differs_is_not_ready():
    found = Progress("http://leader:1")
    found.connect(7, 7)
    found.end("The logs differ.")
    status = found.status(7)
    assert (status["ready"], status["state"], status["reason"]) == (False, "stopped", "The logs differ.")
