"""Models for other programs: ONNX, LIBLINEAR's text, and JSON."""

from __future__ import annotations

import os

from novikoff._registry import Registry
from novikoff.errors import file_error

from .base import ExportFormat as ExportFormat
from .json import to_json as to_json
from .liblinear import from_liblinear as from_liblinear
from .liblinear import to_liblinear as to_liblinear
from .onnx import to_onnx as to_onnx

#: All export formats by name. A new one is a module with an ``ExportFormat`` and a line here; code outside the package
#: calls ``EXPORTS.register(name, export_format)``.
EXPORTS: Registry[ExportFormat] = Registry(
    "model format",
    {
        "novikoff": "novikoff.export.nvk:NVK",
        "onnx": "novikoff.export.onnx:ONNX",
        "json": "novikoff.export.json:JSON",
        "liblinear": "novikoff.export.liblinear:LIBLINEAR",
    },
)
RECOGNIZED_BYTES = 1 << 16  # of the beginning of a file


def format_by_suffix(path: str | os.PathLike[str]) -> ExportFormat | None:
    """Return the export format that a file name ends in; None if it does not end in any.

    Parameters
    ----------
    path : str or path-like
        The file, which need not exist.

    Returns
    -------
    ExportFormat or None
        The format.

    Examples
    --------
    >>> from novikoff.export import format_by_suffix
    >>> format_by_suffix("model.json").name
    'json'
    """
    suffix = os.path.splitext(path)[1].lower()
    return next((format for format in EXPORTS.values() if suffix in format.suffixes), None)


def format_of_file(path: str | os.PathLike[str]) -> ExportFormat | None:
    """Return the format of a model file by its first bytes; None if it is not a model that can be read.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    ExportFormat or None
        The format.

    Examples
    --------
    >>> from novikoff.export import format_of_file
    >>> format_of_file("a missing file") is None
    True
    """
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            beginning = file.read(RECOGNIZED_BYTES)
    except OSError as error:
        raise file_error(os.fspath(path), error) from None
    return next((format for format in EXPORTS.values() if format.can_read and format.recognizes(beginning)), None)
