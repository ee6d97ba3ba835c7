"""Who may ask what: tokens, the header Host, the header Origin, and the address to listen on.

A page of any site can send requests to loopback from the browser of a person who visits it. Without tokens, the header
Host must therefore name this machine, so that a site cannot give its own name the address 127.0.0.1 (DNS rebinding).
A request that changes something must not come from a page of another origin.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.types import Scope

from novikoff.serve.errors import ServeError
from novikoff.serve.settings import Settings

from .roles import Role
from .tokens import Tokens

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
READING = frozenset({"GET", "HEAD"})
FOREIGN = (b"cross-site", b"same-site")  # values of Sec-Fetch-Site
AUTHORIZATION = b"authorization"
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]/@\s]+)(?::[0-9]{1,5})?")
ASKING = ((b"www-authenticate", b"Bearer"),)  # headers of an answer with the status 401
ROLE = "novikoff.role"  # key of the scope
WRONG_HOST = ServeError(
    421,
    "wrong_host",
    "The header Host does not name this server. Use its address, or name the host in the setting allowed_hosts.",
)
WRONG_ORIGIN = ServeError(
    403, "wrong_origin", "A page of another origin may not send this request. Send a token with it."
)


class Gate:
    """Decides about each request before any other code sees it, and stores the role of the client in the scope.

    Parameters
    ----------
    settings : Settings
        The settings in force.
    tokens : Tokens or None
        The tokens; without them everyone is an admin.
    """

    def __init__(self, settings: Settings, tokens: Tokens | None) -> None:
        self._tokens = tokens
        extra = [name.strip().lower() for name in (settings.allowed_hosts or "").split(",") if name.strip()]
        own = f"[{settings.host}]" if ":" in settings.host and "[" not in settings.host else settings.host
        self._hosts = LOCAL_NAMES | {own.lower(), *extra}
        self._latest_host: bytes | None = None  # that was allowed

    def decide(self, scope: Scope) -> None:
        """Store the role of the client in the scope, or raise the ServeError that refuses the request."""
        found = dict(scope["headers"])
        host, origin = found.get(b"host", b""), found.get(b"origin", b"")
        if self._tokens is None:
            self._check_host(host)
            scope[ROLE] = Role.ADMIN
        else:
            scope[ROLE] = self._tokens.role(token_of(found[AUTHORIZATION])) if AUTHORIZATION in found else Role.NOBODY
        is_foreign = found.get(b"sec-fetch-site") in FOREIGN or (origin and not _is_same_origin(origin, host))
        if is_foreign and scope["method"] not in READING and found.get(AUTHORIZATION, b"")[:7].lower() != b"bearer ":
            raise WRONG_ORIGIN

    def _check_host(self, host: bytes) -> None:
        if host == self._latest_host:
            return
        match = HOST.fullmatch(host.decode("latin-1"))
        if match is None or match[1].lower().removesuffix(".") not in self._hosts:
            raise WRONG_HOST
        self._latest_host = host


def token_of(authorization: bytes) -> str:
    """Return the token in the header Authorization; empty if there is none."""
    scheme, _, rest = authorization.decode("latin-1").partition(" ")
    return rest.strip() if scheme.lower() == "bearer" else ""


def _is_same_origin(origin: bytes, host: bytes) -> bool:
    try:
        return urlsplit(origin.decode("latin-1")).netloc.lower() == host.decode("latin-1").lower() != ""
    except ValueError:
        return False


def check_role(scope: Scope, needed: Role) -> None:
    """Refuse a client that may not do what it asks for.

    Raises
    ------
    ServeError
        401 if there is no valid token, 403 if its role is too low.
    """
    role: Role = scope[ROLE]
    if role >= needed:
        return
    if role is Role.NOBODY:
        message = "A valid token is needed. Send the header Authorization: Bearer TOKEN."
        raise ServeError(401, "token_needed", message)
    raise ServeError(403, "role_too_low", f"This needs a token with the role {needed.word}, not {role.word}.")
