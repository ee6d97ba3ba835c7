import asyncio
import contextlib

import pytest

import novikoff as nk
from novikoff._client.address import Address
from novikoff._client.duplex import Duplex, Http
from novikoff._client.errors import Interrupted
from novikoff._client.retries import Retries

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def address(port=1, timeout=5.0):
    return Address(f"http://127.0.0.1:{port}/prefix", "token", timeout, True)


def talk(serve, work, *, timeout=5.0, retries=0, room=10):
    """Run ``work(duplex)`` with a server whose connections are served by a coroutine function."""

    async def main():
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            duplex = Duplex(address(port, timeout), "/stream", Retries(retries, draw=lambda: 0.0), room)
            try:
                return await asyncio.wait_for(work(duplex), 20)
            finally:
                await duplex.close()

    return asyncio.run(main())


def served(*parts):
    """A server that reads the head of a request, sends these parts, and closes the connection."""

    async def serve(reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            for part in parts:
                writer.write(part)
                await writer.drain()
        writer.close()

    return serve


async def one(duplex):
    found = await duplex.exchange([b"1\n"])
    while answers := await duplex.finish():
        found += answers
    return found


def test_the_request_names_host_token_and_prefix():
    head = Http(address(8000), "/stream").head()
    assert head.startswith(b"POST /prefix/stream HTTP/1.1\r\n")
    for line in (b"host: 127.0.0.1:8000", b"authorization: Bearer token", b"transfer-encoding: chunked"):
        assert line + b"\r\n" in head.lower().replace(b"bearer", b"Bearer")


def test_the_body_is_sent_in_chunks():
    http = Http(address(), "/stream")
    http.head()
    assert http.chunk(b"abc") == b"3\r\nabc\r\n"
    assert http.end() == b"0\r\n\r\n"


def test_an_answer_may_come_before_the_request_ends():
    http = Http(address(), "/stream")
    http.head()
    assert http.receive(HEAD + chunk(b"a") + b"1\r") == b"a"
    assert http.receive(b"\nb\r\n") == b"b"
    assert (http.status, http.is_over) == (200, False)
    http.receive(b"0\r\n\r\n")
    assert http.is_over


@pytest.mark.parametrize("data", [b"", b"nonsense\r\n\r\n", HEAD])
def test_a_connection_that_closes_too_early_is_an_interruption(data):
    http = Http(address(), "/stream")
    http.head()
    with pytest.raises(Interrupted):
        [http.receive(part) for part in (data, b"")]


def test_answers_come_without_the_summary():
    parts = [HEAD, chunk(b'{"n":1}\n{"summary":{}}\n'), b"0\r\n\r\n"]
    assert talk(served(*parts), one) == [{"n": 1}]


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [HEAD],
        [HEAD, chunk(b'{"n"')],
        [HEAD, chunk(b'{"n":1}\n')],
        [HEAD, b"0\r\n\r\n"],
        [HEAD, chunk(b'{"summary":{}}\n'), b"0\r\n\r\n"],
    ],
)
def test_a_stream_without_all_answers_is_an_error(parts):
    answers = []

    async def work(duplex):
        answers.extend(await duplex.exchange([b"1\n", b"2\n"]))
        while found := await duplex.finish():
            answers.extend(found)

    with pytest.raises(nk.ServerError) as raised:
        talk(served(*parts), work)
    assert raised.value.code == "no_answer"
    assert len(answers) <= 1


def test_only_a_missing_summary_is_not_an_error():
    assert talk(served(HEAD, chunk(b'{"n":1}\n')), one) == [{"n": 1}]


STOPPING = chunk(b'{"error":{"code":"stopping","message":"The server stops."}}\n') + b"0\r\n\r\n"


def test_a_stream_that_the_server_ends_is_continued_over_another_connection():
    complete = [HEAD, chunk(b'{"n":1}\n{"summary":{}}\n'), b"0\r\n\r\n"]
    servers = iter([served(HEAD, STOPPING), served(*complete)])

    async def serve(reader, writer):
        await next(servers)(reader, writer)

    assert talk(serve, one, retries=1) == [{"n": 1}]


def test_the_reason_why_the_server_ends_a_stream_is_raised_after_the_last_attempt():
    with pytest.raises(nk.ServerError, match=r"^The server stops\.$"):
        talk(served(HEAD, STOPPING), one)


def test_a_server_that_does_not_answer_in_time_is_an_error():
    async def silent(reader, writer):
        await reader.read()
        writer.close()

    with pytest.raises(nk.ServerError, match="no answer in time"):
        talk(silent, one, timeout=0.1)


@pytest.mark.timed
def test_a_caller_that_takes_its_time_is_not_an_error():
    async def work(duplex):
        found = await duplex.exchange([b"1\n"])
        await asyncio.sleep(0.3)  # three times the timeout
        return found + await duplex.exchange([b"2\n"]) + await duplex.finish()

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD)
        for n in (1, 2):
            await reader.readuntil(b"\n\r\n")
            writer.write(chunk(b'{"n":%d}\n' % n))
        await reader.readuntil(b"0\r\n\r\n")
        writer.write(chunk(b'{"summary":{}}\n') + b"0\r\n\r\n")
        await writer.drain()
        writer.close()

    assert talk(serve, work, timeout=0.1, room=0) == [{"n": 1}, {"n": 2}]


def test_a_connection_that_the_server_closes_while_nothing_waits_is_made_again():
    connections = 0

    async def serve(reader, writer):
        nonlocal connections
        connections += 1
        await reader.readuntil(b"\r\n\r\n")
        await reader.readuntil(b"\n\r\n")
        writer.write(HEAD + chunk(b'{"n":%d}\n' % connections))
        await writer.drain()
        writer.close()

    async def work(duplex):
        found = await duplex.exchange([b"1\n"])
        await asyncio.sleep(0.05)
        return found + await duplex.exchange([b"2\n"]) + await duplex.finish()

    assert talk(serve, work, room=0) == [{"n": 1}, {"n": 2}]
    assert connections == 2


@pytest.mark.timed
def test_exchange_waits_while_too_many_examples_have_no_answer():
    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD)
        await asyncio.sleep(0.1)
        writer.write(chunk(b'{"n":1}\n'))
        await writer.drain()
        await reader.read()
        writer.close()

    async def work(duplex):
        return len(await duplex.exchange([b"1\n", b"2\n"]))

    assert talk(serve, work, room=2) == 0
    assert talk(serve, work, room=1) == 1
