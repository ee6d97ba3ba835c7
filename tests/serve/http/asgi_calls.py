"""Requests to the server: in the process of the test, or over sockets to a server in another thread."""

import asyncio
import contextlib
import json
import socket
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator

from novikoff.serve.app import create_app
from novikoff.serve.http.schemas import ref, schemas
from novikoff.serve.settings import Settings
from server_thread import serving


@dataclass(frozen=True)
class Answered:
    """An answer."""

    status: int
    headers: dict
    body: bytes

    @cached_property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The code of an error."""
        assert set(self.json) == {"error"}
        assert set(self.json["error"]) == {"code", "message"}
        assert self.json["error"]["message"].endswith(".")
        return self.json["error"]["code"]

    @property
    def lines(self):
        return [json.loads(line) for line in self.body.splitlines()]


def is_valid(name, value):
    """Whether a value is as the OpenAPI document describes it."""
    return Draft202012Validator({**ref(name), "components": {"schemas": schemas(Settings())}}).is_valid(value)


def scope_of(method, address, headers=None):
    """A request as ASGI describes it."""
    parts = urlsplit(address)
    given = {"host": "127.0.0.1:8765"} | {name.lower(): value for name, value in (headers or {}).items()}
    return {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items() if value is not None],
        "scheme": "http",
        "root_path": "",
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8765),
        "state": {},
    }


def receiver(chunks, then="disconnect"):
    """A function that returns the chunks of a body one by one; ``then`` may be "disconnect" or "wait"."""
    messages = [
        {"type": "http.request", "body": chunk, "more_body": place < len(chunks) - 1}
        for place, chunk in enumerate(chunks)
    ]

    async def receive():
        if messages:
            return messages.pop(0)
        if then == "wait":
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    return receive


class Sent:
    """Collects what an application sends."""

    def __init__(self):
        self.start, self.parts, self.is_complete = None, [], False

    async def __call__(self, message):
        if message["type"] == "http.response.start":
            assert self.start is None
            self.start = message
        else:
            self.parts.append(message.get("body", b""))
            self.is_complete = not message.get("more_body", False)

    @property
    def answer(self):
        headers = {name.decode(): value.decode() for name, value in self.start["headers"]}
        return Answered(self.start["status"], headers, b"".join(self.parts))


async def asked(app, method, address, body=b"", headers=None, receive=None):
    """Ask an application."""
    sent = Sent()
    body = body.encode() if isinstance(body, str) else body
    with contextlib.suppress(RuntimeError):  # Starlette raises an internal error again after its answer
        await app(scope_of(method, address, headers), receive or receiver([body]), sent)
    return sent.answer


class Local:
    """An application with an engine that has started, which tests ask without a socket."""

    def __init__(self, state, **settings):
        self.app = create_app(Settings(state=str(state), **({"durability": "off"} | settings)))
        self.service, self._runner = self.app.state.service, asyncio.Runner()

    def __enter__(self):
        try:
            self.run(self.service.start())
        except BaseException:
            self._runner.close()
            raise
        return self

    def __exit__(self, *error):
        self.run(self.service.stop())
        self._runner.close()

    @property
    def engine(self):
        return self.service.engine

    def run(self, work):
        """Run a coroutine in the event loop of the application."""
        return self._runner.run(work)

    def ask(self, method, address, body=b"", headers=None, receive=None):
        return self.run(asked(self.app, method, address, body, headers, receive))


@contextlib.contextmanager
def served(state, **settings):
    """Run a server in another thread."""
    found = Settings(**({"state": str(state), "port": 0, "stop_seconds": 1.0} | settings))
    app = create_app(found)
    with serving(app, found) as address:
        yield Running(address, app.state.service)


@dataclass(frozen=True)
class Running:
    """A server in another thread."""

    address: str
    service: object

    @property
    def place(self):
        parts = urlsplit(self.address)
        return parts.hostname, parts.port

    def connect(self):
        """A connection of its own, for what a library for HTTP would not send."""
        connection = socket.create_connection(self.place, timeout=10)
        connection.settimeout(10)
        return connection


def all_of(connection):
    """What comes until the other side closes the connection."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def part_of(connection, before):
    part = connection.recv(1 << 16)
    assert part, before
    return part


def request(method, path, *headers, body=b""):
    """A request as bytes."""
    lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", *headers, f"content-length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body
