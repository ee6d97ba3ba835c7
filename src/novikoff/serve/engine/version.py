"""What predictions are made from: a model as it was after some number of examples."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff.online.frozen import Frozen, chosen


def label_text(label: Any) -> str:
    """Return a label in JSON."""
    return json.dumps(label, ensure_ascii=False)


def key_text(label: Any) -> str:
    """Return a label as the key of an object in JSON."""
    return label_text(label if isinstance(label, str) else label_text(label))


class Version:
    """A model after some number of examples. It never changes.

    Parameters
    ----------
    number : int
        Number of examples.
    frozen : Frozen
        The learner at that moment.
    code_of : mapping
        The codes of labels.

    Attributes
    ----------
    labels : list
        The labels that may be predicted.
    """

    __slots__ = ("_codes", "_frozen", "_keys", "_one", "_texts", "labels", "number")

    def __init__(self, number: int, frozen: Frozen, code_of: Mapping[Any, int]) -> None:
        self.number, self._frozen, self.labels = number, frozen, list(frozen.labels)
        self._codes = np.array([code_of[label] for label in frozen.labels], dtype=np.int32)
        self._texts = [label_text(label) for label in frozen.labels]
        self._keys = [key_text(label) for label in frozen.labels]
        self._one = None
        if frozen.one_score is not None:
            self._one = (*frozen.one_score, self._texts[0], self._texts[-1], f',"version":{number}}}')

    def decide(self, rows: _core.Rows, matrix: Callable[[], Any]) -> tuple[NDArray[np.intp] | None, Any]:
        """Return which of the known labels is predicted for each row, and the scores; None if none is known."""
        if not self._texts:
            return None, None
        decisions = self._frozen.decisions(rows, matrix)
        return chosen(decisions, len(self.labels)), decisions

    def answer_one(
        self, body: bytes, names: _core.NameTable, labels: _core.LabelTable, limits: _core.ExampleLimits
    ) -> bytes | None:
        """Return the answer to a request with one example that has features and no id, quickly; None for any other."""
        return None if self._one is None else _core.answer_one(body, names, labels, limits, *self._one)

    def codes(self, places: NDArray[np.intp] | None, count: int) -> NDArray[np.int32]:
        """Return the codes of predictions; -1 for none."""
        return np.full(count, -1, dtype=np.int32) if places is None else self._codes[places]

    def answers(
        self, places: NDArray[np.intp] | None, decisions: Any, ids: list[str | None] | None, count: int
    ) -> list[str]:
        """Return one JSON object for each prediction."""
        ends = [f',"version":{self.number}}}'] * count
        if ids is not None:
            own = zip(ends, ids, strict=True)
            ends = [end if id is None else f'{end[:-1]},"id":{label_text(id)}}}' for end, id in own]
        if places is None:
            return [f'{{"label":null{end}' for end in ends]
        texts = self._texts
        if decisions.ndim == 1:
            rows = zip(places.tolist(), decisions.tolist(), ends, strict=True)
            return [f'{{"label":{texts[place]},"score":{number_text(score)}{end}' for place, score, end in rows]
        found = []
        for place, scores, end in zip(places.tolist(), decisions.tolist(), ends, strict=True):
            named = ",".join(f"{key}:{number_text(score)}" for key, score in zip(self._keys, scores, strict=True))
            found.append(f'{{"label":{texts[place]},"scores":{{{named}}}{end}')
        return found


def number_text(value: float) -> str:
    """Return a number in JSON, which has no infinity."""
    text = repr(value)
    return "null" if text in ("inf", "-inf", "nan") else text
