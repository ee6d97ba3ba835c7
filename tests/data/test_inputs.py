"""Which files a source is read from, under whatever name."""

import io
import os
import sys

import pytest

from novikoff.data.inputs import reads_file

SOURCES = {
    "name": "t.csv",
    "path": "{folder}/t.csv",
    "detour": "sub/../t.csv",
    "link": "link.csv",
    "hard link": "hard.csv",
    "pattern": "*.csv",
    "deep pattern": "**/[t].csv",
    "list": ["other.csv", "t.csv"],
    "query": "SELECT * FROM 't.csv'",
    "pattern in a query": "FROM read_csv('{folder}/*.csv')",
    "identifier": 'SELECT * FROM "link.csv"',
    "dotted name": "SELECT * FROM t.csv",
    "home": "SELECT * FROM '~/t.csv'",
    "subquery": "WITH a AS (SELECT 1) SELECT (SELECT max(x) FROM read_text(['sub/../t.csv'])) FROM a",
}
OTHERS = {
    "other file": "other.csv",
    "bytes": b"t.csv",
    "missing": "no.csv",
    "query": "SELECT 't.csv' FROM 'other.csv'",
    "table": "SELECT * FROM db.t",
    "list": ["other.csv", b"t.csv"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "sub").mkdir()
    for name in ("t.csv", "other.csv"):
        (tmp_path / name).write_text("x,label\n1,0\n")
    (tmp_path / "link.csv").symlink_to("t.csv")
    (tmp_path / "hard.csv").hardlink_to("t.csv")
    return tmp_path


def test_a_file_is_found_behind_every_spelling(folder):
    for name, source in SOURCES.items():
        source = source.replace("{folder}", str(folder)) if isinstance(source, str) else source
        assert reads_file("convert", "t.csv", source), name
    for name, source in OTHERS.items():
        assert not reads_file("convert", "t.csv", source), name


def test_a_new_file_is_not_read(folder):
    assert not reads_file("convert", "new.csv", "*.csv")


def test_databases_are_read(folder):
    assert reads_file("convert", "t.csv", "SELECT 1", ["other.csv", "link.csv"])
    assert reads_file("convert", "t.csv", "SELECT 1", ["sqlite:t.csv"])
    assert not reads_file("convert", "t.csv", "SELECT 1", ["postgres://host/t.csv"])


def test_standard_input_may_be_a_file(folder, monkeypatch):
    with open("t.csv") as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert reads_file("convert", "link.csv", "-")
        assert not reads_file("convert", "other.csv", "-")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert not reads_file("convert", "t.csv", "-")
    monkeypatch.setattr(sys, "stdin", None)
    assert not reads_file("convert", "t.csv", "-")


def test_a_path_object_is_a_path(folder):
    assert reads_file("convert", "t.csv", folder / "link.csv")
    assert reads_file("convert", "t.csv", os.fsencode("t.csv").decode())
