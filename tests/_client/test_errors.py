import email.utils
import pickle
import time

import pytest

import novikoff as nk
from novikoff._client.errors import MAX_SHOWN_LENGTH, answer_error, no_answer, retry_after


def test_an_answer_of_the_server_becomes_an_error_with_its_code_and_message():
    error = answer_error(404, b'{"error": {"code": "unknown_model", "message": "There is no model a."}}')
    assert isinstance(error, nk.NovikoffError)
    assert (error.status, error.code, error.message) == (404, "unknown_model", "There is no model a.")
    assert str(error) == error.message


@pytest.mark.parametrize(
    "content",
    [b"<html>Bad Gateway\x1b[31m</html>", b"", b"\xff\xfe", b'{"error": "no"}', b'{"error": {"code": 3}}', b"[]"],
)
def test_an_answer_of_another_program_is_shown_without_control_characters(content):
    error = answer_error(502, content)
    assert (error.status, error.code) == (502, "unexpected_answer")
    assert "status 502" in error.message
    assert error.message.isprintable()


def test_a_long_answer_of_another_program_is_shown_in_part():
    assert len(answer_error(502, b"x" * 10**6).message) < MAX_SHOWN_LENGTH + 100


def test_an_error_survives_being_sent_to_another_process():
    error = pickle.loads(pickle.dumps(no_answer("http://a", "Connection refused")))
    assert (error.status, error.code) == (None, "no_answer")
    assert error.message == "http://a: Connection refused. Check that the server runs."


def test_retry_after_may_be_seconds_or_a_date():
    assert retry_after({"retry-after": "3"}) == 3.0
    assert retry_after({"retry-after": email.utils.formatdate(time.time() + 60)}) == pytest.approx(60, abs=2)
    assert retry_after({"retry-after": email.utils.formatdate(time.time() - 60)}) == 0


@pytest.mark.parametrize("value", ["", "soon", "-1", "1.5x", "٣"])
def test_an_invalid_retry_after_is_ignored(value):
    assert retry_after({"retry-after": value}) is None
    assert retry_after({}) is None
