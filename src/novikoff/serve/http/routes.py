"""The functions that answer requests, one per operation, and the routes to them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any

import msgspec
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from novikoff.errors import quote
from novikoff.serve.errors import ServeError
from novikoff.serve.names import DEFAULT_MODEL, check_name
from novikoff.serve.settings import SHADOW_KEYS, SPECIFICATION_KEYS

from .answers import HTML, INTERNAL, PAGE_HEADERS, Answer, error_answer, json_answer, logger
from .bodies import decoder
from .calls import Call
from .events import TOO_MANY, EventsAnswer, Overviews
from .metrics import CONTENT_TYPE, metrics_text
from .openapi import document
from .operations import OPERATIONS, Operation
from .predict import LONG_BODY
from .reference_page import STYLE, STYLE_PATH, reference_page
from .security import ASKING, check_role
from .service import Service, in_thread
from .stream import StreamAnswer

WITHOUT_HEAD = ("events",)  # its answer has no end
Handler = Callable[[Call], Awaitable[ASGIApp]]


class Routes:
    """The functions of all operations, by name.

    Parameters
    ----------
    service : Service
        What they share.
    predict : ASGI application
        Answers requests to predict.
    """

    def __init__(self, service: Service, predict: ASGIApp) -> None:
        self.service, self._predict = service, predict
        self._overviews = Overviews(service)
        described = document(service.settings)
        self._document = msgspec.json.encode(described)
        self._reference = reference_page(described).encode()

    # ---- predicting and learning -----------------------------------------------------------------------------------

    async def predict(self, call: Call) -> ASGIApp:
        """Answer POST /v1/models/{model}/predict."""
        return self._predict

    async def learn(self, call: Call) -> ASGIApp:
        """Answer POST /v1/models/{model}/learn."""
        service, name = self.service, call.name()
        body = await call.json_bytes()
        begin = perf_counter()
        engine = service.engine
        if len(body) > LONG_BODY:
            learning = await service.awake_in_thread(name, engine.learn, name, body)
        else:
            learning = await service.awake(name, lambda: engine.learn(name, body))
        answer = await asyncio.wrap_future(learning)
        service.latencies["learn"].add(perf_counter() - begin)
        return Answer(answer)

    async def stream(self, call: Call) -> ASGIApp:
        """Answer POST /v1/models/{model}/stream."""
        service, name, format = self.service, call.name(), call.stream_format()
        answers = call.query("answers", "all")
        if answers not in ("all", "summary"):
            raise ServeError(422, "bad_parameter", f"answers must be all or summary, not {quote(answers)}.")
        found, engine, settings = decoder(call.scope), service.engine, service.settings
        stream = await service.awake(name, lambda: engine.open_stream(name, format, answers == "all"))
        return StreamAnswer(stream, found, engine.status, settings.stream_idle_seconds, service.stopping)

    # ---- models ----------------------------------------------------------------------------------------------------

    async def list_models(self, call: Call) -> ASGIApp:
        """Answer GET /v1/models."""
        return json_answer({"models": sorted(self.service.engine.names())})

    async def describe_model(self, call: Call) -> ASGIApp:
        """Answer GET /v1/models/{model}."""
        name = call.name()
        return json_answer(await self.service.awake_in_thread(name, self.service.engine.describe, name))

    async def create_model(self, call: Call) -> ASGIApp:
        """Answer PUT /v1/models/{model}."""
        name = call.new_name()
        specification = await call.json_object(SPECIFICATION_KEYS)
        answer = await asyncio.wrap_future(self.service.engine.create(name, specification))
        return _created(answer)

    async def delete_model(self, call: Call) -> ASGIApp:
        """Answer DELETE /v1/models/{model}."""
        return json_answer(await asyncio.wrap_future(self.service.engine.delete(call.name())))

    async def copy_model(self, call: Call) -> ASGIApp:
        """Answer POST /v1/models/{model}/copy."""
        body = await call.json_object(("to",))
        if "to" not in body:
            raise ServeError(422, "bad_name", "The body must have the key to, the name of the copy.")
        to = check_name(body["to"])
        return json_answer(await asyncio.wrap_future(self.service.engine.copy(call.name(), to)), 201)

    async def add_shadow(self, call: Call) -> ASGIApp:
        """Answer PUT /v1/models/{model}/shadows/{shadow}."""
        shadow = call.new_name("shadow")
        specification = await call.json_object(SHADOW_KEYS)
        adding = self.service.engine.add_shadow(call.name(), shadow, specification)
        return _created(await asyncio.wrap_future(adding))

    async def remove_shadow(self, call: Call) -> ASGIApp:
        """Answer DELETE /v1/models/{model}/shadows/{shadow}."""
        removing = self.service.engine.remove_shadow(call.name(), call.name("shadow"))
        return json_answer(await asyncio.wrap_future(removing))

    async def certificate(self, call: Call) -> ASGIApp:
        """Answer GET /v1/models/{model}/certificate."""
        name = call.name()
        return json_answer(await self.service.awake_in_thread(name, self.service.engine.certificate, name))

    async def download_model(self, call: Call) -> ASGIApp:
        """Answer GET /v1/models/{model}/model."""
        name = call.name()
        file = await self.service.awake_in_thread(name, self.service.engine.dump, name)
        disposition = f'attachment; filename="{check_name(name)}.nvk"'.encode()
        return Answer(file, 200, b"application/octet-stream", [(b"content-disposition", disposition)])

    async def overview(self, call: Call) -> ASGIApp:
        """Answer GET /v1/models/{model}/overview."""
        return json_answer(await self.service.overview(call.name()))

    # ---- the server itself -----------------------------------------------------------------------------------------

    async def metrics(self, call: Call) -> ASGIApp:
        """Answer GET /metrics."""
        text = await in_thread(metrics_text, self.service.engine, self.service.latencies)
        return Answer(text, 200, CONTENT_TYPE)

    async def health(self, call: Call) -> ASGIApp:
        """Answer GET /healthz."""
        return json_answer({"status": "ok"})

    async def readiness(self, call: Call) -> ASGIApp:
        """Answer GET /readyz."""
        status = self.service.engine.status()
        if self.service.stopping.is_set():
            raise ServeError(503, "stopping", "The server is stopping.")
        if not status["ready"]:
            raise ServeError(503, "not_ready", str(status.get("reason") or "The server is not ready."), retry_after=1)
        if status["learning"] == "stopped":
            raise ServeError(503, "learning_stopped", str(status.get("reason") or "Learning has stopped."))
        return json_answer({"ready": True, "learning": status["learning"]})

    async def events(self, call: Call) -> ASGIApp:
        """Answer GET /events."""
        name = call.query("model", DEFAULT_MODEL)
        first = await self._overviews.get(name)
        if self.service.watchers >= self.service.settings.max_watchers:  # the answer counts itself before it waits
            raise TOO_MANY
        return EventsAnswer(self.service, self._overviews, name, first)

    async def openapi(self, call: Call) -> ASGIApp:
        """Answer GET /openapi.json."""
        return Answer(self._document)

    async def docs(self, call: Call) -> ASGIApp:
        """Answer GET /docs."""
        return Answer(self._reference, 200, HTML, common=PAGE_HEADERS)

    async def docs_style(self, call: Call) -> ASGIApp:
        """Answer GET /docs/style.css."""
        return Answer(STYLE.encode(), 200, b"text/css; charset=utf-8", common=PAGE_HEADERS)


def _created(answer: dict[str, Any]) -> ASGIApp:
    is_new = answer.pop("created", True)
    return json_answer(answer, 201 if is_new else 200)


class Endpoint:
    """All operations with the same path, as an ASGI application.

    Parameters
    ----------
    service : Service
        Has the settings.
    handlers : dict of str to (Operation, Handler)
        By method.
    """

    def __init__(self, service: Service, handlers: dict[str, tuple[Operation, Handler]]) -> None:
        self._settings, self._handlers = service.settings, handlers
        self._allowed = ", ".join(sorted(handlers)).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the role, and answer."""
        entry = self._handlers.get(scope["method"])
        if entry is None:
            message = f"This address takes {self._allowed.decode()} only."
            wrong = ServeError(405, "method_not_allowed", message)
            await error_answer(wrong, [(b"allow", self._allowed)])(scope, receive, send)
            return
        operation, handler = entry
        try:
            check_role(scope, operation.role)
            answer = await handler(Call(scope, receive, self._settings))
        except ServeError as error:
            answer = error_answer(error, ASKING if error.status == 401 else ())
        except Exception as error:  # the client learns nothing of it
            logger.error("A request could not be answered.", exc_info=error)
            answer = error_answer(INTERNAL)
        await answer(scope, receive, send)


def make_routes(service: Service, predict: ASGIApp) -> list[BaseRoute]:
    """Return the routes of all operations; ``predict`` answers requests to predict."""
    functions = Routes(service, predict)
    paths: dict[str, dict[str, tuple[Operation, Handler]]] = {}
    for operation in OPERATIONS:
        methods = paths.setdefault(operation.path, {})
        entry = (operation, getattr(functions, operation.name))
        methods[operation.method] = entry
        if operation.method == "GET" and operation.name not in WITHOUT_HEAD:
            methods["HEAD"] = entry
    docs = next(operation for operation in OPERATIONS if operation.name == "docs")
    paths[STYLE_PATH] = {"GET": (docs, functions.docs_style), "HEAD": (docs, functions.docs_style)}
    return [Route(path, Endpoint(service, handlers)) for path, handlers in paths.items()]
