"""Tables in files: every format of the same rows gives the same batches, and a bad file is refused in one sentence."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import novikoff as nk
from memory import run_alone
from novikoff.data.tables import text as text_tables
from table_files import FRAME, assert_same, rows, write

FILES = ["csv", "csv.gz", "csv.zst", "csv.bz2", "ndjson", "jsonl", "ndjson.gz", "jsonl.zst", "json", "parquet", "arrow"]
FILES += ["feather", "ipc"]


@pytest.mark.parametrize("batch_size", [1, 2, 100])
@pytest.mark.parametrize("format", FILES)
def test_every_format_gives_the_same_rows(tmp_path, format, batch_size):
    path = write(tmp_path, format)
    assert_same(rows(str(path), batch_size=batch_size), rows(FRAME))
    table = nk.scan(path, target="label", batch_size=batch_size)
    assert [len(b.y) for b in table] == [len(b.y) for b in table], "a table can be read again"


def test_patterns_and_lists_are_read_in_order(tmp_path):
    for i in (2, 0, 1):
        (tmp_path / f"part{i}.csv").write_text(f"label,x\n{i},{i}.5\n")
    (tmp_path / "part[.csv").write_text("x,label\n7,7\n")
    X, y = rows(str(tmp_path / "part?.csv"), target="label")
    assert y.tolist() == [0, 1, 2, 7]
    X, y = rows([tmp_path / "part2.csv", str(tmp_path / "part[01].csv"), str(tmp_path / "part[.csv")])
    assert y.tolist() == [2, 0, 1, 7]
    assert X.ravel().tolist() == [2.5, 0.5, 1.5, 7.0]


def test_files_of_several_formats_are_refused(tmp_path):
    with pytest.raises(nk.InvalidInputError, match="scan: all files must have one format"):
        rows([write(tmp_path, format) for format in ("parquet", "csv")])


def test_a_column_of_strings_stays_one_where_a_later_file_has_digits(tmp_path):
    (tmp_path / "1.csv").write_text("code,label\nA1,0\n")
    (tmp_path / "2.csv").write_text("label,code\n1,17\n")
    assert_same(rows(str(tmp_path / "*.csv")), rows(pa.table({"code": ["A1", "17"], "label": [0, 1]})))


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


def folder_named(name):
    def make(folder):
        (folder / name).mkdir()
        return folder / name

    return make


def then_cut(format):
    def make(folder):
        path = write(folder, format)
        path.write_bytes(path.read_bytes()[:-30])
        return path

    return make


MANY = "".join(f"{i % 2},{i}\n" for i in range(30_000))  # more than a block of the tests
BAD_FILES = {
    "no file": (lambda folder: folder / "no.csv", r"no\.csv: the file cannot be read: No such file"),
    "no match": (lambda folder: str(folder / "*.csv"), r"\*\.csv: the file cannot be read: No such file"),
    "directory": (folder_named("t.csv"), r"this is a directory\. Use a pattern for its files, such as '.*\*\.parquet'"),
    "bytes in a list": (lambda folder: [b"a", folder / "t.csv"], "must have one format"),
    "empty": (put(""), r"t\.csv: the file is empty\.$"),
    "blank": (put("\n\n"), r"t\.csv: the file is empty\.$"),
    "header only": (put("label,x\n"), r"t\.csv: the table has no rows\.$"),
    "ragged": (put("label,x\n0,1\n\n1,2,3\n"), r"t\.csv, line 4: the line must have 2 fields, but it has 3\.$"),
    "ragged later": (
        put("label,x\n" + MANY + "1\n" + MANY),
        r"t\.csv, line 30002: the line must have 2 fields, but it has 1\.$",
    ),
    "word among numbers": (
        put("label,x\n" + MANY + "1,many\n"),
        r"line 30002: column 'x' must hold a number, as in the rows before, but there is 'many'",
    ),
    "word among labels": (
        put("label,x\n" + MANY + "a,1\n"),
        r"line 30002: column 'label' must hold a whole number, .* 'a'",
    ),
    "value after quoted lines": (
        put('label,s,x\n0,"a\n\nb",1\n\n1,c,inf\n'),
        r"t\.csv, line 6: numbers in column 'x' must be finite, but there is inf",
    ),
    "no value": (put("label,x\n0,1\n1,NA\n"), r"t\.csv, line 3: column 'x' has no value\. Use missing="),
    "no string": (put("label,s\n0,a\n1,\n"), r"t\.csv, line 3: column 's' has no value\. Use missing="),
    "no label": (
        put("label,x\na,1\n,2\n"),
        r"t\.csv, line 3: every row of column 'label' must have a label, but there is no value",
    ),
    "no utf-8": (
        put(b"label,s\n0,a\n1,caf\xe9\n"),
        r"t\.csv, line 3: the text must be UTF-8, but there is the byte 0xe9",
    ),
    "no utf-8 later": (
        put(b"label,s\n" + b"0,a\n" * 30_000 + b"1,\xe9\n"),
        r"t\.csv, line 30002: the text must be UTF-8, but there is the byte 0xe9",
    ),
    "no utf-8 in a header": (
        put(b"label,\xe9\n0,1\n"),
        r"t\.csv, line 1: the text must be UTF-8, but there is the byte 0xe9",
    ),
    "no utf-8 in JSON": (
        put(b'{"label":0,"s":"\xe9"}\n', "t.ndjson"),
        r"line 1: strings in column 's' must be UTF-8, but there is b'\\xe9'",
    ),
    "column twice": (put("label,x,x\n0,1,2\n"), r"t\.csv: two columns are called 'x'\. Rename"),
    "no such column": (
        put("x,y\n0,1\n"),
        r"t\.csv: there is no column 'label', which target= names\. The columns are 'x', 'y'\.",
    ),
    "date": (
        put("label,d\n0,2020-01-01\n"),
        r"t\.csv: column 'd' of features must hold .*date32\[day\]\. Cast it in SQL",
    ),
    "cut gzip": (
        put(gzip.compress(b"label,x\n" + b"0,1\n" * 9999)[:-9], "t.csv.gz"),
        r"t\.csv\.gz, line \d+: the gzip data ends too early",
    ),
    "bad JSON": (
        put('{"label":0,"x":1}\n\n{"label":1,"x":}\n', "t.ndjson"),
        r"ndjson, line 3: the line must be an object",
    ),
    "no object": (
        put('{"label":0,"x":1}\n[1]\n', "t.jsonl"),
        r"jsonl, line 2: the line must be an object .* but it is '\[1\]'",
    ),
    "further key": (
        put('{"label":0,"x":1}\n' * 10_000 + '{"q":1}\n', "t.jsonl"),
        r"jsonl, line 10001: the line must be an object",
    ),
    "other kind": (
        put('{"label":0,"x":1}\n' * 10_000 + '{"label":1,"x":"a"}\n', "t.jsonl"),
        r"jsonl, line 10001: the line must be an object",
    ),
    "bad array": (put('[{"label":0,"x":1}', "t.json"), r"t\.json: DuckDB cannot read it: "),
    "not Parquet": (put("label,x\n0,1\n", "t.parquet"), r"t\.parquet: the file is not a readable Parquet file: "),
    "cut Parquet": (then_cut("parquet"), r"the file is not a readable Parquet file: "),
    "not Arrow": (put("label,x\n0,1\n", "t.arrow"), r"t\.arrow: the file is not a readable Arrow or feather file: "),
    "cut Arrow": (then_cut("arrow"), r"the file is not a readable Arrow or feather file: "),
    "column missing later": (
        two_files("label,x\n0,1\n", "label,z\n1,2\n"),
        r"2\.csv: there is no column 'x', but .*1\.csv has one",
    ),
    "column more later": (
        two_files("label,x\n0,1\n", "label,x,z\n1,2,3\n"),
        r"2\.csv: column 'z' is not in .*1\.csv\. Use features=",
    ),
    "other kind later": (
        two_files("label,x\n0,1\n", "label,x\n1,a\n"),
        r"2\.csv, line 2: column 'x' must hold a number, .* 'a'",
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_in_one_sentence(monkeypatch, tmp_path, case):
    monkeypatch.setattr(text_tables, "BLOCK_SIZE", 1 << 16)
    make, message = BAD_FILES[case]
    with pytest.raises(nk.InvalidInputError, match=message) as refusal:
        rows(make(tmp_path))
    assert "\n" not in str(refusal.value)


def test_a_parquet_file_that_differs_from_the_first_is_refused(tmp_path):
    for i, table in enumerate([pa.table({"x": [1], "label": [0]}), pa.table({"x": ["a"], "label": [0]})]):
        pyarrow.parquet.write_table(table, tmp_path / f"{i}.parquet")
    with pytest.raises(nk.InvalidInputError, match=r"1\.parquet: column 'x' holds string, but numbers in .*0\.parquet"):
        rows(str(tmp_path / "*.parquet"))


SCAN = """
import sys
import pyarrow.parquet, duckdb, numpy, scipy.sparse
import novikoff as nk
list(nk.scan(sys.argv[1], target="y"))  # a small one, so that everything is imported
before = peak()
rows = sum(len(batch.y) for batch in nk.scan(sys.argv[2], target="y"))
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
