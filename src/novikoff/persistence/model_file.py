"""A model as one file that cannot run code: a safetensors file with a JSON header that describes its arrays.

The header is in the metadata of the file, under ``novikoff``: the version of the format, the learner and its
parameters, the classes, the features, how files became rows, the claims of the certificates in words, and the state of
the learner. Arrays are tensors, named after their path in the header; arrays that are mostly zeros are stored sparsely
(``sparse_tensors.py``). docs/models.md describes the format.

``save`` reads back what it is about to write, and replaces the file as a whole or not at all. ``load`` checks every
value before it builds a model: a damaged file raises ``InvalidInputError`` with the place of the damage.
"""

from __future__ import annotations

import os
from typing import Any

from novikoff.errors import InvalidInputError, file_error, input_error, quote

from .frame import check_start, damaged, is_model_start, unpack
from .learners import LEARNERS
from .stored_record import decode_model, save_record
from .table_pipeline import is_table_pipeline, pipeline_of, refuse_pipeline, table_record


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
        model = decode_model(tree, tensors)
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
