"""Answers to requests to learn."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

import novikoff._core as _core

from .arm import Run
from .examples import NOT_SERVED
from .ids import Remembered
from .model import Model
from .requests import LEARNED, REPEATED, Document, Piece, Prepared, Totals, message_of
from .version import key_text, label_text

encode = msgspec.json.encode


class Learned:
    """What a model answered to the examples of one request that it learned.

    Parameters
    ----------
    model : Model
        The model.
    prepared : Prepared
        The request.
    runs : list of Run
        The predictions of the examples that were learned.
    first : int
        Number of the first of them.
    refused : dict
        Code and words of the error of examples that were refused, by their place among those to be learned.
    """

    def __init__(
        self, model: Model, prepared: Prepared, runs: list[Run], first: int, refused: dict[int, tuple[str, str]]
    ) -> None:
        self.model, self.prepared, self.runs, self.first, self.refused = model, prepared, runs, first, refused

    def document(self, content: Document) -> bytes:
        """Return the answer to a request."""
        answers = self._objects(content.read.ids)
        return encode(answers if content.read.is_array else answers[0])

    def _objects(self, ids: list[str | None] | None) -> list[dict[str, Any]]:
        """Return one object for each example that could be read."""
        labels = self.model.label_values()
        learned = iter(self._learned(labels))
        count = len(self.prepared.examples)
        each = [_error(*self.refused[place]) if place in self.refused else next(learned) for place in range(count)]
        if self.prepared.rows is not None:
            each = [self._of_row(row, each, labels) for row in self.prepared.rows]
        if ids is not None:
            for answer, id in zip(each, ids, strict=True):
                if id is not None:
                    answer["id"] = id
        return each

    def _learned(self, labels: list[Any]) -> list[dict[str, Any]]:
        """Return one object for each example that was learned."""
        codes, served = self._codes().tolist(), self.prepared.examples.served
        kept = [place for place in range(len(self.prepared.examples)) if place not in self.refused]
        answers: list[dict[str, Any]] = []
        for run in self.runs:
            width = run.scores.shape[1]
            for code, scores in zip(run.predicted.tolist(), run.scores.tolist(), strict=True):
                number = len(answers)
                answer: dict[str, Any] = {"predicted": None if code < 0 else labels[code]}
                if code >= 0 and width == 1:
                    answer["score"] = _finite(scores[0])
                elif code >= 0 and width > 1:
                    own = zip(run.keys, scores, strict=True)
                    answer["scores"] = {_key(labels[key]): _finite(score) for key, score in own}
                answer["mistake"] = code != codes[number]
                answer["version"] = self.first + number + 1
                if served is not None and (before := int(served[0][kept[number]])) != NOT_SERVED:
                    answer["served"] = None if before < 0 else labels[before]
                answers.append(answer)
        return answers

    def _codes(self) -> Any:
        """Return the labels of the examples that were learned."""
        codes = self.prepared.examples.codes
        return np.delete(codes, list(self.refused)) if self.refused else codes

    def _of_row(self, row: tuple[int, Any], learned: list[dict[str, Any]], labels: list[Any]) -> dict[str, Any]:
        kind, what = row
        if kind == LEARNED:
            own: dict[str, Any] = learned[what]
            return own
        if kind == REPEATED:
            for place, error in self.refused.items():
                if (ids := self.prepared.examples.ids) is not None and ids[place] == what:
                    return _error(*error)
            known = self.model.ids.get(what) or Remembered(-1, False)
            predicted = None if known.predicted < 0 else labels[known.predicted]
            answer = {"predicted": predicted, "mistake": known.is_mistake}
            if known.served != NOT_SERVED:
                answer["served"] = None if known.served < 0 else labels[known.served]
            return answer | {"version": self.model.examples, "repeated": True}
        return _error("bad_example", f"The example cannot be used: {what}.")

    def piece(self, content: Piece) -> bytes:
        """Return the lines that answer a piece of a stream, and add to its totals."""
        read, totals = content.read, content.totals
        bad = read.bad
        refused = len(self.refused)
        if self.prepared.rows is not None:
            refused += sum(kind not in (LEARNED, REPEATED) for kind, _ in self.prepared.rows)
        codes = self._codes()
        mistakes, at = 0, 0
        for run in self.runs:
            mistakes += int(np.count_nonzero(run.predicted != codes[at : at + len(run.predicted)]))
            at += len(run.predicted)
        totals.examples += at
        totals.mistakes += mistakes
        totals.errors += refused + len(bad)
        totals.version = self.model.examples
        lines: list[dict[str, Any]] | None = None
        if bad or self.refused or self.prepared.rows is not None:
            lines = self._lines(read, bad)
            if totals.first_error is None:
                totals.first_error = next((line for line in lines if "error" in line), None)
        if not content.has_answers:
            return b""
        return self._quick_lines(codes) if lines is None else b"".join(encode(line) + b"\n" for line in lines)

    def _quick_lines(self, codes: Any) -> bytes:
        labels = self.model.label_values()
        texts = [label_text(label) for label in labels]
        parts, at = [], 0
        for run in self.runs:
            keys = [key_text(labels[key]) for key in run.keys] if run.scores.shape[1] > 1 else []
            own = codes[at : at + len(run.predicted)]
            parts.append(_core.answer_lines(run.predicted, run.scores, own, texts, keys))
            at += len(run.predicted)
        return b"".join(parts)

    def _lines(self, read: _core.ReadExamples, bad: list[tuple[int, str, str | None]]) -> list[dict[str, Any]]:
        """Return the lines of a piece with lines that were refused, each in its place."""
        refused = {place: message_of(message, value) for place, message, value in bad}
        answers = iter(self._objects(read.ids))
        lines = []
        for place in read.places.tolist():
            answer = next(answers)
            if "error" in answer:
                answer["line"] = place + 1
            answer.pop("version", None)
            lines.append((place, answer))
        for place, words in refused.items():
            error = {"code": "bad_line", "message": f"The line cannot be used: {words}."}
            lines.append((place, {"error": error, "line": place + 1}))
        lines.sort(key=lambda line: line[0])
        return [answer for _, answer in lines]


def summary(totals: Totals) -> bytes:
    """Return the last line of a stream, which also has the first line that was refused."""
    counts = {"examples": totals.examples, "mistakes": totals.mistakes, "errors": totals.errors}
    first = {} if totals.first_error is None else {"first_error": totals.first_error}
    return encode({"summary": counts | {"version": totals.version} | first}) + b"\n"


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def _key(label: Any) -> str:
    return label if isinstance(label, str) else label_text(label)


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None
