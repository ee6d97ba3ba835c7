"""Where tables come from: every source of the same rows gives the same batches."""

import gzip
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.data import text_tables
from novikoff.data.hashing import Hashing
from novikoff.data.tables import TABLE_FORMATS, Table, format_of, is_frame, is_query

RECORDS = [
    {"age": 39.0, "job": "clerk", "new": True, "label": "yes"},
    {"age": 17.5, "job": 'pipe, 5" wide', "new": False, "label": "no"},
    {"age": -3.0, "job": "two\nlines", "new": True, "label": "no"},
    {"age": 0.0, "job": "ünïcode", "new": False, "label": "yes"},
    {"age": 1e6, "job": "clerk", "new": True, "label": "yes"},
]
FRAME = pa.Table.from_pylist(RECORDS)
NUMBERS = FRAME.select(["age", "new", "label"])
HASHING = Hashing(n_bits=10)


def rows(source, **options):
    """X, y and the weights of all batches, X dense."""
    batches = list(Table("scan", source, **{"target": "label", "hashing": HASHING} | options))
    X = np.vstack([b.X.toarray() if sp.issparse(b.X) else b.X for b in batches])
    return X, *(np.concatenate([b[i] for b in batches]) for i in range(1, len(batches[0])))


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype.kind == b.dtype.kind


def write(folder, format, frame=FRAME):
    """Write a table in a format, and return its path."""
    path = folder / f"table.{format}"
    if format in ("csv", "csv.gz", "csv.zst", "csv.bz2"):
        with pa.output_stream(path) as stream:
            pyarrow.csv.write_csv(frame, stream)
    elif format.startswith(("ndjson", "jsonl")):
        with pa.output_stream(path) as stream:
            stream.write("".join(json.dumps(record) + "\n" for record in frame.to_pylist()).encode())
    elif format == "json":
        path.write_text(json.dumps(frame.to_pylist(), indent=1))
    elif format == "parquet":
        pyarrow.parquet.write_table(frame, path, row_group_size=2)
    elif format == "feather":
        pyarrow.feather.write_feather(frame, path, chunksize=2)
    else:
        new = pa.ipc.new_stream if format == "ipc" else pa.ipc.new_file
        with new(path, frame.schema) as writer:
            writer.write_table(frame, max_chunksize=2)
    return path


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
    "no file": (lambda folder: folder / "no.csv", r"A file that exists\. Got '.*no\.csv'"),
    "no match": (lambda folder: str(folder / "*.csv"), r"Files that exist\. Got '.*\*\.csv'"),
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
    "not gzip": (put("label,x\n0,1\n", "t.csv.gz"), r"A file that can be read.*t\.csv\.gz: "),
    "cut gzip": (put(gzip.compress(b"label,x\n" + b"0,1\n" * 9999)[:-9], "t.csv.gz"), r"A file that can be read.*gz: "),
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
    import sqlite3

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


DATA = Path(os.environ.get("NOVIKOFF_DATA", Path(__file__).parents[2] / "../shared/data"))


def real(name):
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not in {DATA}")
    return DATA / name


def test_endometrial_is_what_it_is_known_to_be():
    X, y = rows(real("endometrial.csv"), target="HG")
    assert X.shape == (79, 3)
    assert np.all(y[X[:, 0] == 1] == 1)
    assert np.sum(X[:, 0] == 1) == 13


def test_elec2_is_read_whole_and_in_order():
    path = real("elec2.csv.gz")
    X, y = rows(path, target=None)
    frame = pd.read_csv(path)
    assert X.shape == (45312, 6)
    np.testing.assert_array_equal(X, frame.drop(columns="target").to_numpy())
    np.testing.assert_array_equal(y, frame["target"])


def test_lizards_mix_numbers_and_strings():
    path = real("lizards.csv")
    X, y = rows(path, target="time", weight="grahami")[:2]
    assert X.shape == (23, 2**HASHING.n_bits)
    assert set(y) == {"early", "late", "midday"}


@pytest.mark.slow
def test_covtype_is_read_whole():
    path = real("covtype.csv.gz")
    with gzip.open(path, "rt") as file:
        names = file.readline().strip().split(",")
    X, y = rows(path, target=names[-1])
    assert X.shape == (581012, 54)
    assert np.bincount(y).tolist() == [0, 211840, 283301, 35754, 2747, 9493, 17367, 20510]


@pytest.mark.parametrize(("name", "rows_known"), [("sms.tsv.gz", 5574), ("imdb_train.tsv.gz", 25000)])
def test_texts_are_read_by_sql(name, rows_known):
    path = real(name)
    columns = {"sms.tsv.gz": "column0 AS label, column1 AS body"}.get(name, "column0 AS label, column2 AS body")
    sql = f"SELECT {columns} FROM read_csv('{path}', delim='\t', header=false, quote='', all_varchar=true)"
    batches = list(Table("scan", sql, target="label", text="body"))
    assert sum(len(batch.y) for batch in batches) == rows_known
    assert len({label for batch in batches for label in batch.y}) == 2


SCAN = """
import resource, sys
import pyarrow.parquet, duckdb, numpy, scipy.sparse
from novikoff.data.tables import Table
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
list(Table("scan", sys.argv[1], target="y"))  # a small one, so that everything is imported
before = peak()
rows = sum(len(batch.y) for batch in Table("scan", sys.argv[2], target="y"))
print(rows, (peak() - before) // 1024)
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
    found = subprocess.check_output([sys.executable, "-c", SCAN, small, large], text=True).split()
    assert int(found[0]) == 1_250_000
    assert int(found[1]) < 150
