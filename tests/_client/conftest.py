"""Both clients, and a server for them in a thread."""

import asyncio
import inspect

import pytest

import novikoff as nk
from novikoff.serve.app import create_app
from novikoff.serve.http.answers import error_answer
from novikoff.serve.http.tokens import Role, add_token
from novikoff.serve.settings import Settings
from server_thread import serving


class Server:
    """An ASGI application that gives ``refusals``, one per request, instead of the answers of a server."""

    def __init__(self, settings):
        self.app, self.refusals, self.requests = create_app(settings), [], 0
        self.state = self.app.state

    async def __call__(self, scope, receive, send):
        self.requests += scope["type"] == "http"
        if scope["type"] == "http" and self.refusals:
            await error_answer(self.refusals.pop(0))(scope, receive, send)
        else:
            await self.app(scope, receive, send)


class Awaited:
    """An asynchronous client as the synchronous one, so that tests are for both."""

    def __init__(self, *args, **options):
        self._runner = asyncio.Runner()
        self.client = nk.AsyncClient(*args, **options)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.run(self.client.aclose())
        self._runner.close()

    def run(self, work):
        async def awaited():
            return await asyncio.wait_for(work, 20)

        return self._runner.run(awaited())

    def __getattr__(self, name):
        def call(*args, **options):
            found = getattr(self.client, name)(*args, **options)
            return self.run(found) if inspect.isawaitable(found) else found

        return call

    def stream(self, *args, **options):
        answers = self.client.stream(*args, **options)
        try:
            while True:
                yield self.run(anext(answers))
        except StopAsyncIteration:
            return
        finally:
            self.run(answers.aclose())


@pytest.fixture(scope="package")
def started(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    token = add_token(str(folder / "tokens"), Role.ADMIN)
    settings = Settings(state=str(folder / "state"), port=0, durability="off", tokens=str(folder / "tokens"))
    made = Server(settings)
    with serving(made, settings) as made.url:
        made.port, made.token = int(made.url.rpartition(":")[2]), token
        yield made


@pytest.fixture
def server(started, request, monkeypatch):
    """A server with a new model, whose name is ``server.model``; clients repeat requests at once."""
    monkeypatch.setattr("novikoff._client.retries.FIRST_WAIT", 0.001)
    started.model, started.refusals = f"m{abs(hash(request.node.nodeid))}", []
    with nk.Client(started.url, token=started.token) as client:
        client.create(started.model, "perceptron")
    started.requests = 0
    return started


@pytest.fixture(params=[nk.Client, Awaited], ids=["Client", "AsyncClient"])
def connect(request, server):
    """A function that makes one of the clients, of the server itself or of a proxy at another port."""

    def made(port=server.port, **options):
        return request.param(f"http://127.0.0.1:{port}", **({"token": server.token, "model": server.model} | options))

    return made


@pytest.fixture
def client(connect):
    with connect() as made:
        yield made
