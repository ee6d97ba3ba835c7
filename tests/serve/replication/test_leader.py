"""The log over HTTP: complete, live, and only for followers whose log is its beginning."""

import asyncio
import io
import threading
import time
import urllib.request

import pytest

from engine_logs import written
from log_records import create, examples
from novikoff.serve.errors import ServeError
from novikoff.serve.log.records import EXAMPLES, Entry, Record
from novikoff.serve.log.store import Store
from novikoff.serve.replication.frames import read_frames, read_header
from novikoff.serve.replication.leader import CHUNK, LogAnswer, Signal, check_prefix, checksum_from
from two_servers import ask, server


def read_log(address, after=0, wait=0):
    with urllib.request.urlopen(f"{address}/v1/log?after={after}&wait={wait}", timeout=20) as answer:
        body = io.BytesIO(answer.read())
    head = read_header(body.read)
    return head, [frame for frame in read_frames(body.read) if isinstance(frame, Record)]


def test_the_whole_log_or_its_end_is_sent(tmp_path):
    written(tmp_path)
    with Store.open(tmp_path, read_only=True) as store:
        records = list(store.records())
    with server(tmp_path) as address:
        head, found = read_log(address)
        assert (head.last, head.identity, found) == (7, records[0].checksum, records)
        assert read_log(address, 5)[1] == records[5:]
        assert read_log(address, 7)[1] == []


@pytest.mark.timed
def test_new_records_are_sent_at_once(tmp_path):
    with server(tmp_path) as address, urllib.request.urlopen(f"{address}/v1/log?after=0", timeout=20) as answer:
        read_header(answer.read)
        frames = (frame for frame in read_frames(answer.read) if isinstance(frame, Record))
        assert next(frames).sequence == 1
        late = threading.Timer(0.3, ask, (address, "/v1/models/default/learn", {"x": {"a": 1}, "y": 1}))
        late.start()
        begin = time.monotonic()
        assert next(frames).sequence == 2
        assert 0.2 < time.monotonic() - begin < 5
        late.join()


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("after=9", 410, "diverged"),
        ("after=7&checksum=" + "0" * 32, 410, "diverged"),
        ("after=7&checksum=abc", 422, "bad_parameter"),
        ("after=-1", 422, "bad_parameter"),
        ("after=1&wait=x", 422, "bad_parameter"),
    ],
)
def test_a_request_that_does_not_fit_the_log_is_refused(tmp_path, query, status, code):
    written(tmp_path)
    with server(tmp_path) as address:
        found, answer = ask(address, f"/v1/log?{query}")
    assert (found, answer["error"]["code"]) == (status, code)


def test_a_follower_cannot_begin_with_a_compacted_log(tmp_path):
    with Store.open(tmp_path, "off") as store:
        store.append([create(), examples(0), examples(2), examples(4)])
        store.compact({1: 3})
        with pytest.raises(ServeError, match="compacted up to record 3") as refused:
            check_prefix(store, 0, None)
        assert (refused.value.status, refused.value.code) == (410, "compacted")
        check_prefix(store, 3, store.checksum_at(3))


def test_a_checksum_is_read_from_hexadecimal_digits():
    assert checksum_from("") is None
    assert checksum_from("00" * 15 + "ff") == bytes(15) + b"\xff"


def test_a_signal_wakes_those_who_wait_and_costs_nothing_otherwise(tmp_path):
    async def run(store):
        signal = Signal()
        signal.notify()
        waiting = asyncio.ensure_future(signal.wait(store, 0, 20))
        await asyncio.sleep(0.01)
        store.append([create()])
        await asyncio.get_running_loop().run_in_executor(None, signal.notify)
        await asyncio.wait_for(waiting, 10)
        await signal.wait(store, 0, 20)  # at once, because there is a record
        await signal.wait(store, 1, 0.01)

    with Store.open(tmp_path, "off") as store:
        asyncio.run(run(store))


def test_an_answer_ends_when_the_server_stops(tmp_path):
    async def run(store):
        stopping = asyncio.Event()
        sent = []

        async def send(message):
            sent.append(message)

        async def receive():
            await asyncio.Event().wait()

        answer = LogAnswer(store, Signal(), 0, None, stopping)
        task = asyncio.ensure_future(answer({"type": "http"}, receive, send))
        while len(sent) < 3:
            await asyncio.sleep(0.01)
        stopping.set()
        await asyncio.wait_for(task, 10)

    with Store.open(tmp_path, "off") as store:
        store.append([create()])
        asyncio.run(run(store))


def test_a_follower_that_takes_nothing_is_read_no_further(tmp_path):
    """Only as much is in memory as one chunk; the store is not read ahead."""

    async def run(store):
        stopping, sent = asyncio.Event(), []

        async def send(message):
            sent.append(len(message.get("body", b"")))
            if len(sent) > 2:
                await asyncio.Event().wait()

        async def receive():
            await asyncio.Event().wait()

        answer = LogAnswer(store, Signal(), 0, None, stopping)
        task = asyncio.ensure_future(answer({"type": "http"}, receive, send))
        while len(sent) < 3:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert len(sent) == 3
        assert sent[2] < 2 * CHUNK
        stopping.set()
        await asyncio.wait_for(task, 10)

    with Store.open(tmp_path, "off") as store:
        store.append([create(), *(Entry(1, EXAMPLES, 0, 0, bytes(CHUNK // 2)) for _ in range(20))])
        asyncio.run(run(store))
