"""Routes of the live page: its files, read once from the package, with their headers.

The files hold no data of models, so they need no token. The scripts ask for one when the server answers 401, and send
it with every request for data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",  # browsers keep the files, but ask whether they have changed
}
FILES = {  # address: file of this package
    "/": "index.html",
    "/page/page.css": "page.css",
    "/page/icon.svg": "icon.svg",
    "/page/main.js": "main.js",
    "/page/chart.js": "chart.js",
    "/page/connection.js": "connection.js",
    "/page/elements.js": "elements.js",
    "/page/events.js": "events.js",
    "/page/figures.js": "figures.js",
    "/page/models.js": "models.js",
    "/page/tables.js": "tables.js",
    "/page/text.js": "text.js",
    "/page/view.js": "view.js",
}
CONTENT_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}

Endpoint = Callable[[Request], Awaitable[Response]]


def routes() -> list[Route]:
    """Return the routes of the page, one per file.

    Returns
    -------
    list of starlette.routing.Route
        Routes for GET and HEAD.
    """
    folder = resources.files(__package__)
    return [
        Route(path, _endpoint(folder.joinpath(name).read_bytes(), CONTENT_TYPES[name.rpartition(".")[2]]), name=name)
        for path, name in FILES.items()
    ]


def _endpoint(content: bytes, content_type: str) -> Endpoint:
    """Return a function that answers with one file, or with 304 if the browser has it."""
    tag = f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"'
    headers = {**HEADERS, "ETag": tag}

    async def answer(request: Request) -> Response:
        if _matches(request.headers.get("if-none-match", ""), tag):
            return Response(status_code=304, headers=headers)
        return Response(content, headers={**headers, "Content-Type": content_type})

    return answer


def _matches(wanted: str, tag: str) -> bool:
    """Return whether a value of If-None-Match names this tag (RFC 9110, weak comparison)."""
    return wanted.strip() == "*" or tag in (part.strip().removeprefix("W/") for part in wanted.split(","))
