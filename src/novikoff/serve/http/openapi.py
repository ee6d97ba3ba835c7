"""The OpenAPI 3.1 document of the HTTP interface, made from the table of operations and the limits in force."""

from __future__ import annotations

import re
from typing import Any

from novikoff import __version__
from novikoff.serve.settings import Settings

from .operations import NDJSON, OPERATIONS, SVMLIGHT, Operation
from .roles import Role
from .schemas import Schema, ref, schemas

ERRORS = {
    400: "The body is not valid JSON, or is not complete.",
    401: "A token is needed.",
    403: "The role of the token is too low, or the request comes from a page of another origin.",
    404: "There is no model, prediction or page of this name.",
    405: "The address has no such method.",
    408: "The body did not arrive in time.",
    409: "There is something else of this name, or the model cannot do this now.",
    413: "The body, or a line of it, is too long.",
    415: "The type or the compression of the body is not supported.",
    421: "The header Host does not name this server.",
    422: "An example, a parameter or a name is not valid.",
    429: "The queue is full. Try again after the seconds in the header Retry-After.",
    503: "The server is starting or stopping, or learning has stopped; the message says what to do.",
}
ALWAYS = (421, 503)
WITH_TOKENS = (401, 403)
PARAMETERS = {
    "model": ("Name of the model.", ref("Name")),
    "shadow": ("Name of the shadow learner.", ref("Name")),
}
BINARY_EXAMPLES = {
    NDJSON: '{"x": {"free": 1, "length": 2.5}, "y": "spam"}\n{"x": {"hello": 1}, "y": "ham"}\n',
    SVMLIGHT: "1 1:0.5 3:1\n-1 2:1\n",
}
INTRODUCTION = (
    "Models that predict while they learn. A learned example is answered after it is in the log, and an id is learned "
    "once. Errors are objects with a code for programs and a message for people."
)


def document(settings: Settings) -> dict[str, Any]:
    """Return the document."""
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        path = paths.setdefault(operation.path, {})
        path[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "novikoff serve",
            "version": __version__,
            "description": INTRODUCTION,
            "license": {"name": "BSD 3-Clause", "identifier": "BSD-3-Clause"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas(settings),
            "responses": {f"Error{status}": _error(status) for status in ERRORS},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    entry: dict[str, Any] = {"operationId": operation.name, "summary": operation.summary}
    entry["description"] = " ".join(
        text for text in (operation.description, f"Role: {operation.role.word}." if operation.role else "") if text
    )
    names = re.findall(r"\{(\w+)\}", operation.path)
    parameters = [_parameter(name, "path", *PARAMETERS[name]) for name in names]
    for name, query in operation.query.items():
        schema = query["schema"] | ({"default": query["default"]} if "default" in query else {})
        parameters.append(_parameter(name, "query", query["description"], schema))
    entry["parameters"] = parameters
    if operation.request:
        entry["requestBody"] = {
            "required": True,
            "content": {media: _media(media, name) for media, name in operation.request.items()},
        }
    entry["responses"] = _responses(operation)
    entry["security"] = [{}, {"token": []}] if operation.role else [{}]
    return entry


def _parameter(name: str, place: str, description: str, schema: Schema) -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "description": description, "schema": schema}


def _media(media: str, schema: str) -> dict[str, Any]:
    if schema:
        return {"schema": ref(schema)}
    if media.startswith("application/octet"):
        return {"schema": {"contentMediaType": media}}
    found: dict[str, Any] = {"schema": {"type": "string"}}
    return found | ({"example": BINARY_EXAMPLES[media]} if media in BINARY_EXAMPLES else {})


def _responses(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, reply in operation.replies.items():
        content = {media: _media(media, name) for media, name in reply.content.items()}
        found[str(status)] = {"description": reply.description, "content": content}
    errors = {*operation.errors, *ALWAYS, *(WITH_TOKENS if operation.role > Role.NOBODY else (403,))}
    found |= {str(status): {"$ref": f"#/components/responses/Error{status}"} for status in sorted(errors)}
    return found


def _error(status: int) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "description": ERRORS[status],
        "content": {"application/json": {"schema": ref("Error")}},
    }
    if status in (429, 503):
        entry["headers"] = {
            "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 0}}
        }
    return entry
