"""Optional packages of the engines, imported on first use."""

from __future__ import annotations

import importlib
from typing import Any

from novikoff.errors import input_error


def package(where: str, name: str, extra: str) -> Any:
    """Import the package of an engine, or say how to install it.

    Parameters
    ----------
    where : str
        The name of the caller, for error messages.
    name : str
        The module to import.
    extra : str
        The extra of novikoff that installs it.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            raise
        message = f"this engine needs the package {error.name}. Install it with: pip install 'novikoff[{extra}]'"
        raise input_error(where, message) from None
