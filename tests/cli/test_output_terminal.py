"""On a terminal: a progress bar on standard error, which is removed at the end."""

import os
import re
from functools import partialmethod

import numpy as np
import pexpect
import pytest
from command import COMMAND, PLAIN, novikoff
from rich.progress import Progress


def spawn(*arguments, shell="", width=200):
    """Start the command on a terminal; a shell may lead some of it elsewhere."""
    words = " ".join(f"'{word}'" for word in [*COMMAND, *map(str, arguments)])
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CI")} | PLAIN
    known["COLUMNS"] = str(width)
    options = {"env": known, "timeout": 90, "dimensions": (40, width), "encoding": "utf-8"}
    return pexpect.spawn("/bin/sh", ["-c", f"exec {words} {shell}"], **options)


@pytest.fixture(scope="module")
def large(tmp_path_factory, folder):
    path = tmp_path_factory.mktemp("large") / "large.svm"
    path.write_bytes((folder / "three.svm").read_bytes() * 1_500)
    return path


@pytest.mark.slow  # the next test sees the bar, too
def test_a_fit_that_takes_long_has_a_bar(large):
    child = spawn("fit", large)
    child.expect("LinearSVM")
    child.expect("━")
    child.expect("accuracy")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_the_bar_is_not_on_standard_output(folder):
    run = novikoff("fit", "three.svm", "--json", folder=folder, terminal=("out", "err"))
    assert run.code == 0
    assert "━" in run.err
    assert run.json["rows"] == 40
    assert run.out.count("\n") == 1


def test_a_bar_is_not_shown_when_it_is_not_wanted_or_cannot_be_seen(folder, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for words, terminal in ((["-q"], ("out", "err")), ([], ("out",)), ([], ())):
        run = novikoff("fit", "three.svm", *words, folder=folder, terminal=terminal)
        assert (run.code, run.err) == (0, "")
        assert "━" not in run.out
        assert "\x1b" not in run.out


@pytest.mark.parametrize("width", [50, 120])
def test_the_bar_names_the_class_and_fits_the_terminal(tmp_path, width, monkeypatch):
    monkeypatch.setattr(Progress, "update", partialmethod(Progress.update, refresh=True))  # however short the fit
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=(100, 8)), rng.integers(3, size=100)])
    np.savetxt(tmp_path / "t.csv", table, "%.4g", delimiter=",", header="a,b,c,d,e,f,g,h,y", comments="")
    words = ["fit", tmp_path / "t.csv", "--learner", "perceptron", "--max-iter", "20"]
    run = novikoff(*words, terminal=("out", "err"), COLUMNS=str(width))
    assert run.code == 0
    shown = re.sub(r"\x1b\[[0-9;?]*m", "", run.err)
    frames = [frame for frame in re.split(r"[\r\n]+|\x1b\[[0-9;?]*[A-Za-z]", shown) if "━" in frame]
    assert frames
    assert max(map(len, frames)) <= width
    if width == 120:
        assert any(re.search(r"\d of 3 done; class \d: pass \d+, [\d,]+ mistakes, \d+\.\d\d% of", f) for f in frames)
    assert "inseparable: 3" in run.out


SUBCOMMANDS = ("predict", "score", "certify", "inspect", "separable", "report", "convert", "stream")


@pytest.mark.slow
@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_a_subcommand_on_a_terminal_says_what_it_says_in_a_pipe(model, folder, tmp_path, subcommand):
    data = folder / "two.svm"
    arguments = {
        "inspect": [subcommand, model],
        "separable": [subcommand, data],
        "stream": [subcommand, data],
        "report": [subcommand, model, data, "-o", tmp_path / "r.html"],
        "convert": [subcommand, data, tmp_path / "c.csv"],
    }.get(subcommand, [subcommand, model, data])
    child = spawn(*arguments)
    shown = child.read()
    child.close()
    assert child.exitstatus == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r", "")
    expected = novikoff(*arguments).out
    lines = expected.splitlines() if subcommand != "stream" else expected.splitlines()[:9]
    words = " ".join(plain.split())  # a terminal has long lines in pieces
    assert all(" ".join(line.split()) in words for line in lines)


def test_interruption_on_a_terminal_ends_a_stream_and_saves_it(tmp_path):
    child = spawn("stream", "-", "--every", "1", "-o", tmp_path / "m.nvk")
    child.setecho(False)
    child.sendline("1 1:1")
    child.expect("1.000000")
    child.sendline("-1 2:1")
    child.expect("2 +-1")
    child.sendintr()
    child.expect("saved")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert (tmp_path / "m.nvk").stat().st_size > 0


def test_an_error_on_a_terminal_is_one_sentence_after_the_bar_is_gone(tmp_path):
    run = novikoff("fit", tmp_path / "nowhere.svm", terminal=("out", "err"))
    assert (run.code, run.out) == (2, "")
    last = run.err.rstrip().splitlines()[-1]
    assert re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", last).startswith("novikoff: ")
    assert "nowhere.svm" in last
    assert "Traceback" not in run.err
