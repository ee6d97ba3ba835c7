"""Ids of examples that were learned, so that the same one is not learned twice."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

from .examples import NOT_SERVED

SERVED = 1 << 32  # factor of what was served in an integer whose rest is the prediction


class Remembered(NamedTuple):
    """What was answered to an example with an id.

    Attributes
    ----------
    predicted : int
        Code of the label that was predicted; -1 for none.
    is_mistake : bool
        Whether it was wrong.
    served : int
        Code of the label that had been served before; -1 for none, `NOT_SERVED` if the example was not served.
    """

    predicted: int
    is_mistake: bool
    served: int = NOT_SERVED


class LearnedIds:
    """The latest ids of a model, each with what was answered, as one integer.

    Parameters
    ----------
    limit : int
        How many are remembered.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._answers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, id: str) -> Remembered | None:
        """Return what was answered to an id; None if it was not learned."""
        packed = self._answers.get(id)
        if packed is None:
            return None
        served = (packed + SERVED // 2) // SERVED  # 0 in snapshots of earlier versions
        rest = packed - served * SERVED
        return Remembered(rest >> 1, bool(rest & 1), served + NOT_SERVED)

    def add(self, id: str, answered: Remembered) -> None:
        """Remember an id."""
        answers = self._answers
        answers.pop(id, None)
        rest = answered.predicted << 1 | answered.is_mistake
        answers[id] = (answered.served - NOT_SERVED) * SERVED + rest
        if len(answers) > self._limit:
            del answers[next(iter(answers))]

    def state(self) -> list[Any]:
        """Return the ids and the answers, from which ``restore`` goes on."""
        return [list(self._answers), list(self._answers.values())]

    def restore(self, state: list[Any]) -> None:
        """Go on from a state."""
        ids, answers = state
        kept = islice(zip(ids, answers, strict=True), max(0, len(ids) - self._limit), None)
        self._answers = dict(kept)
