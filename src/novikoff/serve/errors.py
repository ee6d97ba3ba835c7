"""Errors that the server answers requests with."""

from __future__ import annotations

from novikoff.errors import NovikoffError


class ServeError(NovikoffError):
    """A request cannot be answered.

    Parameters
    ----------
    status : int
        The status of the HTTP answer.
    code : str
        A word for programs, such as ``unknown_model``.
    message : str
        One or two sentences for people.
    retry_after : int, default=None
        After how many seconds the request may succeed.
    """

    def __init__(self, status: int, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.retry_after = status, code, message, retry_after


class Asleep(NovikoffError):
    """A model is not in memory. ``Engine.wake`` loads it, and then the call can be repeated."""
