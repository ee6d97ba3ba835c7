import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

import novikoff as nk
from fake_server import BreakingProxy, FakeServer, error, running

X = {"a": 1.0}


def pairs(count):
    return (({"a": float(k), "b": 2.0}, k % 2) for k in range(count))


@pytest.fixture
def server():
    fake = FakeServer()
    with running(fake.app) as fake.port:
        yield fake


@pytest.fixture
def client(server):
    with nk.Client(f"http://127.0.0.1:{server.port}", timeout=10) as made:
        yield made


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """Repetitions come at once."""
    monkeypatch.setattr("novikoff._client.retries.FIRST_WAIT", 0.001)


def test_all_methods_reach_a_server(client, server):
    assert client.ready() == {"ready": True}
    assert client.predict(X)["label"] is None
    assert client.learn(X, "spam")["mistake"]
    assert [answer["predicted"] for answer in client.learn_many([X, X], ["ham", "ham"])] == ["spam", "ham"]
    assert [answer["id"] for answer in client.predict_many([X, X], ids=["1", "2"])] == ["1", "2"]
    client.create("other", "arow")
    client.copy("other", "third")
    client.delete("other")
    assert client.models() == ["default", "third"]
    assert isinstance(client.download(), nk.Perceptron)


def test_a_token_is_sent(server):
    server.token = "secret"
    address = f"http://127.0.0.1:{server.port}"
    with nk.Client(address, token="secret") as client:
        assert client.models()
        assert len(list(client.stream(pairs(3)))) == 3
    with nk.Client(address) as client:
        for act in (client.models, lambda: list(client.stream(pairs(3)))):
            with pytest.raises(nk.ServerError, match="token is missing"):
                act()


# ---- retries -------------------------------------------------------------------------------------------------------


def test_an_example_whose_answer_was_lost_is_learned_once(server):
    proxy = BreakingProxy(server.port, [0, None])
    with proxy.running() as port, nk.Client(f"http://127.0.0.1:{port}") as client:
        answer = client.learn(X, "spam")
    assert answer["repeated"]
    assert answer["mistake"]
    assert len(server.rows) == 1
    assert proxy.connections == 2


def test_a_list_whose_answer_was_lost_is_learned_once(server):
    proxy = BreakingProxy(server.port, [10, 10])  # within the first line of the answer
    with proxy.running() as port, nk.Client(f"http://127.0.0.1:{port}") as client:
        answers = client.learn_many([X] * 5, [1, 0, 1, 0, 1])
    assert [answer["repeated"] for answer in answers] == [True] * 5
    assert [row["y"] for row in server.rows] == [1, 0, 1, 0, 1]


def test_without_retries_a_lost_answer_is_an_error_and_examples_have_no_ids(server):
    proxy = BreakingProxy(server.port, [0])
    with (
        proxy.running() as port,
        nk.Client(f"http://127.0.0.1:{port}", retries=0) as client,
        pytest.raises(nk.ServerError) as raised,
    ):
        client.learn(X, "spam")
    assert (raised.value.status, raised.value.code) == (None, "no_answer")
    assert server.rows == [{"x": X, "y": "spam"}]


def test_retry_after_is_honoured(client, server, monkeypatch):
    pauses = []
    monkeypatch.setattr("novikoff._client.client.time", SimpleNamespace(sleep=pauses.append))
    server.refusals = [error(429, "queue_full", "The queue is full.", **{"Retry-After": "1"})]
    client.learn(X, 1)
    assert len(pauses) == 1
    assert pauses[0] >= 1
    assert len(server.requests) == 2


def test_a_server_that_is_not_available_for_a_moment_is_waited_for(client, server):
    server.refusals = [error(503, "starting", "The server is starting.") for _ in range(3)]
    assert client.predict(X)["version"] == 0
    assert len(server.requests) == 4


def test_a_server_that_restarts_is_found_again(server, monkeypatch):
    monkeypatch.setattr("novikoff._client.retries.FIRST_WAIT", 0.05)
    fake = FakeServer()
    with running(fake.app) as port:
        client = nk.Client(f"http://127.0.0.1:{port}")
        client.learn(X, 1)

    def start_again():
        time.sleep(0.2)
        with running(fake.app, port):
            done.wait(20)

    done = threading.Event()
    thread = threading.Thread(target=start_again)
    thread.start()
    client.learn(X, 0)
    client.close()
    done.set()
    thread.join()
    assert [row["y"] for row in fake.rows] == [1, 0]


def test_nobody_listening_is_said_with_the_address(server):
    with BreakingProxy(server.port, []).running() as port:
        pass  # now the port is free
    with nk.Client(f"http://127.0.0.1:{port}", retries=1) as client:
        for act in (client.models, lambda: list(client.stream(pairs(3)))):
            with pytest.raises(nk.ServerError, match=rf"^http://127\.0\.0\.1:{port}: .*Check that the server runs\.$"):
                act()


def test_ready_waits_for_a_server_that_starts(client, server):
    server.refusals = [error(503, "starting", "The server is starting.")]
    assert client.ready(timeout=5) == {"ready": True}


def test_threads_share_a_client(client, server):
    def work(number):
        client.learn(X, number % 2, id=f"thread-{number}")
        return len(list(client.stream(pairs(20))))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == [20] * 16
    assert len(server.rows) == 16 * 21


# ---- streams -------------------------------------------------------------------------------------------------------


def test_a_stream_is_answered_in_order(client, server):
    answers = list(client.stream(pairs(10_000)))
    assert [row["y"] for row in server.rows] == [k % 2 for k in range(10_000)]
    assert [answer["version"] for answer in answers] == list(range(1, 10_001))


def test_answers_come_while_examples_are_taken(client):
    taken = 0

    def endless():
        nonlocal taken
        for pair in pairs(10**9):
            taken += 1
            yield pair

    for number, _ in enumerate(itertools.islice(client.stream(endless(), ahead=64), 1000)):
        assert taken - number <= 64
    assert taken < 1100


def test_with_ahead_1_each_example_is_answered_before_the_next_is_taken(client, server):
    stream = client.stream(pairs(5), ahead=1)
    for count, _ in enumerate(stream, 1):
        assert len(server.rows) == count


def test_an_empty_stream_has_no_answers(client):
    assert list(client.stream([])) == []


def test_invalid_examples_have_an_error_in_their_place(client, server):
    answers = list(client.stream([({"a": 1}, 1), {"x": {"a": 1}}, ({"a": 1}, 0)]))
    assert [("error" in answer) for answer in answers] == [False, True, False]
    assert answers[1]["line"] == 2
    assert len(server.rows) == 2


def test_an_interrupted_stream_goes_on_with_what_was_not_answered(server):
    proxy = BreakingProxy(server.port, [3000, 0, 150, 20_000])
    with proxy.running() as port, nk.Client(f"http://127.0.0.1:{port}", retries=3) as client:
        answers = list(client.stream(pairs(2000), ahead=100))
    assert proxy.connections == 5
    assert [row["a"] for row in (row["x"] for row in server.rows)] == [float(k) for k in range(2000)]
    assert [answer["version"] for answer in answers] == list(range(1, 2001))
    assert any("repeated" in answer for answer in answers)


def test_without_retries_an_interrupted_stream_is_an_error_after_its_answers(server):
    proxy = BreakingProxy(server.port, [3000])
    with proxy.running() as port, nk.Client(f"http://127.0.0.1:{port}", retries=0) as client:
        answers = []
        with pytest.raises(nk.ServerError) as raised:
            answers.extend(client.stream(pairs(2000), ahead=100))
    assert raised.value.code == "no_answer"
    assert "id" not in server.rows[0]


def test_a_stream_that_is_refused_is_an_error_or_waits(client, server):
    server.refusals = [error(429, "queue_full", "The queue is full."), error(503, "starting", "Starting.")]
    assert len(list(client.stream(pairs(10)))) == 10
    server.refusals = [error(404, "unknown_model", "There is no such model.")]
    with pytest.raises(nk.ServerError) as raised:
        list(client.stream(pairs(100_000)))
    assert raised.value.status == 404


def test_an_error_of_the_examples_ends_the_stream(client):
    def broken():
        yield {"a": 1}, 1
        raise ValueError("my own")

    with pytest.raises(ValueError, match="my own"):
        list(client.stream(broken()))


def test_a_stream_may_be_left(client):
    stream = client.stream(pairs(10**9))
    next(stream)
    stream.close()
    assert list(client.stream(pairs(3)))  # the server is free for another one
