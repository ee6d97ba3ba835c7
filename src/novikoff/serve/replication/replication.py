"""Replication of one server: it sends its log to followers, and follows another server if it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from starlette.types import ASGIApp

from novikoff.serve.errors import ServeError
from novikoff.serve.http.service import in_thread
from novikoff.serve.log.records import Record
from novikoff.serve.settings import Settings

from .follower import Follower, FollowingEngine
from .leader import LogAnswer, Signal, check_prefix, checksum_from

MAX_FOLLOWERS = 100
TOO_MANY = ServeError(429, "too_many_followers", "Too many followers are connected. Stop one of them.", 10)


class ReplicatedEngine(FollowingEngine, Protocol):
    """What replication needs of the engine."""

    is_following: bool
    replication: Callable[[], dict[str, Any]]

    def on_records(self, call: Callable[[list[Record]], None]) -> None:
        """Let the writer thread make a call after each commit."""
        ...

    def promote(self) -> Any:
        """Learn from now on."""
        ...


class Replication:
    """Followers of a server, and the server that it follows.

    Parameters
    ----------
    settings : Settings
        The settings in force, of which ``follow`` and ``follow_token`` are used.
    engine : ReplicatedEngine
        The engine, which has started.
    stopping : asyncio.Event
        Set when the server stops.
    """

    def __init__(self, settings: Settings, engine: ReplicatedEngine, stopping: asyncio.Event) -> None:
        self._engine, self._stopping = engine, stopping
        self._signal = Signal()
        self._followers = 0
        self._follower: Follower | None = None
        self._promoting = asyncio.Lock()
        engine.on_records(lambda records: self._signal.notify())
        self._leader = (settings.follow, settings.follow_token)
        self._follow()

    def _follow(self) -> None:
        address, token_file = self._leader
        if address is not None and self._engine.is_following:
            self._follower = Follower(self._engine, address, token_file)
            self._engine.replication = self._follower.status
            self._follower.start()

    async def stop(self) -> None:
        """Stop following."""
        if self._follower is not None:
            await in_thread(self._follower.stop)

    async def log(self, after: int, checksum: str, wait: float | None) -> ASGIApp:
        """Return the log after a sequence number as an answer, for a follower.

        Parameters
        ----------
        after : int
            The last record that the follower has.
        checksum : str
            Its checksum in hexadecimal digits; empty: it is not compared.
        wait : float or None
            Seconds without new records after which the answer ends.

        Raises
        ------
        ServeError
            410 if the log of the follower is not the beginning of this one.
        """
        store = self._engine.store
        await in_thread(check_prefix, store, after, checksum_from(checksum))
        if self._followers >= MAX_FOLLOWERS:
            raise TOO_MANY
        answer = LogAnswer(store, self._signal, after, wait, self._stopping)

        async def counted(scope: Any, receive: Any, send: Any) -> None:
            self._followers += 1
            try:
                await answer(scope, receive, send)
            finally:
                self._followers -= 1

        return counted

    async def promote(self) -> dict[str, Any]:
        """Stop following, and begin to learn."""
        async with self._promoting:
            follower, self._follower = self._follower, None
            if follower is not None:
                await in_thread(follower.stop)
                try:
                    await asyncio.wrap_future(self._engine.promote())
                except BaseException:
                    self._follow()
                    raise
            return {"role": "leader", "promoted": follower is not None, "sequence": self._engine.store.last}
