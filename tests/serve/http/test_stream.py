"""Streams: order, back-pressure, errors, slow and vanished clients."""

import gzip
import json
import socket
import struct

import pytest
from asgi_calls import Local, all_of, receiver, request, served

from novikoff.serve.http.pieces import PIECE
from novikoff.serve.http.stream import MAX_UNANSWERED

ADDRESS = "/v1/models/default/stream"
LINE = b'{"x": {"a": 1}, "y": "spam"}\n'


def ask(local, chunks, query="", headers=None, then="disconnect"):
    return local.ask("POST", ADDRESS + query, headers=headers, receive=receiver(chunks, then))


def test_lines_are_answered_in_order_and_then_the_summary():
    lines = [json.dumps({"x": {}, "y": n % 3}).encode() for n in range(50)]
    answer = ask(Local(), [b"\n".join(lines)])
    assert (answer.status, answer.headers["content-type"]) == (200, "application/x-ndjson")
    assert len(answer.lines) == 51
    assert answer.lines[:2] == [
        {"predicted": None, "score": 0.0, "mistake": True},
        {"predicted": 0, "score": 0.0, "mistake": True},
    ]
    summary = answer.lines[-1]["summary"]
    assert summary == {"examples": 50, "mistakes": summary["mistakes"], "errors": 0, "version": 50}
    assert summary["mistakes"] == sum(line["mistake"] for line in answer.lines[:-1])


@pytest.mark.parametrize("size", [1, 3, 28, 1000])
def test_the_cuts_of_the_body_do_not_matter(size):
    body = LINE * 20
    chunks = [body[i : i + size] for i in range(0, len(body), size)]
    assert ask(Local(), chunks).body == ask(Local(), [body]).body


def test_a_line_that_is_wrong_is_answered_in_its_place():
    answer = ask(Local(), [LINE + b"wrong\n" + LINE])
    assert [set(line) for line in answer.lines] == [
        {"predicted", "score", "mistake"},
        {"error", "line"},
        {"predicted", "score", "mistake"},
        {"summary"},
    ]
    assert answer.lines[1]["line"] == 2


@pytest.mark.parametrize("body", [LINE * 3, b"", b"wrong"])
def test_the_summary_may_be_asked_for_alone(body):
    full, short = ask(Local(), [body]), ask(Local(), [body], "?answers=summary")
    assert short.lines == full.lines[-1:]


def test_the_format_is_given_to_the_engine():
    local = Local()
    ask(local, [LINE], headers={"content-type": "text/x-svmlight"})
    assert ("open_stream", "default", "svmlight") in local.engine.calls


def test_compressed_streams_are_read():
    packed = gzip.compress(LINE * 1000)
    chunks = [packed[i : i + 10] for i in range(0, len(packed), 10)]
    answer = ask(Local(), chunks, headers={"content-encoding": "gzip"})
    assert answer.lines[-1]["summary"]["examples"] == 1000
    cut = ask(Local(), [packed[:-5]], headers={"content-encoding": "gzip"})
    assert (cut.status, cut.code) == (400, "bad_encoding")


def test_small_chunks_that_come_together_are_joined():
    local = Local()
    ask(local, [LINE] * 200)
    feeds = [call for call in local.engine.calls if call[0] == "feed"]
    assert len(feeds) < 20
    assert feeds[-1][2]


def test_pieces_are_limited_in_length():
    local = Local()
    ask(local, [LINE * 1000] * 12)
    feeds = [call for call in local.engine.calls if call[0] == "feed"]
    assert max(length for _, length, _ in feeds) <= PIECE + len(LINE) * 1000


def test_the_pieces_that_are_with_the_engine_are_limited():
    local = Local()
    local.engine.delay = 0.01
    ask(local, [json.dumps({"text": "a" * PIECE, "y": 1}).encode() + b"\n"] * 12)
    assert local.engine.most_unanswered == MAX_UNANSWERED


def test_a_stream_waits_while_the_queue_is_full():
    local = Local()
    local.ask("GET", "/healthz")
    local.engine.queue = 10
    seen = []
    status = local.engine.status

    def later():
        seen.append(1)
        local.engine.queue = 10 if len(seen) < 5 else 0
        return status()

    local.engine.status = later
    assert ask(local, [LINE] * 3).lines[-1]["summary"]["examples"] == 3
    assert len(seen) >= 5


def test_learning_that_stops_ends_the_stream_with_its_error():
    answer = ask(Local(), [b'{"stop": true}\n'])
    assert (answer.status, answer.code) == (503, "learning_stopped")
    line = LINE.replace(b"}, ", b"}" + b" " * 1000 + b", ")
    count = PIECE // len(line) + 1  # more than one piece
    long = ask(Local(), [line * count, b'{"stop": true}\n'])
    assert (long.status, len(long.lines)) == (200, count + 1)
    assert long.lines[-1] == {"error": {"code": "learning_stopped", "message": "The disk is full."}}


# ---- over sockets --------------------------------------------------------------------------------------------------


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


def begin(connection, address=ADDRESS):
    connection.sendall(b"POST %b HTTP/1.1\r\nhost: localhost\r\n" % address.encode())
    connection.sendall(b"transfer-encoding: chunked\r\n\r\n")


def receive_until(connection, wanted):
    found = b""
    while wanted not in found:
        part = connection.recv(1 << 16)
        assert part, found
        found += part
    return found


@pytest.fixture(scope="module")
def server():
    with served(stream_idle_seconds=0.5) as running:
        yield running


@pytest.mark.timed
def test_a_line_is_answered_while_the_stream_goes_on(server):
    with server.connect() as connection:
        begin(connection)
        for _ in range(3):
            connection.sendall(chunk(LINE))
            assert b'"mistake"' in receive_until(connection, b'"mistake"')
        connection.sendall(b"0\r\n\r\n")
        assert b'"summary"' in receive_until(connection, b"\r\n0\r\n\r\n")


def test_a_client_that_goes_in_the_middle_leaves_the_server_well(server):
    for linger in (0, None):
        with server.connect() as connection:
            begin(connection)
            connection.sendall(chunk(LINE * 100))
            receive_until(connection, b'"mistake"')
            if linger == 0:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    with server.connect() as connection:
        connection.sendall(request("GET", "/healthz", "connection: close"))
        assert all_of(connection).startswith(b"HTTP/1.1 200")


def test_a_client_that_sends_nothing_is_told_so(server):
    with server.connect() as connection:
        begin(connection)
        assert b"stream_idle" in receive_until(connection, b"stream_idle")


def send_until_refused(connection, data):
    """Send the same again and again, up to a gigabyte, without taking an answer."""
    for _ in range((1 << 30) // len(data)):
        connection.sendall(data)


def test_a_server_that_stops_ends_its_streams():
    with served(stop_seconds=5.0) as running, running.connect() as connection:
        begin(connection)
        connection.sendall(chunk(LINE))
        receive_until(connection, b'"mistake"')
        running.service.stop_server()
        assert b'"stopping"' in receive_until(connection, b'"stopping"')
