"""What clients send, as the writer takes it: examples of a document or of a piece of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import novikoff._core as _core
from novikoff.errors import quote
from novikoff.serve.errors import ServeError

from .examples import NO_LABEL, NOT_SERVED, Examples, joined
from .model import Model
from .pending import Pending, Waiting

NAMED, TEXT, NONE = 0, 1, 2  # what an example has instead of features, as in ReadExamples.features
LEARNED, REPEATED, REFUSED = range(3)
NOT_JSON = ("it is not a JSON", "a string ", "a colon ", "a comma ", "a word ", "something follows")


def message_of(message: str, value: str | None) -> str:
    """Return the words about an example that was refused."""
    return message if value is None else message.replace("{}", quote(value), 1)


def refuse_first(read: _core.ReadExamples) -> None:
    """Raise an error about the first example of a document that cannot be read."""
    bad = read.bad
    if bad:
        place, message, value = bad[0]
        where = f"Example {place}" if read.is_array else "The example"
        words = message_of(message, value)
        code = (400, "bad_json") if words.startswith(NOT_JSON) else (422, "bad_example")
        raise ServeError(*code, f"{where} cannot be used: {words}.")


def refuse_row(prepared: Prepared, is_array: bool) -> None:
    """Raise an error about the first example of a document that cannot be learned."""
    for place, (kind, words) in enumerate(prepared.rows or ()):
        if kind == REFUSED:
            status = (404, "unknown_id") if "waits for its label" in words else (422, "bad_example")
            where = f"Example {place}" if is_array else "The example"
            raise ServeError(*status, f"{where} cannot be learned: {words}.")


def read_to_learn(model: Model, body: bytes, limits: _core.ExampleLimits) -> _core.ReadExamples:
    """Read a document whose examples are to be learned; raise a ServeError if one of them cannot be read."""
    read = _core.read_examples(body, model.names, model.labels, limits, True)
    refuse_first(read)
    return read


@dataclass(eq=False)
class Totals:
    """What a stream has learned so far."""

    examples: int = 0
    mistakes: int = 0
    errors: int = 0
    version: int = 0
    first_error: dict[str, Any] | None = None  # the line that answers it


@dataclass(eq=False)
class Document:
    """The examples of one request to learn, of which all are learned or none."""

    read: _core.ReadExamples
    names: _core.NameTable  # with which it was read
    is_stream: bool = False


@dataclass(eq=False)
class Piece:
    """Some lines of a stream."""

    read: _core.ReadExamples
    names: _core.NameTable
    has_answers: bool
    totals: Totals  # of the stream, which the writer adds to
    is_last: bool = False
    is_stream: bool = True


@dataclass(eq=False)
class Prepared:
    """The examples of a request that are to be learned, and what is to be answered to each of its examples.

    Attributes
    ----------
    examples : Examples
        What is to be learned.
    rows : list or None
        For each example of the request that could be read, (LEARNED, place in ``examples``), (REPEATED, id) or
        (REFUSED, words); None if all are to be learned.
    """

    examples: Examples
    rows: list[tuple[int, Any]] | None = None


def prepare(
    model: Model, read: _core.ReadExamples, pending: Pending, limits: _core.ExampleLimits, taken: set[str]
) -> Prepared:
    """Find out what of a request is to be learned.

    Parameters
    ----------
    model : Model
        The model.
    read : ReadExamples
        The examples.
    pending : Pending
        Predictions that wait for their labels.
    limits : ExampleLimits
        Limits of an example.
    taken : set
        Ids that are learned in the same group; those of this request are added.
    """
    codes, ids, kinds = read.codes, read.ids, read.features
    if ids is None and not kinds.any() and not (codes == NO_LABEL).any():
        return Prepared(Examples.of(read))
    rows: list[tuple[int, Any]] = []
    waiting: dict[int, Waiting] = {}  # by row
    earlier: dict[int, Examples] = {}  # what was predicted, by row
    learned: list[int] = []
    for row in range(len(codes)):
        id = None if ids is None else ids[row]
        if id is not None and (id in taken or model.ids.get(id) is not None):
            rows.append((REPEATED, id))
            continue
        found = None if id is None else pending.get(model.number, id)
        words = _problem(model, int(kinds[row]), int(codes[row]), id, found)
        if words is None and found is not None and kinds[row] == NONE:
            predicted = _core.read_examples(found.text, model.names, model.labels, limits, True)
            if predicted.bad:  # such as too many names
                words = message_of(*predicted.bad[0][1:])
            else:
                earlier[row] = features_of(model, predicted)
        if words is not None:
            rows.append((REFUSED, words))
            continue
        if found is not None:
            waiting[row] = found
        if id is not None:
            taken.add(id)
        rows.append((LEARNED, len(learned)))
        learned.append(row)
    return Prepared(_gathered(model, read, learned, waiting, earlier), rows)


def _problem(model: Model, kind: int, code: int, id: str | None, found: Waiting | None) -> str | None:
    """Return why an example cannot be learned; None if it can."""
    if code == NO_LABEL:
        return "it has no label y"
    if kind == TEXT and model.hashing is None:
        return "it is a text, but the model takes features in x. Make a model with hashing for texts"
    if kind == NONE and found is None:
        return f"no prediction with the id {quote(id)} waits for its label. Send its features again, in x"
    return None


def _gathered(
    model: Model,
    read: _core.ReadExamples,
    learned: list[int],
    waiting: dict[int, Waiting],
    earlier: dict[int, Examples],
) -> Examples:
    """Return the examples to learn, with the features of predictions that waited and those of texts."""
    given, kinds = Examples.of(read), read.features
    rows = np.array(learned, dtype=np.intp)
    parts = []
    if all(kinds[row] == NAMED for row in learned):
        parts = [given.taken(rows)] if learned else []
    else:
        texts = read.texts
        for row in learned:
            own = given.taken(np.array([row]))
            if kinds[row] == TEXT and texts is not None:
                own = with_features(own, texts_as_rows(model, [texts[row] or ""]))
            elif kinds[row] == NONE:
                own = with_features(own, earlier[row])
            parts.append(own)
    examples = joined(parts) if parts else given.taken(rows)
    if waiting:
        codes = [waiting[row].code if row in waiting else NOT_SERVED for row in learned]
        versions = [waiting[row].version if row in waiting else -1 for row in learned]
        examples.served = (np.array(codes, dtype=np.int32), np.array(versions, dtype=np.int64))
    return examples


def with_features(labelled: Examples, features: Examples) -> Examples:
    """Return examples with the features of others."""
    return Examples(
        features.offsets,
        features.columns,
        features.values,
        labelled.codes,
        max(labelled.width, features.width),
        labelled.weights,
        labelled.ids,
        new_names=features.new_names,
        new_labels=labelled.new_labels,
    )


def features_of(model: Model, read: _core.ReadExamples) -> Examples:
    """Return the features of examples, of which some may be texts."""
    named = Examples.of(read)
    texts = read.texts
    if texts is None:
        return named
    parts = []
    for row, kind in enumerate(read.features.tolist()):
        own = named.taken(np.array([row]))
        parts.append(with_features(own, texts_as_rows(model, [texts[row] or ""])) if kind == TEXT else own)
    return joined(parts)


def texts_as_rows(model: Model, texts: list[str]) -> Examples:
    """Return texts as rows of hashed words."""
    if model.hashing is None:
        message = "The example is a text, but the model takes features in x. Make a model with hashing for texts."
        raise ServeError(422, "bad_example", message)
    X = model.hashing.transform(texts)
    codes = np.full(len(texts), -1, dtype=np.int32)
    return Examples(X.indptr.astype(np.int32), X.indices.astype(np.int32), X.data, codes, X.shape[1])
