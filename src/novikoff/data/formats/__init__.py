"""The data formats: one module each, and the registry that finds the format of a source."""

from __future__ import annotations

import os
from typing import Any

from novikoff._registry import Registry
from novikoff.data.compression import uncompressed_name
from novikoff.data.source import is_path, name_of
from novikoff.errors import input_error, quote

from .base import Batches as Batches
from .base import DataFormat as DataFormat
from .base import Rows as Rows
from .content import beginning_of, other_kind

#: All data formats by name. A new one is a module with a ``DataFormat`` and a line here; code outside the package
#: calls ``FORMATS.register(name, data_format)``.
FORMATS: Registry[DataFormat] = Registry(
    "data format",
    {
        "svmlight": "novikoff.data.formats.svmlight:SVMLIGHT",
        "csv": "novikoff.data.formats.csv:CSV",
        "tsv": "novikoff.data.formats.tsv:TSV",
        "ndjson": "novikoff.data.formats.ndjson:NDJSON",
        "parquet": "novikoff.data.formats.parquet:PARQUET",
        "arrow": "novikoff.data.formats.arrow:ARROW",
        "excel": "novikoff.data.formats.excel:EXCEL",
        "numpy": "novikoff.data.formats.numpy:NUMPY",
        "sql": "novikoff.data.formats.sql:SQL",
        "frame": "novikoff.data.formats.frame:FRAME",
    },
)
DEFAULT_FORMAT = "svmlight"  # if neither name nor content determine another


def file_formats(*, writable: bool = False) -> list[str]:
    """Return the names of the formats that files can have, or of those that can be written."""
    return [name for name, format in FORMATS.items() if format.is_file and (format.can_write or not writable)]


def format_named(name: str) -> DataFormat | None:
    """Return the format that a file name ends in, whether or not it is compressed; None if no format is known."""
    suffix = os.path.splitext(uncompressed_name(name.lower()))[1]
    return next((f for f in FORMATS.values() if suffix in f.suffixes), None)


def find_format(where: str, source: Any, format: str | None = None) -> DataFormat:
    """Return the format of a source: what it is, what ``format`` says, its name and its content, or svmlight.

    The content decides where the name does not, and where it contradicts the name of a text format.
    """
    for known in FORMATS.values():
        if known.takes(source):
            if format not in (None, known.name):
                kind = "a query" if isinstance(source, str) else f"a {type(source).__name__}"
                raise input_error(where, f"format={quote(format)} is for files, but the source is {kind}.")
            return known
    sources = sources_of(source)
    if not sources:
        raise input_error(where, "the list of files is empty.")
    if format is not None:
        return checked_format(where, format)
    found = {sniffed(part) for part in sources}
    if len(found) > 1:
        listed = ", ".join(map(name_of, sources))
        raise input_error(where, f"all files must have one format, but these have several: {listed}.")
    return found.pop() or FORMATS[DEFAULT_FORMAT]


def checked_format(where: str, format: Any, *, writable: bool = False) -> DataFormat:
    """Return the format that a user named."""
    known = file_formats(writable=writable)
    if not isinstance(format, str) or format not in known:
        raise input_error(where, f"format must be one of {', '.join(known)}, but it is {quote(format)}.")
    return FORMATS[format]


def sources_of(source: Any) -> list[Any]:
    """Return the parts of a source that may be one file or several."""
    return list(source) if isinstance(source, list | tuple) else [source]


def sniffed(source: Any) -> DataFormat | None:
    """Return the format of a source by its name and content. Pipes are left alone: a byte can be read only once.

    A picture, a model or another file that cannot hold examples is refused.
    """
    named = format_named(os.fsdecode(source)) if is_path(source) else None
    if named is not None and not named.yields_to_content:
        return named
    beginning = beginning_of(source)
    if beginning is None:
        return named
    if (other := other_kind(beginning)) is not None:
        raise input_error(name_of(source), f"the file is {other}, not a table or a list of examples.")
    if named is not None and named.recognizes(beginning):
        return named
    candidates = sorted(FORMATS.values(), key=lambda format: format.yields_to_content)
    return next((format for format in candidates if format.recognizes(beginning)), named)
