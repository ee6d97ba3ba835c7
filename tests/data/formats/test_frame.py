"""Tables in memory: every library's table of the same rows gives the same batches."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import novikoff as nk
from novikoff.data.formats.frame import FRAME as FORMAT
from novikoff.data.formats.frame import frame_blocks
from table_files import FRAME, NUMBERS, RECORDS, assert_same, rows

FRAMES = {
    "pandas": lambda: FRAME.to_pandas(),
    "pandas with an index": lambda: FRAME.to_pandas().set_index(pd.Index([3, 1, 4, 1, 5])),
    "pandas of categories": lambda: FRAME.to_pandas().astype({"job": "category", "label": "category"}),
    "pandas of Arrow": lambda: FRAME.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda: pl.DataFrame(RECORDS),
    "polars of categories": lambda: pl.DataFrame(RECORDS).with_columns(pl.col("job", "label").cast(pl.Categorical)),
    "polars in chunks": lambda: pl.concat([pl.DataFrame(RECORDS[:3]), pl.DataFrame(RECORDS[3:])], rechunk=False),
    "record batch": lambda: FRAME.combine_chunks().to_batches()[0],
    "reader": lambda: FRAME.to_reader(max_chunksize=2),
    "dictionaries that differ": lambda: pa.concat_tables(
        FRAME.slice(i, 1).set_column(1, "job", FRAME["job"].slice(i, 1).dictionary_encode()) for i in range(5)
    ),
}


@pytest.mark.parametrize("batch_size", [2, 100])
@pytest.mark.parametrize("frame", FRAMES)
def test_every_frame_gives_the_same_rows(frame, batch_size):
    source = FRAMES[frame]()
    assert FORMAT.takes(source)
    assert_same(rows(source, batch_size=batch_size), rows(FRAME))


def test_a_frame_whose_columns_are_numbers_has_their_names_as_strings():
    (batch,) = nk.scan(pd.DataFrame({0: [1.5], 1: [2.5], "label": [1]}), target="label")
    assert batch.feature_names == ("0", "1")


def test_a_reader_can_be_read_once():
    table = nk.scan(NUMBERS.to_reader(), target="label")
    assert len(list(table)) == 1
    with pytest.raises(nk.InvalidInputError, match="a RecordBatchReader can be read only once"):
        list(table)


def test_a_relation_of_duckdb_is_a_frame():
    with duckdb.connect() as connection:
        connection.register("frame", FRAME)
        assert_same(rows(connection.sql("SELECT * FROM frame"), batch_size=2), rows(FRAME))


def test_other_objects_are_not_frames():
    for source in ("x.csv", np.zeros((2, 2)), [{"a": 1}]):
        assert not FORMAT.takes(source)


def test_a_series_and_mixed_objects_are_refused():
    with pytest.raises(nk.InvalidInputError, match=r"^the Series: this is not a table: "):
        rows(pl.Series([1]))
    with pytest.raises(nk.InvalidInputError, match=r"^the DataFrame: Arrow cannot convert the columns: "):
        rows(pd.DataFrame({"x": [1, "a"], "label": [0, 1]}))


def test_an_empty_table_has_no_batches():
    assert list(nk.scan(NUMBERS.slice(0, 0), target="label")) == []


def test_a_name_that_polars_cannot_give_away_is_refused():
    frame = pl.DataFrame({"a": [1.0], "b\0": [2.0]})
    with pytest.raises(nk.InvalidInputError, match=r"column 'b.*' contains a NUL character. Rename the column."):
        frame_blocks("fit", frame, {}, 10)
