"""The examples of a model as NDJSON or Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any

import msgspec

from novikoff._atomic import replacing
from novikoff._progress import ProgressCallback, no_progress
from novikoff.data.tables.packages import library
from novikoff.errors import input_error, quote
from novikoff.serve.engine.examples import NOT_SERVED, not_served
from novikoff.serve.log.blocks import Block, Label

from .past import Past

SUFFIXES = (".ndjson", ".jsonl", ".parquet")
MAX_GROUP = 20_000  # examples of a row group of Parquet


@dataclass(eq=False)
class Tables:
    """The names and labels of a model as far as its blocks were read."""

    is_hashed: bool
    names: list[str] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)

    def add(self, block: Block) -> None:
        """Take over the names and labels that are new in a block."""
        del self.names[block.first_name :], self.labels[block.first_label :]
        self.names += block.names
        self.labels += block.labels

    def name(self, column: int) -> str:
        """Return the name of a feature; a hashed one only has its column."""
        return str(column) if self.is_hashed else self.names[column]


@dataclass(frozen=True)
class Example:
    """An example as it was learned.

    Attributes
    ----------
    x : dict of str to float
        The features by name.
    y : str, int or bool
        The label.
    weight : float
        The weight.
    id : str or None
        What the client called it.
    served : str, int, bool or None
        The label that had been served for it.
    version : int or None
        The version that served it; None if nothing was served.
    """

    x: dict[str, float]
    y: Label
    weight: float
    id: str | None
    served: Label | None
    version: int | None


def examples_of(past: Past, name: str) -> Iterator[list[Example]]:
    """Yield the examples that a model has learned, those of one record at a time."""
    known = past.model(name)
    specification = known.specification
    tables = Tables(specification.hashing is not None, labels=list(specification.classes or []))
    for _, block in past.blocks_of(known.number):
        tables.add(block)
        yield list(_examples(block, tables))


def _examples(block: Block, tables: Tables) -> Iterator[Example]:
    count = len(block)
    ends, columns, values = block.indptr.tolist(), block.columns.tolist(), block.values.tolist()
    weights = [1.0] * count if block.weights is None else block.weights.tolist()
    ids = [None] * count if block.ids is None else block.ids
    codes, versions = block.served or not_served(count)
    rows = zip(block.codes.tolist(), weights, ids, codes.tolist(), versions.tolist(), strict=True)
    for row, (code, weight, id, served, version) in enumerate(rows):
        part = slice(ends[row], ends[row + 1])
        x = {tables.name(column): value for column, value in zip(columns[part], values[part], strict=True)}
        label = tables.labels[served] if served >= 0 else None
        yield Example(x, tables.labels[code], weight, id, label, None if served == NOT_SERVED else version)


def export(
    past: Past,
    name: str,
    path: str | os.PathLike[str],
    only_examples: bool = False,
    say: ProgressCallback = no_progress,
) -> int:
    """Write the examples of a model to a file, completely or not at all, and return how many there are.

    Parameters
    ----------
    past : Past
        The log.
    name : str
        The model.
    path : path
        A file that ends in .ndjson, .jsonl or .parquet.
    only_examples : bool, default=False
        Write only what ``/learn`` and ``/stream`` take, without what had been served.
    say : callable
        Gets a message and the fraction completed.

    Raises
    ------
    InvalidInputError
        If there is no such model, or the name of the file does not tell the format.
    CorruptRecord
        If the log is damaged, or was compacted.
    """
    text = os.fspath(path)
    if not text.lower().endswith(SUFFIXES):
        raise input_error("log", f"the output {quote(text)} must end in {', '.join(SUFFIXES)}.")
    past.model(name)
    write = _write_parquet if text.lower().endswith(".parquet") else _write_ndjson
    total = 0

    def counted() -> Iterator[list[Example]]:
        nonlocal total
        for examples in examples_of(past, name):
            total += len(examples)
            say(f"{total:,} examples", None)
            yield examples

    with replacing(path) as file:
        write(file, counted(), only_examples)
    return total


def _write_ndjson(file: IO[bytes], parts: Iterator[list[Example]], only_examples: bool) -> None:
    encode = msgspec.json.encode
    for examples in parts:
        file.write(b"".join(encode(_line(example, only_examples)) + b"\n" for example in examples))


def _line(example: Example, only_examples: bool) -> dict[str, Any]:
    line: dict[str, Any] = {"x": example.x, "y": example.y}
    if example.weight != 1:
        line["weight"] = example.weight
    if example.id is not None:
        line["id"] = example.id
    if not only_examples and example.version is not None:
        line |= {"served": example.served, "version": example.version}
    return line


def _write_parquet(file: IO[bytes], parts: Iterator[list[Example]], only_examples: bool) -> None:
    arrow, parquet = library("log", "pyarrow"), library("log", "pyarrow.parquet")
    writer = schema = None
    waiting: list[Example] = []

    def flush() -> None:
        nonlocal writer, schema
        if schema is None:
            schema = _schema(arrow, waiting, only_examples)
            writer = parquet.ParquetWriter(file, schema)
        rows = [vars(example) | {"x": list(example.x.items())} for example in waiting]
        writer.write_table(arrow.Table.from_pylist([{n: row[n] for n in schema.names} for row in rows], schema))
        waiting.clear()

    for examples in parts:
        waiting += examples
        if len(waiting) >= MAX_GROUP:
            flush()
    if waiting or schema is None:
        flush()
    writer.close()  # type: ignore[union-attr]  # flush has made it


def _schema(arrow: Any, examples: list[Example], only_examples: bool) -> Any:
    """Return the columns; the labels of a model are all of one kind."""
    kind = type(examples[0].y) if examples else str
    label = {bool: arrow.bool_(), int: arrow.int64()}.get(kind, arrow.string())
    columns = [("id", arrow.string()), ("y", label), ("weight", arrow.float64())]
    columns.append(("x", arrow.map_(arrow.string(), arrow.float64())))
    if not only_examples:
        columns += [("served", label), ("version", arrow.int64())]
    return arrow.schema(columns)
