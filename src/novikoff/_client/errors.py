"""The error of a request that failed, and how answers of the server become one."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping

import msgspec

from novikoff._printable import printable
from novikoff.errors import NovikoffError

MAX_SHOWN_LENGTH = 200  # characters of an answer that did not come from novikoff


class ServerError(NovikoffError):
    """A request to ``novikoff serve`` that failed.

    Parameters
    ----------
    status : int or None
        The status of the HTTP answer; None if no answer came.
    code : str
        A word for programs, such as ``"unknown_model"`` or ``"queue_full"``; ``"no_answer"`` if no answer came.
    message : str
        One or two sentences for people.

    Attributes
    ----------
    status : int or None
        See the parameter.
    code : str
        See the parameter.
    message : str
        See the parameter.
    """

    def __init__(self, status: int | None, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    def __reduce__(self) -> tuple[type[ServerError], tuple[int | None, str, str]]:
        return type(self), (self.status, self.code, self.message)


class Interrupted(Exception):
    """An answer that the server has ended with an error; the call may be repeated.

    Parameters
    ----------
    error : ServerError
        What to raise if it is not repeated.
    """

    def __init__(self, error: ServerError) -> None:
        super().__init__(error.message)
        self.error = error


class _Reason(msgspec.Struct):
    code: str
    message: str


class _Body(msgspec.Struct):
    error: _Reason


def answer_error(status: int, content: bytes) -> ServerError:
    """Return the error that an answer of the server describes.

    An answer that is not in the form of novikoff, such as that of a proxy, is shown in part.
    """
    try:
        reason = msgspec.json.decode(content, type=_Body).error
    except (msgspec.DecodeError, UnicodeDecodeError):
        shown = printable(content[:MAX_SHOWN_LENGTH].decode("utf-8", "replace")) or "nothing"
        message = f"The server answered with status {status}, but not as novikoff does: {shown}"
        return ServerError(status, "unexpected_answer", message)
    return ServerError(status, reason.code, reason.message)


def no_answer(url: str, reason: str) -> ServerError:
    """Return the error of a request that got no answer."""
    return ServerError(None, "no_answer", f"{url}: {reason.rstrip('.') or 'no answer'}. Check that the server runs.")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the header Retry-After names, as a number or as a date; None without a valid one."""
    value = headers.get("retry-after", "")
    if value.isascii() and value.isdigit():
        return float(value)
    date = email.utils.parsedate_tz(value)
    return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())
