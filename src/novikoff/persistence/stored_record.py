"""The record of a model as the bytes of its file, and back."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from novikoff._atomic import replacing
from novikoff._json import TREE, Tree, plain_from_tree, plain_to_tree
from novikoff._multiclass import STRATEGIES, MulticlassStrategy
from novikoff._version import __version__
from novikoff.data.late_rows import LateRows
from novikoff.data.position import Position
from novikoff.data.reading import Reading
from novikoff.errors import InvalidInputError, input_error, quote
from novikoff.record import RunRecord
from novikoff.theory.certificate import Certificate
from novikoff.theory.geometry import Floats

from .codec import Bytes, Tensors, check_count, decode, encode, names_from_bytes, names_to_bytes
from .frame import FORMAT, VERSION, Buffer, check_header, pieces, quick_from_text, unpack
from .learners import LEARNERS, Learner
from .sparse_tensors import compress, dense_allowance, expand
from .stated_certificates import check_stated, encode_certificates, names_of_tensors

LABEL_DTYPES = {"object", "str", "bool", "float16", "float32", "float64"}
LABEL_DTYPES |= {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}


@dataclass(frozen=True)
class Labels:
    """The classes in ascending order, and the dtype of their array."""

    dtype: str
    values: list[Any]


@dataclass(frozen=True)
class Features:
    """The number of features, and their names if the columns of a table had names."""

    count: int
    names: Bytes | None


@dataclass(frozen=True)
class Header:
    """All of the header except ``state``, the state of the learner, and ``sparse``, the shapes of sparse arrays."""

    format: str
    version: int
    library: str
    learner: str
    parameters: dict[str, Annotated[Any, TREE]]
    classes: Labels
    features: Features
    reading: Reading | None
    claims: list[list[list[str]]]  # of each certificate, for people who look into the file
    multi_class: str = "ovr"  # the multiclass strategy
    class_count: Floats | None = None  # the training weight of each class, which decides ties
    certificates: tuple[Annotated[Any, TREE], ...] = ()  # for other checkers; ``load`` compares them with the state
    fingerprint: str | None = None  # of the rows that were learned from
    position: Position | None = None  # how far a stream has come in its files
    unlearned: LateRows | None = None  # rows of a stream that were predicted, and whose labels are not learned yet


def save_record(record: RunRecord, path: str | os.PathLike[str]) -> None:
    """Save the record of a model whose class is in the registry of learners.

    Parameters
    ----------
    record : RunRecord
        ``record_`` of the model.
    path : str or path-like
        The file.

    See Also
    --------
    novikoff.save : Save a model.
    """
    parts = checked_parts(record)
    with replacing(path) as file:
        file.writelines(parts)


# ---- writing -------------------------------------------------------------------------------------------------------


def encode_model(record: RunRecord) -> bytes:
    """Return the bytes of the file of a model."""
    return b"".join(checked_parts(record))


def checked_parts(record: RunRecord) -> list[Buffer]:
    """Return the bytes of the file of a model in order. What could not be loaded is refused."""
    try:
        return _parts_of(record)
    except InvalidInputError as error:
        raise input_error(record.learner, f"the model cannot be saved. {error}") from None


def _parts_of(record: RunRecord) -> list[Buffer]:
    names, tensors, learner, state = record.feature_names, Tensors(), LEARNERS[record.learner], record.state
    header = Header(
        format=FORMAT,
        version=VERSION,
        library=__version__,
        learner=record.learner,
        parameters={name: _encode_parameter(name, value) for name, value in record.parameters.items()},
        classes=_encode_classes(record.strategy.classes),
        features=Features(record.n_features, None if names is None else names_to_bytes(names.tolist())),
        reading=record.reading,
        claims=_claims(record.certificates),
        multi_class=record.strategy.name,
        class_count=record.strategy.counts,
        fingerprint=record.fingerprint,
        position=record.position,
        unlearned=record.unlearned,
    )
    tree = encode(Header, header, "", tensors)
    tree["state"] = encode(learner.state_type, state, "state", tensors)
    tree["certificates"] = encode_certificates(record.certificates, tensors)
    tree["sparse"], stored = compress(tensors)
    parts = pieces(tree, stored)
    _check_parts(learner, dataclasses.replace(record, make_state=lambda: state), tree, parts)
    return parts


def _check_parts(learner: type[Learner], record: RunRecord, tree: Tree, parts: list[Buffer]) -> None:
    """Refuse to write what ``load`` would refuse.

    ``encode`` has checked the type of every value. The header is read back, and the learner checks that the parts of
    the state fit each other; a learner that has no ``check_record`` is restored from the bytes.
    """
    if tree != check_header("header", bytes(parts[0][8:]), sum(map(len, parts)), quick_from_text)[0]:
        raise input_error("header", "it is not read as it was written.")
    check = getattr(learner, "check_record", None)
    if check is None:
        decode_model(*unpack("model", b"".join(parts)))
    else:
        _decode_parameters(learner, tree["parameters"])
        _checked_fingerprint(record.fingerprint)
        check(record)


def _claims(certificates: Sequence[Certificate]) -> list[list[list[str]]]:
    return [[list(claim) for claim in certificate.claims()] for certificate in certificates]


def _encode_parameter(name: str, value: Any) -> Any:
    try:
        return plain_to_tree(value)
    except (TypeError, RecursionError):
        allowed = "None, numbers, text, and lists, tuples, dicts and arrays of them"
        message = f"a file cannot hold {quote(value)}, only {allowed}."
        raise input_error(f"parameters.{name}", message) from None


def _encode_classes(classes: NDArray[Any]) -> Labels:
    name = "str" if classes.dtype.kind == "U" else classes.dtype.name
    if name not in LABEL_DTYPES:
        raise input_error("classes", f"labels must be text, numbers or bools, but they have dtype {classes.dtype}.")
    return Labels(name, classes.tolist())


# ---- reading -------------------------------------------------------------------------------------------------------


def position_of(tree: dict[str, Any]) -> Position | None:
    """Return how far the stream has come whose model has this header; None if that is not known."""
    kind: Any = Position | None
    position: Position | None = decode(kind, tree.get("position"), "position", Tensors())
    return position


def decode_model(tree: dict[str, Any], tensors: dict[str, Any]) -> Any:
    """Return the learner that a header and its arrays describe."""
    return decode_stream(tree, tensors)[0]


def decode_stream(tree: dict[str, Any], tensors: dict[str, Any]) -> tuple[Any, LateRows | None]:
    """Return the learner that a header and its arrays describe, and the rows of its stream that are not learned yet."""
    held_bytes = sum(array.nbytes for array in tensors.values())
    tensors = Tensors(tensors, dense_bytes=dense_allowance(held_bytes))
    tree = dict(tree)
    state = tree.pop("state", None)
    expand(tree.pop("sparse", None), tensors)
    arrays = Tensors(tensors)
    header = decode(Header, tree, "", tensors)
    if header.learner not in LEARNERS:
        raise input_error("learner", LEARNERS.unknown(header.learner))
    learner = LEARNERS[header.learner]
    held = decode(learner.state_type, state, "state", tensors)
    for name in names_of_tensors(header.certificates) & tensors.keys():
        del tensors[name]
    if tensors:
        raise input_error("tensors", f"the header does not mention {quote(next(iter(tensors)))}.")
    record = RunRecord(
        learner=header.learner,
        parameters=_decode_parameters(learner, header.parameters),
        strategy=_decode_strategy(header),
        n_features=header.features.count,
        feature_names=_decode_names(header.features),
        reading=header.reading,
        problems=(),
        make_state=lambda: held,
        fingerprint=_checked_fingerprint(header.fingerprint),
    )
    model = _restored(learner, record, header, arrays)
    if header.fingerprint is not None:
        model.fingerprint_ = header.fingerprint  # type: ignore[attr-defined]  # which ``record_`` has again
    return model, header.unlearned


def _restored(learner: type[Learner], record: RunRecord, header: Header, arrays: Tensors) -> Learner:
    """Return the learner of a record, whose certificates must be those that the file states.

    The numbers are those of a stranger, and a learner may be of another package: an error of any kind means that they
    do not fit each other.
    """
    try:
        with np.errstate(all="ignore"):
            model = learner.from_record(record)
            check_stated(header.certificates, model.record_.certificates, arrays)
    except (InvalidInputError, MemoryError, RecursionError):
        raise
    except Exception as error:
        raise input_error("state", f"its values do not fit each other ({type(error).__name__}).") from None
    return model


def _checked_fingerprint(text: str | None) -> str | None:
    if text is not None and not re.fullmatch("sha256:[0-9a-f]{64}", text):
        raise input_error("fingerprint", f"{quote(text)} is not a SHA-256 hash.")
    return text


def _decode_parameters(learner: type[Learner], stored: dict[str, Any]) -> dict[str, Any]:
    expected = _parameters_of(learner)
    if wrong := sorted(expected ^ set(stored)):
        raise input_error("parameters", f"{quote(wrong[0])} is {'unknown' if wrong[0] in stored else 'missing'}.")
    try:
        return {name: plain_from_tree(value) for name, value in stored.items()}
    except (ValueError, RecursionError) as error:
        raise input_error("parameters", f"{error}.") from None


@functools.cache
def _parameters_of(learner: type[Learner]) -> frozenset[str]:
    return frozenset(inspect.signature(learner).parameters)


def _decode_names(features: Features) -> NDArray[Any] | None:
    check_count(features.count, "features.count")
    if features.names is None:
        return None
    names = names_from_bytes(features.names, "features.names")
    if len(names) != features.count or not all(isinstance(name, str) for name in names):
        raise input_error("features.names", f"there must be {features.count} texts, one per feature.")
    return np.array(names, dtype=object)


def _decode_strategy(header: Header) -> MulticlassStrategy:
    classes, counts = _decode_classes(header.classes), header.class_count
    if header.multi_class not in STRATEGIES:
        raise input_error("multi_class", f"{quote(header.multi_class)} is not one of {', '.join(STRATEGIES)}.")
    if counts is not None and (len(counts) != len(classes) or not np.all(counts > 0)):
        raise input_error("class_count", f"there must be {len(classes)} positive numbers, one per class.")
    return STRATEGIES[header.multi_class](classes, counts)


def _decode_classes(labels: Labels) -> NDArray[Any]:
    message = f"the labels must ascend and be of type {quote(labels.dtype)}."
    if labels.dtype not in LABEL_DTYPES:
        raise input_error("classes.dtype", f"{quote(labels.dtype)} is not a type of labels.")
    try:
        ascending = all(low < high for low, high in zip(labels.values, labels.values[1:], strict=False))
        classes = np.array(labels.values, dtype=labels.dtype)
    except (TypeError, ValueError, OverflowError):
        raise input_error("classes.values", message) from None
    if not ascending or classes.tolist() != labels.values or classes.ndim != 1:
        raise input_error("classes.values", message)
    return classes
