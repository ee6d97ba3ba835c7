"""The errors that novikoff raises, and the functions that build their messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

from novikoff._printable import printable


class NovikoffError(Exception):
    """Base class of all errors that novikoff raises on purpose."""


class InvalidInputError(NovikoffError, ValueError):
    """Data or parameters that cannot be used.

    The message is one or two sentences: what is wrong, where, and what to do about it.
    """


class NotSeparableError(InvalidInputError):
    """Data that no plane separates, given to a learner that needs separable data.

    Parameters
    ----------
    message : str
        What is wrong, in one or two sentences.
    witness : Witness or None, default=None
        Rows with weights a >= 0 that add up to 1 and for which the sum of a_i y_i u_i is 0, up to rounding. If a plane
        separated the data, that sum could not be 0.

    Attributes
    ----------
    witness : Witness or None
        See the parameter.
    """

    def __init__(self, message: str, witness: Any = None) -> None:
        super().__init__(message)
        self.witness = witness

    @property
    def rows(self) -> Any:
        """Indices of the rows of the witness, or None if there is no witness."""
        return None if self.witness is None else self.witness.rows


class FileError(InvalidInputError, OSError):
    """A file that cannot be read or written.

    Parameters
    ----------
    *args : object
        The message.
    """

    def __new__(cls, *args: object) -> Self:
        """Make an error as OSError does: ValueError, the first base class, could not when Dask rebuilds one."""
        return OSError.__new__(cls, *args)


class MissingFileError(FileError, FileNotFoundError):
    """A file that does not exist.

    Parameters
    ----------
    *args : object
        The message.
    """


class NoRowsError(InvalidInputError):
    """A file without rows, where rows are needed."""


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return a sentence, after a space, that proposes the name that a word misspells; empty if none is close."""
    import difflib  # only errors need it

    known = {name.lower(): name for name in names}
    close = difflib.get_close_matches(word.lower(), known, 1, MIN_SIMILARITY)
    return f" Did you mean {quote(known[close[0]])}?" if close else ""


MIN_SIMILARITY = 0.7  # of a misspelled name


class MalformedLineError(InvalidInputError):
    """A malformed line of text, which ``on_bad="skip"`` leaves out."""


MAX_QUOTE_LENGTH = 80  # characters of a user's value that an error message shows
MAX_QUOTED_VALUES = 5  # of a list of the user
MAX_MESSAGE_LENGTH = 1000  # characters of a message, which may contain names of any length


def missing_attribute(model: Any, name: str, reason: str) -> AttributeError:
    """Return the error that a model has no attribute of this name, and why.

    Python suggests a similar name, even a private one, unless the error names the attribute but not the object.
    """
    return AttributeError(f"{type(model).__name__} has no {name}: {reason}.", name=name)


def input_error(where: str, message: str) -> InvalidInputError:
    """Return the error ``where: message``.

    Parameters
    ----------
    where : str
        The class, function or place in a file that the message is about: ``"MarginPerceptron"``, ``"t.csv, line 7"``.
    message : str
        One or two plain sentences: what is wrong, and what to do about it. Parameters are written as in Python,
        ``missing="zero"``; the command line shows them as its own options.

    Control characters in names of files and columns are escaped, and a message with very long names is cut in its
    middle, since it begins with the place and ends with the remedy.
    """
    return InvalidInputError(_readable(f"{where}: {message}"))


def no_rows_error(name: str, message: str) -> NoRowsError:
    """Return the error of a file without rows; as ``input_error``, but of a type by which callers can tell it."""
    return NoRowsError(_readable(f"{name}: {message}"))


def malformed_line_error(place: str, message: str) -> MalformedLineError:
    """Return the error of a malformed line; as ``input_error``, but of a type by which callers can tell it."""
    return MalformedLineError(_readable(f"{place}: {message}"))


def _readable(text: str) -> str:
    shown = printable(text)
    if len(shown) <= MAX_MESSAGE_LENGTH:
        return shown
    half = MAX_MESSAGE_LENGTH // 2
    return f"{shown[: half - 5]} ... {shown[-half:]}"


def quote(value: object) -> str:
    """Return a value from the user as text for an error message, escaped and not too long."""
    try:
        text = repr(value)
    except Exception:  # the value's own code may do anything
        return f"a {type(value).__name__}"
    text = printable(" ".join(text.split()) if "\n" in text else text)  # arrays have several lines
    return text if len(text) <= MAX_QUOTE_LENGTH else text[: MAX_QUOTE_LENGTH - 3] + "..."


def quote_first(values: Sequence[object]) -> str:
    """Return the first values of a list as text for an error message, with "..." at its end if there are more."""
    shown = [quote(value) for value in values[:MAX_QUOTED_VALUES]]
    return ", ".join([*shown, *["..."] * (len(values) > MAX_QUOTED_VALUES)])


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
    return kind(_readable(f"{name}: the file cannot be {action}: {reason}."))


def missing_package(where: str, package: str | None, extra: str) -> InvalidInputError:
    """Return the error of an optional package that is not installed.

    Parameters
    ----------
    where : str
        The class or function that needs it.
    package : str or None
        The name of the module that could not be imported, from ``ModuleNotFoundError.name``.
    extra : str
        The optional dependency of novikoff that includes it, as in ``novikoff[plot]``.
    """
    name = str(package).partition(".")[0]
    return input_error(where, f"the package {name} is not installed. Install it with: pip install 'novikoff[{extra}]'.")
