"""The programs that benchmarks/serve.py measures, as processes of their own, and the rows that they are given."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.data.text import text_like
from benchmarks.harness.memory import status_bytes
from benchmarks.harness.session import BUILD

FOLDER = BUILD / "serve"
COLUMNS, NONZEROS = 5000, 57
STOP_SECONDS = 120
ANNOUNCEMENT = "serves"  # in the line that `novikoff serve` prints when it is ready


@dataclass(frozen=True)
class Rows:
    """The same examples in the format of each program, one line per example."""

    ndjson: list[bytes]
    svmlight: list[bytes]
    vw: list[bytes]
    examples: list[dict[str, Any]]


def make_rows(count: int) -> Rows:
    """Rows like bags of words, with about 57 of 5,000 features and values of four digits."""
    X, y = text_like(count, COLUMNS, NONZEROS)
    encode = msgspec.json.encode
    ndjson, svmlight, vw, examples = [], [], [], []
    for number, (start, stop) in enumerate(zip(X.indptr[:-1], X.indptr[1:], strict=True)):
        columns, label = X.indices[start:stop].tolist(), int(y[number])
        values = [round(value, 4) for value in X.data[start:stop].tolist()]
        features = {f"f{column}": value for column, value in zip(columns, values, strict=True)}
        examples.append({"x": features, "y": label})
        ndjson.append(encode(examples[-1]) + b"\n")
        vw.append(encode({"_label": label, "f": features}) + b"\n")
        pairs = " ".join(f"{column + 1}:{value}" for column, value in zip(columns, values, strict=True))
        svmlight.append(f"{label} {pairs}\n".encode())
    return Rows(ndjson, svmlight, vw, examples)


def fresh(name: str) -> Path:
    """An empty state directory on the disk of the checkout."""
    path = FOLDER / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


class Program:
    """A server in a process of its own; ``port`` is where it listens on loopback."""

    def __init__(self, command: list[str], announcement: str) -> None:
        begin = time.perf_counter()
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | ONE_THREAD)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if announcement in line:
                break
        else:
            raise RuntimeError(f"{' '.join(command)} ended with exit code {self._process.wait()}.")
        self.seconds = time.perf_counter() - begin  # from the start of Python until it was ready
        self.port = int(line.strip().rpartition(":")[2])

    @property
    def memory(self) -> int:
        """Resident bytes."""
        return status_bytes("VmRSS", self._process.pid)

    @property
    def cpu(self) -> float:
        """Seconds of processor time so far, which other programs on the machine hardly change."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self, how: int = signal.SIGTERM) -> None:
        self._process.send_signal(how)
        self._process.communicate(timeout=STOP_SECONDS)


ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}


@contextlib.contextmanager
def running(program: Program) -> Iterator[Program]:
    try:
        yield program
    finally:
        program.stop()


def novikoff(state: Path, *options: str) -> Program:
    """Start `novikoff serve`; its process announces itself when it is ready."""
    command = [sys.executable, "-m", "novikoff", "serve", "--state", str(state), "--port", "0", *options]
    return Program(command, ANNOUNCEMENT)


def peer(name: str) -> Program:
    """Start a program of peers.py. It announces its port, which answers when it has imported its packages."""
    return Program([sys.executable, str(Path(__file__).with_name("peers.py")), name], "")


def novikoff_stream(path: Path, learner: str) -> float:
    """Seconds that `novikoff stream` takes for a file, less those that it takes for the file's first lines."""

    def seconds(file: Path) -> float:
        command = [sys.executable, "-m", "novikoff", "stream", str(file), "--learner", learner, "--quiet"]
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | ONE_THREAD)
        return time.perf_counter() - begin

    short = path.with_suffix(".start.svm")
    with path.open("rb") as lines:
        short.write_bytes(b"".join(line for line, _ in zip(lines, range(10), strict=False)))
    return seconds(path) - seconds(short)
