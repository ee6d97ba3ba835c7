"""Control characters in labels, names of columns and files, models and options never reach a terminal."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from command import novikoff

import novikoff as nk
from novikoff._printable import CONTROLS
from novikoff.cli._output import print_exactly, print_result, progress

EVERY = "".join(c for c in map(chr, range(sys.maxunicode + 1)) if CONTROLS.match(c) and not "\ud800" <= c <= "\udfff")
IN_LINES = "".join(c for c in EVERY if c not in "\n\r\t")  # of labels that predict prints, one per line
IN_NAMES = "".join(c for c in EVERY if c != "\0")[:80]  # of files, which may have 255 bytes
FORGED = "\nverdict  proved\x1b[2K\r\u202e"


def rows(label):
    """Rows with every control character in a label, a category, and the names of columns."""
    random = np.random.default_rng(5)
    for i in range(30):
        is_first = i % 2 == 0
        yield {
            f"size {EVERY}": float(np.round(random.normal() + is_first, 3)),
            f"sender{FORGED}": f"shop {EVERY}" if i % 3 else f"boss{FORGED}",
            "label": f"spam {label}" if is_first else f"ham{label}",
        }


def table(path, label):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(label)))
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A folder with data and models of which all names are hostile; nothing in it is changed."""
    place = tmp_path_factory.mktemp("hostile") / f"folder {IN_NAMES}"
    place.mkdir()
    table(place / f"data {IN_NAMES}.ndjson", EVERY)
    table(place / "lines.ndjson", IN_LINES)
    for name in ("lines", f"data {IN_NAMES}"):
        run = novikoff("fit", place / f"{name}.ndjson", "-o", place / f"{name}.nvk", "--probability")
        assert run.code == 0, run
        assert_visible(run)
    return place


def assert_visible(run):
    """Nothing but lines of visible characters."""
    for text in (run.out, run.err):
        assert CONTROLS.findall(text.replace("\n", "")) == []
        assert not any(line.startswith("verdict  proved") for line in text.split("\n"))


def calls(place, output):
    data, model = place / f"data {IN_NAMES}.ndjson", place / f"data {IN_NAMES}.nvk"
    return {
        "fit": ["fit", data, "--test", data, "--certificates", "-o", output],
        "fit --cv": ["fit", data, "--cv", "3", "--Cs", "2"],
        "fit online": ["fit", data, "--learner", "perceptron", "--passes", "2"],
        "predict": ["predict", place / "lines.nvk", data, "-o", output],
        "predict a label of lines": ["predict", model, data],
        "score": ["score", model, data],
        "stream": ["stream", data, "-o", output],
        "certify": ["certify", model, data, "--certificates"],
        "certify other data": ["certify", model, place / "lines.ndjson"],
        "separable": ["separable", data, "--positive", f"spam {EVERY}"],
        "inspect": ["inspect", model, "--certificates"],
        "report": ["report", model, data, "-o", output, "--title", EVERY],
        "convert": ["convert", data, output, "--to", "ndjson"],
        "convert model": ["convert", model, output, "--to", "json"],
    }


CALLS = tuple(calls(Path(), ""))


@pytest.mark.parametrize("name", CALLS)
def test_every_control_character_is_visible_in_every_subcommand(hostile, tmp_path, name):
    run = novikoff(*calls(hostile, tmp_path / f"output {IN_NAMES}")[name])
    assert run.code in (0, 1) if name != "predict a label of lines" else run.code == 2, run
    assert run.out or run.err or name == "predict"
    assert_visible(run)
    if name == "report":
        page = (tmp_path / f"output {IN_NAMES}").read_text()
        assert r"spam \x00" in page
        own = page[: page.index("<script")] + page[page.rindex("</script>") :]
        assert CONTROLS.findall(own.replace("\n", "")) == []


@pytest.mark.parametrize("name", [name for name in CALLS if name != "predict"])
def test_json_has_the_exact_text_in_visible_characters(hostile, tmp_path, name):
    run = novikoff(*calls(hostile, tmp_path / "output")[name], "--json")
    assert_visible(run)
    found = json.dumps(run.json, ensure_ascii=False)
    if name in ("fit", "score", "inspect", "predict a label of lines"):
        assert json.dumps(f"ham{EVERY}", ensure_ascii=False) in found


WRONG = {
    "no such file": lambda place: ["inspect", place / f"missing {IN_NAMES}"],
    "no such data": lambda place: ["fit", place / f"missing {IN_NAMES}"],
    "no such learner": lambda place: ["fit", place / "lines.ndjson", "--learner", EVERY],
    "no such column": lambda place: ["fit", place / "lines.ndjson", "--target", EVERY],
    "not a model": lambda place: ["inspect", place / "lines.ndjson"],
    "not a table": lambda place: ["predict", place / "lines.nvk", place / f"missing {IN_NAMES}.svm"],
    "other labels": lambda place: ["score", place / "lines.nvk", place / f"data {IN_NAMES}.ndjson"],
    "one argument too many": lambda place: ["inspect", place / "lines.nvk", EVERY],
    "no such option": lambda place: ["inspect", f"--{EVERY}"],
    "no such subcommand": lambda place: [EVERY],
    "a bad number": lambda place: ["inspect", place / "lines.nvk", "--top", EVERY],
    "a bad database": lambda place: ["fit", place / "lines.ndjson", "--attach", EVERY],
    "a folder": lambda place: ["inspect", place],
    "no folder": lambda place: ["fit", place / "lines.ndjson", "-o", place / EVERY.replace("\0", "") / "o"],
}


@pytest.mark.parametrize("what", WRONG)
def test_every_control_character_is_visible_in_errors(hostile, what):
    run = novikoff(*WRONG[what](hostile))
    assert (run.code, run.out) == (2, "")
    assert run.err
    assert_visible(run)


def test_half_characters_of_a_model_are_visible(tmp_path):
    X, y = np.eye(6), ["a\ud800", "b\udfff"] * 3
    nk.LinearSVM().fit(X, y).save(tmp_path / "m.nvk")
    (tmp_path / "rows.svm").write_text("0 1:1\n")
    for call in (["inspect", tmp_path / "m.nvk"], ["predict", tmp_path / "m.nvk", tmp_path / "rows.svm", "--json"]):
        run = novikoff(*call)
        assert run.code == 0
        assert r"\ud800" in run.out
    for more in ([], ["-o", tmp_path / "out"]):
        run = novikoff("predict", tmp_path / "m.nvk", tmp_path / "rows.svm", *more)
        assert run.code == 2
        assert "Use --json" in run.err


def test_predicted_labels_are_exact_in_files_and_pipes(hostile, tmp_path):
    """Lines are ended by a line feed only."""
    call = ["predict", hostile / "lines.nvk", hostile / "lines.ndjson"]
    assert novikoff(*call, "-q", "-o", tmp_path / "out").code == 0
    found = (tmp_path / "out").read_bytes().decode().split("\n")
    assert set(found) <= {f"spam {IN_LINES}", f"ham{IN_LINES}", ""}
    assert novikoff(*call, "-q").out.split("\n") == found


class Terminal(io.StringIO):
    """A terminal that remembers what it was sent."""

    encoding = "utf-8"

    def isatty(self):
        return True


def test_predicted_labels_are_visible_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    print_exactly(f"ham{IN_LINES}\n")
    assert CONTROLS.findall(sys.stdout.getvalue()[:-1]) == []
    assert sys.stdout.getvalue().startswith(r"ham\x00\x01")


def test_results_on_a_terminal_are_visible_and_only_warnings_have_colour(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.delenv("NO_COLOR", raising=False)
    lines = [("warning", EVERY), (EVERY, EVERY), ("several", [EVERY, FORGED]), ("made", lambda width: [FORGED])]
    print_result({}, False, lines)
    shown = sys.stdout.getvalue()
    coloured, *others = shown.split("\n")
    assert coloured.startswith("\x1b[33m\x1b[1mwarning")
    assert not any(CONTROLS.search(line) for line in others)
    assert r"\nverdict  proved\x1b[2K\r\u202e" in shown


def test_the_progress_bar_is_visible(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "2000")
    with progress("fit") as update:
        update(f"class [red]{EVERY[:40]}\u202e", 0.5)
    shown = sys.stderr.getvalue()
    assert r"[red]\x00\x01" in shown
    assert not set("\x00\x01\x07\x08\u202e") & set(shown)
