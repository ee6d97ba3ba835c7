"""Both clients with a server."""

import asyncio
import contextlib
import itertools
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

import novikoff as nk
from breaking_proxy import BreakingProxy
from novikoff.serve.errors import ServeError
from server_process import ServerProcess

X = {"a": 1.0}
FULL = ServeError(429, "queue_full", "The queue is full.")
STARTING = ServeError(503, "starting", "The server is starting.")


def pairs(count):
    return (
        ({"a": float(k % 7), "b": 1.0 - k % 2, f"name{k % 50}": 1.0}, "odd" if k % 2 else "even") for k in range(count)
    )


def assert_learned(client, count):
    """Check that the model has learned so many pairs, each once and in their order."""
    model = nk.Perceptron()
    for x, y in pairs(count):
        model.learn_one(x, y)
    assert client.describe()["version"] == count
    for x, _ in pairs(10):
        assert client.predict(x)["score"] == model.score_one(x)


def test_all_methods(client, server):
    assert client.ready()["ready"]
    assert client.predict(X)["label"] is None
    assert client.learn(X, "yes", weight=2.0)["version"] == 1
    assert len(client.learn_many([X, {"b": 1.0}], ["yes", "no"])) == 2
    assert client.predict_many([X, {"b": 1.0}], ids=["1", "2"])[1]["id"] == "2"
    assert client.label("1", "yes")["id"] == "1"
    assert client.label_many(["2"], ["no"])[0]["id"] == "2"
    assert client.describe()["version"] == client.certificate()["version"] == 5
    assert client.download().predict_one(X) == "yes"
    client.add_shadow("other", "arow")
    client.remove_shadow("other")
    copy = f"copy-of-{server.model}"
    client.copy(server.model, copy)
    assert copy in client.models()
    assert client.delete(copy) == {}
    assert copy not in client.models()


def test_a_token_is_sent(client, connect):
    assert client.models()
    assert len(list(client.stream(pairs(3)))) == 3
    with connect(token=None) as other:
        for act in (other.models, lambda: list(other.stream(pairs(3)))):
            with pytest.raises(nk.ServerError, match="valid token is needed"):
                act()


def test_errors_of_the_server_are_raised_with_their_code(client):
    for act in (lambda: client.describe(model="missing"), lambda: list(client.stream(pairs(1), model="missing"))):
        with pytest.raises(nk.ServerError) as error:
            act()
        assert (error.value.status, error.value.code) == (404, "unknown_model")


# ---- retries -------------------------------------------------------------------------------------------------------


def test_an_example_whose_answer_was_lost_is_learned_once(server, connect):
    proxy = BreakingProxy(server.port, [0, None])
    with proxy.running() as port, connect(port) as client:
        answer = client.learn(X, "spam")
        assert (answer["repeated"], answer["mistake"], answer["version"]) == (True, True, 1)
    assert proxy.connections == 2


def test_a_list_whose_answer_was_lost_is_learned_once(server, connect):
    proxy = BreakingProxy(server.port, [10, 10])  # within the first line of the answer
    with proxy.running() as port, connect(port) as client:
        answers = client.learn_many(*zip(*pairs(5), strict=True))
        assert [answer["repeated"] for answer in answers] == [True] * 5
        assert_learned(client, 5)


def test_without_retries_a_lost_answer_is_an_error_and_examples_have_no_ids(server, connect):
    proxy = BreakingProxy(server.port, [0])
    with proxy.running() as port, connect(port, retries=0) as client:
        with pytest.raises(nk.ServerError) as raised:
            client.learn(X, "spam")
        assert (raised.value.status, raised.value.code) == (None, "no_answer")
        assert client.learn(X, "spam").keys() == {"predicted", "score", "mistake", "version"}


@pytest.mark.parametrize("connect", [nk.Client], indirect=True)
def test_retry_after_is_honoured(client, server, monkeypatch):
    pauses = []
    monkeypatch.setattr("novikoff._client.client.time", SimpleNamespace(sleep=pauses.append))
    server.refusals = [ServeError(429, "queue_full", "The queue is full.", retry_after=1)]
    client.learn(X, 1)
    assert len(pauses) == 1
    assert pauses[0] >= 1
    assert server.requests == 2


def test_a_server_that_is_not_available_for_a_moment_is_waited_for(client, server):
    server.refusals = [STARTING, FULL, STARTING]
    assert client.predict(X)["version"] == 0
    assert server.requests == 4


def test_ready_waits_for_a_server_that_starts(client, server):
    server.refusals = [STARTING]
    assert client.ready(timeout=5)["ready"]


def test_a_stream_survives_the_death_of_the_server(tmp_path):
    # as many repetitions as a server takes to start on a machine with much other work
    with (
        ServerProcess(tmp_path / "state") as server,
        nk.Client(f"http://127.0.0.1:{server.port}", retries=12) as client,
    ):
        stream = client.stream(pairs(3000), ahead=100)
        answers = [next(stream) for _ in range(1000)]
        server.kill()
        with ServerProcess(tmp_path / "state", "--port", str(server.port)):
            answers += stream
            assert len(answers) == client.describe()["version"] == 3000
    client.close()


def test_nobody_listening_is_said_with_the_address(connect, server):
    with BreakingProxy(server.port, []).running() as port:
        pass  # now the port is free
    with connect(port, retries=1) as client:
        for act in (client.models, lambda: list(client.stream(pairs(3)))):
            with pytest.raises(nk.ServerError, match=rf"^http://127\.0\.0\.1:{port}: .*Check that the server runs\.$"):
                act()


@pytest.mark.parametrize("connect", [nk.Client], indirect=True)
def test_threads_share_a_client(client):
    def work(number):
        client.learn(X, "odd", id=f"thread-{number}")
        return len(list(client.stream(pairs(20))))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == [20] * 16
    assert client.describe()["version"] == 16 * 21


# ---- streams -------------------------------------------------------------------------------------------------------


def test_a_stream_is_answered_in_order(client):
    answers = list(client.stream(pairs(2_000)))
    labels = [y for _, y in pairs(2_000)]
    assert [answer["mistake"] for answer in answers] == [
        answer["predicted"] != y for answer, y in zip(answers, labels, strict=True)
    ]
    assert_learned(client, 2_000)


def test_answers_come_while_examples_are_taken(client):
    taken = 0

    def endless():
        nonlocal taken
        for pair in pairs(10**9):
            taken += 1
            yield pair

    with contextlib.closing(client.stream(endless(), ahead=64)) as stream:
        for number, _ in enumerate(itertools.islice(stream, 1000)):
            assert taken - number <= 64
    assert taken < 1100
    assert list(client.stream(pairs(3)))  # the server is free for another one


def test_with_ahead_1_each_example_is_answered_before_the_next_is_taken(client):
    for count, _ in enumerate(client.stream(pairs(5), ahead=1), 1):
        assert client.describe()["version"] == count


def test_an_empty_stream_has_no_answers(client):
    assert list(client.stream([])) == []


def test_invalid_examples_have_an_error_in_their_place(client):
    answers = list(client.stream([({"a": 1}, 1), {"x": {"a": 1}}, {"x": {"a": None}, "y": 1}, ({"a": 1}, 0)]))
    assert [answer.get("line") for answer in answers] == [None, 2, 3, None]
    assert client.describe()["version"] == 2


def test_an_interrupted_stream_goes_on_with_what_was_not_answered(server, connect):
    proxy = BreakingProxy(server.port, [3000, 0, 150, 20_000])
    with proxy.running() as port, connect(port, retries=3) as client:
        answers = list(client.stream(pairs(2000), ahead=100))
        assert len(answers) == 2000
        assert any("repeated" in answer for answer in answers)
        assert proxy.connections == 5
        assert_learned(client, 2000)


def test_without_retries_an_interrupted_stream_is_an_error_after_its_answers(server, connect):
    proxy = BreakingProxy(server.port, [3000])
    with proxy.running() as port, connect(port, retries=0) as client:
        answers = []
        with pytest.raises(nk.ServerError) as raised:
            answers.extend(client.stream(pairs(2000), ahead=10))
    assert raised.value.code == "no_answer"
    assert answers
    assert "id" not in answers[0]


def test_a_stream_that_is_refused_is_an_error_or_waits(client, server):
    server.refusals = [FULL, STARTING]
    assert len(list(client.stream(pairs(10)))) == 10
    server.refusals = [ServeError(404, "unknown_model", "There is no such model.")]
    with pytest.raises(nk.ServerError) as raised:
        list(client.stream(pairs(100_000)))
    assert raised.value.status == 404


def test_an_error_of_the_examples_ends_the_stream(client):
    def broken():
        yield {"a": 1}, 1
        raise ValueError("my own")

    with pytest.raises(ValueError, match="my own"):
        list(client.stream(broken()))


# ---- what only the asynchronous client does -------------------------------------------------------------------------


@pytest.fixture
def run(server):
    """A function that runs a coroutine function with an asynchronous client."""

    def runs(work):
        async def main():
            async with nk.AsyncClient(server.url, token=server.token, model=server.model) as client:
                return await asyncio.wait_for(work(client), 20)

        return asyncio.run(main())

    return runs


def test_examples_may_be_an_asynchronous_iterable(run):
    async def examples():
        for pair in pairs(1000):
            await asyncio.sleep(0)
            yield pair

    async def work(client):
        return [answer["mistake"] async for answer in client.stream(examples())]

    assert len(run(work)) == 1000


def test_a_call_that_is_cancelled_ends_at_once(server, run):
    async def work(client):
        server.refusals = [ServeError(503, "starting", "Starting.", retry_after=60)]
        task = asyncio.create_task(client.learn(X, 1))
        while server.refusals:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return (await client.predict(X))["version"]

    assert run(work) == 0


def test_a_cancelled_stream_leaves_no_task(run):
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

    assert run(work) == set()


def test_several_streams_run_at_once(run):
    async def work(client):
        async def count(number):
            return sum([1 async for _ in client.stream(pairs(number))])

        found = await asyncio.gather(*(count(number) for number in (10, 2000, 300)))
        return found, (await client.describe())["version"]

    assert run(work) == ([10, 2000, 300], 2310)
