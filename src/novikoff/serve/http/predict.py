"""POST /v1/models/{model}/predict, in one coroutine: each layer of an application takes as long as a prediction."""

from __future__ import annotations

from time import perf_counter

from starlette.types import Receive, Scope, Send

from novikoff.serve.errors import Asleep, ServeError

from .answers import ALL_HEADERS, INTERNAL, JSON, Header, error_answer, logger
from .bodies import whole_body
from .calls import CURL_DEFAULT, Call
from .roles import Role
from .security import ASKING, check_role
from .service import Service

LONG_BODY = 1 << 18  # bytes from which on examples are read in another thread
PLAIN_TYPES = (b"", JSON, CURL_DEFAULT.encode())


class Predict:
    """Answers requests to predict, as an ASGI application.

    Parameters
    ----------
    service : Service
        What all requests share.
    """

    def __init__(self, service: Service) -> None:
        self._service, self._settings = service, service.settings
        self._limit = min(LONG_BODY, service.settings.max_body)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Predict the examples of a request; ``path_params`` of the scope has the model."""
        service, name = self._service, scope["path_params"]["model"]
        try:
            check_role(scope, Role.PREDICT)
            if is_plain(scope["headers"], self._limit):
                body = await whole_body(receive, self._limit, self._settings.body_seconds)
            else:
                body = await Call(scope, receive, self._settings).json_bytes()
            begin = perf_counter()
            engine = service.engine
            if len(body) > LONG_BODY:
                answer = await service.awake_in_thread(name, engine.predict, name, body)
            else:
                try:
                    answer = engine.predict(name, body)
                except Asleep:
                    answer = await service.awake(name, lambda: engine.predict(name, body))
            service.latencies["predict"].add(perf_counter() - begin)
        except ServeError as error:
            await error_answer(error, ASKING if error.status == 401 else ())(scope, receive, send)
            return
        except Exception as error:  # the client learns nothing of it
            logger.error("A request could not be answered.", exc_info=error)
            await error_answer(INTERNAL)(scope, receive, send)
            return
        headers = [(b"content-type", JSON), (b"content-length", b"%d" % len(answer)), *ALL_HEADERS]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})


def is_plain(headers: list[Header], limit: int) -> bool:
    """Whether a body is JSON, not compressed, and not longer than a limit."""
    found = dict(headers)
    length = found.get(b"content-length", b"")
    is_json = b"content-encoding" not in found and found.get(b"content-type", b"") in PLAIN_TYPES
    return is_json and length.isdigit() and int(length) <= limit
