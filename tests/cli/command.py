"""The command as tests run it: in a fresh process, or, where there are many runs, in one that a server forks."""

import atexit
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

COMMAND = [sys.executable, "-m", "novikoff"]
PLAIN = {"COLUMNS": "200", "TERM": "xterm"}
SENTENCE = re.compile(r"novikoff: \[[^\]\n]+\] [^\n]+\.? Got [^\n]+\n")


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


class Server:
    """A process that forks one for each run."""

    def __init__(self):
        script = Path(__file__).with_name("fork_server.py")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self._folder = tempfile.TemporaryDirectory()
        self._process = subprocess.Popen([sys.executable, script], text=True, env=os.environ | PLAIN, **pipes)
        atexit.register(self.stop)

    def stop(self):
        self._process.communicate()
        self._folder.cleanup()

    def run(self, arguments, input, folder, environment):
        files = [Path(self._folder.name) / name for name in ("in", "out", "err")]
        for path, content in zip(files, (input, b"", b""), strict=True):
            path.write_bytes(content)
        run = {"arguments": arguments, "files": [*map(str, files)], "folder": folder, "environment": environment}
        print(json.dumps(run), file=self._process.stdin, flush=True)
        code = int(self._process.stdout.readline())
        return Run(code, *(path.read_bytes().decode() for path in files[1:]))


@lru_cache(maxsize=1)
def server():
    return Server()


def novikoff(*arguments, input=b"", folder="/", environment=()):
    """Run the command in a process that was forked after the imports."""
    return server().run([str(a) for a in arguments], input, str(folder), dict(environment))


def fresh(*arguments, input=b"", folder=None, **options):
    """Run the command in a process of its own, between pipes."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)], input=input, capture_output=True, cwd=folder, env=os.environ | PLAIN, **options
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def start(*arguments, **options):
    """Start the command in a process of its own."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen([*COMMAND, *map(str, arguments)], env=os.environ | PLAIN, **pipes)


def done(*arguments, **options):
    """Run a command that must do what is asked without a word on standard error."""
    run = novikoff(*arguments, **options)
    assert (run.code, run.err) == (0, ""), run
    return run


def assert_refused(run, *words):
    """One sentence on standard error, nothing on standard output, exit code 2."""
    assert run.code == 2, run
    assert run.out == "", run
    assert SENTENCE.fullmatch(run.err), run
    for word in words:
        assert word in run.err, run
