import pytest

import novikoff as nk
from novikoff._client.calls import Call
from novikoff._client.conversation import Answer, Failure, Pause, Request, await_readiness, converse
from novikoff._client.retries import Retries

LOST, REFUSED = Failure("reset", may_have_arrived=True), Failure("refused", may_have_arrived=False)
GOOD = Answer(200, {}, b'{"a": 1}')
RETRIES = Retries(3, draw=lambda: 1.0)
LEARN = Call("POST", "/learn", b"{}")


def status(number, **headers):
    return Answer(number, headers, b'{"error": {"code": "c", "message": "Text."}}')


def told(conversation, outcomes):
    """The steps and the result of a conversation in which requests have these outcomes."""
    steps, left, outcome = [], list(outcomes), None
    while True:
        try:
            step = conversation.send(outcome)
        except StopIteration as end:
            assert not left
            return steps, end.value
        steps.append(step)
        outcome = left.pop(0) if isinstance(step, Request) else None


def test_a_call_that_is_answered_is_one_request():
    assert told(converse(LEARN, RETRIES, "u"), [GOOD]) == ([Request("POST", "/learn", b"{}")], {"a": 1})


@pytest.mark.parametrize("outcome", [LOST, REFUSED, status(429), status(503)])
def test_a_request_is_repeated_with_growing_pauses(outcome):
    steps, result = told(converse(LEARN, RETRIES, "u"), [outcome, outcome, GOOD])
    assert result == {"a": 1}
    assert [step.seconds for step in steps if isinstance(step, Pause)] == [0.1, 0.2]
    assert len({step for step in steps if isinstance(step, Request)}) == 1


def test_retry_after_is_waited_for():
    headers = {"retry-after": "3"}
    steps, _ = told(converse(LEARN, RETRIES, "u"), [status(429)._replace(headers=headers), GOOD])
    assert steps[1] == Pause(3.1)


@pytest.mark.parametrize("number", [400, 401, 403, 404, 409, 413, 422, 500, 502])
def test_other_statuses_are_errors_at_once(number):
    with pytest.raises(nk.ServerError, match=r"^Text\.$") as error:
        told(converse(LEARN, RETRIES, "u"), [status(number)])
    assert (error.value.status, error.value.code) == (number, "c")


def test_the_last_error_is_raised_when_all_attempts_failed():
    with pytest.raises(nk.ServerError) as error:
        told(converse(LEARN, RETRIES, "u"), [LOST, LOST, LOST, status(503)])
    assert error.value.status == 503
    with pytest.raises(nk.ServerError, match=r"^http://h: reset\. Check that the server runs\.$"):
        told(converse(LEARN, Retries(0), "http://h"), [LOST])


def test_a_call_that_must_not_be_made_twice_is_repeated_only_if_it_did_not_arrive():
    call = Call("POST", "/copy", is_repeatable=False)
    assert told(converse(call, RETRIES, "u"), [REFUSED, status(429), GOOD])[1] == {"a": 1}
    with pytest.raises(nk.ServerError, match="reset"):
        told(converse(call, RETRIES, "u"), [LOST])


def test_a_refused_certificate_is_not_tried_again():
    with pytest.raises(nk.ServerError, match="certificate"):
        told(converse(LEARN, RETRIES, "u"), [Failure("bad certificate", False, is_final=True)])


def test_what_is_gone_at_the_second_attempt_was_deleted_by_the_first():
    call = Call("DELETE", "/m", read=len, status_of_repetition=404)
    assert told(converse(call, RETRIES, "u"), [LOST, status(404)])[1] == len(status(404).content)
    for outcomes in ([status(404)], [REFUSED, status(404)], [status(503), status(404)]):
        with pytest.raises(nk.ServerError) as error:
            told(converse(call, RETRIES, "u"), outcomes)
        assert error.value.status == 404


def test_readiness_is_asked_for_until_it_is_there():
    steps, result = told(await_readiness(10, "u", clock=lambda: 0.0), [REFUSED, status(503), LOST, GOOD])
    assert result == {"a": 1}
    assert steps[0] == Request("GET", "/readyz")
    assert steps[1] == Pause(0.2)


def test_readiness_that_does_not_come_in_time_is_an_error():
    times = iter([0.0, 0.5, 0.9])
    with pytest.raises(nk.ServerError) as error:
        told(await_readiness(1.0, "u", clock=lambda: next(times)), [REFUSED, status(503)])
    assert error.value.status == 503


def test_a_server_that_does_not_know_readiness_is_not_waited_for():
    with pytest.raises(nk.ServerError) as error:
        told(await_readiness(1.0, "u"), [status(404)])
    assert error.value.status == 404
