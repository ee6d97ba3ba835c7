"""Server-sent events."""

import asyncio
import contextlib
import json

import pytest
from asgi_calls import Sent, asked, receiver, scope_of

from novikoff.serve.http import events
from novikoff.serve.http.events import Overviews


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(events, "PERIOD", 0.02)


def overviews(body):
    """The data of the events in a body, and what else it has."""
    found, others = [], []
    for entry in body.split(b"\n\n"):
        if entry.startswith(b"event: overview\ndata: "):
            found.append(json.loads(entry.partition(b"data: ")[2]))
        elif entry:
            others.append(entry)
    return found, others


def watch(local, action, address="/events"):
    """Watch while an action runs; then the client goes."""

    async def run():
        gone = asyncio.Event()

        async def receive():
            await gone.wait()
            return {"type": "http.disconnect"}

        sent = Sent()
        watching = asyncio.create_task(local.app(scope_of("GET", address), receive, sent))
        await asyncio.sleep(0.1)
        await action()
        await asyncio.sleep(0.1)
        gone.set()
        await asyncio.wait_for(watching, 5)
        return sent

    return local.run(run())


async def nothing():
    pass


@pytest.mark.timed
def test_an_overview_comes_at_once_and_whenever_it_changes(local):
    async def learn():
        await asked(local.app, "POST", "/v1/models/default/learn", '{"x": {}, "y": 1}')

    sent = watch(local, learn)
    found, others = overviews(sent.answer.body)
    assert sent.answer.headers["content-type"].startswith("text/event-stream")
    versions = [overview["version"] for overview in found]
    assert versions[:2] == [0, 1] == sorted(set(versions))
    assert others == [b"retry: 2000"]
    assert sent.is_complete
    assert local.service.watchers == 0


@pytest.mark.timed
def test_a_silent_connection_gets_comments(local, monkeypatch):
    monkeypatch.setattr(events, "HEARTBEAT", 0.05)
    found, others = overviews(watch(local, nothing).answer.body)
    assert len(found) == 1
    assert 1 <= others.count(b": heartbeat") <= 4


def test_a_stopping_server_ends_the_events(local):
    async def stop():
        local.service.stopping.set()

    assert watch(local, stop).is_complete


def test_a_deleted_model_ends_the_events(local):
    async def delete():
        await asked(local.app, "DELETE", "/v1/models/default")

    assert b"event: end" in watch(local, delete).answer.body


def test_watchers_are_limited(start):
    local = start(max_watchers=0)
    answer = local.ask("GET", "/events")
    assert (answer.status, answer.code) == (429, "too_many_watchers")


def test_watchers_that_come_together_are_limited(start):
    local = start(max_watchers=1)
    answers = []

    async def watch_shortly():
        sent = Sent()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(local.app(scope_of("GET", "/events"), receiver([], "wait"), sent), 0.2)
        answers.append(sent.start["status"])

    async def run():
        await asyncio.gather(*[watch_shortly() for _ in range(3)])

    local.run(run())
    assert sorted(answers) == [200, 429, 429]


def test_a_client_that_takes_nothing_is_not_served_further(local, monkeypatch):
    monkeypatch.setattr(events, "SEND_SECONDS", 0.05)

    async def send(message):
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    local.run(asyncio.wait_for(local.app(scope_of("GET", "/events"), receiver([], "wait"), send), 5))
    assert local.service.watchers == 0


def test_many_pages_of_a_model_share_one_overview(local, monkeypatch):
    monkeypatch.setattr(events, "PERIOD", 1.0)
    made, overview = [], local.engine.overview
    monkeypatch.setattr(local.engine, "overview", lambda name: made.append(name) or overview(name))

    async def run():
        shared = Overviews(local.service)
        await asyncio.gather(*(shared.get("default") for _ in range(10)))

    local.run(run())
    assert made == ["default"]
