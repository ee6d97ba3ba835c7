"""Formats by content: files without a known suffix, and with a wrong one."""

import bz2
import gzip
import io
import lzma
import pickle
import re
import sqlite3
import time

import numpy as np
import pytest

import novikoff as nk
from novikoff.data.formats import FORMATS, find_format
from novikoff.data.formats.content import SNIFFED_BYTES, beginning_of, is_object, is_svmlight, other_kind
from table_files import write

TEXTS = {
    "svmlight": [
        "+1 1:0.5 3:2\n-1 2:1\n",
        "1 1:0.5 # comment\n\n# comment\n2\n",
        "0.5 qid:3 7:1e-3\n",
        "1,3 1:0.5\n2 1:0.5\n",
        "\ufeff+1 1:0.5\r\n-1 2:1\r\n",
    ],
    "csv": [
        "a,b\n1,2\n",
        "1\t2\tx\n3\t4\ty\n",
        "a;b\n1,5;2\n",
        "1 2 3\n4 5 6\n",
        "time,value\n10:30,1\n10:45,2\n",
        "ham\tOk lar... Joking, wif u oni...\nspam\tFree entry in 2 a wkly comp\n",
    ],
    "ndjson": ['{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n', ' \n{"a": 1}\n'],
}
CASES = [(name, text) for name, texts in TEXTS.items() for text in texts]


@pytest.mark.parametrize(("name", "text"), CASES)
@pytest.mark.parametrize("file", ["rows", "rows.data", "rows.txt", "rows.svm", "rows.dat"])
def test_content_decides_where_the_name_does_not(name, text, file, tmp_path):
    (tmp_path / file).write_text(text, encoding="utf-8")
    assert find_format("scan", tmp_path / file).name == name
    assert find_format("scan", text.encode()).name == name


@pytest.mark.parametrize(("name", "text"), CASES)
@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_content_decides_too(name, text, compress, tmp_path):
    (tmp_path / "rows").write_bytes(compress(text.encode() * 300))
    if name != "csv":
        assert find_format("scan", tmp_path / "rows").name == name
    (tmp_path / "rows").write_bytes(compress(text.encode()))
    assert find_format("scan", tmp_path / "rows").name == name


@pytest.mark.parametrize(("name", "text"), CASES)
@pytest.mark.parametrize("suffix", ["csv", "tsv", "ndjson"])
def test_content_that_contradicts_the_name_of_a_text_file_decides(name, text, suffix, tmp_path):
    path = tmp_path / f"rows.{suffix}"
    path.write_text(text, encoding="utf-8")
    expected = "tsv" if (name, suffix) == ("csv", "tsv") else name
    assert find_format("scan", path).name == expected


@pytest.mark.parametrize("text", ["", "\n", "name\nJohn Smith\nJane Doe\n", "\x00\x01"])
def test_content_that_tells_nothing_leaves_the_name(text, tmp_path):
    for file, name in (("rows.csv", "csv"), ("rows.tsv", "tsv"), ("rows.ndjson", "ndjson"), ("rows", "svmlight")):
        (tmp_path / file).write_text(text)
        assert find_format("scan", tmp_path / file).name == name


@pytest.mark.parametrize("format", ["parquet", "feather", "arrow"])
def test_binary_formats_are_recognised(format, tmp_path):
    found = write(tmp_path, format).rename(tmp_path / "rows.csv")
    assert find_format("scan", found).name == ("parquet" if format == "parquet" else "arrow")


def other_files(folder):
    """Write files that hold no examples, and return what each is called."""
    X, y = np.eye(2), np.array([-1, 1])
    nk.save(nk.Perceptron().fit(X, y), folder / "model")
    np.save(folder / "array.npy", X)
    (folder / "pickle").write_bytes(pickle.dumps((X, y)))
    with sqlite3.connect(folder / "database") as database:
        database.execute("create table t (a)")
    database.close()
    (folder / "page").write_text("\n<!DOCTYPE html>\n<html><body>1,2\n3,4\n</body></html>\n")
    beginnings = {"png": b"\x89PNG\r\n\x1a\n", "jpeg": b"\xff\xd8\xff\xe0", "gif": b"GIF89a", "pdf": b"%PDF-1.7\n"}
    for name, first in beginnings.items():
        (folder / name).write_bytes(first + bytes(99))
    return {
        "model": "a model file",
        "pickle": "a pickle of Python",
        "database": "a SQLite database",
        "page": "a web page",
        "pdf": "a PDF document",
    } | {name: f"a picture ({name.upper()})" for name in ("png", "jpeg", "gif")}


def test_files_without_examples_are_named_for_what_they_are(tmp_path):
    for name, kind in other_files(tmp_path).items():
        content = (tmp_path / name).read_bytes()
        (tmp_path / f"{name}.csv").write_bytes(content)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content))
        for source in (tmp_path / name, tmp_path / f"{name}.csv", tmp_path / f"{name}.gz", content):
            with pytest.raises(nk.InvalidInputError, match=f"the file is {re.escape(kind)}, not a table"):
                nk.scan(source)


def test_names_of_binary_formats_are_trusted(tmp_path):
    (tmp_path / "rows.parquet").write_text("a,b\n1,2\n")
    assert find_format("scan", tmp_path / "rows.parquet").name == "parquet"


def test_files_must_have_one_format(tmp_path):
    (tmp_path / "a").write_text("a,b\n1,2\n")
    (tmp_path / "b").write_text("1 1:2\n")
    (tmp_path / "c").write_text("1 1:3\n")
    assert find_format("scan", [tmp_path / "b", tmp_path / "c"]).name == "svmlight"
    with pytest.raises(nk.InvalidInputError, match="all files must have one format"):
        find_format("scan", [tmp_path / "a", tmp_path / "b"])


def test_a_line_that_is_longer_than_the_beginning_is_enough():
    line = "+1 " + " ".join(f"{i}:0.5" for i in range(1, 10_000))
    assert len(line) > SNIFFED_BYTES
    assert is_svmlight(line.encode()[:SNIFFED_BYTES])
    assert find_format("scan", line.encode()).name == "svmlight"
    assert find_format("scan", ",".join(map(str, range(10_000))).encode()).name == "csv"


def test_what_cannot_be_read_twice_or_at_all_is_left_alone(tmp_path):
    assert beginning_of(tmp_path) is None
    assert beginning_of(tmp_path / "missing") is None
    assert beginning_of(gzip.compress(b"abc" * 1000)[:-10]).startswith(b"abc")
    assert beginning_of(memoryview(b"abc")) == b"abc"


def test_standard_input_is_looked_at_and_read_all_the_same(monkeypatch):
    stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"a,b\n1,2\n3")))
    monkeypatch.setattr("sys.stdin", stream)
    assert beginning_of("-") == b"a,b\n1,2\n"
    assert find_format("scan", "-").name == "csv"
    assert stream.buffer.read() == b"a,b\n1,2\n3"


def test_a_terminal_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n")))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert beginning_of("-") is None


def test_json_is_told_from_words_in_braces():
    assert is_object(b'\xef\xbb\xbf {"a": 1}')
    assert not is_object(b"{a},b\n")
    assert "JSON array" in other_kind(b"[\n {}]")
    assert other_kind(b"[x],[y]\n") is None


def test_names_of_text_formats_yield_to_content():
    assert {name for name in FORMATS if FORMATS[name].yields_to_content} == {"csv", "tsv", "ndjson"}


@pytest.mark.timed
def test_a_line_of_many_numbers_is_told_from_svmlight_at_once():
    line = ",".join(str(i) for i in range(3000)).encode() + b",yes\n"
    began = time.perf_counter()
    assert not is_svmlight(line)
    assert time.perf_counter() - began < 1  # a regular expression that tries every way takes minutes
