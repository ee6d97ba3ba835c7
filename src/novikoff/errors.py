"""The errors of novikoff: one shape for all of them."""


class NovikoffError(Exception):
    """What every error of this package is."""


class InvalidInputError(NovikoffError, ValueError):
    """Data or parameters that cannot be used, in the form ``[where] What is needed. Got what.``."""


class FileError(InvalidInputError, OSError):
    """A file that cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """A file that is not there."""


def invalid(where: str, need: str, got: object) -> InvalidInputError:
    """The error that says where, what is needed, and what came instead."""
    return InvalidInputError(_sentence(where, need, got))


def unreadable(where: str, name: str, error: OSError | ValueError, need: str = "A file that can be read.") -> FileError:
    """The error of a file that the system refuses, or Python: an impossible name, a closed file."""
    kind = MissingFileError if isinstance(error, FileNotFoundError) else FileError
    return kind(_sentence(where, need, f"{name}: {getattr(error, 'strerror', None) or error}"))


def _sentence(where: str, need: str, got: object) -> str:
    return f"[{where}] {need} Got {str(got).rstrip('.')}."
