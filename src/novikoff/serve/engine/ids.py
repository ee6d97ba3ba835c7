"""Ids of examples that were learned, so that the same one is not learned twice."""

from __future__ import annotations

from itertools import islice
from typing import Any


class LearnedIds:
    """The latest ids of a model, each with what was answered: the code that was predicted, and whether it was wrong.

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

    def get(self, id: str) -> tuple[int, bool] | None:
        """Return what was predicted for an id, and whether it was a mistake; None if it was not learned."""
        packed = self._answers.get(id)
        return None if packed is None else (packed >> 1, bool(packed & 1))

    def add(self, id: str, predicted: int, is_mistake: bool) -> None:
        """Remember an id."""
        answers = self._answers
        answers.pop(id, None)
        answers[id] = predicted << 1 | is_mistake
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
