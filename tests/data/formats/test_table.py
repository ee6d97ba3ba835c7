"""Tables in files: every format of the same rows gives the same batches, and a bad file is refused in one sentence."""

import csv
import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.data.delimited import blocks as blocks_module
from novikoff.data.tables import text as text_tables
from real_data import real
from table_files import HASHING, assert_same, rows, write


def test_patterns_and_lists_are_read_in_order(tmp_path):
    for i in (2, 0, 1):
        (tmp_path / f"part{i}.csv").write_text(f"label,x\n{i},{i}.5\n")
    (tmp_path / "part[.csv").write_text("x,label\n7,7\n")
    X, y = rows(str(tmp_path / "part?.csv"), target="label")
    assert y.tolist() == [0, 1, 2, 7]
    X, y = rows([tmp_path / "part2.csv", str(tmp_path / "part[01].csv"), str(tmp_path / "part[.csv")])
    assert y.tolist() == [2, 0, 1, 7]
    assert X.ravel().tolist() == [2.5, 0.5, 1.5, 7.0]


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
    "ragged": (put("label,x\n0,1\n\n1,2,3\n"), r"t\.csv, line 4: the line has 3 fields, but the header has 2\."),
    "ragged later": (
        put("label,x\n" + MANY + "1\n" + MANY),
        r"t\.csv, line 30002: the line has 1 field, but the header has 2\.",
    ),
    "word among numbers": (
        put("label,x\n" + MANY + "1,many\n"),
        r"line 30002: column 'x' must hold numbers, but there is 'many'",
    ),
    "word among labels": (
        put("label,x\n" + MANY + "a,1\n"),
        r"line 30002: labels in column 'label' are whole numbers in the rows before, but there is 'a'",
    ),
    "value after quoted lines": (
        put('label,s,x\n0,"a\n\nb",1\n\n1,c,inf\n'),
        r"t\.csv, line 6: column 'x' must hold numbers, but there is 'inf'",
    ),
    "no value": (put("label,x\n0,1\n1,NA\n"), r"t\.csv, line 3: column 'x' has no value\. Use missing="),
    "no string": (put("label,s\n0,a\n1,\n"), r"t\.csv, line 3: column 's' has no value\. Use missing="),
    "no label": (
        put("label,x\na,1\n,2\n"),
        r"t\.csv, line 3: every row of column 'label' must have a label",
    ),
    "no utf-8 later": (
        put(b"label,s\n" + b"0,a\n" * 300_000 + b"1,\xe9\n"),
        r"t\.csv, line 300002: the text is not utf-8: .* 0xe9\. Use encoding=",
    ),
    "no utf-8 in JSON": (
        put(b'{"label":0,"s":"\xe9"}\n', "t.ndjson"),
        r"line 1: the text must be UTF-8, but there is the byte 0xe9\.$",
    ),
    "no such column": (
        put("x,y\n0,1\n"),
        r"t\.csv: there is no column 'label', which target= names\. The columns are 'x', 'y'\.",
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
        r"jsonl, line 10001: every row of column 'label' must have a label",
    ),
    "other kind": (
        put('{"label":0,"x":1}\n' * 10_000 + '{"label":1,"x":"a"}\n', "t.jsonl"),
        r"jsonl, line 10001: the line must be an object",
    ),
    "bad array": (
        put('[{"label":0,"x":1}]', "t.json"),
        r"t\.json: the file is a JSON array \(NDJSON has an object per line\), not a table",
    ),
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
        r"2\.csv, line 2: column 'x' must hold numbers, but there is 'a'",
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_in_one_sentence(monkeypatch, tmp_path, case):
    monkeypatch.setattr(text_tables, "BLOCK_SIZE", 1 << 16)
    monkeypatch.setattr(blocks_module, "BLOCK_SIZE", 1 << 16)
    make, message = BAD_FILES[case]
    with pytest.raises(nk.InvalidInputError, match=message) as refusal:
        rows(make(tmp_path))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "names", "expected"),
    [
        (b"label,s\n0,a\n1,caf\xe9\n", ("s=a", "s=caf\u00e9"), [[1, 0], [0, 1]]),
        (b"label,\xe9\n0,1\n1,2\n", ("\u00e9",), [[1], [2]]),
        (b"label,x,x\n0,1,2\n1,3,4\n", ("x", "x.2"), [[1, 2], [3, 4]]),
        (b"label,,\n0,1,2\n1,3,4\n", None, [[1, 2], [3, 4]]),
        (b"label,d\n0,1970-01-02\n1,1970-01-11\n", ("d",), [[1], [10]]),
    ],
)
def test_what_is_not_clean_is_read(tmp_path, content, names, expected):
    (tmp_path / "t.csv").write_bytes(content)
    batch = nk.read(tmp_path / "t.csv")
    assert names is None or batch.feature_names == names
    np.testing.assert_array_equal(batch.X.toarray() if sp.issparse(batch.X) else batch.X, expected)


# ---- real tables: counts and orders are the published ones ----


def test_endometrial_is_what_it_is_known_to_be():
    X, y = rows(real("endometrial.csv"), target="HG")
    assert X.shape == (79, 3)
    assert np.all(y[X[:, 0] == 1] == 1)
    assert np.sum(X[:, 0] == 1) == 13


def test_elec2_is_read_whole_and_in_order():
    path = real("elec2.csv.gz")
    X, y = rows(path, target=None)
    with gzip.open(path, "rt") as file:
        lines = list(csv.DictReader(file))
    assert X.shape == (45312, 6)
    np.testing.assert_array_equal(y, [float(line.pop("target")) for line in lines])
    np.testing.assert_array_equal(X, [[float(cell) for cell in line.values()] for line in lines])


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


@pytest.mark.parametrize(
    ("name", "rows_known"), [("sms.tsv.gz", 5574), pytest.param("imdb_train.tsv.gz", 25000, marks=pytest.mark.slow)]
)
def test_texts_are_read_by_sql(name, rows_known):
    path = real(name)
    columns = {"sms.tsv.gz": "column0 AS label, column1 AS body"}.get(name, "column0 AS label, column2 AS body")
    sql = f"SELECT {columns} FROM read_csv('{path}', delim='\t', header=false, quote='', all_varchar=true)"
    batches = list(nk.scan(sql, target="label", text="body"))
    assert sum(len(batch.y) for batch in batches) == rows_known
    assert len({label for batch in batches for label in batch.y}) == 2


def test_a_whole_table_is_read_with_indicators_of_missing_values():
    batch = nk.read(b"a,b,y\n1,u,0\n,,1\n3,v,0\n", format="csv", missing="indicator")
    assert batch.feature_names == ("a", "a=missing", "b=u", "b=v", "b=missing")
    expected = [[1, 0, 1, 0, 0], [0, 1, 0, 0, 1], [3, 0, 0, 1, 0]]
    np.testing.assert_array_equal(batch.X.toarray() if sp.issparse(batch.X) else batch.X, expected)


@pytest.mark.parametrize("name", ["missing", "scale"])
@pytest.mark.parametrize("value", ["none of these", "", np.array([1.0, 2.0])], ids=["word", "empty", "array"])
def test_an_option_of_a_whole_table_that_is_not_a_choice_is_refused(name, value):
    with pytest.raises(nk.InvalidInputError, match=f"{name} must be"):
        nk.read(b"a,y\n1,0\n2,1\n", format="csv", **{name: value})
