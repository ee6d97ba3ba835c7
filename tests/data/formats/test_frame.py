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
from table_files import FRAME, NUMBERS, assert_same, rows

MISSING = pa.Table.from_pylist([{"age": None, "job": None, "new": False, "label": "no"}], FRAME.schema)
CHUNKS = pa.concat_tables([FRAME.slice(0, 3), FRAME.slice(3), MISSING, FRAME.slice(0, 0), FRAME])  # several per column
TABLE = CHUNKS.combine_chunks()
PANDAS = TABLE.to_pandas()
TEXTS = ["job", "label"]


def pieces(frame, concat, **options):
    """The rows of a data frame in three chunks."""
    return concat([frame[:1], frame[1:7], frame[7:]], **options)


def polars(type_):
    return pl.from_arrow(TABLE).with_columns(pl.col("job").cast(type_))


FRAMES = {
    "pandas": lambda: PANDAS,
    "pandas with an index": lambda: PANDAS.set_index(pd.Index([*range(5), *range(6)])),
    "pandas of objects": lambda: PANDAS.astype(dict.fromkeys(TEXTS, object)),
    "pandas of categories": lambda: PANDAS.astype(dict.fromkeys(TEXTS, "category")),
    "pandas of categories that differ": lambda: pieces(PANDAS, lambda parts: pd.concat(map(as_category, parts))),
    "pandas of strings": lambda: PANDAS.astype(dict.fromkeys(TEXTS, "string[python]")),
    "pandas of nullable types": lambda: PANDAS.convert_dtypes(),
    "pandas of Arrow": lambda: TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas in chunks": lambda: CHUNKS.to_pandas(),
    "pandas of strings in chunks": lambda: pieces(PANDAS.astype(dict.fromkeys(TEXTS, "string[pyarrow]")), pd.concat),
    "pandas of nullable types in chunks": lambda: pieces(PANDAS.convert_dtypes(), pd.concat),
    "pandas of Arrow in chunks": lambda: CHUNKS.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas of dictionaries that differ": lambda: dictionaries().to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, a slice of chunks": lambda: pd.concat([CHUNKS.to_pandas()] * 2)[11:],
    "pandas, chunks in another order": lambda: CHUNKS.to_pandas()[::-1][::-1],
    "polars": lambda: pl.from_arrow(TABLE),
    "polars of categories": lambda: polars(pl.Categorical),
    "polars of an enumeration": lambda: polars(pl.Enum(sorted({*TABLE["job"].to_pylist()} - {None}))),
    "polars in chunks": lambda: pieces(pl.from_arrow(TABLE), pl.concat, rechunk=False),
    "polars of categories in chunks": lambda: pieces(polars(pl.Categorical), pl.concat, rechunk=False),
    "polars, a slice": lambda: pl.concat([pl.from_arrow(TABLE)] * 2, rechunk=False)[11:],
    "table in chunks": lambda: CHUNKS,
    "table of large strings": lambda: CHUNKS.set_column(1, "job", CHUNKS["job"].cast(pa.large_string())),
    "table of views": lambda: CHUNKS.set_column(1, "job", CHUNKS["job"].cast(pa.string_view())),
    "slice of a table": lambda: pa.concat_tables([CHUNKS, CHUNKS]).slice(11),
    "record batch": lambda: TABLE.to_batches()[0],
    "reader": lambda: TABLE.to_reader(max_chunksize=2),
    "dictionaries that differ": lambda: dictionaries(),
    "relation of DuckDB": lambda: duckdb.from_arrow(CHUNKS),
    "relation of DuckDB with an enumeration": lambda: duckdb.from_arrow(CHUNKS).project(
        "age, job::ENUM('clerk', 'pipe, 5\" wide', 'two\nlines', 'ünïcode') AS job, new, label"
    ),
}


def as_category(frame):
    return frame.astype(dict.fromkeys(TEXTS, "category"))


def dictionaries():
    """A table whose chunks have different codes for the same strings."""
    rows_of = [TABLE.slice(i, 1) for i in range(11)]
    return pa.concat_tables(row.set_column(1, "job", row["job"].dictionary_encode()) for row in rows_of)


@pytest.mark.parametrize("batch_size", [2, 100])
@pytest.mark.parametrize("frame", FRAMES)
def test_every_frame_gives_the_same_rows(frame, batch_size):
    source = FRAMES[frame]()
    assert FORMAT.takes(source)
    assert_same(rows(source, batch_size=batch_size, missing="indicator"), rows(TABLE, missing="indicator"))


@pytest.mark.parametrize("frame", [frame for frame in FRAMES if frame != "reader"])  # which can be read once
def test_every_frame_gives_the_same_model(frame):
    source = FRAMES[frame]()
    one, other = nk.fit(source), nk.fit(TABLE)
    assert list(one[0].get_feature_names_out()) == list(other[0].get_feature_names_out())
    np.testing.assert_allclose(one[0].transform(source).toarray(), other[0].transform(TABLE).toarray())
    np.testing.assert_array_equal(one.predict(source), other.predict(TABLE))
    np.testing.assert_allclose(one.decision_function(source), other.decision_function(TABLE), rtol=1e-5)


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
