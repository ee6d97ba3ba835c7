"""The errors of novikoff: one shape for all of them."""

from __future__ import annotations

from typing import Any


class NovikoffError(Exception):
    """What every error of this package is."""


class InvalidInputError(NovikoffError, ValueError):
    """Data or parameters that cannot be used, in the form ``[where] What is needed. Got what.``."""


class NotSeparableError(InvalidInputError):
    """Data that no plane separates, where a learner needs one.

    ``witness`` names rows and their weights a >= 0, which add up to 1: the sum of a_i y_i u_i is 0 but for rounding,
    which no separator allows.
    """

    def __init__(self, message: str, witness: Any = None) -> None:
        super().__init__(message)
        self.witness = witness

    @property
    def rows(self) -> Any:
        """The rows of the witness."""
        return None if self.witness is None else self.witness.rows


class FileError(InvalidInputError, OSError):
    """A file that cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """A file that is not there."""


LONGEST_QUOTE = 80  # characters of a user's value that an error message shows


def input_error(where: str, message: str) -> InvalidInputError:
    """Return the error ``where: message``.

    Parameters
    ----------
    where : str
        The class, function or place in a file that the message is about: ``"MarginPerceptron"``, ``"t.csv, line 7"``.
    message : str
        One or two plain sentences: what is wrong, and what to do about it. Parameters are written as in Python,
        ``missing="zero"``; the command line shows them as its own options.
    """
    return InvalidInputError(f"{where}: {message}")


def quote(value: object) -> str:
    """Return a value from the user as text for an error message, escaped and not too long."""
    try:
        text = repr(value)
    except Exception:  # the value's own code may do anything
        return f"a {type(value).__name__}"
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 3] + "..."


def file_error(name: str, error: OSError | ValueError, action: str = "read") -> FileError:
    """Return the error of a file that the operating system or Python cannot open, read or write.

    Parameters
    ----------
    name : str
        The file, as the user gave it.
    error : OSError or ValueError
        The reason; a ``FileNotFoundError`` gives a ``MissingFileError``.
    action : str, default="read"
        What was tried, as a participle: ``"read"`` or ``"written"``.
    """
    kind = MissingFileError if isinstance(error, FileNotFoundError) else FileError
    reason = str(getattr(error, "strerror", None) or error).rstrip(".")
    return kind(f"{name}: the file cannot be {action}: {reason}.")


def invalid(where: str, need: str, got: object) -> InvalidInputError:
    """The error that says where, what is needed, and what came instead."""
    return InvalidInputError(_sentence(where, need, got))


def not_separable(where: str, need: str, got: object, witness: Any) -> NotSeparableError:
    """The error of data that no plane separates, with the rows that show it."""
    return NotSeparableError(_sentence(where, need, got), witness)


def unreadable(where: str, name: str, error: OSError | ValueError, need: str = "A file that can be read.") -> FileError:
    """The error of a file that the system refuses, or Python: an impossible name, a closed file."""
    kind = MissingFileError if isinstance(error, FileNotFoundError) else FileError
    return kind(_sentence(where, need, f"{name}: {getattr(error, 'strerror', None) or error}"))


def _sentence(where: str, need: str, got: object) -> str:
    return f"[{where}] {need} Got {str(got).rstrip('.')}."
