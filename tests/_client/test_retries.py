import pytest

from novikoff._client.retries import FIRST_WAIT, LONGEST_WAIT, MAX_RETRY_AFTER, Retries


def test_waits_double_up_to_a_limit():
    retries = Retries(100, draw=lambda: 1.0)
    assert [retries.wait(k) for k in (1, 2, 3)] == [FIRST_WAIT, 2 * FIRST_WAIT, 4 * FIRST_WAIT]
    assert retries.wait(100) == LONGEST_WAIT


def test_jitter_spreads_the_waits_over_half_of_their_length():
    assert Retries(1, draw=lambda: 0.0).wait(1) == FIRST_WAIT / 2
    waits = {Retries(1).wait(1) for _ in range(20)}
    assert len(waits) > 1
    assert all(FIRST_WAIT / 2 <= wait <= FIRST_WAIT for wait in waits)


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_a_request_is_repeated_as_often_as_allowed(limit):
    retries = Retries(limit)
    assert all(retries.wait(k) is not None for k in range(1, limit + 1))
    assert retries.wait(limit + 1) is None


def test_the_wait_that_the_server_asked_for_is_added():
    assert Retries(1, draw=lambda: 1.0).wait(1, 3.0) == 3.0 + FIRST_WAIT


def test_a_server_that_asks_for_too_much_patience_is_not_waited_for():
    assert Retries(5).wait(1, MAX_RETRY_AFTER + 1) is None


def test_many_failures_do_not_overflow():
    assert Retries(10**6).wait(10**6) <= LONGEST_WAIT
