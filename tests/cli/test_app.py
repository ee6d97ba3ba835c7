"""The subcommands as one application: what they print, how they end, what their help says."""

import json
import re
import subprocess
import sys
from typing import Annotated

import pytest
import typer
from command import done, fresh, novikoff

import novikoff as nk
from engine_logs import written
from novikoff.cli._app import SUBCOMMANDS, plain_value

NEGATIVE = {"certify": 1, "separable": 1}


def call(subcommand, model, folder, negative=False):
    """A call of a subcommand that goes well, or whose verdict is negative; the last argument is where it writes."""
    data = "three.svm" if negative and subcommand == "certify" else "two.svm"
    return {
        "fit": ["fit", data, "--test", data, "-o", folder / "fit.nvk"],
        "stream": ["stream", data, "-o", folder / "stream.nvk"],
        "separable": ["separable", folder / "overlap.svm" if negative else data],
        "inspect": ["inspect", model],
        "play": ["play", "-o", folder / "play.html"],
        "convert": ["convert", data, folder / "converted.csv"],
        "report": ["report", model, data, "-o", folder / "report.html"],
        "serve": ["serve", "--state", folder, "--check"],
        "log": ["log", "show", folder / "state"],
    }.get(subcommand, [subcommand, model, data])


@pytest.fixture
def place(tmp_path):
    (tmp_path / "overlap.svm").write_bytes(b"1 1:1\n-1 1:2\n1 1:3\n-1 1:0\n")
    written(tmp_path / "state", groups=1)
    return tmp_path


def assert_plain(run):
    """Nothing that only a terminal understands."""
    assert "\x1b" not in run.out + run.err
    assert "\r" not in run.out + run.err


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_a_subcommand_between_pipes_prints_its_result_and_nothing_else(model, folder, place, subcommand):
    run = novikoff(*call(subcommand, model, place), folder=folder)
    assert (run.code, run.err) == (0, "")
    assert run.out.endswith("\n")
    assert_plain(run)


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_json_is_one_object_that_any_reader_of_json_takes(model, folder, place, subcommand):
    def refuse(constant):
        raise AssertionError(constant)

    run = novikoff(*call(subcommand, model, place), "--json", folder=folder)
    assert (run.code, run.err) == (0, "")
    assert isinstance(json.loads(run.out, parse_constant=refuse), dict)
    assert run.out.count("\n") == 1


@pytest.mark.parametrize("subcommand", NEGATIVE)
def test_a_negative_verdict_is_exit_code_1_and_json_all_the_same(model, folder, place, subcommand):
    run = novikoff(*call(subcommand, model, place, negative=True), "--json", folder=folder)
    assert (run.code, run.err) == (1, "")
    assert isinstance(run.json, dict)
    assert_plain(run)


def timeless(run):
    """A result without its durations, which are the only numbers that differ between two runs."""
    return run.code, re.sub(r"\d+\.\d+ s\b[^\n]*|, [\d,]+ per second", "", run.out), run.err


@pytest.mark.parametrize(
    "subcommand", [s if s == "fit" else pytest.param(s, marks=pytest.mark.slow) for s in SUBCOMMANDS]
)
def test_a_process_of_its_own_prints_the_same(model, folder, place, subcommand):
    arguments, before = call(subcommand, model, place), set(place.iterdir())
    printed = timeless(fresh(*arguments, folder=folder))
    for path in set(place.iterdir()) - before:  # a stream says if its output has learned from the same rows before
        path.unlink()
    assert printed == timeless(novikoff(*arguments, folder=folder))


def test_a_negative_verdict_is_the_exit_code_of_the_process(folder, place):
    run = fresh("separable", place / "overlap.svm", "--json", folder=folder)
    assert (run.code, run.err, run.json["kind"]) == (1, "", "overlap")


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_help_has_a_summary_and_examples(subcommand):
    """The summary is the first line of the docstring, which the list of all subcommands shows without importing it."""
    shown = " ".join(done(subcommand, "--help").out.replace("│", " ").split())
    assert SUBCOMMANDS[subcommand].summary in shown
    assert SUBCOMMANDS[subcommand].summary in " ".join(done("--help").out.replace("│", " ").split())
    assert "--json" in shown
    for example in SUBCOMMANDS[subcommand].examples:
        assert example.split()[0] == subcommand
        assert f"novikoff {example}" in shown


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_help_is_short_and_all_options_are_shown_by_another_option(subcommand):
    common = SUBCOMMANDS[subcommand].common.split()
    for columns in ("80", "120"):
        shown = done(subcommand, "--help", COLUMNS=columns).out
        assert len(shown.splitlines()) <= 60
        assert ("--help-all shows all options" in shown) == bool(common)
    everything = done(subcommand, "--help-all" if common else "--help").out
    assert all(f" {option} " in text for option in common for text in (shown, everything))
    assert len(everything.splitlines()) > len(shown.splitlines()) or not common


def test_the_version_is_that_of_the_library():
    run = fresh("--version")
    assert (run.code, run.out, run.err) == (0, f"novikoff {nk.__version__}\n", "")


def test_a_library_without_the_command_line_says_how_to_install_it():
    code = "import sys\nsys.modules['typer'] = None\nfrom novikoff.cli import main\nmain()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "novikoff: the package typer is not installed. Install it with: pip install 'novikoff[cli]'.\n"


@pytest.mark.parametrize(
    ("kind", "word", "value"),
    [
        (str, "1e3", "1e3"),
        (str | None, "", ""),
        (int | None, "-12", -12),
        (float, "0", 0.0),
        (float | None, "-2.5e-3", -0.0025),
        (int, "1.5", None),
        (int, "٣", None),
        (float, "nan", None),
        (float, "1_000", None),
        (float, " 1", None),
        (list[int], "1", None),
    ],
)
def test_plain_numbers_are_converted_and_all_else_is_left_to_typer(kind, word, value):
    found = plain_value(Annotated[kind, typer.Option()], word)
    assert found == value
    assert type(found) is type(value)


def test_a_number_with_limits_is_left_to_typer():
    assert plain_value(Annotated[int, typer.Option(min=1)], "5") is None
