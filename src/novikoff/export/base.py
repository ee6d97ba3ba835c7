"""The contract of an export format: how models are written for other programs, and read from them."""

from __future__ import annotations

import os
from typing import Any

from novikoff._estimators import check_is_fitted
from novikoff.data.source import is_path
from novikoff.errors import input_error, quote
from novikoff.record import RunRecord


class ExportFormat:
    """A file format of models.

    To add one, subclass this in a module of its own, implement ``write``, and register an instance in
    ``novikoff.export.EXPORTS``. ``novikoff convert`` finds it there by the name of the file or by ``--to``.

    Attributes
    ----------
    name : str
        The name in the registry, which ``novikoff convert --to`` takes.
    suffixes : tuple of str
        Endings of file names, in lower case and with the dot.
    can_read : bool
        Whether ``read`` and ``recognizes`` are implemented.

    Examples
    --------
    >>> from novikoff.export import EXPORTS
    >>> EXPORTS["onnx"].suffixes, EXPORTS["onnx"].can_read
    (('.onnx',), False)
    """

    name: str
    suffixes: tuple[str, ...] = ()
    can_read = False

    def write(self, record: RunRecord, path: str | os.PathLike[str]) -> None:
        """Write a fitted model to a file, completely or not at all (``novikoff._atomic.replacing`` does that).

        Parameters
        ----------
        record : RunRecord
            The record of the model. ``linear_model`` in ``novikoff.export.linear_model`` gives its weights, or refuses
            a model that is not linear.
        path : str or path-like
            The file.
        """
        raise NotImplementedError  # a subclass defines it

    def keeps_encoder(self, record: RunRecord) -> bool:
        """Return whether files hold the encoder of the tables that a model was fitted to.

        Parameters
        ----------
        record : RunRecord
            The record of a model that was fitted to a table.

        Returns
        -------
        bool
            Whether the file alone says how a row of the table becomes a row of the model. If it does not,
            ``novikoff convert`` prints what rows the file expects.
        """
        return False

    def recognizes(self, beginning: bytes) -> bool:
        """Return whether a file has this format.

        Parameters
        ----------
        beginning : bytes
            Its first bytes.

        Returns
        -------
        bool
            Whether ``read`` can read it.
        """
        return False

    def read(self, path: str | os.PathLike[str]) -> Any:
        """Return the model of a file.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        object
            A fitted classifier of novikoff.
        """
        raise NotImplementedError  # a subclass defines it


def record_of(where: str, model: Any, path: Any) -> RunRecord:
    """Return the record of a fitted model, after checking the arguments of a function that exports it."""
    if not is_path(path):
        raise input_error(where, f"path must be a str or a path, but it is {quote(path)}.")
    if not hasattr(type(model), "record_"):
        raise input_error(where, f"the model must be a classifier of novikoff, but it is a {type(model).__name__}.")
    check_is_fitted(model)
    record: RunRecord = model.record_
    return record
