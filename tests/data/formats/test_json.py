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


HOSTILE = {
    "lists in lists": (b"[" * 20_000 + b"]" * 20_000, r"line 1: the file is not an array .* nested too deeply\."),
    "objects in objects": (b'[\n{"x":' + b'{"x":' * 200_000, r"line 2: .* nested too deeply\."),
    "cut": (b'[{"x": 1, "y": 0}, {"x": 2, "y": "on', r"a string is not closed\."),
    "two arrays": (b'[{"x": 1, "y": 0}]\n[{"x": 1, "y": 0}]', r"line 2: .* this is not part of the array\."),
    "not UTF-8": (b'[{"x": 1, "y": "\xff"}]', r"line 1: .* the text is not UTF-8\."),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_an_array_that_a_parser_may_not_survive_is_refused(tmp_path, case):
    data, message = HOSTILE[case]
    for path, content in ((tmp_path / "t.json", data), (tmp_path / "t.json.gz", gzip.compress(data))):
        path.write_bytes(content)
        with pytest.raises(nk.InvalidInputError, match=message):
            nk.read(path)


def test_an_array_of_objects_with_many_keys_is_a_table(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps([{f"x{j}": i + j for j in range(300)} | {"y": i} for i in range(2)]))
    assert nk.read(path).X.shape == (2, 300)
