"""The errors of novikoff: one shape for all of them."""


class NovikoffError(Exception):
    """What every error of this package is."""


class InvalidInputError(NovikoffError, ValueError):
    """Data or parameters that cannot be used, in the form ``[where] What is needed. Got what.``."""


def invalid(where: str, need: str, got: object) -> InvalidInputError:
    """The error that says where, what is needed, and what came instead."""
    return InvalidInputError(f"[{where}] {need} Got {str(got).rstrip('.')}.")
