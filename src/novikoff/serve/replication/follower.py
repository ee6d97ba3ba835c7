"""A follower: a thread that reads the log of another server, and gives its records to the engine."""

from __future__ import annotations

import http.client
import json
import logging
import random
import socket
import ssl
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Protocol
from urllib.parse import urlsplit

from novikoff.errors import InvalidInputError, NovikoffError
from novikoff.serve.errors import ServeError
from novikoff.serve.http.tokens import read_token
from novikoff.serve.log.records import FIRST_CHECKSUM, Record
from novikoff.serve.log.store import Store

from .frames import Header, LeaderFailure, ProtocolError, State, read_frames, read_header
from .progress import Progress

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # seconds between two attempts to connect
CONNECT_SECONDS = 10.0
SILENCE_SECONDS = 10.0  # without a byte, not even a sign of life, after which the connection is given up
BATCH_BYTES, BATCH_RECORDS = 8 << 20, 2000  # of records that are stored together
MAX_ERROR_LENGTH = 1 << 16  # bytes of an answer that is an error
log = logging.getLogger("novikoff.serve")


class Diverged(NovikoffError):
    """The two logs differ, or cannot be joined, so that following has ended."""


class FollowingEngine(Protocol):
    """What a follower needs of the engine."""

    store: Store
    is_copying: bool

    def end_copy(self) -> None:
        """Note that the first copy of the log is complete."""
        ...

    def follow(self, records: list[Record]) -> Future[int]:
        """Take over records."""
        ...


class Follower:
    """Follows another server until it is stopped, or until the logs turn out to differ.

    It connects again whenever the connection ends, and goes on after the last record that it has stored.

    Parameters
    ----------
    engine : FollowingEngine
        Takes the records.
    address : str
        The server to follow: ``https://host:8765``.
    token_file : str or None
        A file with the token for it.
    """

    def __init__(self, engine: FollowingEngine, address: str, token_file: str | None) -> None:
        self._engine, self._token_file = engine, token_file
        self._url = urlsplit(address)
        self.progress = Progress(address, engine.is_copying)
        self._stopping = threading.Event()
        self._socket: socket.socket | None = None
        self._is_away = (
            threading.Event()
        )  # set while the thread connects, and after it: then it leaves the engine alone
        self._thread = threading.Thread(target=self._run, name="novikoff-follower", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop following; when this returns, the engine gets no more records.

        An attempt to connect is not waited for, because it may take ``CONNECT_SECONDS``: the thread ends after it.
        """
        self._stopping.set()
        if (connected := self._socket) is not None:
            with suppress(OSError):  # it may have ended itself
                connected.shutdown(socket.SHUT_RDWR)
        self._is_away.wait()

    def status(self) -> dict[str, Any]:
        """Return the state, for people and programs."""
        return self.progress.status(self._engine.store.last)

    def _run(self) -> None:
        try:
            self._follow_until_stopped()
        finally:
            self._is_away.set()

    def _follow_until_stopped(self) -> None:
        pause = FIRST_PAUSE
        while not self._stopping.is_set():
            try:
                self._follow()
                reason = "The server has closed the connection."
            except Diverged as error:
                if not self._stopping.is_set():
                    self.progress.end(str(error))
                    log.error("Following has ended: %s", error)
                return
            except (NovikoffError, OSError, http.client.HTTPException) as error:
                reason = _sentence(error, self.progress.address)
            except Exception as error:  # the thread must go on, whatever happens
                if not self._stopping.is_set():  # `stop` takes the connection away
                    log.error("An internal error while following.", exc_info=error)
                reason = "Internal error; please report it."
            if self.progress.disconnect(reason):  # something had been received
                pause = FIRST_PAUSE
            self._stopping.wait(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, LONGEST_PAUSE)

    def _follow(self) -> None:
        """Connect, and take over records until the connection ends."""
        self._is_away.set()
        connection = self._connect()
        try:
            self._socket = connection.sock
            self._is_away.clear()
            if self._stopping.is_set():  # asked after the line above, so that `stop` has seen it, or this sees `stop`
                return
            response = self._ask(connection)
            self._check(read_header(response.read))
            self._take_all(response.read)
        finally:
            self._socket = None
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        connection: http.client.HTTPConnection
        if self._url.scheme == "https":
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=CONNECT_SECONDS, context=context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=CONNECT_SECONDS)
        connection.connect()
        connection.sock.settimeout(SILENCE_SECONDS)
        return connection

    def _ask(self, connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
        store = self._engine.store
        headers = {"Accept": "application/octet-stream"}
        if self._token_file is not None:
            headers["Authorization"] = f"Bearer {read_token(self._token_file)}"
        connection.request("GET", f"/v1/log?after={store.last}&checksum={store.checksum.hex()}", headers=headers)
        response = connection.getresponse()
        if response.status == 200:
            return response
        message = _message(response.read(MAX_ERROR_LENGTH))
        if response.status == 410:
            raise Diverged(message)
        raise ServeError(response.status, "leader", f"{self.progress.address} answers {response.status}: {message}")

    def _check(self, header: Header) -> None:
        store = self._engine.store
        own = store.checksum_at(1) if store.last else FIRST_CHECKSUM
        if FIRST_CHECKSUM not in (own, header.identity) and own != header.identity:
            message = f"The log of {self.progress.address} is another one than that of this directory."
            raise Diverged(f"{message} Start the follower with an empty directory.")
        self.progress.connect(header.last, store.last)
        self._note_copy()

    def _take_all(self, read: Callable[[int], bytes]) -> None:
        batch: list[Record] = []
        size = 0
        for frame in read_frames(read):
            if isinstance(frame, State):
                self._take(batch)
                batch, size = [], 0
                self.progress.hear(frame.last, self._engine.store.last)
                self._note_copy()
            else:
                batch.append(frame)
                size += len(frame.payload)
                if size >= BATCH_BYTES or len(batch) >= BATCH_RECORDS:
                    self._take(batch)
                    batch, size = [], 0
                    self.progress.hear(None, self._engine.store.last)
            if self._stopping.is_set():
                return

    def _note_copy(self) -> None:
        if self.progress.has_caught_up and self._engine.is_copying:
            self._engine.end_copy()

    def _take(self, batch: list[Record]) -> None:
        if not batch or self._stopping.is_set():
            return
        try:
            self._engine.follow(batch).result()
        except ServeError as error:
            if error.code == "diverged":
                raise Diverged(error.message) from None
            raise


def _message(body: bytes) -> str:
    """Return the message of an error in JSON."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return "The answer is not one of a novikoff server. Check the address to follow."


def _sentence(error: BaseException, address: str) -> str:
    """Return what is wrong in one or two sentences."""
    if isinstance(error, ProtocolError | ServeError | InvalidInputError):
        return str(error)
    if isinstance(error, LeaderFailure):
        return f"{address} cannot send its log: {error}"
    if isinstance(error, ssl.SSLCertVerificationError):
        message = f"The certificate of {address} is not trusted: {error.verify_message}."
        return f"{message} SSL_CERT_FILE may name the certificate of its authority."
    if isinstance(error, TimeoutError):
        return f"{address} does not answer."
    return f"{address} cannot be reached: {getattr(error, 'strerror', None) or error or type(error).__name__}."
