"""Requests to predict that are answered within the connection."""

import json

import pytest
from asgi_calls import all_of, one_answer, request, served

from novikoff.serve.http import direct
from novikoff.serve.http.direct import LONGEST, PATH

BODY = b'{"x":{"a":1.0}}'
PREDICT = "/v1/models/default/predict"


@pytest.fixture(scope="module")
def server():
    with served() as running:
        yield running


def answers_to(server, *requests):
    with server.connect() as connection:
        connection.sendall(b"".join(requests))
        return all_of(connection)


def post(*headers, body=BODY, path=PREDICT, last=False):
    closing = ["connection: close"] if last else []
    return request("POST", path, *headers, *closing, body=body)


def test_the_direct_answer_is_that_of_the_usual_way(server):
    direct, usual = answers_to(server, post(), post(last=True)).split(b"HTTP/1.1 200 OK\r\n")[1:]
    assert direct.partition(b"\r\n\r\n")[2] == usual.partition(b"\r\n\r\n")[2]
    assert headers_of(direct) == headers_of(usual)


def headers_of(answer):
    lines = answer.partition(b"\r\n\r\n")[0].split(b"\r\n")
    return {line for line in lines if not line.startswith((b"date:", b"connection:"))}


def test_the_same_headers_are_answered_in_the_same_way(server):
    with server.connect() as connection:
        found = []
        for body in [BODY, b'{"x":{"a":2.0}}', b'{"x":{"b":3.0}}'] * 2:
            connection.sendall(post(body=body))
            found.append(one_answer(connection))
        connection.sendall(post(body=b'{"x":{"a":nan}}'))  # of the same length
        assert one_answer(connection).startswith(b"HTTP/1.1 4")
        connection.sendall(post(last=True))
        assert all_of(connection).startswith(b"HTTP/1.1 200")
    lines = [{line for line in headers_of(answer) if b"content-length" not in line} for answer in found]
    assert lines == lines[:1] * len(found)
    assert len(lines[0]) == 5


def test_headers_are_remembered_for_a_second(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(direct, "monotonic", lambda: now[0])
    answers = direct.DirectAnswers(None, None)
    assert answers.known(b"head") is None
    answers.remember(b"head", "m", 3)
    assert answers.known(b"head") == ("m", 3)
    now[0] += direct.KNOWN_SECONDS
    assert answers.known(b"head") is None


def test_pipelined_requests_are_answered_in_order(server):
    found = answers_to(server, *[post()] * 5, post(body=b"{"), post(), post(last=True))
    statuses = [part[:3] for part in found.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [b"200"] * 5 + [b"400", b"200", b"200"]


@pytest.mark.parametrize(
    ("headers", "body", "path", "status"),
    [
        ((), b"{", PREDICT, b"400"),
        ((), BODY, "/v1/models/absent/predict", b"404"),
        (("content-type: text/plain",), BODY, PREDICT, b"415"),
        (("origin: http://evil.example",), BODY, PREDICT, b"403"),
    ],
)
def test_requests_that_are_refused_take_the_usual_way(server, headers, body, path, status):
    answer = answers_to(server, post(*headers, body=body, path=path, last=False), post(last=True))
    assert answer.split(b"HTTP/1.1 ")[1].startswith(status)


def test_a_body_that_comes_in_parts_is_one_request(server):
    whole = post()
    with server.connect() as connection:
        for byte in whole:
            connection.sendall(bytes([byte]))
        connection.sendall(post(last=True))
        answers = all_of(connection).split(b"HTTP/1.1 200 OK\r\n")[1:]
    assert [json.loads(part.partition(b"\r\n\r\n")[2])["version"] for part in answers] == [0, 0]


def test_other_paths_and_long_bodies_are_not_answered_here():
    assert PATH.fullmatch(b"/v1/models/a/learn") is None
    assert PATH.fullmatch(b"/v1/models/..%2f/predict") is None
    assert PATH.fullmatch(b"/v1/models/a/predict?x=1") is None
    assert LONGEST < 1 << 20
