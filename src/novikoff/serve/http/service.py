"""What all requests share: the engine, the settings, the tokens, latencies, and whether the server is stopping."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from novikoff.errors import quote
from novikoff.serve.errors import Asleep, ServeError
from novikoff.serve.names import DEFAULT_MODEL
from novikoff.serve.settings import Settings

from .answers import logger
from .latency import Latency
from .rates import Rates
from .tokens import Tokens

if TYPE_CHECKING:
    from novikoff.serve.engine.engine import Engine

MAX_WAKES = 3  # attempts; a model may leave memory again before it is asked
STARTING = ServeError(503, "starting", "The server is reading its log. Try again soon.", retry_after=1)
ASLEEP = ServeError(503, "busy", "The model could not be kept in memory. Try again.", retry_after=1)
T = TypeVar("T")


class Service:
    """The state of one server.

    Parameters
    ----------
    settings : Settings
        The settings in force.
    make_engine : callable
        Returns the engine, which is not started.

    Attributes
    ----------
    stopping : asyncio.Event
        Set when requests without an end must end.
    latencies : dict of str to Latency
        Durations of requests to predict and to learn.
    watchers : int
        Open connections to /events.
    stop_server : callable or None
        Stops the server as a signal does, from any thread; None if it does not run.
    """

    def __init__(self, settings: Settings, make_engine: Callable[[], Engine]) -> None:
        self.settings = settings
        self.tokens = None if settings.tokens is None else Tokens(settings.tokens)
        self.latencies = {"predict": Latency(), "learn": Latency()}
        self.stopping = asyncio.Event()
        self.watchers = 0
        self.stop_server: Callable[[], None] | None = None
        self._make_engine = make_engine
        self._rates = Rates()
        self._engine: Engine | None = None

    @property
    def engine(self) -> Engine:
        """The engine.

        Raises
        ------
        ServeError
            503 while the engine starts.
        """
        if self._engine is None:
            raise STARTING
        return self._engine

    async def start(self) -> None:
        """Start the engine in another thread, and make the models that the settings ask for."""
        engine = await in_thread(self._make_engine)
        await in_thread(engine.start)
        try:
            await make_models(engine, self.settings)
        except BaseException:
            await in_thread(engine.stop)
            raise
        self._engine = engine

    async def stop(self) -> None:
        """Stop the engine, after which all that was accepted is in the log."""
        self.stopping.set()
        engine, self._engine = self._engine, None
        if engine is not None:
            await in_thread(engine.stop)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start the engine before the block, and stop it after the block."""
        await self.start()
        try:
            yield
        finally:
            await self.stop()

    async def awake(self, name: str, call: Callable[[], T]) -> T:
        """Return what a call of the engine returns, and load its model if it is not in memory."""
        for _ in range(MAX_WAKES):
            try:
                return call()
            except Asleep:
                await asyncio.wrap_future(self.engine.wake(name))
        raise ASLEEP

    async def awake_in_thread(self, name: str, call: Callable[..., T], *arguments: Any) -> T:
        """As ``awake``, for a call that takes milliseconds."""
        for _ in range(MAX_WAKES):
            try:
                return await in_thread(call, *arguments)
            except Asleep:
                await asyncio.wrap_future(self.engine.wake(name))
        raise ASLEEP

    async def overview(self, name: str) -> dict[str, Any]:
        """Return what the page shows of a model, with the rates and latencies of the server."""
        overview = await self.awake_in_thread(name, self.engine.overview, name)
        server = overview.setdefault("server", {})
        server["latency_ms"] = self.latencies["predict"].summary()
        server |= self._rates.update(self.engine.status())
        return overview


async def in_thread(call: Callable[..., T], *arguments: Any) -> T:
    """Call a function in another thread, so that other requests are answered meanwhile."""
    return await asyncio.get_running_loop().run_in_executor(None, partial(call, *arguments))


async def make_models(engine: Engine, settings: Settings) -> None:
    """Make the models of the settings file that do not exist; without any, the model ``default``.

    A model that exists keeps its specification, because what it has learned belongs to it; there is a warning if the
    settings have another one.
    """
    known = set(engine.names())
    if not settings.models and not known:
        await asyncio.wrap_future(engine.create(DEFAULT_MODEL, {"learner": settings.learner}))
    for name, model in settings.models.items():
        try:
            await asyncio.wrap_future(engine.create(name, model.specification))
        except ServeError as error:
            if error.code != "exists":
                raise
            logger.warning("The model %s keeps its specification, which is not that of the settings.", quote(name))
        if name not in known:
            for shadow, specification in model.shadows.items():
                await asyncio.wrap_future(engine.add_shadow(name, shadow, specification))
