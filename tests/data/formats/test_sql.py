"""SQL that DuckDB runs: over files and databases, and refused in one sentence where it is wrong."""

import sqlite3
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import novikoff as nk
from novikoff.data.formats.sql import SQL
from table_files import FRAME, assert_same, rows, write


def test_sql_reads_files_and_computes_columns(tmp_path):
    path = write(tmp_path, "parquet")
    assert_same(rows(f"SELECT * FROM '{path}'"), rows(FRAME))
    assert_same(rows(f"from '{path}' where age > 1", batch_size=1), rows(FRAME.filter(pa.compute.field("age") > 1)))
    X, _ = rows(f"WITH t AS (FROM '{path}') SELECT age / 2 AS half, age::DECIMAL(9, 1) AS d, label FROM t")
    np.testing.assert_array_equal(X[:, 0] * 2, X[:, 1])
    X, _, weights = rows(f"select age, new, label, 3 AS w from '{path}'", weight="w")
    assert weights.tolist() == [3.0] * 5


def test_sql_reads_a_table_without_a_header(tmp_path):
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


def test_queries_begin_with_select_with_or_from():
    for text in ("  select 1", "FROM 'x'", "With a as (select 1) from a"):
        assert SQL.takes(text)
    for other in ("selected.csv", "from.csv", Path("select 1")):
        assert not SQL.takes(other)


def test_a_query_without_rows_has_no_batches():
    assert list(nk.scan("SELECT 1 AS x, 2 AS label WHERE false", target="label")) == []


BAD_SQL = {
    "syntax": ("SELECT FROM WHERE", {}, "^scan: DuckDB cannot parse the SQL: Parser Error"),
    "no table": (
        "SELECT * FROM nothing",
        {},
        r"^the query's result: DuckDB cannot read it: Catalog Error: .*nothing does not exist",
    ),
    "no file": (
        "SELECT * FROM 'no/*.parquet'",
        {},
        "the query's result: DuckDB cannot read it: IO Error: No files found",
    ),
    "two statements": ("SELECT 1; SELECT 2", {}, "the SQL must be one query, but it is SELECT and SELECT"),
    "not a query": (
        "WITH t AS (SELECT 1) INSERT INTO q SELECT * FROM t",
        {},
        "the SQL must be one query, but it is INSERT",
    ),
    "variable": ("SELECT * FROM FRAME", {}, "Catalog Error"),
    "failure on the way": (
        "SELECT 1 AS label, if(i < 90000, '1', 'a')::INT AS x FROM range(100000) t(i)",
        {},
        r"^the query's result: the table cannot be read to its end: .*Could not convert string 'a'",
    ),
    "value": ("SELECT 1 AS label, 'inf'::DOUBLE AS x", {}, "^the query's result, row 0: .* but there is inf"),
    "no database": (
        "SELECT 1",
        {"attach": {"db": "no.duckdb"}},
        r"^scan: the database 'db' cannot be attached: .*not exist",
    ),
    "attach without names": (
        "SELECT 1",
        {"attach": {"db": 3}},
        "attach must be a dict of names and databases, but it has 'db'",
    ),
    "attach without SQL": (
        "x.csv",
        {"attach": {"db": "x"}},
        r"attach=\{'db': 'x'\} is an option of sql, but the source is csv",
    ),
    "format": ("SELECT 1", {"format": "csv"}, "format='csv' is for files, but the source is a query"),
}


@pytest.mark.parametrize("case", BAD_SQL)
def test_bad_sql_is_refused_in_one_sentence(case):
    sql, options, message = BAD_SQL[case]
    with pytest.raises(nk.InvalidInputError, match=message) as refusal:
        rows(sql, **options)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("database", "extension"),
    [("postgres://me:secret@host/db", "postgres_scanner"), ("dbname=x password=secret", "postgres_scanner")],
)
def test_an_extension_that_is_not_there_is_asked_for_by_name(monkeypatch, tmp_path, database, extension):
    monkeypatch.setenv("HOME", str(tmp_path))  # where DuckDB keeps its extensions
    message = rf"the database 'db' needs DuckDB's extension {extension}\. .*pip install duckdb-ext.*INSTALL {extension}"
    with pytest.raises(nk.InvalidInputError, match=message) as refusal:
        rows("SELECT * FROM db.t", attach={"db": database})
    assert "secret" not in str(refusal.value)


def test_a_sqlite_file_is_read_or_its_extension_asked_for(tmp_path):
    path = str(tmp_path / "t.db")
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x REAL, label INTEGER)")
    connection.execute("INSERT INTO t VALUES (1.5, 1)")
    connection.commit()
    connection.close()
    try:
        X, y = rows("SELECT * FROM db.t", attach={"db": path})
    except nk.InvalidInputError as refusal:
        assert "extension sqlite_scanner" in str(refusal)  # noqa: PT017  # where DuckDB has none, this is the promise
    else:
        assert (X.tolist(), y.tolist()) == ([[1.5]], [1])
