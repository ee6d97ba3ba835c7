"""Alarms of a stream: conditions such as window_loss>0.2, which are judged with every record."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from novikoff import evaluate
from novikoff._counts import count
from novikoff.errors import input_error, quote

from ._stream_numbers import NAMES, WINDOW_NAMES, numbers_of

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
FORM = re.compile(r"\s*([a-z_]+)\s*(>=|<=|>|<)\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*")


@dataclass(frozen=True)
class Condition:
    """A name of a number, an operator and a limit."""

    text: str
    name: str
    operator: str
    limit: float

    def holds(self, value: float) -> bool:
        """Return whether a value fulfils the condition."""
        return OPERATORS[self.operator](value, self.limit)


def parse_condition(text: str, has_window: bool) -> Condition:
    """Return the condition that a text such as window_loss>0.2 means."""
    found = FORM.fullmatch(text)
    if found is None:
        raise input_error("--alarm", f"a condition such as 'window_loss>0.2' is needed, not {quote(text)}.")
    name = found[1]
    if name not in (known := NAMES | WINDOW_NAMES):
        raise input_error("--alarm", f"{quote(name)} is not one of {', '.join(known)}.")
    if name in WINDOW_NAMES and not has_window:
        raise input_error("--alarm", f"{name} needs a window. Add --window 1000.")
    return Condition(text.strip(), name, found[2], float(found[3]))


class Alarms:
    """The alarms of a stream. One is raised when its condition begins to hold, and ends when it holds no longer.

    Parameters
    ----------
    texts : sequence of str
        The conditions.
    window : int or None
        The size of the window. Its numbers are judged when it is full.
    """

    def __init__(self, texts: Sequence[str], window: int | None) -> None:
        self._conditions = [parse_condition(text, window is not None) for text in texts]
        self._window = window
        self.active: dict[str, bool] = {condition.text: False for condition in self._conditions}
        self.raised = 0

    def judge(self, record: evaluate.Record) -> list[str]:
        """Return a sentence for each alarm that begins or ends with this record."""
        numbers = numbers_of(record)
        is_full = record.window is not None and record.window.examples == self._window
        sentences = []
        for condition in self._conditions:
            value = numbers.get(condition.name)
            if value is None or (condition.name in WINDOW_NAMES and not is_full):
                continue
            holds, held = condition.holds(value), self.active[condition.text]
            if holds != held:
                state = "alarm" if holds else "alarm ended"
                place = f"after {count(record.examples)} examples"
                sentences.append(f"{state}: {condition.text}, {condition.name} is {value:.6g} {place}")
                self.active[condition.text] = holds
                self.raised += holds
        return sentences
