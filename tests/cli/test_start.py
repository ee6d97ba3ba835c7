"""The command starts quickly, and a shell can complete it."""

import os
import subprocess
import sys
import time

import pytest
from command import fresh

from novikoff.cli._app import VERBS

AS_NOVIKOFF = "import sys; sys.argv[0] = 'novikoff'; from novikoff.cli import main; main()"


def completing(**environment):
    """Run the command under its own name, as a shell does that completes it."""
    command = [sys.executable, "-c", AS_NOVIKOFF]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False).stdout


def test_help_comes_within_a_second():
    best = 10.0
    for _ in range(4):
        began = time.perf_counter()
        assert fresh("--help").code == 0
        best = min(best, time.perf_counter() - began)
        if best < 1:
            break
    assert best < 1


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_nothing_heavy(option):
    command = [sys.executable, "-X", "importtime", "-m", "novikoff", option]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    imported = {line.rpartition("|")[2].strip().split(".")[0] for line in told.splitlines()}
    assert "typer" in imported
    assert not imported & {"sklearn", "scipy", "pandas", "pyarrow", "duckdb", "matplotlib", "plotly", "onnx"}


def test_a_verb_imports_no_picture_and_no_frame(model):
    """inspect needs the learners, and so scikit-learn, but none of what draws or reads tables."""
    command = [sys.executable, "-X", "importtime", "-m", "novikoff", "inspect", str(model)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    names = [line.rpartition("|")[2].strip() for line in told.splitlines()]
    imported = {name.split(".")[0] for name in names if "." in name}  # a try that fails is a name without a dot
    assert "sklearn" in imported
    assert not imported & {"pandas", "matplotlib", "plotly", "onnx", "pyarrow", "duckdb"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_script(shell):
    script = completing(_NOVIKOFF_COMPLETE=f"source_{shell}")
    assert "novikoff" in script
    assert "_NOVIKOFF_COMPLETE" in script


@pytest.mark.parametrize(
    ("words", "place", "expected"),
    [
        ("novikoff f", 1, ["fit"]),
        ("novikoff s", 1, ["score", "stream", "separable"]),
        ("novikoff ", 1, list(VERBS)),
        ("novikoff fit --le", 2, ["--learner"]),
        ("novikoff stream --fol", 2, ["--follow"]),
        ("novikoff certify --ex", 2, ["--exact"]),
    ],
)
def test_a_shell_completes_verbs_and_options(words, place, expected):
    told = completing(_NOVIKOFF_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(place))
    assert told.split() == expected


def test_the_script_is_shown_on_demand():
    """With the name of a shell, as typer takes it where it is not to find out by itself."""
    command = [sys.executable, "-c", AS_NOVIKOFF, "--show-completion", "bash"]
    environment = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "COMPREPLY" in run.stdout
    assert run.stderr == ""


def test_no_arguments_are_help():
    run = fresh()
    assert run.code in (0, 2)
    assert "Usage" in run.out + run.err
    assert all(verb in run.out + run.err for verb in VERBS)
