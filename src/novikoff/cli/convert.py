"""novikoff convert: from one format to another, data or models."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from novikoff.errors import invalid
from novikoff.persistence import model_file

from ._options import READING, Attach, Format, Json, opening_of, reading_of, takes
from ._output import check_output, show

MODELS = {".nvk": "novikoff", ".onnx": "onnx", ".json": "json", ".model": "liblinear", ".txt": "liblinear"}


@takes(READING)
def convert(
    source: Annotated[str, typer.Argument(metavar="SRC", help="DATA, or a model of novikoff or LIBLINEAR.")],
    destination: Annotated[str, typer.Argument(metavar="DST", help="The file to write; its name says its format.")],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="The format of DST, where its name does not say it: svmlight, csv, tsv, ndjson, parquet, arrow or "
            "cache for data; novikoff, onnx, json or liblinear for models.",
        ),
    ] = None,
    format: Format = None,
    attach: Attach = None,
    json: Json = False,
    **options: Any,
) -> None:
    """Convert data between formats, and models to and from those of other programs.

    Models: from novikoff or LIBLINEAR, to novikoff, LIBLINEAR, ONNX or JSON.
    """
    check_output("convert", destination, source)
    reading, opening = reading_of(options, source, format), opening_of(format, attach)
    kind = None if format is not None else kind_of_model(source)
    if kind is None:
        if to is None and os.path.splitext(destination)[1].lower() in (".nvk", ".onnx", ".model"):
            raise invalid("convert", "A model, for a DST that is called like one.", f"the data of {source}")
        from novikoff.data.write import write

        write(reading.scan(source, **opening), destination, format=to)
        result = {"kind": "data"}
    else:
        convert_model(source, kind, destination, to)
        result = {"kind": "model"}
    size = os.path.getsize(destination) if os.path.isfile(destination) else 0
    show(result | {"file": destination, "bytes": size}, json, [(result["kind"], f"{destination}, {size:,} bytes")])


def kind_of_model(path: str) -> str | None:
    """What wrote a model file, by its first bytes; None if it is no model."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        if file.read(12) == b"solver_type ":
            return "liblinear"
    return "novikoff" if model_file.is_model(path) else None


def convert_model(source: str, kind: str, destination: str, to: str | None) -> None:
    """Write a model in another format."""
    from novikoff import export

    writers = {
        "novikoff": model_file.save,
        "onnx": export.to_onnx,
        "json": export.to_json,
        "liblinear": export.to_liblinear,
    }
    wanted = to or MODELS.get(os.path.splitext(destination)[1].lower())
    if wanted not in writers:
        need = f"--to {', '.join(writers)}, or a name that ends in {' '.join(MODELS)}."
        raise invalid("convert", need, repr(to or destination))
    model = export.from_liblinear(source) if kind == "liblinear" else model_file.load(source)
    writers[wanted](model, destination)
