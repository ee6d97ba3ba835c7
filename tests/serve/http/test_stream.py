"""Streams: order, back-pressure, errors, slow and vanished clients."""

import asyncio
import gzip
import json
import socket
import struct

import pytest
from asgi_calls import all_of, asked, receiver, request, served

from engines import held
from novikoff.serve.http.pieces import PIECE
from novikoff.serve.http.stream import MAX_UNANSWERED
from novikoff.serve.log.errors import StoreError

ADDRESS = "/v1/models/default/stream"
LINE = b'{"x": {"a": 1}, "y": "spam"}\n'


def ask(local, chunks, query="", headers=None):
    return local.ask("POST", ADDRESS + query, headers=headers, receive=receiver(chunks))


def test_lines_are_answered_in_order_and_then_the_summary(local):
    lines = [json.dumps({"x": {"a": 1}, "y": n % 3}).encode() for n in range(50)]
    answer = ask(local, [b"\n".join(lines)])
    assert (answer.status, answer.headers["content-type"]) == (200, "application/x-ndjson")
    assert len(answer.lines) == 51
    assert answer.lines[0] == {"predicted": None, "mistake": True}
    assert [line["mistake"] for line in answer.lines[:-1]] == [
        line["predicted"] != n % 3 for n, line in enumerate(answer.lines[:-1])
    ]
    mistakes = sum(line["mistake"] for line in answer.lines[:-1])
    assert answer.lines[-1] == {"summary": {"examples": 50, "mistakes": mistakes, "errors": 0, "version": 50}}


@pytest.mark.parametrize("size", [1, 3, 28, 1000])
def test_the_cuts_of_the_body_do_not_matter(start, size):
    body = LINE * 10 + b"wrong\n" + LINE * 10
    chunks = [body[i : i + size] for i in range(0, len(body), size)]
    answer = ask(start(), chunks)
    assert answer.body == ask(start(), [body]).body
    assert [place for place, line in enumerate(answer.lines, 1) if "error" in line] == [11]
    assert answer.lines[10]["line"] == 11


@pytest.mark.parametrize("body", [LINE * 3, b"", b"wrong"])
def test_the_summary_may_be_asked_for_alone(start, body):
    full, short = ask(start(), [body]), ask(start(), [body], "?answers=summary")
    assert short.lines == full.lines[-1:]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("Application/X-NDJSON; charset=utf-8", LINE),
        ("application/x-www-form-urlencoded", LINE),
        ("text/x-svmlight", b"1 1:0.5 3:1\n"),
        (None, LINE),
    ],
)
def test_the_format_of_a_stream_is_its_type(local, kind, body):
    answer = ask(local, [body], headers={"content-type": kind})
    assert answer.lines[-1]["summary"] == {"examples": 1, "mistakes": 1, "errors": 0, "version": 1}


def test_compressed_streams_are_read(local):
    packed = gzip.compress(LINE * 1000)
    chunks = [packed[i : i + 10] for i in range(0, len(packed), 10)]
    answer = ask(local, chunks, headers={"content-encoding": "gzip"})
    assert answer.lines[-1]["summary"]["examples"] == 1000
    cut = ask(local, [packed[:-5]], headers={"content-encoding": "gzip"})
    assert (cut.status, cut.code) == (400, "bad_encoding")


def test_the_pieces_that_are_with_the_engine_are_limited(local, monkeypatch):
    open_stream, streams = local.engine.open_stream, []
    monkeypatch.setattr(local.engine, "open_stream", lambda *given: streams.append(open_stream(*given)) or streams[-1])

    async def send():
        body = [json.dumps({"text": "a" * PIECE, "y": 1}).encode() + b"\n"] * 12
        asking = asyncio.create_task(asked(local.app, "POST", ADDRESS, receive=receiver(body)))
        with held(local.engine):
            while not streams or streams[0].pending < MAX_UNANSWERED:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.1)
            assert streams[0].pending == MAX_UNANSWERED
        return await asking

    assert local.run(send()).lines[-1]["summary"]["errors"] == 12


def test_a_stream_waits_while_the_queue_is_full(local, monkeypatch):
    seen, status = [], local.engine.status

    def later():
        seen.append(1)
        found = status()
        return found | {"queue": found["queue_limit"] if len(seen) < 5 else 0}

    monkeypatch.setattr(local.engine, "status", later)
    assert ask(local, [LINE] * 3).lines[-1]["summary"]["examples"] == 3
    assert len(seen) >= 5


@pytest.mark.parametrize("is_begun", [False, True])
def test_learning_that_stops_ends_the_stream_with_its_error(local, monkeypatch, is_begun):
    engine, append, count = local.engine, local.engine.store.append, 10 * is_begun

    def fail(entries):
        if engine.status()["examples"] < count:
            return append(entries)
        raise StoreError("full", "The disk is full.")

    chunks = [LINE * count, LINE] if is_begun else [LINE]

    async def receive():
        while len(chunks) == 1 and engine.status()["examples"] < count:  # the first lines are in the log
            await asyncio.sleep(0.001)
        return {"type": "http.request", "body": chunks.pop(0), "more_body": bool(chunks)}

    monkeypatch.setattr(engine.store, "append", fail)
    answer = local.ask("POST", ADDRESS, receive=receive)
    message = "Nothing is learned at present, predictions go on. The disk is full."
    if is_begun:
        assert (answer.status, len(answer.lines)) == (200, count + 1)
    else:
        assert (answer.status, answer.code) == (503, "learning_stopped")
    assert answer.lines[-1] == {"error": {"code": "learning_stopped", "message": message}}


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
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("state"), stream_idle_seconds=0.5) as running:
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


def test_a_server_that_stops_ends_its_streams(tmp_path):
    with served(tmp_path, stop_seconds=5.0) as running, running.connect() as connection:
        begin(connection)
        connection.sendall(chunk(LINE))
        receive_until(connection, b'"mistake"')
        running.service.stop_server()
        assert b'"stopping"' in receive_until(connection, b'"stopping"')
