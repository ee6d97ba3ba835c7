"""Pieces are read in their order, long ones beside the event loop, and none after one that cannot be read."""

import asyncio
import threading
from concurrent.futures import Future

import pytest

from novikoff.serve.errors import ServeError
from novikoff.serve.http.piece_reader import SHORT_PIECE, PieceReader

BAD = ServeError(400, "bad", "Bad.")


class Stream:
    """Answers each piece with itself; refuses one that begins with !."""

    def __init__(self):
        self.threads = []

    def feed(self, chunk, last):
        self.threads.append(threading.current_thread())
        if chunk[:1] == b"!":
            raise BAD
        answer = Future()
        answer.set_result(chunk[:1])
        return answer


def read(pieces, stop_after=None):
    """Return what a reader answered, and whether each piece was taken."""
    stream = Stream()

    async def run():
        answers = asyncio.Queue()
        reader = PieceReader(stream, answers)
        taken = [reader.put(piece, False) for piece in pieces]
        if stop_after is not None:
            reader.stop()
        reader.end(None)
        found = []
        while True:
            found.append(await asyncio.wait_for(answers.get(), 10))
            if not isinstance(found[-1], Future):
                return [entry.result() if isinstance(entry, Future) else entry for entry in found], taken

    return *asyncio.run(run()), stream.threads


@pytest.mark.parametrize("sizes", [(1, 1, 1), (SHORT_PIECE + 1,) * 5, (1, SHORT_PIECE + 1, 1, 1, SHORT_PIECE + 1)])
def test_answers_come_in_the_order_of_the_pieces(sizes):
    pieces = [bytes([97 + k]) * size for k, size in enumerate(sizes)]
    found, taken, threads = read(pieces)
    assert found == [piece[:1] for piece in pieces] + [None]
    assert all(taken)
    is_here = [thread is threading.current_thread() for thread in threads]
    assert is_here[0] == (sizes[0] <= SHORT_PIECE)
    assert not any(here for here, size in zip(is_here, sizes, strict=True) if size > SHORT_PIECE)


@pytest.mark.parametrize("size", [1, SHORT_PIECE + 1])
def test_a_piece_that_cannot_be_read_ends_the_stream(size):
    found, _, threads = read([b"a" * size, b"!" * size, b"b" * size, b"c" * size])
    assert found == [b"a", BAD]
    assert len(threads) == 2


def test_a_reader_that_was_stopped_reads_nothing_more():
    found, _, threads = read([b"a" * (SHORT_PIECE + 1)] * 50, stop_after=1)
    assert found[-1] is None
    assert len(threads) < 50
