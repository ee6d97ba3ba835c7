"""Running the checks of a contract one after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

Check = Callable[..., None]
Pairs = list[tuple[str, Check]]


def named(functions: Collection[Check]) -> Pairs:
    """Return pairs of name and function; the name is that of the function without ``check_``."""
    return [(function.__name__.removeprefix("check_"), function) for function in functions]


def run(subject: str, checks: Pairs, exclude: Collection[str], *arguments: Any) -> None:
    """Call every check that is not excluded. A note on the error says which check failed."""
    table = dict(checks)
    if unknown := sorted(set(exclude) - set(table)):
        raise ValueError(f"There is no check named {unknown[0]!r}; known: {', '.join(table)}.")
    for name, check in table.items():
        if name not in exclude:
            try:
                check(*arguments)
            except Exception as error:
                error.add_note(f"{subject} failed the check {name!r}.")
                raise


def require(condition: object, message: str) -> None:
    """Raise AssertionError unless the condition is true, also where Python runs with -O."""
    if not condition:
        raise AssertionError(message)
