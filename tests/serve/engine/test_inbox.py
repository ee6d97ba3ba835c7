import threading

import pytest

from novikoff.serve.engine.inbox import MAX_ROUND, Command, Inbox, Job
from novikoff.serve.errors import ServeError


def test_jobs_are_taken_together_in_order():
    inbox = Inbox(100)
    jobs = [Job(1, 5, None) for _ in range(3)]
    for job in jobs:
        inbox.put(job)
    assert inbox.examples == 15
    assert inbox.take(0) == jobs
    assert inbox.examples == 0
    assert inbox.is_empty
    assert inbox.take(0) is None


def test_a_command_is_taken_alone_and_in_its_place():
    inbox = Inbox(100)
    first, command, last = Job(1, 1, None), Command(lambda: None), Job(1, 1, None)
    for item in (first, command, last):
        inbox.put(item)
    assert [inbox.take(0) for _ in range(3)] == [[first], command, [last]]


def test_a_full_queue_refuses_jobs_but_not_commands():
    inbox = Inbox(10)
    inbox.put(Job(1, 8, None))
    with pytest.raises(ServeError) as refused:
        inbox.put(Job(1, 3, None))
    assert (refused.value.status, refused.value.code, refused.value.retry_after) == (429, "queue_full", 1)
    inbox.put(Job(1, 2, None))
    inbox.put(Command(lambda: None))
    assert inbox.examples == 10


def test_a_job_above_the_limit_is_taken_if_nothing_else_waits():
    inbox = Inbox(10)
    inbox.put(Job(1, 50, None))
    with pytest.raises(ServeError):
        inbox.put(Job(1, 1, None))


def test_a_round_is_bounded():
    inbox = Inbox(10 * MAX_ROUND)
    for _ in range(3):
        inbox.put(Job(1, MAX_ROUND // 2, None))
    assert [len(inbox.take(0)) for _ in range(2)] == [2, 1]


def test_a_closed_inbox_refuses_everything_and_keeps_what_it_has():
    inbox = Inbox(10)
    inbox.put(Job(1, 1, None))
    inbox.close()
    for item in (Job(1, 1, None), Command(lambda: None)):
        with pytest.raises(ServeError) as refused:
            inbox.put(item)
        assert refused.value.status == 503
    assert len(inbox.take(0)) == 1


def test_a_waiting_taker_gets_what_is_put():
    inbox, found = Inbox(10), []
    thread = threading.Thread(target=lambda: found.append(inbox.take(10)))
    thread.start()
    job = Job(1, 1, None)
    inbox.put(job)
    thread.join(10)
    assert found == [[job]]
