"""Runs the server: the socket, TLS, signals, and the order in which things start and stop.

The address is taken first, because that fails at once if another program has it. Requests are then answered with 503
until the engine has read its log. On SIGTERM or SIGINT no new connection is accepted, requests have a limited time to
end, and the engine then writes what it has accepted. A second signal ends the process at once, as a crash would;
nothing that was acknowledged is lost by that.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from functools import partial
from os import _exit as exit_at_once
from types import FrameType
from typing import Any

import uvicorn

from novikoff.errors import input_error
from novikoff.serve.settings import Settings

from .service import Service
from .tls import tls_context

SWITCH_SECONDS = 0.0005  # after which a thread that waits gets the interpreter's lock
BACKLOG = 2048  # connections that wait to be accepted
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """uvicorn's server that tells the service when it stops, and ends without raising its signal again.

    Parameters
    ----------
    config : uvicorn.Config
        Its settings.
    service : Service
        What its requests share.
    """

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let signals stop the server during the block. Only the main thread can receive them."""
        try:
            before = {number: signal.signal(number, self.handle_exit) for number in SIGNALS}
        except ValueError:  # not in the main thread
            before = {}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, or end at once if the server is stopping already."""
        if self.should_exit:
            exit_at_once(128 + sig)
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End requests that have no end of their own, and then all others."""
        self._service.stopping.set()
        await super().shutdown(sockets)


def serve(app: Any, settings: Settings, announce: Callable[[str], None]) -> None:
    """Run an application until a signal stops it.

    Parameters
    ----------
    app : Starlette
        Made by ``create_app``.
    settings : Settings
        The settings in force.
    announce : callable
        Gets the address once the server is ready.

    Raises
    ------
    NovikoffError
        The address, the certificate or the state directory cannot be used.
    """
    context = tls_context(settings)
    listening = bound_socket(settings.host, settings.port)
    allow_open_files(settings.max_connections)
    scheme = "http" if context is None else "https"
    address = f"{scheme}://{_shown_host(settings.host)}:{listening.getsockname()[1]}"
    with contextlib.closing(listening), asyncio.Runner(loop_factory=_loop_factory()) as runner, _quick_switches():
        runner.run(_run(app, settings, listening, context, lambda: announce(address)))


async def _run(
    app: Any, settings: Settings, listening: socket.socket, context: ssl.SSLContext | None, ready: Callable[[], None]
) -> None:
    service: Service = app.state.service
    server = Server(_config(app, settings, context), service)
    service.stop_server = partial(setattr, server, "should_exit", True)
    with server.capture_signals():
        serving = asyncio.create_task(server.serve([listening]))
        starting = asyncio.create_task(service.start())
        try:
            await asyncio.wait({serving, starting}, return_when=asyncio.FIRST_COMPLETED)
            if not serving.done() and starting.exception() is None:
                ready()
            else:
                server.should_exit = True
            await serving
            await starting
        finally:
            await service.stop()


def _config(app: Any, settings: Settings, context: ssl.SSLContext | None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan="off",  # the engine starts while the server answers 503
        log_config=None,
        log_level=logging.ERROR,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        limit_concurrency=settings.max_connections + 1,
        timeout_keep_alive=int(settings.idle_seconds),
        timeout_graceful_shutdown=int(settings.stop_seconds),
        ssl_context_factory=None if context is None else lambda config, default: context,
    )


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":  # uvloop does not exist there
        return None
    import uvloop

    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


@contextlib.contextmanager
def _quick_switches() -> Iterator[None]:
    """Let threads take turns more often.

    The writer gives up the interpreter's lock in every kernel. If the event loop is busy, it gets it back only after
    this interval, each time.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _shown_host(host: str) -> str:
    return f"[{host.strip('[]')}]" if ":" in host else host


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that has taken an address, and does not listen yet.

    Raises
    ------
    InvalidInputError
        The address is in use, does not exist on this machine, or needs other rights.
    """
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise input_error(f"host={host}", "there is no such address. Change host=.") from None
    family, kind, protocol, _, address = min(found, key=lambda entry: entry[0] != socket.AF_INET)
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except (OSError, OverflowError) as error:
        listening.close()
        raise input_error("serve", _reason(host, port, error)) from None
    listening.setblocking(False)
    return listening


def _reason(host: str, port: int, error: OSError | OverflowError) -> str:
    match getattr(error, "errno", None):
        case errno.EADDRINUSE:
            return f"port {port} of {host} is in use. Stop the other program, or use port=0 for a free port."
        case errno.EACCES:
            return f"this user may not listen on port {port}. Use a port above 1023."
        case errno.EADDRNOTAVAIL:
            return f"this machine does not have the address {host}. Change host=."
    return f"cannot listen on {host}, port {port}: {getattr(error, 'strerror', None) or error}."


def allow_open_files(connections: int) -> None:
    """Raise the limit on open files, up to what this user may, so that all connections fit in it."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + 256  # files of the log and the libraries
    if soft != resource.RLIM_INFINITY and soft < wanted:
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
