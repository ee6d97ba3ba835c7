"""Names of models and shadows."""

from __future__ import annotations

import re
from typing import Any

from novikoff.errors import quote

from .errors import ServeError

DEFAULT_MODEL = "default"  # which a server makes if it has none
MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
MODEL_NAME_RULE = "1 to 100 letters, digits, '.', '_' or '-', the first of them a letter or a digit"


def check_name(name: Any) -> str:
    """Return the name of a model or shadow that is to be made.

    Raises
    ------
    ServeError
        It is not allowed.
    """
    if isinstance(name, str) and MODEL_NAME.fullmatch(name):
        return name
    raise ServeError(422, "bad_name", f"A name must have {MODEL_NAME_RULE}, but it is {quote(name)}.")
