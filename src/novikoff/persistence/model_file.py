"""A model as one file that cannot run code: a safetensors file with a JSON header that describes its arrays.

The header is in the metadata of the file, under ``novikoff``: the version of the format, the learner and its
parameters, the classes, the features, how files became rows, the claims of the certificates in words, and the state of
the learner. Arrays are tensors, named after their path in the header; arrays that are mostly zeros are stored sparsely
(``sparse_tensors.py``). docs/models.md describes the format.

``save`` refuses what ``load`` would refuse: it checks every value, that the header is read as it was written, and that
the parts of the state fit each other. It replaces the file as a whole or not at all. ``load`` checks every value before
it builds a model: a damaged file raises ``InvalidInputError`` with the place of the damage.
"""

from __future__ import annotations

import dataclasses
import io
import os
import stat
from dataclasses import dataclass
from typing import IO, Any

from novikoff.data.late_rows import LateRows
from novikoff.data.position import Position
from novikoff.errors import InvalidInputError, file_error, input_error, quote
from novikoff.record import RunRecord

from .frame import damaged, is_model_start, read
from .learners import LEARNERS
from .pipelines import encoder_of, is_table_pipeline, refuse_pipeline, table_record
from .stored_record import decode_stream, encode_model, position_of, save_record


def save(model: Any, path: str | os.PathLike[str], *, fingerprint: str | None = None) -> None:
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
    fingerprint : str, default=None
        ``novikoff.fingerprint`` of the rows that the model was learned from, so that ``verify`` tells other rows from
        false claims. None keeps the one that a loaded model has.

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
    save_record(_record("save", model, fingerprint), path)


@dataclass(frozen=True, eq=False)
class Stored:
    """What a file holds.

    Parameters
    ----------
    model : learner
        The learner; ``reading_`` has its encoder, if it learned from a table.
    position : Position or None
        How far its stream has come; None if that is not known.
    unlearned : LateRows or None
        The rows before the position whose labels it has not learned; None if it has learned all.
    """

    model: Any
    position: Position | None
    unlearned: LateRows | None


def save_position(
    model: Any,
    path: str | os.PathLike[str],
    position: Position | None,
    *,
    fingerprint: str | None = None,
    unlearned: LateRows | None = None,
) -> None:
    """Save a model as ``save`` does, in one file with how far its stream has come: they cannot disagree.

    Parameters
    ----------
    model : learner
        A learner that has learned the rows up to the position except ``unlearned``, and no others of its files.
    path : str or path-like
        The file.
    position : Position or None
        How far the stream has come; None if that is not known.
    fingerprint : str, default=None
        As in ``save``.
    unlearned : LateRows, default=None
        The rows before the position whose labels the model has not learned.
    """
    _check_path("save", path)
    record = _record("save", model, fingerprint)
    save_record(dataclasses.replace(record, position=position, unlearned=unlearned), path)


def dumps(model: Any, *, fingerprint: str | None = None) -> bytes:
    """Return the bytes that ``save`` would write for a fitted model.

    They are those of one moment, also if another thread learns meanwhile. Use it to keep models in a database or to
    send them; ``save`` also waits until the disk has the bytes, which takes longer than to make those of a small model.

    Parameters
    ----------
    model : learner or Pipeline
        A fitted learner of novikoff, or of a class in the registry ``novikoff.persistence.LEARNERS``; or a pipeline of
        a ``TableEncoder`` and such a learner.
    fingerprint : str, default=None
        ``novikoff.fingerprint`` of the rows that the model was learned from, so that ``verify`` tells other rows from
        false claims. None keeps the one that a loaded model has.

    Returns
    -------
    bytes
        A model file.

    Raises
    ------
    InvalidInputError
        If the model is not fitted, or has a parameter that a file cannot hold, such as a function.

    See Also
    --------
    loads : Load a model from its bytes.
    save : Write them to a file.

    Examples
    --------
    >>> import novikoff as nk
    >>> model = nk.Perceptron().fit([[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0]], ["yes", "yes", "no"])
    >>> nk.loads(nk.dumps(model)).predict([[3.0, 1.0]])
    array(['yes'], dtype='<U3')
    """
    return encode_model(_record("dumps", model, fingerprint))


def _record(where: str, model: Any, fingerprint: str | None) -> RunRecord:
    """Return the record of a model that can be saved."""
    refuse_pipeline(where, model)
    last = model.steps[-1][1] if is_table_pipeline(model) else model
    learner = type(last).__name__
    if LEARNERS.get(learner) is not type(last):
        known = "novikoff saves its own learners, and classes that novikoff.persistence.LEARNERS.register adds"
        raise input_error(where, f"a {learner} cannot be saved: {known}.")
    record: RunRecord | None = getattr(last, "record_", None)
    if record is None:
        raise input_error(learner, "the model has not been fitted, so there is nothing to save.")
    record = record if last is model else table_record(model, record)
    return record if fingerprint is None else dataclasses.replace(record, fingerprint=fingerprint)


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
    return _with_encoder(load_learner(path))


def load_learner(path: str | os.PathLike[str]) -> Any:
    """Load the learner of a model as ``load`` does, also if it learned from a table: ``reading_`` has the encoder.

    Parameters
    ----------
    path : str or path-like
        The file.
    """
    return load_stream(path).model


def load_position(path: str | os.PathLike[str]) -> tuple[Any, Position | None]:
    """Load a learner as ``load_learner`` does, with how far its stream has come; None if that is not known.

    Parameters
    ----------
    path : str or path-like
        The file.
    """
    stored = load_stream(path)
    return stored.model, stored.position


def load_stream(path: str | os.PathLike[str]) -> Stored:
    """Load a learner as ``load_learner`` does, with how far its stream has come.

    Parameters
    ----------
    path : str or path-like
        The file.
    """
    name = _check_path("load", path)
    try:
        with open(path, "rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return _decoded(name, file)
            data = file.read()  # of a pipe, whose size is not known
    except InvalidInputError:
        raise
    except (OSError, ValueError) as error:
        raise file_error(name, error) from None
    return _decoded(name, io.BytesIO(data))


def loads(data: bytes | bytearray | memoryview) -> Any:
    """Load a model from the bytes that ``dumps`` returned or ``save`` wrote, and check every value of them.

    Parameters
    ----------
    data : bytes-like
        The bytes of a model file.

    Returns
    -------
    learner or Pipeline
        The model, as ``load`` returns it.

    Raises
    ------
    InvalidInputError
        If the bytes are not a model, are cut short or damaged, or were written by a newer version of the format.

    See Also
    --------
    dumps : Return a model as bytes.
    load : Load a model from a file.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], ["no", "no", "yes", "yes"]
    >>> model = nk.loads(nk.dumps(nk.LinearSVM(C=10.0).fit(X, y)))
    >>> bool(model.certificate_.verify(X, y))
    True
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise input_error("loads", f"data must be bytes, but it is {quote(data)}.")
    return _with_encoder(_decoded("loads", io.BytesIO(data)).model)


def _decoded(name: str, file: IO[bytes]) -> Stored:
    """Return what an open file holds."""
    try:
        tree, tensors = read(name, file)
    except MemoryError:
        raise input_error(name, "out of memory while reading the model.") from None
    try:
        model, unlearned = decode_stream(tree, tensors)
        position = position_of(tree)
        encoder_of(model)  # checks that it fits
        return Stored(model, position, unlearned)
    except InvalidInputError as error:
        raise damaged(name, error) from None
    except RecursionError:
        raise damaged(name, "its values are nested too deeply") from None
    except MemoryError:
        raise input_error(name, "out of memory while building the model.") from None


def _with_encoder(model: Any) -> Any:
    """Return a learner, as a pipeline if it learned from a table."""
    if encoder_of(model) is None:
        return model
    from .table_pipeline import pipeline_of  # slow to import

    return pipeline_of(model)


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
