"""What a function for a route gets of a request."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

from starlette.types import Receive, Scope

from novikoff._json import from_text
from novikoff.errors import quote
from novikoff.serve.errors import ServeError
from novikoff.serve.names import check_name
from novikoff.serve.settings import Settings

from .bodies import header, read_body
from .operations import FORMATS, JSON

MAX_SETTINGS_BODY = 1 << 20  # bytes of a body that describes a model
CURL_DEFAULT = "application/x-www-form-urlencoded"  # what curl sends if it is not told the type
MAX_QUERY_FIELDS = 20


class Call:
    """A request to one of the routes.

    Parameters
    ----------
    scope, receive : Scope, Receive
        The request, as ASGI passes it.
    settings : Settings
        The settings in force.
    """

    __slots__ = ("receive", "scope", "settings")

    def __init__(self, scope: Scope, receive: Receive, settings: Settings) -> None:
        self.scope, self.receive, self.settings = scope, receive, settings

    def name(self, parameter: str = "model") -> str:
        """Return a name in the path."""
        name: str = self.scope["path_params"][parameter]
        return name

    def new_name(self, parameter: str = "model") -> str:
        """Return a name in the path that something is to be made under; refuse one that is not allowed."""
        return check_name(self.name(parameter))

    @property
    def content_type(self) -> str:
        """The type of the body, in lower case, without its parameters."""
        return header(self.scope, b"content-type").decode("latin-1").partition(";")[0].strip().lower()

    async def json_bytes(self, limit: int | None = None) -> bytes:
        """Return the body of a request with JSON."""
        if self.content_type not in ("", JSON, CURL_DEFAULT):
            raise _unsupported(self.content_type, JSON)
        return await read_body(self.scope, self.receive, limit or self.settings.max_body, self.settings.body_seconds)

    async def json_object(self, keys: tuple[str, ...]) -> dict[str, Any]:
        """Return the body as an object with some of these keys."""
        body = await self.json_bytes(MAX_SETTINGS_BODY)
        if not body.strip():
            raise ServeError(400, "bad_json", "The body is empty. It must be a JSON object; {} has no keys.")
        try:
            found = from_text(body)
        except ValueError as error:
            raise ServeError(400, "bad_json", f"The body is not valid JSON: {str(error).rstrip('.')}.") from None
        if not isinstance(found, dict):
            raise ServeError(422, "bad_body", f"The body must be an object with the keys {', '.join(keys)}.")
        for key in found:
            if key not in keys:
                message = f"The body has the unknown key {quote(key)}. Known are {', '.join(keys)}."
                raise ServeError(422, "bad_body", message)
        return found

    def stream_format(self) -> str:
        """Return the format of a stream, as the engine names it."""
        kind = self.content_type
        if kind in ("", CURL_DEFAULT):
            return "ndjson"
        if kind not in FORMATS:
            raise _unsupported(kind, ", ".join(FORMATS))
        return FORMATS[kind]

    def query(self, name: str, default: str) -> str:
        """Return a parameter after "?" in the address."""
        try:
            fields: dict[str, list[str]] = parse_qs(
                self.scope["query_string"].decode("ascii"),
                keep_blank_values=True,
                errors="strict",
                max_num_fields=MAX_QUERY_FIELDS,
            )
        except ValueError:
            raise ServeError(422, "bad_parameter", "The part of the address after '?' is not valid.") from None
        values = fields.get(name, [default])
        if len(values) > 1:
            raise ServeError(422, "bad_parameter", f"The parameter {name} is given twice. Give it once.")
        return values[0]


def _unsupported(kind: str, known: str) -> ServeError:
    return ServeError(415, "unsupported_type", f"The Content-Type {quote(kind)} is not supported. Use {known}.")
