"""novikoff convert: data and models in other formats."""

from __future__ import annotations

import errno
import glob
import os
from typing import Annotated, Any

import typer

from novikoff.data.encoding.running import POLICIES
from novikoff.data.formats import file_formats
from novikoff.data.reading import Reading
from novikoff.errors import file_error, input_error, quote
from novikoff.export import EXPORTS, ExportFormat, format_by_suffix, format_of_file
from novikoff.record import RunRecord

from ._options import READING, Attach, Format, Json, opening_from, reading_from, with_options
from ._output import check_output, flag, print_message, print_result

DATA_SUFFIXES = (".json", ".txt")  # that data have, too
MAX_NAMES = 5  # of encoded columns in a note


@with_options(READING)
def convert(
    source: Annotated[str, typer.Argument(metavar="SRC", help="DATA, or a model file of novikoff or LIBLINEAR.")],
    destination: Annotated[str, typer.Argument(metavar="DST", help="File to write. Its ending tells the format.")],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help=f"Format of DST, if its ending does not tell: {', '.join(file_formats(writable=True))} for data; "
            f"{', '.join(EXPORTS)} for models.",
        ),
    ] = None,
    format: Format = None,
    attach: Attach = None,
    json: Json = False,
    **options: Any,
) -> None:
    """Convert data between formats, and models to and from those of other programs.

    Models are read in the formats of novikoff and LIBLINEAR, and written in those that --to lists.
    """
    check_output("convert", destination, source, attach=attach)
    missing = options.get("missing") or "error"
    if missing not in POLICIES and options.get("hash_bits") is None:
        raise input_error("--missing", f"convert knows {', '.join(POLICIES)}, but not {quote(missing)}.")
    for name in ("idf", "keep", "no_indicator", "max_categories"):
        if options.get(name):
            raise input_error(flag(name), "this is an option of fit. Leave it out.")
    _refuse_missing_model(source, format)
    model_format = None if format is not None else format_of_file(source)
    if model_format is None:
        named = format_by_suffix(destination) if to is None else None
        if named is not None and not destination.lower().endswith(DATA_SUFFIXES):
            raise input_error(destination, f"the ending is that of a model, but {source} is data.")
        from novikoff.data.write import write

        (reading, encoder), opening = reading_from(options, source, format), opening_from(format, attach)
        if encoder is None:
            rows = reading.scan(source, **opening)
        else:
            words = encoder.word_settings()
            rows = reading.begin(source, scale="none", missing=missing, words=words, **opening)
        write(rows, destination, format=to)
        result = {"kind": "data"}
    else:
        convert_model(source, model_format, destination, to)
        result = {"kind": "model"}
    size = os.path.getsize(destination) if os.path.isfile(destination) else 0
    lines = [(result["kind"], f"{destination}, {size:,} bytes")]
    print_result(result | {"file": destination, "bytes": size}, json, lines)


def _refuse_missing_model(source: str, format: str | None) -> None:
    """Refuse a file that does not exist and whose name is that of a model, which would be looked for as data."""
    is_model = format is None and format_by_suffix(source) is not None and not glob.has_magic(source)
    if is_model and not os.path.exists(source):
        raise file_error(source, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))


def convert_model(source: str, source_format: ExportFormat, destination: str, to: str | None) -> None:
    """Write a model in another format."""
    wanted = format_by_suffix(destination) if to is None else EXPORTS.get(to)
    if wanted is None:
        suffixes = " ".join(suffix for format in EXPORTS.values() for suffix in format.suffixes)
        known = f"Use --to {', '.join(EXPORTS)}, or an ending among {suffixes}."
        raise input_error("convert", f"{quote(to or os.path.basename(destination))} is not a format of models. {known}")
    record = source_format.read(source).record_
    wanted.write(record, destination)
    expected = None if wanted.keeps_encoder(record) else expected_rows(record)
    if expected is not None:
        holder = f"{source} has the encoder"
        if EXPORTS["json"].keeps_encoder(record):
            holder += ", and --to json writes it"
        print_message(f"note: {destination} expects {expected}, not the columns of the table; {holder}")


def expected_rows(record: RunRecord) -> str | None:
    """Return what rows the weights of a model are for, if they are not the columns of the table it was fitted to."""
    reading = record.reading
    if reading is None or reading.features is None:
        return None
    names = _encoded_names(reading)
    count = f"{record.n_features:,} {'column' if record.n_features == 1 else 'columns'}"
    if names is None:
        return None if reading.names is not None else f"hashed rows ({count})"
    kinds = reading.encoding.kinds.values() if reading.encoding is not None else reading.kinds or ()
    if names == list(reading.features) and "date" not in kinds:
        return None
    shown = ", ".join([*names[:MAX_NAMES], *["..."] * (len(names) > MAX_NAMES)])
    return f"encoded rows ({count}: {shown})"


def _encoded_names(reading: Reading) -> list[str] | None:
    """Return the names of encoded columns, with those that are standardised; None without an encoder."""
    if reading.encoding is not None:
        numbers = [column for column in reading.encoding.numbers if (column.shift, column.scale) != (0.0, 1.0)]
        changed, names = {reading.encoding.spans[column.name].start for column in numbers}, reading.encoding.names
    elif reading.running is not None:
        names = reading.running.names
        changed = set(range(len(reading.running.numbers))) if reading.running.scale == "standard" else set()
    else:
        return None
    return [f"{name} standardised" if place in changed else name for place, name in enumerate(names)]
