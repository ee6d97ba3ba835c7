"""Connections: limits on headers, on time and on their number; hostile clients."""

import contextlib
import time

import pytest
from asgi_calls import all_of, one_answer, request, served

from novikoff.serve.errors import ServeError
from novikoff.serve.http import protocol
from novikoff.serve.http.protocol import MAX_HEADER_BYTES, limited, raw_answer
from novikoff.serve.settings import Settings

pytestmark = pytest.mark.timed  # the limits of the server are below a second, for every request
HEALTH = request("GET", "/healthz", "connection: close")


@pytest.fixture(scope="module")
def server():
    with served(header_seconds=0.3, idle_seconds=1.0, body_seconds=0.5, max_body=2048) as running:
        yield running


def answer_to(server, *parts):
    with server.connect() as connection:
        for part in parts:
            with contextlib.suppress(ConnectionError):
                connection.sendall(part)
        return all_of(connection)


def test_a_raw_answer_has_its_length_and_closes():
    answer = raw_answer(ServeError(503, "x", "Wait.", 2))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 2" in head
    assert f"content-length: {len(body)}".encode() in head


def test_limits_belong_to_the_class():
    made = limited(Settings(header_seconds=1.5, body_seconds=2.5, max_connections=7))
    assert (made.header_seconds, made.body_seconds, made.max_connections) == (1.5, 2.5, 7)


@pytest.mark.parametrize("begin", [b"", b"GET / HT", b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n"])
def test_headers_that_do_not_come_in_time_are_408(server, begin):
    began = time.monotonic()
    assert answer_to(server, begin).startswith(b"HTTP/1.1 408 ")
    assert time.monotonic() - began < 2


def test_a_connection_whose_headers_come_byte_by_byte_is_closed(server):
    with server.connect() as connection, contextlib.suppress(ConnectionError):
        for byte in b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-a: " + b"a" * 1000:
            connection.sendall(bytes([byte]))
            time.sleep(0.01)
        pytest.fail("the connection was not closed")


def test_the_second_request_of_a_connection_has_the_same_limit(server):
    with server.connect() as connection:
        connection.sendall(request("GET", "/healthz"))
        assert one_answer(connection).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /hea")
        assert all_of(connection).startswith(b"HTTP/1.1 408 ")


def test_an_idle_connection_is_closed_without_a_word(server):
    with server.connect() as connection:
        connection.sendall(request("GET", "/healthz"))
        assert one_answer(connection).startswith(b"HTTP/1.1 200")
        assert all_of(connection) == b""


@pytest.mark.slow
def test_a_connection_whose_requests_are_known_is_closed_when_it_is_idle_and_not_before(server):
    asked = request("POST", "/v1/models/default/predict", "content-type: application/json", body=b'{"x": {}}')
    with server.connect() as connection:
        began = time.monotonic()
        while time.monotonic() < began + 1.5:  # longer than the limit
            last = time.monotonic()
            connection.sendall(asked)
            assert one_answer(connection).startswith(b"HTTP/1.1 200")
            time.sleep(0.1)
        assert all_of(connection) == b""
        assert time.monotonic() - last > 0.9


@pytest.mark.parametrize("name", [b"x-a: ", b""])
def test_long_headers_are_431(server, name):
    line = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n" + name if name else b"GET /"
    assert answer_to(server, line + b"a" * (2 * MAX_HEADER_BYTES)).startswith(b"HTTP/1.1 431 ")


def test_a_long_body_in_the_same_packet_is_not_a_long_header(server):
    body = b'[{"x": {}}' + b" " * 1500 + b"]"
    parts = request("POST", "/v1/models/default/predict", "connection: close", "x-a: " + "a" * 63_000, body=body)
    assert answer_to(server, parts).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "garbage",
    [b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"\0" * 100, b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\n\r\nx y z\r\n"],
)
def test_what_is_not_http_is_400(server, garbage):
    assert answer_to(server, garbage).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "headers", [("content-length: 5", "transfer-encoding: chunked"), ("content-length: -1",), ("transfer-encoding: x",)]
)
def test_lengths_that_contradict_each_other_are_400(server, headers):
    lines = ["POST /v1/models/default/learn HTTP/1.1", "host: localhost", *headers, "", "hello"]
    assert answer_to(server, "\r\n".join(lines).encode()).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("call", ["learn", "predict"])
@pytest.mark.parametrize("before", [b"", request("POST", "/v1/models/default/predict", body=b'{"x": {}}')])
def test_a_body_that_does_not_come_in_time_is_408(server, call, before):
    head = f"POST /v1/models/default/{call} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n{{"
    with server.connect() as connection:
        if before:
            connection.sendall(before)
            assert one_answer(connection).startswith(b"HTTP/1.1 200")
        connection.sendall(head.encode())
        connection.settimeout(3)
        answer = one_answer(connection)
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"body_too_slow" in answer


def test_a_body_in_parts_is_answered_if_it_comes_in_time(server):
    head = b"POST /v1/models/default/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n"
    with server.connect() as connection:
        for _ in range(3):
            for part in (head, b'{"x":', b" {}}"):
                connection.sendall(part)
                time.sleep(0.1)
            assert one_answer(connection).startswith(b"HTTP/1.1 200")
        time.sleep(0.6)  # longer than the limit of the body
        connection.sendall(head + b'{"x": {}}')
        assert one_answer(connection).startswith(b"HTTP/1.1 200")


def test_an_answer_before_the_end_of_the_body_arrives_and_the_rest_is_limited(server, monkeypatch):
    monkeypatch.setattr(protocol, "LINGER_SECONDS", 0.2)
    head = b"POST /v1/models/default/learn HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n"
    with server.connect() as connection:
        connection.sendall(head + b"a" * 1000)
        assert b"body_too_long" in one_answer(connection)
        began = time.monotonic()
        with contextlib.suppress(ConnectionError):
            while time.monotonic() - began < 5:
                connection.sendall(b"a")
                time.sleep(0.02)
        assert time.monotonic() - began < 2


def test_a_connection_is_kept_after_an_early_answer_if_the_body_ends(server):
    body = b"a" * 5000
    with server.connect() as connection:
        connection.sendall(request("POST", "/v1/models/default/learn", body=body))
        assert b"body_too_long" in one_answer(connection)
        connection.sendall(HEALTH)
        assert all_of(connection).startswith(b"HTTP/1.1 200")


def test_requests_that_follow_each_other_at_once_are_answered_in_order(server):
    found = answer_to(server, request("GET", "/v1/models") + request("GET", "/nothing") + HEALTH)
    assert [found.index(word) for word in (b'"models"', b"not_found", b'"ok"')] == sorted(
        found.index(word) for word in (b'"models"', b"not_found", b'"ok"')
    )


def test_further_connections_are_503_and_the_others_go_on():
    with served(max_connections=20) as running, contextlib.ExitStack() as stack:
        held = [stack.enter_context(running.connect()) for _ in range(20)]
        for connection in held:
            connection.sendall(request("GET", "/healthz"))
            assert one_answer(connection).startswith(b"HTTP/1.1 200")
        assert b"too_many_connections" in answer_to(running, HEALTH)
        held[0].sendall(HEALTH)
        assert all_of(held[0]).startswith(b"HTTP/1.1 200")
        time.sleep(0.05)
        assert answer_to(running, HEALTH).startswith(b"HTTP/1.1 200")


@pytest.mark.slow
def test_a_thousand_idle_connections_do_not_disturb_others():
    with served(header_seconds=60.0) as running, contextlib.ExitStack() as stack:
        for _ in range(1000):
            stack.enter_context(running.connect())
        began = time.monotonic()
        for _ in range(20):
            assert answer_to(running, HEALTH).startswith(b"HTTP/1.1 200")
        assert time.monotonic() - began < 5
