"""novikoff convert: data and models in other formats."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from novikoff.errors import input_error, quote
from novikoff.persistence import model_file

from ._options import READING, Attach, Format, Json, opening_from, reading_from, with_options
from ._output import check_output, print_result

MODELS = {".nvk": "novikoff", ".onnx": "onnx", ".json": "json", ".model": "liblinear", ".txt": "liblinear"}


@with_options(READING)
def convert(
    source: Annotated[str, typer.Argument(metavar="SRC", help="DATA, or a model file of novikoff or LIBLINEAR.")],
    destination: Annotated[str, typer.Argument(metavar="DST", help="File to write. Its ending tells the format.")],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Format of DST, if its ending does not tell: svmlight, csv, tsv, ndjson, parquet, arrow or cache for "
            "data; novikoff, onnx, json or liblinear for models.",
        ),
    ] = None,
    format: Format = None,
    attach: Attach = None,
    json: Json = False,
    **options: Any,
) -> None:
    """Convert data between formats, and models to and from those of other programs.

    Models are read from novikoff and LIBLINEAR, and written for novikoff, LIBLINEAR, ONNX or as JSON.
    """
    check_output("convert", destination, source)
    reading, opening = reading_from(options, source, format), opening_from(format, attach)
    kind = None if format is not None else kind_of_model(source)
    if kind is None:
        if to is None and os.path.splitext(destination)[1].lower() in (".nvk", ".onnx", ".model"):
            raise input_error(destination, f"the ending is that of a model, but {source} is data.")
        from novikoff.data.write import write

        write(reading.scan(source, **opening), destination, format=to)
        result = {"kind": "data"}
    else:
        convert_model(source, kind, destination, to)
        result = {"kind": "model"}
    size = os.path.getsize(destination) if os.path.isfile(destination) else 0
    lines = [(result["kind"], f"{destination}, {size:,} bytes")]
    print_result(result | {"file": destination, "bytes": size}, json, lines)


def kind_of_model(path: str) -> str | None:
    """Return the program that wrote a model file, by its first bytes; None if it is not a model."""
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
        known = f"Use --to {', '.join(writers)}, or an ending among {' '.join(MODELS)}."
        raise input_error("convert", f"{quote(to or destination)} is not a format of models. {known}")
    model = export.from_liblinear(source) if kind == "liblinear" else model_file.load(source)
    writers[wanted](model, destination)
