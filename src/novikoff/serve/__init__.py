"""The server of ``novikoff serve``: predictions while models learn, with a durable log of every example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from .settings import Settings


def create_app(settings: Settings, engine: Any = None) -> Starlette:
    """Return the server as an ASGI application, for a program that runs it or calls it in process.

    Its lifespan starts and stops the engine, which learns and writes the log.

    Parameters
    ----------
    settings : Settings
        The settings in force.
    engine : Engine, default=None
        An engine that is not started; by default one for the state directory of the settings.

    Returns
    -------
    Starlette
        The application.

    Raises
    ------
    InvalidInputError
        The settings lack a state directory, or would let everyone in.

    Examples
    --------
    >>> from novikoff.serve import create_app
    >>> from novikoff.serve.settings import Settings
    >>> app = create_app(Settings(state="models"))  # doctest: +SKIP
    >>> uvicorn.run(app, port=8765)  # doctest: +SKIP
    """
    from .app import create_app as make

    return make(settings, engine)
