"""The calls of the HTTP interface: the request of each, and how its answer is read."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote as quoted

import msgspec

from novikoff._client.errors import ServerError
from novikoff.errors import input_error, quote
from novikoff.persistence import loads

Features = Mapping[str, Any] | str
Example = Mapping[str, Any] | tuple[Features, Any]


def plain_scalar(value: Any) -> Any:
    """Return a number of NumPy as one of Python."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()
    raise TypeError(f"a value is a {type(value).__name__}, which JSON cannot express")


_ENCODER = msgspec.json.Encoder(enc_hook=plain_scalar)


def to_json(value: Any, where: str = "Client") -> bytes:
    """Return a value as JSON, numbers of NumPy included."""
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise input_error(where, f"the request cannot be written as JSON: {error}.") from error


def read_json(content: bytes) -> Any:
    """Return the value of a JSON answer; an empty answer is an empty dict."""
    try:
        return msgspec.json.decode(content) if content else {}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ServerError(200, "unexpected_answer", f"The answer of the server is not JSON: {error}.") from error


def read_models(content: bytes) -> list[str]:
    """Return the names in the answer about all models."""
    names: list[str] = read_json(content)["models"]
    return names


@dataclass(frozen=True)
class Call:
    """One call.

    Attributes
    ----------
    method : str
        The HTTP method.
    path : str
        The path of the request.
    content : bytes or None
        The body of the request, JSON.
    read : callable
        Turns the body of the answer into the result.
    is_repeatable : bool
        Whether the call may be made twice with the effect of one.
    status_of_repetition : int or None
        The status that the second of two equal calls is answered with, in place of success.
    content_type : str
        The type of the body.
    """

    method: str
    path: str
    content: bytes | None = None
    read: Callable[[bytes], Any] = read_json
    is_repeatable: bool = True
    status_of_repetition: int | None = None
    content_type: str = "application/json"


def model_path(model: str, *rest: str) -> str:
    """Return the path of a model, or of something that belongs to it."""
    if not isinstance(model, str) or not model:
        raise input_error("Client", f"the name of a model must be text that is not empty, but it is {quote(model)}.")
    return "/".join(["/v1/models", *(quoted(part, safe="") for part in (model, *rest))])


def example(x: Features, y: Any = None, weight: float | None = None, id: str | None = None) -> dict[str, Any]:
    """Return an example as the server reads it. ``x`` is text or a mapping of features; None leaves a key out."""
    if not isinstance(x, str | Mapping):
        kind = type(x).__name__
        raise input_error("Client", f"x must be a mapping of names to values, or text, but it is a {kind}.")
    found = {"text" if isinstance(x, str) else "x": x, "y": y, "weight": weight, "id": id}
    return {key: value for key, value in found.items() if value is not None}


def examples(
    xs: Iterable[Features], ys: Sequence[Any] | None, weights: Sequence[float] | None, ids: Sequence[str] | None
) -> list[dict[str, Any]]:
    """Return several examples as the server reads them."""
    rows = list(xs)
    columns = {"ys": ys, "weights": weights, "ids": ids}
    for name, column in columns.items():
        if column is not None and len(column) != len(rows):
            message = f"{name} has {len(column)} entries for {len(rows)} examples. It needs one for each."
            raise input_error("Client", message)
    none = [None] * len(rows)
    filled = (none if column is None else column for column in columns.values())
    return [example(*row) for row in zip(rows, *filled, strict=True)]


def labels(ids: Sequence[str], ys: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the labels of earlier predictions as the server reads them."""
    if len(ids) != len(ys):
        raise input_error("Client", f"ys has {len(ys)} entries for {len(ids)} ids. It needs one for each.")
    return [{"id": id, "y": y} for id, y in zip(ids, ys, strict=True)]


def predict(model: str, body: Any) -> Call:
    """Return the call that predicts one example or a list of them."""
    return Call("POST", model_path(model, "predict"), to_json(body))


def learn(model: str, body: dict[str, Any] | list[dict[str, Any]], with_ids: bool) -> Call:
    """Return the call that learns one example or a list of them.

    Parameters
    ----------
    model : str
        Name of the model.
    body : dict or list of dict
        The example or examples.
    with_ids : bool
        Whether examples without an id get a random one, so that the call may be repeated.
    """
    rows = body if isinstance(body, list) else [body]
    if with_ids:
        rows = [row if "id" in row else {**row, "id": uuid.uuid4().hex} for row in rows]
    content = to_json(rows if isinstance(body, list) else rows[0])
    return Call("POST", model_path(model, "learn"), content, is_repeatable=all("id" in row for row in rows))


def create(model: str, specification: dict[str, Any]) -> Call:
    """Return the call that makes a model."""
    return Call("PUT", model_path(model), to_json(specification))


def copy(model: str, to: str) -> Call:
    """Return the call that copies a model. A second one would find that the copy exists."""
    return Call("POST", model_path(model, "copy"), to_json({"to": to}), is_repeatable=False)


def delete(model: str) -> Call:
    """Return the call that deletes a model. A second one finds that it is gone."""
    return Call("DELETE", model_path(model), read=lambda content: {}, status_of_repetition=404)


def add_shadow(model: str, shadow: str, specification: dict[str, Any]) -> Call:
    """Return the call that adds a shadow learner to a model."""
    return Call("PUT", model_path(model, "shadows", shadow), to_json(specification))


def remove_shadow(model: str, shadow: str) -> Call:
    """Return the call that removes a shadow learner. A second one finds that it is gone."""
    return Call("DELETE", model_path(model, "shadows", shadow), read=lambda content: {}, status_of_repetition=404)


def models() -> Call:
    """Return the call that lists the models."""
    return Call("GET", "/v1/models", read=read_models)


def describe(model: str) -> Call:
    """Return the call that describes a model."""
    return Call("GET", model_path(model))


def certificate(model: str) -> Call:
    """Return the call that asks for the certificate of a model."""
    return Call("GET", model_path(model, "certificate"))


def download(model: str) -> Call:
    """Return the call whose result is a learner that has learned what the model has."""
    return Call("GET", model_path(model, "model"), read=loads)


def specification(learner: str, **entries: Any) -> dict[str, Any]:
    """Return how a model is made, without the entries that are None."""
    return {"learner": learner, **{key: value for key, value in entries.items() if value is not None}}
