"""The fingerprint of the library: what counts as a difference, and that areas run."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.fingerprint.__main__ import BASELINE, dumped, run
from benchmarks.fingerprint.entries import (
    AT_LEAST,
    AT_MOST,
    arithmetic,
    bits,
    bound,
    compare,
    document_entries,
    members,
)

CASE = {
    "weights": bits(np.array([1.0, 2.0])),
    "upper": bound(AT_MOST, 2.0),
    "lower": bound(AT_LEAST, 1.0),
    "nothing known": bound(AT_MOST, np.inf),
    "parameters": members(["0:X", "C=1.0"]),
    "code": 0,
}
STORED = {"arithmetic": arithmetic(), "areas": {"svm": {"iris": CASE}, "online": {}}}


def differences(**changes):
    """What compare says about a changed case, of which entries that are None are missing."""
    after = copy.deepcopy(STORED)
    entries = {name: value for name, value in (CASE | changes).items() if value is not None}
    after["areas"]["svm"]["iris"] = entries
    return [(matters, what) for matters, what, *_ in compare(STORED, after)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"weights": bits(np.array([1.0, np.nextafter(2.0, 3.0)]))}, [(True, "differs")]),
        ({"weights": bits(np.array([1.0, 2.0], np.float32))}, [(True, "differs")]),
        ({"weights": None}, [(True, "missing")]),
        ({"more": 1}, [(False, "new")]),
        ({"upper": bound(AT_MOST, np.nextafter(2.0, 3.0))}, [(True, "looser")]),
        ({"upper": bound(AT_MOST, 1.9)}, [(False, "tighter")]),
        ({"upper": bound(AT_MOST, np.inf)}, [(True, "looser")]),
        ({"lower": bound(AT_LEAST, np.nextafter(1.0, 0.0))}, [(True, "looser")]),
        ({"lower": bound(AT_LEAST, 1.1)}, [(False, "tighter")]),
        ({"nothing known": bound(AT_MOST, 5.0)}, [(False, "tighter")]),
        ({"parameters": members(["0:X", "C=1.0", "tol=0.1"])}, [(False, "members")]),
        ({"parameters": members(["0:X", "C=2.0"])}, [(True, "members")]),
        ({"code": 2}, [(True, "differs")]),
        ({"code": bits(0)}, [(True, "differs")]),
    ],
)
def test_a_change_matters_unless_it_is_new_or_tighter(change, expected):
    assert differences(**change) == expected


def test_bits_and_bounds_of_another_arithmetic_are_not_compared():
    other = copy.deepcopy(STORED)
    other["arithmetic"]["digest"] = "other"
    other["areas"]["svm"]["iris"] |= {"weights": bits(1.0), "upper": bound(AT_MOST, 3.0), "code": 2}
    assert [name for _, _, name, _ in compare(STORED, other)] == ["svm / iris / code"]


def test_only_the_areas_of_the_second_are_compared():
    second = STORED | {"areas": {"online": {}}}
    assert compare(STORED, second) == []


def test_texts_of_a_document_do_not_count():
    first = document_entries({"words": "a b", "label": "yes", "numbers": [1, 2.5], "inner": {"code": 3}})
    assert first == document_entries({"words": "c d", "label": "yes", "numbers": [1, 2.5], "inner": {"code": 3}})
    assert first["value of label"] != document_entries({"label": "no"})["value of label"]
    assert "value of inner.code" in first


def test_bits_do_not_depend_on_the_form_of_integers_and_lists():
    assert bits(np.array([1, 2], np.int32)) == bits([1, 2]) == bits((np.int64(1), 2))
    assert bits(0.0) != bits(-0.0)


def test_an_area_runs_and_is_stored_as_valid_json():
    stored = run(["signatures"])
    assert json.loads(dumped(stored)) == stored
    assert "novikoff.Perceptron" in stored["areas"]["signatures"]


def test_the_command_compares_files_and_says_what_differs(tmp_path):
    changed = copy.deepcopy(STORED)
    changed["areas"]["svm"]["iris"]["code"] = 1
    for name, stored in {"a": STORED, "b": changed}.items():
        (tmp_path / name).write_text(dumped(stored))
    command = [sys.executable, "-m", "benchmarks.fingerprint", "compare", str(tmp_path / "a")]
    root = Path(__file__).parents[2]
    assert subprocess.run([*command, str(tmp_path / "a")], cwd=root, capture_output=True).returncode == 0
    done = subprocess.run([*command, str(tmp_path / "b")], cwd=root, capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, "differs: svm / iris / code: 0 became 1")


def test_the_stored_baseline_has_every_area():
    areas = json.loads(BASELINE.read_text())["areas"]
    assert all(areas[name] for name in areas)
    assert {"online", "streams", "svm", "separability", "files", "saved", "exports", "commands", "server"} <= set(areas)
