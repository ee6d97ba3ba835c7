"""Batches of Arrow that stand for more data than they have bytes are refused before they are decoded."""

import io

import pyarrow as pa
import pytest

from novikoff.serve.engine import arrow_limits
from novikoff.serve.engine.arrow import ArrowLines
from novikoff.serve.errors import ServeError

LABELS = ["p", "q"] * 50


def stream_of(table, **options):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return sink.getvalue()


def refusal(data):
    with pytest.raises(ServeError) as refused:
        list(ArrowLines().lines(data, True))
    assert refused.value.status == 400
    return refused.value.message


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_compressed_columns_are_refused(compression):
    table = pa.table({"a": [0.0] * 100, "y": LABELS})
    assert "Content-Encoding" in refusal(stream_of(table, compression=compression))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1.0]] * 100),
        pa.array([{"b": 1}] * 100),
        pa.array(["a"] * 100, pa.string_view()),
        pa.RunEndEncodedArray.from_arrays([100], ["a"]),
        pa.array([1] * 100, pa.timestamp("s")),
        pa.array([b"a"] * 100),
    ],
    ids=lambda column: str(column.type),
)
def test_columns_that_are_not_plain_are_refused(column):
    assert "cannot be a feature" in refusal(stream_of(pa.table({"a": column, "y": LABELS})))


def test_two_columns_of_the_same_name_are_refused():
    table = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0]), pa.array(["p"])], names=["a", "a", "y"])
    assert "same name" in refusal(stream_of(table))


def test_rows_without_bytes_are_refused():
    assert "rows" in refusal(stream_of(pa.table({"y": pa.nulls(10**6)})))


def test_long_values_of_dictionaries_are_refused():
    text = "x" * (arrow_limits.MAX_DICTIONARY_TEXT + 1)
    table = pa.table({"a": pa.array([text] * 100).dictionary_encode(), "y": LABELS})
    assert "has more than" in refusal(stream_of(table))


def test_batches_with_too_many_values_are_refused(monkeypatch):
    monkeypatch.setattr(arrow_limits, "MAX_VALUES", 100)
    assert "smaller batches" in refusal(stream_of(pa.table({"a": [0.0] * 100, "y": LABELS})))


def test_large_batches_are_converted_in_slices(monkeypatch):
    monkeypatch.setattr("novikoff.serve.engine.arrow.SLICE_VALUES", 8)
    found = list(ArrowLines().lines(stream_of(pa.table({"a": [0.0] * 100, "y": LABELS})), True))
    assert len(found) == 25
    assert b"".join(found).count(b"\n") == 100
