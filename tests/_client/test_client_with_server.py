"""The clients with `novikoff serve` itself, in a process of its own."""

import asyncio
import contextlib
import subprocess
import sys

import pytest

import novikoff as nk
from fake_server import BreakingProxy


def pairs(count):
    return (
        ({"a": float(k % 7), "b": 1.0 - k % 2, f"name{k % 50}": 1.0}, "odd" if k % 2 else "even") for k in range(count)
    )


class Server:
    """A server that can be killed and started again at the same port."""

    def __init__(self, state):
        self.state, self.port, self.process = state, 0, None
        self.start()

    def start(self):
        command = [sys.executable, "-m", "novikoff", "serve", "--state", self.state, "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[-1]
        self.port = int(self.url.rpartition(":")[2])

    def kill(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = Server(tmp_path_factory.mktemp("state"))
    yield made
    made.kill()


@pytest.fixture
def client(server, request):
    # as many repetitions as a server takes to start on a machine with much other work
    with nk.Client(server.url, model=f"m{abs(hash(request.node.name)) % 10**9}", retries=12) as made:
        made.create(made._model, "perceptron")
        yield made


def test_all_methods(client):
    assert client.ready()["ready"]
    assert client.predict({"a": 1.0})["label"] is None
    assert client.learn({"a": 1.0}, "yes", weight=2.0)["version"] == 1
    assert len(client.learn_many([{"a": 1.0}, {"b": 1.0}], ["yes", "no"])) == 2
    assert client.predict_many([{"a": 1.0}, {"b": 1.0}], ids=["1", "2"])[1]["id"] == "2"
    assert client.label("1", "yes")["id"] == "1"
    assert client.label_many(["2"], ["no"])[0]["id"] == "2"
    assert client.describe()["version"] == 5
    assert client.certificate()["version"] == 5
    assert client.download().predict_one({"a": 1.0}) == "yes"
    client.add_shadow("other", "arow")
    client.remove_shadow("other")
    client.copy(client._model, "copied")
    assert "copied" in client.models()
    assert client.delete("copied") == {}
    assert "copied" not in client.models()


def test_the_same_id_is_learned_once(client):
    assert "repeated" not in client.learn({"a": 1.0}, "yes", id="once")
    assert client.learn({"a": 1.0}, "yes", id="once")["repeated"]
    assert client.describe()["version"] == 1


def test_an_example_whose_answer_was_lost_is_learned_once(server, client):
    proxy = BreakingProxy(server.port, [0])
    with proxy.running() as port, nk.Client(f"http://127.0.0.1:{port}", model=client._model) as broken:
        assert broken.learn({"a": 1.0}, "yes")["repeated"]
    assert client.describe()["version"] == 1


def test_a_stream_that_breaks_is_learned_once_and_in_order(server, client):
    proxy = BreakingProxy(server.port, [3000, 0, 20_000])
    with proxy.running() as port, nk.Client(f"http://127.0.0.1:{port}", model=client._model) as broken:
        answers = list(broken.stream(pairs(2000), ahead=200))
    assert len(answers) == client.describe()["version"] == 2000
    model = nk.Perceptron()
    for x, y in pairs(2000):
        model.learn_one(x, y)
    assert client.predict({"a": 3.0, "b": 1.0})["score"] == model.score_one({"a": 3.0, "b": 1.0})


def test_invalid_examples_of_a_stream_have_an_error_in_their_place(client):
    answers = list(client.stream([({"a": 1.0}, "yes"), {"x": {"a": None}, "y": "yes"}, ({"b": 1.0}, "no")]))
    assert [answer.get("line") for answer in answers] == [None, 2, None]


def test_errors_of_the_server_are_raised_with_their_code(client):
    with pytest.raises(nk.ServerError) as error:
        client.describe(model="missing")
    assert (error.value.status, error.value.code) == (404, "unknown_model")
    with pytest.raises(nk.ServerError) as error:
        list(client.stream(pairs(1), model="missing"))
    assert error.value.status == 404


def test_a_stream_survives_the_death_of_the_server(server, client):
    stream = client.stream(pairs(3000), ahead=100)
    answers = [next(stream) for _ in range(1000)]
    server.kill()
    server.start()
    answers += stream
    assert len(answers) == client.describe()["version"] == 3000


def test_the_asynchronous_client_streams(server, client):
    async def main():
        async with (
            nk.AsyncClient(server.url, model=client._model) as other,
            contextlib.aclosing(other.stream(pairs(500))) as stream,
        ):
            return [answer["mistake"] async for answer in stream]

    assert len(asyncio.run(main())) == client.describe()["version"] == 500
