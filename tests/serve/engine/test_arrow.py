"""Arrow streams as lines of JSON, whatever way they are cut."""

import io
import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.serve.engine.arrow import ArrowLines
from novikoff.serve.errors import ServeError


def stream_of(*tables):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, tables[0].schema) as writer:
        for table in tables:
            writer.write(table)
    return sink.getvalue()


TABLE = pa.table(
    {"a": [1.5, None, 3.0], "colour": pa.array(["red", "red", "blue"]).dictionary_encode(), "y": ["p", "q", "p"]}
)
ROWS = [
    {"y": "p", "x": {"a": 1.5, "colour": "red"}},
    {"y": "q", "x": {"colour": "red"}},
    {"y": "p", "x": {"a": 3.0, "colour": "blue"}},
]


def read(data, step):
    lines = ArrowLines()
    pieces = [data[begin : begin + step] for begin in range(0, len(data), step)] or [b""]
    parts = [b"".join(lines.lines(piece, last == len(pieces))) for last, piece in enumerate(pieces, 1)]
    found = b"".join(parts)
    return [json.loads(line) for line in found.splitlines()]


@pytest.mark.parametrize("step", [1, 7, 64, 1000, 10**6])
def test_pieces_change_nothing(step):
    assert read(stream_of(TABLE, TABLE), step) == ROWS + ROWS


def test_batches_are_answered_when_they_are_complete():
    data, lines = stream_of(TABLE, TABLE), ArrowLines()
    half = len(stream_of(TABLE)) - 8
    assert b"".join(lines.lines(data[:half], False)).count(b"\n") == 3
    assert b"".join(lines.lines(data[half:], True)).count(b"\n") == 3


def test_weights_and_ids_are_taken_from_their_columns():
    table = pa.table({"weight": [2.0, None], "id": ["a", None], "label": [1, 0], "z": [0.5, 1.0]})
    first, second = read(stream_of(table), 10**6)
    assert first == {"y": 1, "weight": 2.0, "id": "a", "x": {"z": 0.5}}
    assert second == {"y": 0, "x": {"z": 1.0}}


def test_a_column_of_labels_is_needed():
    with pytest.raises(ServeError, match="A column of labels is missing"):
        read(stream_of(pa.table({"a": [1.0]})), 10**6)


def test_a_stream_that_is_cut_is_refused():
    data = stream_of(TABLE)
    with pytest.raises(ServeError, match="ends within a message"):
        read(data[:-30], 10**6)


@given(st.data())
def test_damaged_bytes_are_refused_or_read(data):
    whole = bytearray(stream_of(TABLE, TABLE))
    for place in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=5)):
        whole[place] = data.draw(st.integers(0, 255))
    error = None
    try:
        read(bytes(whole), data.draw(st.sampled_from([13, 10**6])))
    except ServeError as found:
        error = found
    assert error is None or (error.status in (400, 422) and error.message.endswith("."))


def test_a_second_column_of_labels_is_refused():
    table = TABLE.append_column("label", pa.array(["p", "q", "p"]))
    with pytest.raises(ServeError, match="y, label"):
        read(stream_of(table), 100)


def test_an_arrow_file_is_called_one():
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, TABLE.schema) as writer:
        writer.write(TABLE)
    with pytest.raises(ServeError, match="it is an Arrow file"):
        read(sink.getvalue(), 10**6)


def test_a_column_that_cannot_be_a_feature_is_named():
    with pytest.raises(ServeError, match=r"cannot be used as an Arrow stream: column 'a'"):
        read(stream_of(pa.table({"a": [[1.0]], "y": [1]})), 10**6)
