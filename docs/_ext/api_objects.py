"""What the reference shows of docstrings, which are written for terminals and editors as well.

A class is shown with its own members and those inherited from novikoff, not with those of other packages. Bars and
underscores in formulas, as in ``|w|`` and ``x_i``, are text and not the markup that they would be for docutils.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

OF_C = ("method_descriptor", "classmethod_descriptor", "getset_descriptor", "builtin_function_or_method")
FIELD_OF_TUPLE = "_tuplegetter"  # its docstring is "Alias for field number 0"
LITERAL = re.compile(r"(``.*?``|`[^`]*`_?)")
UNDERSCORE = re.compile(r"(?<=\w)_(?=[\s.,;:()/-]|$)")
DIRECTIVE = re.compile(r"\s*(\.\. |:\w+:)")


def _skip(app: Any, kind: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    function = getattr(member, "fget", None) or getattr(member, "func", None) or member
    is_ours = str(getattr(function, "__module__", "novikoff")).startswith("novikoff")
    is_plain = type(member).__name__ in (*OF_C, FIELD_OF_TUPLE) or inspect.isclass(member)
    return None if is_ours and not is_plain else True


def escaped(line: str) -> str:
    """Return a line of text in which bars and final underscores have no meaning."""
    parts = LITERAL.split(line)
    parts[::2] = [UNDERSCORE.sub(r"\_", part.replace("|", r"\|")) for part in parts[::2]]
    return "".join(parts)


def _escape(app: Any, kind: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    is_example = False
    for i, line in enumerate(lines):
        is_example = line.lstrip().startswith(">>>") or (is_example and bool(line.strip()))
        if not is_example and not DIRECTIVE.match(line):
            lines[i] = escaped(line)


def setup(app: Any) -> dict[str, bool]:
    """Choose the members, and escape text after numpydoc has read the sections."""
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-docstring", _escape, priority=900)
    app.config.autosummary_filename_map = {  # files whose names differ in case only are one file on some systems
        "novikoff.trace": "novikoff.trace-function",
        "novikoff.evaluate.holdout": "novikoff.evaluate.holdout-function",
        "novikoff.evaluate.scores": "novikoff.evaluate.scores-function",
    }
    return {"parallel_read_safe": True, "parallel_write_safe": True}
