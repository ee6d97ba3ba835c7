import asyncio

import httpx
import pytest

import novikoff as nk
from fake_server import BreakingProxy, FakeServer, error, running

X = {"a": 1.0}


def pairs(count):
    return (({"a": float(k)}, k % 2) for k in range(count))


async def asynchronous(count):
    for pair in pairs(count):
        await asyncio.sleep(0)
        yield pair


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr("novikoff._client.retries.FIRST_WAIT", 0.001)


@pytest.fixture
def server():
    return FakeServer()


def run(work, transport, **options):
    """Run a coroutine function with a client."""

    async def main():
        async with nk.AsyncClient("http://test", transport=transport, **options) as client:
            return await asyncio.wait_for(work(client), 20)

    return asyncio.run(main())


def run_at(work, port, **options):
    async def main():
        async with nk.AsyncClient(f"http://127.0.0.1:{port}", **options) as client:
            return await asyncio.wait_for(work(client), 20)

    return asyncio.run(main())


def test_all_methods_are_awaited(server):
    async def work(client):
        assert await client.ready() == {"ready": True}
        assert (await client.learn(X, "spam"))["mistake"]
        assert (await client.predict(X))["label"] == "spam"
        assert len(await client.learn_many([X, X], ["ham", "ham"])) == 2
        assert await client.models() == ["default"]
        return await client.download()

    assert isinstance(run(work, httpx.ASGITransport(server.app)), nk.Perceptron)


def test_an_example_whose_answer_was_lost_is_learned_once(server):
    class Losing(httpx.ASGITransport):
        lost = 0

        async def handle_async_request(self, request):
            answer = await super().handle_async_request(request)
            if not self.lost:
                self.lost += 1
                raise httpx.ReadError("reset")
            return answer

    answer = run(lambda client: client.learn(X, 1), Losing(server.app))
    assert answer["repeated"]
    assert len(server.rows) == 1


def test_requests_are_repeated_as_the_synchronous_client_does(server):
    server.refusals = [error(429, "queue_full", "Full."), error(503, "starting", "Starting.")]
    assert run(lambda client: client.predict(X), httpx.ASGITransport(server.app))["version"] == 0
    assert len(server.requests) == 3


def test_a_call_that_is_cancelled_ends_at_once(server):
    server.refusals = [error(503, "starting", "Starting.", **{"Retry-After": "60"})]

    async def work(client):
        task = asyncio.create_task(client.learn(X, 1))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return (await client.predict(X))["version"]

    assert run(work, httpx.ASGITransport(server.app)) == 0


@pytest.mark.parametrize("examples", [pairs, asynchronous])
def test_a_stream_is_answered_in_order(server, examples):
    async def work(client):
        return [answer["version"] async for answer in client.stream(examples(2000))]

    with running(server.app) as port:
        assert run_at(work, port) == list(range(1, 2001))
    assert [row["x"]["a"] for row in server.rows] == [float(k) for k in range(2000)]


def test_an_interrupted_stream_goes_on_with_what_was_not_answered(server):
    async def work(client):
        return [answer["version"] async for answer in client.stream(pairs(1000), ahead=100)]

    with running(server.app) as port:
        proxy = BreakingProxy(port, [3000, 0, 5000])
        with proxy.running() as broken:
            assert run_at(work, broken, retries=3) == list(range(1, 1001))
    assert proxy.connections == 4
    assert len(server.rows) == 1000


def test_a_cancelled_stream_leaves_no_task(server):
    async def work(client):
        async def consume():
            async for _ in client.stream(pairs(10**9)):
                started.set()

        started = asyncio.Event()
        before = asyncio.all_tasks()
        task = asyncio.create_task(consume())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.05)
        return asyncio.all_tasks() - before

    with running(server.app) as port:
        assert run_at(work, port) == set()


def test_several_streams_run_at_once(server):
    async def work(client):
        async def count(number):
            return sum([1 async for _ in client.stream(pairs(number))])

        return await asyncio.gather(*(count(number) for number in (10, 2000, 300)))

    with running(server.app) as port:
        assert run_at(work, port) == [10, 2000, 300]
    assert len(server.rows) == 2310
