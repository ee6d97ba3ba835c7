"""The server as an ASGI application."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from novikoff.errors import input_error

from .http.addresses import check_address
from .http.answers import on_exception, on_http_exception
from .http.engine_contract import EngineContract, ReplicationContract
from .http.routes import make_routes
from .http.security import Gate
from .http.service import Service
from .page.page import routes as page_routes
from .settings import Settings


def create_app(settings: Settings, engine: EngineContract | None = None) -> Starlette:
    """Return the application that ``novikoff.serve.create_app`` describes.

    ``app.state.service`` is what its requests share.
    """
    check_address(settings)
    if engine is None:
        service = Service(settings, lambda: make_engine(settings), partial(make_replication, settings))
    else:
        service = Service(settings, lambda: engine)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with service.running():
            yield

    app = Starlette(
        routes=[*make_routes(service), *page_routes()],
        middleware=[Middleware(Gate, settings=settings, tokens=service.tokens)],
        exception_handlers={HTTPException: on_http_exception, Exception: on_exception},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.service = service
    return app


def make_engine(settings: Settings) -> EngineContract:
    """Return the engine of a state directory."""
    if settings.state is None:
        raise input_error("serve", "state= is needed, the directory of the log and the snapshots.")
    from .engine.engine import Engine

    return Engine(settings.state, settings)


def make_replication(settings: Settings, engine: Any, stopping: asyncio.Event) -> ReplicationContract:
    """Return the replication of an engine that has started."""
    from .replication.replication import Replication

    return Replication(settings, engine, stopping)
