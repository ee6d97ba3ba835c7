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


# DuckDB 1 computes such a result before it delivers the first rows.
LATE_FAILURE = "DuckDB cannot read it" if duckdb.__version__ < "2" else "the table cannot be read to its end"
BAD_SQL = {
    "zero byte": ("SELECT \0", {}, "^scan: DuckDB cannot parse the SQL: it contains a NUL character"),
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
        rf"^the query's result: {LATE_FAILURE}: .*Could not convert string 'a'",
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


# ---- what a query may reach ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The table t.csv, a secret beside it, a folder of two tables, a home directory and a database."""
    place = tmp_path_factory.mktemp("place")
    for name in ("t.csv", "parts/a.csv", "parts/deep/b.csv", "home/h.csv", "it's [x].csv"):
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x,label\n1,0\n")
    (place / "secret.csv").write_text("x,label\n666,1\n")
    (place / "link.csv").symlink_to("t.csv")
    with duckdb.connect(str(place / "people.duckdb")) as connection:
        connection.execute("CREATE TABLE people AS SELECT 1 AS x, 0 AS label; CREATE SEQUENCE numbers")
        connection.execute("CREATE VIEW doubled AS SELECT x * 2 AS x, label FROM people")
        connection.execute("CREATE MACRO above(n) AS TABLE SELECT i AS x, 0 AS label FROM range(n, n + 2) t(i)")
        connection.execute("CREATE MACRO twice(n) AS 2 * n")
        connection.execute(f"CREATE VIEW reads AS SELECT * FROM '{place}/secret.csv'")
        connection.execute(f"CREATE MACRO reading() AS TABLE SELECT * FROM '{place}/secret.csv'")
        connection.execute(f"CREATE MACRO content() AS (SELECT max(x) FROM '{place}/secret.csv')")
    return place


@pytest.fixture
def folder(place, monkeypatch):
    """The working directory, which is the same for all tests: queries do not change it."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("HOME", str(place / "home"))
    return place


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


NAMED = {
    "relative": ("FROM 't.csv'", 1),
    "absolute": ("FROM '{folder}/t.csv'", 1),
    "detour": ("FROM './parts/../t.csv'", 1),
    "home": ("FROM '~/h.csv'", 1),
    "pattern in home": ("FROM '~/*.csv'", 1),
    "link": ("FROM 'link.csv'", 1),
    "pattern": ("FROM 'parts/*.csv'", 1),
    "deep pattern": ("SELECT x, label FROM 'parts/**/*.csv'", 2),
    "identifier": ('SELECT * FROM "t.csv"', 1),
    "dotted name": ("SELECT * FROM t.csv", 1),
    "list": ("SELECT * FROM read_csv(['t.csv', 'parts/a.csv'])", 2),
    "named argument": ("SELECT x, label FROM read_csv(['t.csv'], delim=',', header=true)", 1),
    "quotes": ("SELECT * FROM read_csv('it''s [[]x].csv')", 1),
    "escapes": (r"SELECT * FROM read_csv(E'\x74.csv')", 1),
    "dollar quotes": ("SELECT * FROM read_csv($q$t.csv$q$)", 1),
    "comment": ("FROM -- 'secret.csv'\n read_csv(/* file: */ 't.csv')", 1),
    "capitals": ("FROM READ_CSV('t.csv')", 1),
    "subquery": ("SELECT *, 0 AS label FROM (SELECT (SELECT max(x) FROM 't.csv') AS x)", 1),
    "expression": ("SELECT 1 AS x, 0 AS label WHERE EXISTS (FROM 't.csv')", 1),
    "common table": ("WITH RECURSIVE t AS (SELECT x, label FROM 't.csv' UNION FROM t) FROM t", 1),
    "materialized": ("WITH t AS MATERIALIZED (FROM 't.csv') FROM t", 1),
    "union": ("FROM 't.csv' UNION ALL FROM 'parts/a.csv'", 2),
    "join": ("SELECT a.x, b.label FROM 't.csv' a JOIN read_csv('parts/a.csv') b USING (x)", 1),
    "pivot": ("SELECT \"0\" AS x, 0 AS label FROM (PIVOT 't.csv' ON label IN (0) USING sum(x))", 1),
    "text": ("SELECT length(content) AS x, 0 AS label FROM read_text('t.csv')", 1),
    "files": ("SELECT length(file) AS x, 0 AS label FROM glob('parts/*')", 1),
    "description": ("SELECT 1 AS x, column_name = 'x' AS label FROM (DESCRIBE FROM 't.csv')", 2),
    "long sum": ("SELECT 1" + " + 1" * 900 + " AS x, 0 AS label", 1),
    "word of a statement": ("SELECT x AS \"copy\", label FROM 't.csv' WHERE 'DELETE' <> 'COPY'", 1),
}


@pytest.mark.parametrize("case", NAMED)
def test_a_query_reads_the_files_that_it_names(folder, case):
    sql, count = NAMED[case]
    assert len(rows(sql.replace("{folder}", str(folder)))[1]) == count


WRITE = "COPY (SELECT 1) TO 't.csv' (USE_TMP_FILE false)"
SERIALIZED = "json_execute_serialized_sql(json_serialize_sql('WITH t AS (" + WRITE.replace("'", "''") + ") FROM t'))"
HOSTILE = {
    "copy": f"WITH t AS ({WRITE}) SELECT * FROM t",
    "copy elsewhere": "WITH t AS (COPY (SELECT 1 AS x, 0 AS label) TO 'new.csv') SELECT * FROM t",
    "copy in a subquery": f"SELECT * FROM (WITH t AS ({WRITE}) SELECT * FROM t)",
    "copy in an expression": f"SELECT (WITH t AS ({WRITE}) SELECT count(*) FROM t) AS x, 0 AS label FROM 't.csv'",
    "copy, commented": "WITH t AS (/* SELECT */ CoPy/**/(SELECT 1)\nTO $$t.csv$$ (USE_TMP_FILE false)) FROM t",
    "copy below": f"WITH a AS (WITH b AS ({WRITE}) FROM b) FROM a",
    "copy, unused": f"WITH t AS MATERIALIZED ({WRITE}) SELECT x, label FROM 't.csv'",
    "copy, serialized": f"SELECT x, label FROM 't.csv', {SERIALIZED}",
    "query": "FROM query('FROM ''secret.csv''')",
    "qualified query": "FROM system.main.query('FROM ''secret.csv''')",
    "insert": "WITH t AS (INSERT INTO db.people VALUES (1, 2) RETURNING *) FROM t",
    "update": "WITH t AS (UPDATE db.people SET x = 3 RETURNING *) FROM t",
    "delete": "WITH t AS (DELETE FROM db.people RETURNING *) FROM t",
    "second statement": f"SELECT 1; {WRITE}",
    "statement after a comment": f"SELECT 1 /* ; */ ; -- \n {WRITE}",
    "attach": "FROM 't.csv'; ATTACH 'new.duckdb'",
    "install": "SELECT 1; INSTALL httpfs",
    "set": "SELECT 1; SET lock_configuration = false",
    "pragma": "SELECT 1; PRAGMA enable_profiling",
    "export": "FROM 't.csv'; EXPORT DATABASE 'new'",
    "logging": "FROM enable_logging(storage='file', storage_path='log')",
    "profiling": "FROM enable_profiling(save_location='profile.json')",
    "checkpoint": "FROM checkpoint('db')",
    "sequence": "SELECT nextval('db.numbers') AS x, 0 AS label",
    "computed name": "SELECT * FROM read_csv('secret' || '.csv')",
    "folder of a computed name": "SELECT * FROM read_csv('{folder}' || '/secret.csv')",
    "pattern of a computed name": "SELECT * FROM read_csv(replace('*.csv', '*', 'secret'))",
    "name from a setting": "SELECT * FROM read_csv(current_setting('TimeZone') || '../secret.csv')",
    "name from a variable": "SELECT * FROM read_csv(getvariable('name'))",
    "name from a subquery": "SELECT * FROM read_csv((SELECT 'secret.csv'))",
    "name from a column": "SELECT * FROM (SELECT 'secret.csv' AS f), LATERAL (FROM read_text(f))",
    "name in a table": "FROM query_table('secret.csv')",
    "environment": "SELECT getenv('HOME') AS x, 0 AS label",
    "settings": "SELECT length(value) AS x, 0 AS label FROM duckdb_settings()",
    "secrets": "SELECT 1 AS x, 0 AS label FROM duckdb_secrets()",
    "postgres": "FROM postgres_scan('host=localhost', 'public', 'people')",
    "sqlite": "FROM sqlite_scan('secret.csv', 't')",
    "pointers": "FROM arrow_scan(1, 2, 3)",
    "Python variable": "FROM NAMED",
    "view of a file": "SELECT * FROM db.reads",
    "macro of a file": "SELECT * FROM db.reading()",
    "expression of a file": "SELECT db.content() AS x, 0 AS label",
    "view of a named file": "SELECT a.x, b.label FROM 't.csv' a, db.reads b",
}


DATABASE = {"attach": {"db": "people.duckdb"}}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_query_cannot_write_or_reach_further(folder, case):
    before = contents(folder)
    with pytest.raises(nk.InvalidInputError) as refusal:
        rows(HOSTILE[case].replace("{folder}", str(folder)), **DATABASE)
    assert "\n" not in str(refusal.value)
    assert contents(folder) == before


@pytest.mark.parametrize(
    "option",
    [
        "delim = '/'",
        "nullstr = ['{folder}']",
        "nullstr := '*.csv'",
        "nullstr => 'secret.csv'",
        "decimal_separator = '.'",
    ],
)
def test_an_option_of_a_reader_does_not_name_a_file(folder, option):
    options = option.replace("{folder}", str(folder))
    sql = f"SELECT a.x, a.label FROM db.reads a, (SELECT count(*) FROM read_csv('t.csv', {options}))"
    with pytest.raises(nk.InvalidInputError, match=r"it reads '.*secret.csv', but it may only read files that stand"):
        rows(sql, **DATABASE)


def test_a_folder_is_read_if_it_is_the_source(folder):
    if duckdb.__version__ >= "2":  # older versions do not read folders
        assert len(rows("SELECT x, label FROM read_csv('parts')")[1]) == 2


def test_a_refused_query_is_not_begun(folder):
    refusal = (
        "the SQL must only read, but it contains COPY|DuckDB cannot parse the SQL: .* A CTE needs a SELECT"  # 2 | 1
    )
    with pytest.raises(nk.InvalidInputError, match=rf"^scan: ({refusal})\.$"):
        nk.scan(HOSTILE["copy"], target="label")
    assert (folder / "t.csv").read_text() == "x,label\n1,0\n"


def test_a_file_that_the_query_does_not_name_is_explained(folder):
    message = "reads '.*secret.csv', but it may only read files that stand in the query as strings, and databases that"
    for case in ("computed name", "view of a file"):
        with pytest.raises(nk.InvalidInputError, match=message):
            rows(HOSTILE[case], **DATABASE)
    with pytest.raises(nk.InvalidInputError, match="the SQL must only read files and databases, but it calls 'query'"):
        rows(HOSTILE["query"])


def test_views_and_macros_of_an_attached_database_are_read(folder):
    assert rows("FROM db.doubled", **DATABASE)[0].tolist() == [[2.0]]
    assert rows("FROM db.above(0)", **DATABASE)[0].tolist() == [[0.0], [1.0]]
    assert rows("SELECT db.twice(x) AS x, label FROM db.people", **DATABASE)[0].tolist() == [[2.0]]


@pytest.mark.parametrize(
    "definition",
    [
        "VIEW hostile AS SELECT * FROM query('SELECT 1')",
        "MACRO hostile() AS TABLE SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "MACRO hostile() AS (SELECT count(*) FROM checkpoint())",
    ],
)
def test_a_database_whose_views_do_more_than_read_is_refused(tmp_path, definition):
    path = tmp_path / "hostile.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE MACRO query(x) AS x; CREATE MACRO json_execute_serialized_sql(x) AS x")
        connection.execute(f"CREATE {definition}")
    message = "'hostile' of the database 'db' calls '(query|json_execute_serialized_sql|checkpoint)', which a query may"
    with pytest.raises(nk.InvalidInputError, match=message):
        rows("SELECT 1 AS x, 0 AS label", attach={"db": path})


def test_subqueries_in_each_other_do_not_end_the_process():
    sql = "FROM " + "(FROM " * 2000 + "range(3)" + ")" * 2000
    with pytest.raises(nk.InvalidInputError, match="the brackets of the SQL are nested more than 1,000 deep"):
        rows(sql)
    X, _ = rows(
        "SELECT * FROM (VALUES " + ", ".join(["(1, 0)"] * 1500) + ") t(x, label) WHERE '" + "(" * 2000 + "' <> ''"
    )
    assert len(X) == 1500


def test_a_url_asks_for_the_extension_that_reads_it(folder):
    message = (
        r"a URL in the query needs DuckDB's extension httpfs\. Install it with: pip install duckdb-extension-httpfs"
    )
    with pytest.raises(nk.InvalidInputError, match=message):
        rows("FROM 'https://localhost:9/t.csv'")
