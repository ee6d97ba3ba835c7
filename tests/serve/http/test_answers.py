"""Answers and errors as JSON."""

import asyncio

from asgi_calls import Sent, scope_of
from starlette.exceptions import HTTPException

from novikoff.serve.errors import ServeError
from novikoff.serve.http.answers import Answer, error_answer, json_answer, on_http_exception


def sent(answer):
    found = Sent()
    asyncio.run(answer(scope_of("GET", "/"), None, found))
    assert found.is_complete
    return found.answer


def test_an_answer_has_its_length_and_the_headers_of_all():
    answer = sent(Answer(b"abc", 201, b"text/plain", [(b"x-a", b"b")]))
    assert (answer.status, answer.body) == (201, b"abc")
    expected = {"content-type": "text/plain", "content-length": "3", "x-a": "b", "x-content-type-options": "nosniff"}
    assert expected.items() <= answer.headers.items()
    assert "'none'" in answer.headers["content-security-policy"]


def test_numbers_that_are_not_finite_become_null():
    assert sent(json_answer({"a": float("nan")})).body == b'{"a":null}'


def test_an_error_has_a_code_and_a_message():
    answer = sent(error_answer(ServeError(429, "queue_full", "Wait.", 3)))
    assert (answer.status, answer.code, answer.headers["retry-after"]) == (429, "queue_full", "3")
    assert "retry-after" not in sent(error_answer(ServeError(404, "unknown_model", "No."))).headers


def test_exceptions_of_others_are_answered_in_the_same_form():
    answer = sent(asyncio.run(on_http_exception(None, HTTPException(405, "No.", {"Allow": "GET"}))))
    assert (answer.status, answer.code, answer.headers["allow"]) == (405, "method_not_allowed", "GET")
