"""JSON: an array of objects, or one object per line."""

import gzip
import json

import pytest

import novikoff as nk

RECORDS = [{"x": 1.5, "y": 0}, {"x": 2.5, "y": 1}, {"y": 1, "x": 3}]


@pytest.mark.parametrize("start", [b"", b" \n\t"], ids=["plain", "white space"])
def test_an_array_and_lines_of_objects_are_told_apart_by_the_first_character(tmp_path, start):
    path = tmp_path / "t.json"
    lines = "\n".join(map(json.dumps, RECORDS))
    for text in (json.dumps(RECORDS), lines):
        path.write_bytes(start + text.encode())
        X, y = nk.read(path)
        assert (X.ravel().tolist(), y.tolist()) == ([1.5, 2.5, 3.0], [0, 1, 1])


def test_a_kind_is_that_of_the_whole_array(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps([{"x": 1, "y": 0}] * 50_000 + [{"x": 0.5, "y": 1}]))
    assert nk.read(path).X[-1].tolist() == [0.5]


def test_special_characters_in_a_path_are_not_a_pattern(tmp_path):
    path = tmp_path / "it's [1].json"
    path.write_text(json.dumps(RECORDS))
    assert nk.read(path).y.tolist() == [0, 1, 1]


def test_an_array_may_be_compressed(tmp_path):
    path = tmp_path / "t.json.gz"
    path.write_bytes(gzip.compress(json.dumps(RECORDS).encode()))
    assert nk.read(path).y.tolist() == [0, 1, 1]
