"""Bad files, bad SQL and what is not installed: each is refused in one sentence."""

import gzip
import importlib
import sqlite3
import subprocess
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import novikoff as nk
from novikoff.data.tables import text as text_tables
from table_files import NUMBERS, rows, write


def put(content, name="t.csv"):
    def make(folder):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return make


def two_files(first, second):
    def make(folder):
        return [put(first, "1.csv")(folder), put(second, "2.csv")(folder)]

    return make


def then_cut(format):
    def make(folder):
        path = write(folder, format)
        path.write_bytes(path.read_bytes()[:-30])
        return path

    return make


MANY = "".join(f"{i % 2},{i}\n" for i in range(30_000))  # more than a block of the tests
BAD_FILES = {
    "no file": (lambda folder: folder / "no.csv", r"A file that exists\. Got .*no\.csv: No such file"),
    "no match": (lambda folder: str(folder / "*.csv"), r"Files that exist\. Got .*\*\.csv: No such file"),
    "directory": (lambda folder: folder, r"Files, such as '.*\*\.parquet'\. Got the directory"),
    "no source": (lambda folder: 3, r"A path, several paths, SQL or a frame\. Got int 3"),
    "no sources": (lambda folder: [], r"A path, several paths, SQL or a frame\. Got list"),
    "series": (lambda folder: pl.Series([1]), r"A table\. Got the Series"),
    "mixed objects": (lambda folder: pd.DataFrame({"x": [1, "a"], "label": [0, 1]}), "columns Arrow can take over"),
    "empty": (put(""), r"at least one row\. Got an empty one, .*t\.csv"),
    "blank": (put("\n\n"), r"at least one row\. Got an empty one"),
    "header only": (put("label,x\n"), r"at least one row\. Got one without rows, .*t\.csv"),
    "ragged": (put("label,x\n0,1\n\n1,2,3\n"), r"2 fields in every row\. Got 3 at .*t\.csv:4\."),
    "ragged later": (
        put("label,x\n" + MANY + "1\n" + MANY),
        r"2 fields in every row\. Got 1 at .*t\.csv:30002\.",
    ),
    "word among numbers": (
        put("label,x\n" + MANY + "1,many\n"),
        r"A number in column 'x', .*'many' at .*:30002\.",
    ),
    "word among labels": (
        put("label,x\n" + MANY + "a,1\n"),
        r"A whole number in column 'label'.* 'a' at .*:30002",
    ),
    "value after quoted lines": (put('label,s,x\n0,"a\n\nb",1\n\n1,c,inf\n'), r"column 'x'\. Got inf at .*t\.csv:6\."),
    "no value": (put("label,x\n0,1\n1,NA\n"), r"every row of column 'x'.*Got no value at .*t\.csv:3\."),
    "no string": (put("label,s\n0,a\n1,\n"), r"every row of column 's'.*Got no value at .*t\.csv:3\."),
    "no label": (put("label,x\na,1\n,2\n"), r"A label in every row.*Got no value at .*t\.csv:3\."),
    "no utf-8": (put(b"label,s\n0,a\n1,caf\xe9\n"), r"Text in UTF-8\. Got the byte 0xe9 at .*t\.csv:3\."),
    "no utf-8 later": (
        put(b"label,s\n" + b"0,a\n" * 30_000 + b"1,\xe9\n"),
        r"Got the byte 0xe9 at .*t\.csv:30002\.",
    ),
    "no utf-8 in a header": (put(b"label,\xe9\n0,1\n"), r"Text in UTF-8\. Got the byte 0xe9 at .*t\.csv:1\."),
    "no utf-8 in JSON": (put(b'{"label":0,"s":"\xe9"}\n', "t.ndjson"), r"UTF-8 in column 's'\. Got b'\\xe9' at .*:1\."),
    "column twice": (put("label,x,x\n0,1,2\n"), r"Different columns\. Got 'x' twice"),
    "no such column": (put("x,y\n0,1\n"), r"target = a column of the table, which has 'x', 'y'\. Got 'label'\."),
    "date": (put("label,d\n0,2020-01-01\n"), r"'d' of features \(cast it in SQL.*Got date32"),
    "cut gzip": (
        put(gzip.compress(b"label,x\n" + b"0,1\n" * 9999)[:-9], "t.csv.gz"),
        r"A gzip file that is whole.*gz:\d+\.",
    ),
    "bad JSON": (
        put('{"label":0,"x":1}\n\n{"label":1,"x":}\n', "t.ndjson"),
        r"object in every line.*at .*ndjson:3, refu",
    ),
    "no object": (
        put('{"label":0,"x":1}\n[1]\n', "t.jsonl"),
        r"object in every line.*Got '\[1\]' at .*jsonl:2, refused",
    ),
    "further key": (
        put('{"label":0,"x":1}\n' * 10_000 + '{"q":1}\n', "t.jsonl"),
        r"every line.*at .*jsonl:10001, refu",
    ),
    "other kind": (put('{"label":0,"x":1}\n' * 10_000 + '{"label":1,"x":"a"}\n', "t.jsonl"), r"jsonl:10001, refused"),
    "bad array": (put('[{"label":0,"x":1}', "t.json"), r"DuckDB can read\. Got .*t\.json: .*"),
    "not Parquet": (put("label,x\n0,1\n", "t.parquet"), r"A Parquet file\. Got .*t\.parquet: "),
    "cut Parquet": (then_cut("parquet"), r"A Parquet file\. Got "),
    "not Arrow": (put("label,x\n0,1\n", "t.arrow"), r"A file of Arrow's IPC format.*Got .*t\.arrow: "),
    "cut Arrow": (then_cut("arrow"), r"A file of Arrow's IPC format.*Got "),
    "column missing later": (
        two_files("label,x\n0,1\n", "label,z\n1,2\n"),
        r"A column 'x', as at first\. Got .*2\.csv with",
    ),
    "column more later": (
        two_files("label,x\n0,1\n", "label,x,z\n1,2,3\n"),
        r"same columns throughout.*further column 'z'",
    ),
    "other kind later": (
        two_files("label,x\n0,1\n", "label,x\n1,a\n"),
        r"A number in column 'x'.*Got 'a' at .*2\.csv:2\.",
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_in_one_sentence(monkeypatch, tmp_path, case):
    monkeypatch.setattr(text_tables, "BLOCK", 1 << 16)
    make, message = BAD_FILES[case]
    with pytest.raises(nk.InvalidInputError, match=message) as refusal:
        rows(make(tmp_path))
    assert str(refusal.value).startswith("[scan] ")
    assert "\n" not in str(refusal.value)


def test_a_parquet_file_that_differs_from_the_first_is_refused(tmp_path):
    for i, table in enumerate([pa.table({"x": [1], "label": [0]}), pa.table({"x": ["a"], "label": [0]})]):
        pyarrow.parquet.write_table(table, tmp_path / f"{i}.parquet")
    with pytest.raises(
        nk.InvalidInputError, match=r"A column 'x' that holds numbers, as at first\. Got string in .*1.par"
    ):
        rows(str(tmp_path / "*.parquet"))


BAD_SQL = {
    "syntax": ("SELECT FROM WHERE", {}, r"SQL that DuckDB can run\. Got an error: Parser Error"),
    "no table": ("SELECT * FROM nothing", {}, r"Got the query's result: Catalog Error: .*nothing does not exist"),
    "no file": ("SELECT * FROM 'no/*.parquet'", {}, "Got the query's result: IO Error: No files found"),
    "two statements": ("SELECT 1; SELECT 2", {}, "SQL that is one query. Got SELECT and SELECT"),
    "not a query": ("WITH t AS (SELECT 1) INSERT INTO q SELECT * FROM t", {}, "SQL that is one query. Got INSERT"),
    "variable": ("SELECT * FROM FRAME", {}, "Catalog Error"),
    "failure on the way": (
        "SELECT 1 AS label, if(i < 90000, '1', 'a')::INT AS x FROM range(100000) t(i)",
        {},
        r"read to its end\. Got the query's result: .*Could not convert string 'a'",
    ),
    "value": ("SELECT 1 AS label, 'inf'::DOUBLE AS x", {}, "Got inf at row 0 of the query's result"),
    "no database": (
        "SELECT 1",
        {"attach": {"db": "no.duckdb"}},
        r"can be attached as 'db'\. Got an error: .*not exist",
    ),
    "attach without names": (
        "SELECT 1",
        {"attach": {"db": 3}},
        "attach = a dict of names and databases. Got 'db': int",
    ),
    "attach without SQL": (
        "x.csv",
        {"attach": {"db": "x"}},
        r"attach= together with SQL\. Got attach=\['db'\] with str",
    ),
    "format": ("x.csv", {"format": "xls"}, "format = 'csv' or 'tsv' or .* Got 'xls'"),
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
    message = (
        rf"DuckDB's extension {extension} for the database 'db' \(once: .*INSTALL {extension}.*pip install duckdb-ext"
    )
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


@pytest.mark.parametrize("package", ["pyarrow", "duckdb"])
def test_a_package_that_is_not_there_is_asked_for(monkeypatch, tmp_path, package):
    path = write(tmp_path, "parquet", NUMBERS)
    real = importlib.import_module

    def refuse(name, *args):
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, *args)

    monkeypatch.setattr(importlib, "import_module", refuse)
    message = (
        rf"The package {package}, .*\(pip install 'novikoff\[tables\]'\)\. Got no {package} that can be imported\."
    )
    with pytest.raises(nk.InvalidInputError, match=message):
        rows(f"SELECT * FROM '{path}'" if package == "duckdb" else str(path))


def test_novikoff_can_be_imported_without_either_package():
    code = "import sys; sys.modules |= {'pyarrow': None, 'duckdb': None}; import novikoff.data.tables"
    subprocess.run([sys.executable, "-c", code], check=True)
