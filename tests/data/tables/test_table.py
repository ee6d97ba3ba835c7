"""Where tables come from: every source of the same rows gives the same batches."""

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import novikoff as nk
from memory import run_alone
from novikoff.data.tables import TABLE_FORMATS, Table, format_of, is_frame, is_query
from table_files import FRAME, NUMBERS, RECORDS, assert_same, rows, write

FILES = ["csv", "csv.gz", "csv.zst", "csv.bz2", "ndjson", "jsonl", "ndjson.gz", "jsonl.zst", "json", "parquet", "arrow"]
FILES += ["feather", "ipc"]


@pytest.mark.parametrize("batch_size", [1, 2, 100])
@pytest.mark.parametrize("format", FILES)
def test_every_format_gives_the_same_rows(tmp_path, format, batch_size):
    path = write(tmp_path, format)
    assert_same(rows(str(path), batch_size=batch_size), rows(FRAME))
    table = Table("scan", path, target="label", batch_size=batch_size)
    assert [len(b.y) for b in table] == [len(b.y) for b in table], "a table can be read again"


def test_tsv_is_what_stands_between_tabs(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('label\tjob\tage\nham\t"he said\t1\nspam\t5" pipe, new\t2\n')
    expected = pa.table({"job": ['"he said', '5" pipe, new'], "age": [1, 2], "label": ["ham", "spam"]})
    assert_same(rows(path), rows(expected))


def test_the_name_says_the_format_unless_it_is_given(tmp_path):
    assert format_of("a.b/X.CSV.GZ") == format_of("x.csv") == "csv"
    assert format_of("x.gz") is format_of("x.svm") is format_of("csv") is None
    assert {format_of(f"x{suffix}") for suffix in TABLE_FORMATS} == set(TABLE_FORMATS.values())
    path = write(tmp_path, "csv").rename(tmp_path / "data.txt")
    assert_same(rows(path, format="csv"), rows(FRAME))
    with pytest.raises(nk.InvalidInputError, match=r"format=, or a name that ends in \.csv .*Got '.*data\.txt'"):
        rows(path)


def test_patterns_and_lists_are_read_in_order(tmp_path):
    for i in (2, 0, 1):
        (tmp_path / f"part{i}.csv").write_text(f"label,x\n{i},{i}.5\n")
    (tmp_path / "part[.csv").write_text("x,label\n7,7\n")
    X, y = rows(str(tmp_path / "part?.csv"), target="label")
    assert y.tolist() == [0, 1, 2, 7]
    X, y = rows([tmp_path / "part2.csv", str(tmp_path / "part[01].csv"), str(tmp_path / "part[.csv")])
    assert y.tolist() == [2, 0, 1, 7]
    assert X.ravel().tolist() == [2.5, 0.5, 1.5, 7.0]


def test_files_of_several_formats_are_one_table(tmp_path):
    files = [write(tmp_path, format) for format in ("parquet", "csv", "arrow")]
    X, y = rows(files)
    once = rows(FRAME)
    assert_same((X, y), (np.vstack([once[0]] * 3), np.tile(once[1], 3)))


def test_a_column_of_strings_stays_one_where_a_later_file_has_digits(tmp_path):
    (tmp_path / "1.csv").write_text("code,label\nA1,0\n")
    (tmp_path / "2.csv").write_text("label,code\n1,17\n")
    assert_same(rows(str(tmp_path / "*.csv")), rows(pa.table({"code": ["A1", "17"], "label": [0, 1]})))


def test_sql_reads_files_and_computes_columns(tmp_path):
    path = write(tmp_path, "parquet")
    assert_same(rows(f"SELECT * FROM '{path}'"), rows(FRAME))
    assert_same(rows(f"from '{path}' where age > 1", batch_size=1), rows(FRAME.filter(pa.compute.field("age") > 1)))
    X, _ = rows(f"WITH t AS (FROM '{path}') SELECT age / 2 AS half, age::DECIMAL(9, 1) AS d, label FROM t")
    np.testing.assert_array_equal(X[:, 0] * 2, X[:, 1])
    X, _, weights = rows(f"select age, new, label, 3 AS w from '{path}'", weight="w")
    assert weights.tolist() == [3.0] * 5


def test_sql_reads_a_table_without_a_header_once_its_columns_are_named(tmp_path):
    (tmp_path / "t.csv").write_text("0;1.5\n1;2.5\n")
    X, y = rows(f"SELECT column0 AS label, column1 AS x FROM read_csv('{tmp_path}/t.csv', delim=';', header=false)")
    assert (X.ravel().tolist(), y.tolist()) == ([1.5, 2.5], [0, 1])


def test_sql_keeps_the_order_of_many_rows():
    X, _ = rows("SELECT i AS x, i % 3 AS label FROM range(100000) t(i)", batch_size=1000)
    np.testing.assert_array_equal(X.ravel(), np.arange(100000))


def test_sql_reads_attached_databases(tmp_path):
    path = str(tmp_path / "it's.duckdb")
    with duckdb.connect(path) as connection:
        connection.register("frame", FRAME)
        connection.execute("CREATE TABLE people AS SELECT * FROM frame")
    assert_same(rows('SELECT * FROM "my db".people', attach={"my db": path}), rows(FRAME))


def test_a_relation_of_duckdb_is_a_frame():
    with duckdb.connect() as connection:
        connection.register("frame", FRAME)
        assert_same(rows(connection.sql("SELECT * FROM frame"), batch_size=2), rows(FRAME))


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
    assert is_frame(source)
    assert_same(rows(source, batch_size=batch_size), rows(FRAME))


def test_a_frame_whose_columns_are_numbers_has_their_names_as_strings():
    table = Table("scan", pd.DataFrame({0: [1.5], 1: [2.5], "label": [1]}), target="label")
    (batch,) = table
    assert batch.feature_names == ("0", "1")


def test_a_reader_can_be_read_once():
    table = Table("scan", NUMBERS.to_reader(), target="label")
    assert len(list(table)) == 1
    with pytest.raises(nk.InvalidInputError, match=r"A table for every pass\. Got a reader"):
        list(table)


def test_what_is_a_query_and_what_a_frame():
    assert is_query("  select 1")
    assert is_query("FROM 'x'")
    assert is_query("With a as (select 1) from a")
    assert not is_query("selected.csv")
    assert not is_query("from.csv")
    assert not is_query(Path("select 1"))
    assert not is_frame("x.csv")
    assert not is_frame(np.zeros((2, 2)))
    assert not is_frame([{"a": 1}])


def test_a_table_of_no_rows_has_no_batches(tmp_path):
    assert list(Table("scan", NUMBERS.slice(0, 0), target="label")) == []
    assert list(Table("scan", "SELECT 1 AS x, 2 AS label WHERE false", target="label")) == []


SCAN = """
import sys
import pyarrow.parquet, duckdb, numpy, scipy.sparse
from novikoff.data.tables import Table
list(Table("scan", sys.argv[1], target="y"))  # a small one, so that everything is imported
before = peak()
rows = sum(len(batch.y) for batch in Table("scan", sys.argv[2], target="y"))
print(rows, peak() - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize("row_group_size", [50_000, 10**9])
def test_memory_stays_bounded_over_a_large_file(tmp_path, row_group_size):
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=1_250_000) for i in range(20)}
    table = pa.table({**columns, "y": rng.integers(0, 2, 1_250_000)})
    large, small = tmp_path / "large.parquet", tmp_path / "small.parquet"
    pyarrow.parquet.write_table(table, large, row_group_size=row_group_size, compression="none", use_dictionary=False)
    pyarrow.parquet.write_table(table.slice(0, 10), small)
    assert large.stat().st_size > 190 << 20
    found, beyond = run_alone(SCAN, small, large)
    assert found == 1_250_000
    assert beyond < 150 << 20
