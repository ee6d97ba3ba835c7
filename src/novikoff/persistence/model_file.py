"""A model as one file that cannot run code: a safetensors file with a JSON header that describes its arrays.

The header is in the metadata of the file, under ``novikoff``: the version of the format, the learner and its
parameters, the classes, the features, how files became rows, the claims of the certificates in words, and the state of
the learner. Arrays are tensors, named after their path in the header; arrays that are mostly zeros are stored sparsely
(``sparse_tensors.py``). docs/models.md describes the format.

``save`` reads back what it is about to write, and replaces the file as a whole or not at all. ``load`` checks every
value before it builds a model: a damaged file raises ``InvalidInputError`` with the place of the damage.
"""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from novikoff._atomic import replacing
from novikoff._json import TREE, plain_from_tree, plain_to_tree
from novikoff._multiclass import OneVsRest
from novikoff._version import __version__
from novikoff.data.reading import Reading
from novikoff.errors import InvalidInputError, file_error, input_error, quote
from novikoff.record import RunRecord

from .codec import Bytes, Tensors, check_count, decode, encode, names_from_bytes, names_to_bytes
from .frame import FORMAT, VERSION, check_start, damaged, is_model_start, pack, unpack
from .learners import LEARNERS, Learner
from .sparse_tensors import compress, expand
from .table_pipeline import is_table_pipeline, pipeline_of, refuse_pipeline, table_record

READING_ADDED = ("exclude", "dialect", "columns", "encoding", "encoder")  # by version 2
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
    claims: list[list[list[str]]]  # of each certificate, for people who look into the file; ``load`` does not use them


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted model to a file that ``load`` reads.

    The file is a safetensors file: it holds numbers and text, and cannot run code. It is written under a temporary name
    and renamed when all of it is on the disk, so that a failure leaves the previous file.

    Parameters
    ----------
    model : learner or Pipeline
        A fitted learner of novikoff, or of a class in the registry ``novikoff.persistence.LEARNERS``; or a pipeline of
        a ``TableEncoder`` and such a learner.
    path : str or path-like
        The file. The usual suffix is ``.nvk``.

    Raises
    ------
    InvalidInputError
        If the model is not fitted, or has a parameter that a file cannot hold, such as a function.
    FileError
        If the file cannot be written.

    See Also
    --------
    load : Load a saved model.

    Examples
    --------
    >>> import os, tempfile
    >>> import novikoff as nk
    >>> model = nk.Perceptron().fit([[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0]], ["yes", "yes", "no"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nk.save(model, os.path.join(folder, "model.nvk"))
    ...     again = nk.load(os.path.join(folder, "model.nvk"))
    >>> again.predict([[3.0, 1.0]])
    array(['yes'], dtype='<U3')
    """
    _check_path("save", path)
    refuse_pipeline("save", model)
    last = model.steps[-1][1] if is_table_pipeline(model) else model
    learner = type(last).__name__
    if LEARNERS.get(learner) is not type(last):
        known = "novikoff saves its own learners, and classes that novikoff.persistence.LEARNERS.register adds"
        raise input_error("save", f"a {learner} cannot be saved: {known}.")
    if getattr(last, "record_", None) is None:
        raise input_error(learner, "the model has not been fitted, so there is nothing to save.")
    save_record(last.record_ if last is model else table_record(model), path)


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
    save : Save a model.
    """
    try:
        data = encode_model(record)
        _decode(*unpack(os.fspath(path), data))  # a file that cannot be loaded never replaces one that can
    except InvalidInputError as error:
        raise input_error(record.learner, f"the model cannot be saved. {error}") from None
    with replacing(path) as file:
        file.write(data)


def load(path: str | os.PathLike[str]) -> Any:
    """Load a model that ``save`` wrote, and check every value of the file.

    An online learner continues where it was, bit for bit. Nothing in the file is executed.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    learner or Pipeline
        A model of the class that was saved, with the same predictions, parameters and certificates. If it was fitted to
        a table, a pipeline of the encoder and the learner, which predicts from tables.

    Raises
    ------
    InvalidInputError
        If the file is not a model, is cut short or damaged, or was written by a newer version of the format.
    FileError
        If the file cannot be read.

    See Also
    --------
    save : Save a model.

    Examples
    --------
    >>> import os, tempfile
    >>> import novikoff as nk
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], ["no", "no", "yes", "yes"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nk.LinearSVM(C=10.0).fit(X, y).save(os.path.join(folder, "model.nvk"))
    ...     model = nk.load(os.path.join(folder, "model.nvk"))
    >>> bool(model.certificate_.verify(X, y))
    True
    """
    name = _check_path("load", path)
    try:
        with open(path, "rb") as file:
            start = file.peek(9)
            if len(start) >= 9:
                check_start(name, start)  # a large file that is not a model is not read whole
            data = file.read()
    except InvalidInputError:
        raise
    except (OSError, ValueError) as error:
        raise file_error(name, error) from None
    tree, tensors = unpack(name, data)
    try:
        model = _decode(tree, tensors)
        reading = getattr(model, "reading_", None)
        return model if reading is None or reading.encoding is None else pipeline_of(model)
    except InvalidInputError as error:
        raise damaged(name, error) from None


def is_model(path: str | os.PathLike[str]) -> bool:
    """Whether a file looks like a saved model, by its first bytes.

    Parameters
    ----------
    path : str or path-like
        The file, which need not exist.

    Returns
    -------
    bool
        True if ``load`` is worth trying.
    """
    try:
        with open(path, "rb") as file:
            return is_model_start(file.read(1 << 16))
    except (OSError, ValueError):
        return False


def _check_path(where: str, path: Any) -> str:
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise input_error(where, f"path must be a str or a path, but it is {quote(path)}.")
    return str(path)


# ---- writing -------------------------------------------------------------------------------------------------------


def encode_model(record: RunRecord) -> bytes:
    """Return the bytes of the file of a model."""
    names, tensors = record.feature_names, Tensors()
    header = Header(
        format=FORMAT,
        version=VERSION,
        library=__version__,
        learner=record.learner,
        parameters={name: _encode_parameter(name, value) for name, value in record.parameters.items()},
        classes=_encode_classes(record.strategy.classes),
        features=Features(record.n_features, None if names is None else names_to_bytes(names.tolist())),
        reading=record.reading,
        claims=[[list(claim) for claim in certificate.claims()] for certificate in record.certificates],
    )
    tree = encode(Header, header, "", tensors)
    tree["state"] = encode(LEARNERS[record.learner].state_type, record.state, "state", tensors)
    tree["sparse"], stored = compress(tensors)
    return pack(tree, stored)


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


def _upgraded(tree: dict[str, Any], version: int) -> dict[str, Any]:
    """Return the header of a file of an older version, with the values of fields that later versions added."""
    if version < 2:
        tree = {**tree, "sparse": {}}
        if isinstance(tree.get("reading"), dict):  # later fields of Reading have defaults that keep the old meaning
            added: dict[str, Any] = dict.fromkeys(READING_ADDED) | {"exclude": []}
            tree["reading"] = added | tree["reading"]
    return tree


def _decode(tree: dict[str, Any], tensors: Tensors) -> Any:
    tree = _upgraded(tree, tree["version"])
    state = tree.pop("state", None)
    expand(tree.pop("sparse", None), tensors)
    header = decode(Header, tree, "", tensors)
    if header.learner not in LEARNERS:
        raise input_error("learner", LEARNERS.unknown(header.learner))
    learner = LEARNERS[header.learner]
    held = decode(learner.state_type, state, "state", tensors)
    if tensors:
        raise input_error("tensors", f"the header does not mention {quote(next(iter(tensors)))}.")
    record = RunRecord(
        learner=header.learner,
        parameters=_decode_parameters(learner, header.parameters),
        strategy=OneVsRest(_decode_classes(header.classes)),
        n_features=header.features.count,
        feature_names=_decode_names(header.features),
        reading=header.reading,
        problems=(),
        make_state=lambda: held,
    )
    return learner.from_record(record)


def _decode_parameters(learner: type[Learner], stored: dict[str, Any]) -> dict[str, Any]:
    expected = set(inspect.signature(learner).parameters)
    if wrong := sorted(expected ^ set(stored)):
        raise input_error("parameters", f"{quote(wrong[0])} is {'unknown' if wrong[0] in stored else 'missing'}.")
    try:
        return {name: plain_from_tree(value) for name, value in stored.items()}
    except (ValueError, RecursionError) as error:
        raise input_error("parameters", f"{error}.") from None


def _decode_names(features: Features) -> NDArray[Any] | None:
    check_count(features.count, "features.count")
    if features.names is None:
        return None
    names = names_from_bytes(features.names, "features.names")
    if len(names) != features.count or not all(isinstance(name, str) for name in names):
        raise input_error("features.names", f"there must be {features.count} texts, one per feature.")
    return np.array(names, dtype=object)


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
