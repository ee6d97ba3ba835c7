"""The command as tests run it: in the process of the test, which is quick, or in a process of its own."""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
import traceback
import warnings
from dataclasses import dataclass
from functools import lru_cache

import typer.testing

from novikoff.cli._app import application

COMMAND = [sys.executable, "-m", "novikoff"]
PLAIN = {"COLUMNS": "200", "TERM": "xterm"}
SENTENCE = re.compile(r"novikoff: [^\n]+\.\n")


@dataclass(frozen=True)
class Run:
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one JSON object on standard output."""
        return json.loads(self.out)


APPLICATION = application()  # before any test registers formats or learners of its own, which options would name
typer.testing._get_command = lru_cache(maxsize=1)(typer.testing._get_command)  # it takes longer than most subcommands


def novikoff(*arguments, input=b"", folder="/", terminal=(), charset="utf-8", **environment):
    """Run the command in this process; tests with ``fresh`` show that a process of its own does the same.

    ``terminal`` may have "out" and "err", of which the command then thinks that they are terminals.
    """
    runner = typer.testing.CliRunner(env=PLAIN | environment, charset=charset)
    with warnings.catch_warnings(), contextlib.chdir(folder), terminals(terminal):
        warnings.simplefilter("default")
        done = runner.invoke(APPLICATION, [str(a) for a in arguments], input=input)
    if done.exception is None or isinstance(done.exception, SystemExit):
        return Run(done.exit_code, done.stdout, done.stderr)
    return Run(1, done.stdout, done.stderr + "".join(traceback.format_exception(done.exception)))


@contextlib.contextmanager
def terminals(names):
    """Make standard output and standard error of commands in this process look like terminals."""
    runners = sys.modules[typer.testing.CliRunner.__mro__[-2].__module__]  # of typer, or of click under older typer
    mixer = runners.StreamMixer

    class Mixer(mixer):
        def __init__(self):
            super().__init__()
            for name in names:
                vars(self)[f"std{name}"].isatty = lambda: True

    runners.StreamMixer = Mixer
    yield
    runners.StreamMixer = mixer


def fresh(*arguments, input=b"", folder=None, **options):
    """Run the command in a process of its own, between pipes."""
    command = [*COMMAND, *map(str, arguments)]
    done = subprocess.run(command, input=input, capture_output=True, cwd=folder, env=os.environ | PLAIN, **options)
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def start(*arguments, **options):
    """Start the command in a process of its own."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen([*COMMAND, *map(str, arguments)], env=os.environ | PLAIN, **pipes)


def feed(pipe, content=b""):
    """Open a named pipe once somebody reads it, and write to it; as long as the result is open, more may come."""
    end = time.monotonic() + 60
    while True:
        try:
            handle = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            break
        except OSError:
            assert time.monotonic() < end, "nobody reads it"
            time.sleep(0.02)
    os.write(handle, content)
    return os.fdopen(handle, "wb")


def done(*arguments, **options):
    """Run a command that must succeed without a word on standard error."""
    run = novikoff(*arguments, **options)
    assert (run.code, run.err) == (0, ""), run
    return run


def assert_refused(run, *words):
    """One line on standard error that contains all words, nothing on standard output, exit code 2.

    Upper and lower case are the same, and so are a space, ``_`` and ``-`` in a name.
    """
    assert run.code == 2, run
    assert run.out == "", run
    assert SENTENCE.fullmatch(run.err), run
    for word in words:
        assert re.search(re.sub(r"_|\\ |\\-", "[ _-]", re.escape(word)), run.err, re.IGNORECASE), (word, run)
