"""The server as an ASGI application."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from novikoff.errors import input_error
from novikoff.serve.errors import ServeError

from .http.addresses import check_address
from .http.answers import error_answer, on_http_exception
from .http.predict import Predict
from .http.routes import make_routes
from .http.security import Gate
from .http.service import Service
from .page.page import routes as page_routes
from .settings import Settings

PREDICT = re.compile("/v1/models/([^/]+)/predict")


class App(Starlette):
    """Starlette behind a gate; requests to predict skip its router, which takes longer than a prediction."""

    gate: Gate
    predict: Predict

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            try:
                self.gate.decide(scope)
            except ServeError as error:
                await error_answer(error)(scope, receive, send)
                return
            match = PREDICT.fullmatch(scope["path"]) if scope["method"] == "POST" else None
            if match is not None:
                scope["path_params"] = {"model": match[1]}
                await self.predict(scope, receive, send)
                return
        await super().__call__(scope, receive, send)


def create_app(settings: Settings, engine: Any = None) -> App:
    """Return the application that ``novikoff.serve.create_app`` describes.

    ``app.state.service`` is what its requests share.
    """
    check_address(settings)
    service = Service(settings, lambda: make_engine(settings) if engine is None else engine)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with service.running():
            yield

    predict = Predict(service)
    app = App(
        routes=[*make_routes(service, predict), *page_routes()],
        exception_handlers={HTTPException: on_http_exception},
        lifespan=lifespan,
    )
    app.gate, app.predict = Gate(settings, service.tokens), predict
    app.router.redirect_slashes = False
    app.state.service = service
    return app


def make_engine(settings: Settings) -> Any:
    """Return the engine of a state directory."""
    if settings.state is None:
        raise input_error("serve", "state= is needed, the directory of the log and the snapshots.")
    from .engine.engine import Engine

    return Engine(settings.state, settings)
