"""Where a server is and how to connect to it: its address, the token, TLS and timeouts."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from novikoff._client.conversation import Failure
from novikoff.errors import input_error, missing_package, quote

DEFAULT_URL = "http://127.0.0.1:8765"
SCHEMES = ("http", "https")


def load_httpx() -> Any:
    """Return the package httpx, which is optional."""
    try:
        import httpx
    except ModuleNotFoundError as error:
        raise missing_package("Client", error.name, "client") from None
    return httpx


@dataclass(frozen=True)
class Address:
    """How to reach a server.

    Attributes
    ----------
    url : str
        ``http://`` or ``https://``, host, port, and a prefix of all paths if a proxy adds one.
    token : str or None
        Sent with each request.
    timeout : float or None
        Seconds to wait for a connection, and for each part of an answer; None waits forever.
    verify : bool, str or SSLContext
        How certificates are checked: against the usual authorities, against those in a file, or not.
    """

    url: str
    token: str | None = field(repr=False)
    timeout: float | None
    verify: bool | str | ssl.SSLContext

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            is_valid = parts.scheme in SCHEMES and bool(parts.hostname) and not (parts.query or parts.fragment)
            parts.port  # noqa: B018  # raises ValueError if it is not a port
        except (ValueError, TypeError, AttributeError):
            is_valid = False
        if not is_valid:
            message = f'url must look like "http://127.0.0.1:8765", but it is {quote(self.url)}.'
            raise input_error("Client", message)
        if self.timeout is not None and not self.timeout > 0:
            raise input_error("Client", f"timeout must be a positive number or None, but it is {quote(self.timeout)}.")
        if self.token is not None and not (self.token.isascii() and self.token.isprintable()):
            raise input_error(
                "Client", "token has characters that a token cannot have. Give it as --new-token printed it."
            )

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every request."""
        return {} if self.token is None else {"authorization": f"Bearer {self.token}"}

    @cached_property
    def tls(self) -> ssl.SSLContext | None:
        """The settings of TLS; None for http."""
        if urlsplit(self.url).scheme == "http":
            return None
        if isinstance(self.verify, str):
            return ssl.create_default_context(cafile=self.verify)
        context: ssl.SSLContext = load_httpx().create_ssl_context(verify=self.verify)
        return context

    def httpx_options(self, transport: Any) -> dict[str, Any]:
        """Return the arguments of ``httpx.Client`` and ``httpx.AsyncClient``.

        Proxies and passwords that the environment names are not used: the token is for this server alone.
        """
        return {
            "base_url": self.url,
            "headers": self.headers,
            "timeout": self.timeout,
            "verify": False if self.tls is None else self.tls,
            "trust_env": False,
            "transport": transport,
        }


def failure_of(error: Exception) -> Failure:
    """Return what an error of httpx means: whether the request may have arrived, and whether to try again."""
    httpx = load_httpx()
    may_have_arrived = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    is_final = isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError) or is_refused_certificate(error)
    return Failure(str(error) or type(error).__name__, may_have_arrived, is_final)


def is_refused_certificate(error: BaseException | None) -> bool:
    """Return whether an error, or what it was caused by, is about the certificate of the server."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False
