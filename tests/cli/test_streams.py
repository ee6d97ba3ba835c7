"""Standard streams that are closed, full or not read: results fail in a sentence, messages are dropped."""

import os
import signal
import subprocess
import sys

import pytest
from command import COMMAND, PLAIN

NEEDS_FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is missing (run the tests on Linux)")
NO_SPACE = "novikoff: Cannot write to standard output: No space left on device.\n"
CLOSED = "novikoff: Cannot write to standard output: Bad file descriptor.\n"


def in_shell(command, redirection, **options):
    """Run a command whose standard streams a shell leads elsewhere."""
    words = ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *map(str, command)]
    return subprocess.run(words, capture_output=True, text=True, env=os.environ | PLAIN, check=False, **options)


def code(lines):
    """A command that runs some lines after the streams were prepared, which takes a tenth of the time of fit."""
    return [sys.executable, "-c", f"from novikoff.cli._streams import *\nprepare_streams()\n{lines}"]


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_no_other_file_gets_the_number_of_a_closed_stream(stream):
    run = in_shell(code("import os\nos._exit(os.open('/dev/null', 0))"), f"{stream}>&-")
    assert run.returncode > 2


PRINT = "try:\n    print('result', flush=True)\nexcept OutputError as error:\n    "
PRINT += "print(error, error.errno, file=sys.stderr)\nprint('more', flush=True)"


@NEEDS_FULL
def test_the_first_failure_of_standard_output_is_an_error_and_the_rest_is_dropped():
    run = in_shell(code(PRINT), "> /dev/full")
    assert (run.returncode, run.stderr) == (0, f"{NO_SPACE.removeprefix('novikoff: ').rstrip()} 28\n")


@NEEDS_FULL
def test_messages_that_cannot_be_written_are_dropped():
    for redirection in ("2> /dev/full", "2>&-"):
        run = in_shell(code("print('message', file=sys.stderr, flush=True)\nprint('result')"), redirection)
        assert (run.returncode, run.stdout) == (0, "result\n")


def test_streams_keep_their_encoding(monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1:replace")
    run = in_shell(code("print(sys.stdout.encoding, sys.stdout.errors, sys.stderr.errors)"), "")
    assert run.stdout.split()[0] in ("latin-1", "iso8859-1")
    assert run.stdout.split()[1:] == ["replace", "backslashreplace"]


def test_closed_standard_input_cannot_be_read():
    run = in_shell(
        code("try:\n    sys.stdin.buffer.read()\nexcept OSError as error:\n    print(error.strerror)"), "<&-"
    )
    assert run.stdout == "Bad file descriptor\n"


@NEEDS_FULL
@pytest.mark.parametrize(
    ("words", "redirection", "expected"),
    [
        (["--version"], "> /dev/full", (2, "", NO_SPACE)),
        (["--version"], ">&-", (2, "", CLOSED)),
        (["--help"], "> /dev/full", (2, "", NO_SPACE)),
        (["no-such-subcommand"], "2> /dev/full", (2, "", "")),
        (["no-such-subcommand"], "2>&-", (2, "", "")),
        (["no-such-subcommand"], "2>&- >&- <&-", (2, "", "")),
    ],
)
def test_the_command_ends_as_documented(words, redirection, expected):
    run = in_shell([*COMMAND, *words], redirection)
    assert (run.returncode, run.stdout, run.stderr) == expected


def test_a_reader_that_is_gone_ends_it_quietly():
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run([*COMMAND, "--version"], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (run.returncode, run.stderr) == (-signal.SIGPIPE, b"")


def test_a_stream_without_a_model_to_save_ends_quietly_too(folder):
    reading, writing = os.pipe()
    os.close(reading)
    rows = [*COMMAND, "stream", folder / "two.svm", "--every", "1"]
    run = subprocess.run(rows, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (run.returncode, run.stderr) == (-signal.SIGPIPE, b"")


SUBCOMMANDS = ("fit", "predict", "score", "stream", "certify", "separable", "inspect", "report", "convert")


@NEEDS_FULL
@pytest.mark.slow
@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_every_subcommand_ends_as_documented(model, folder, tmp_path, subcommand):
    """Also with a negative verdict, which alone is exit code 1."""
    data, output = folder / "three.svm" if subcommand == "certify" else folder / "two.svm", tmp_path / "output"
    arguments = {
        "fit": [data, "-o", output],
        "stream": [data, "-o", output],
        "separable": [data],
        "inspect": [model],
        "convert": [data, output],
        "report": [model, data, "-o", output],
    }.get(subcommand, [model, data])
    command = [*COMMAND, subcommand, *arguments]
    usual = in_shell(command, "")
    assert usual.returncode == (1 if subcommand == "certify" else 0)
    run = in_shell(command, "> /dev/full 2>&1" if subcommand == "inspect" else "> /dev/full")
    assert run.returncode == 2
    assert run.stderr.endswith(NO_SPACE) or subcommand == "inspect"
    assert "Traceback" not in run.stderr
    if subcommand in ("fit", "stream"):
        assert output.stat().st_size > 0
    assert in_shell(command, "2> /dev/full").returncode == usual.returncode


@NEEDS_FULL
@pytest.mark.slow
def test_an_error_that_cannot_be_said_is_exit_code_2(tmp_path):
    for redirection in ("2> /dev/full", "2>&-"):
        assert in_shell([*COMMAND, "certify", tmp_path / "missing", tmp_path / "none"], redirection).returncode == 2
