"""The server of ``novikoff serve``: predictions while models learn, with a durable log of every example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from .settings import Settings


def create_app(settings: Settings, engine: Any = None) -> Starlette:
    """Return the server as an ASGI application; see ``novikoff.serve.app``, which is imported by the call."""
    from .app import create_app as make

    return make(settings, engine)
