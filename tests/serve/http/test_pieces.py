"""Pieces of a stream: how they are joined, and what ends them."""

import asyncio

import pytest
from asgi_calls import receiver

from novikoff.serve.errors import ServeError
from novikoff.serve.http.bodies import Gzip, Identity
from novikoff.serve.http.pieces import PIECE, joined


def pieces(receive, idle=1.0, decoder=None, stop=False):
    async def run():
        stopping = asyncio.Event()
        if stop:
            stopping.set()
        return [entry async for entry in joined(receive, decoder or Identity(), idle, stopping)]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"receive": receiver([], "wait"), "idle": 0.02}, "stream_idle"),
        ({"receive": receiver([], "disconnect")}, "incomplete_body"),
        ({"receive": receiver([], "wait"), "stop": True}, "stopping"),
        ({"receive": receiver([b"x"]), "decoder": Gzip()}, "bad_encoding"),
    ],
)
def test_streams_that_cannot_go_on_are_ended(arguments, code):
    with pytest.raises(ServeError) as caught:
        pieces(**arguments)
    assert caught.value.code == code


def test_an_empty_body_is_one_empty_last_piece():
    assert pieces(receiver([b""])) == [(b"", True)]


def test_pieces_are_joined_until_they_are_long_enough():
    chunks = [bytes([k]) * (PIECE // 4) for k in range(10)]
    found = pieces(receiver(chunks))
    assert b"".join(piece for piece, _ in found) == b"".join(chunks)
    assert [len(piece) for piece, _ in found] == [PIECE, PIECE, PIECE // 2]
    assert [is_last for _, is_last in found] == [False, False, True]


@pytest.mark.timed
def test_a_slow_body_is_given_in_what_has_come():
    sent = iter([b"a", b"b", b"c"])

    async def receive():
        await asyncio.sleep(0.05)
        body = next(sent)
        return {"type": "http.request", "body": body, "more_body": body != b"c"}

    assert pieces(receive)[:2] == [(b"a", False), (b"b", False)]


def test_nothing_more_is_received_before_a_piece_is_taken():
    received = []

    async def receive():
        received.append(1)
        return {"type": "http.request", "body": bytes(PIECE), "more_body": True}

    async def run():
        body = joined(receive, Identity(), 1.0, asyncio.Event())
        await anext(body)
        await asyncio.sleep(0.02)
        await body.aclose()

    asyncio.run(run())
    assert len(received) <= 2
