"""What all benchmarks share: interleaved timing, one table, one JSON file, and rows that look like text."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import re
import statistics
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

RESULTS = Path(__file__).parent / "results"


def command_line(description: str) -> argparse.ArgumentParser:
    """A parser that knows ``--quick``."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="less data, and numbers that are kept apart")
    return parser


def share_of_rows(description: str) -> int:
    """1, or 10 if the command line asks for a quick run over a tenth of the data."""
    return 10 if command_line(description).parse_args().quick else 1


def interleave(contestants: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Time all contestants in turn, round after round, and return each one's median in seconds.

    Only ratios of times from one such run mean anything on a machine that does other work, too.
    """
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            start = time.perf_counter()
            work()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def text_like(rows: int, columns: int, nonzeros: int, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows like bags of words: Zipf's law over the columns, about ``nonzeros`` a row, unit length, two classes."""
    random = np.random.default_rng(seed)
    chance = np.cumsum(1 / np.arange(1, columns + 1))
    drawn = int(nonzeros * 1.2)  # the more frequent words are drawn more than once
    words = np.searchsorted(chance, random.random((rows, drawn)) * chance[-1]).astype(np.int32)
    data = random.exponential(size=words.size) + 0.1
    X = sp.csr_matrix((data, words.ravel(), np.arange(0, words.size + 1, drawn)), shape=(rows, columns))
    X.sum_duplicates()
    lengths = np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1]))
    X.data /= np.repeat(lengths, np.diff(X.indptr))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    y = np.where(X @ random.standard_normal(columns) > 0, 1, -1)
    return X, np.where(random.random(rows) < 0.02, -y, y)


def read_bandwidth(size: int = 200_000_000) -> float:
    """Bytes a second at which one core reads memory: the best of five sums over an array."""
    array = np.ones(size // 8)
    best = min(interleave({"read": lambda: np.add.reduce(array)}, 1)["read"] for _ in range(5))
    return array.nbytes / best


class Worker:
    """A process of its own that holds data and does one job at a time on them, and that can be stopped in a job.

    It prepares its data before any clock starts: again, if it was stopped.
    """

    def __init__(self, prepare: Callable[..., Any], *arguments: Any) -> None:
        self._prepare = (prepare, arguments)
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would inherit the threads of BLAS in a bad state
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, *self._prepare), daemon=True)
        self._process.start()
        theirs.close()
        self._receive()

    def _receive(self) -> Any:
        try:
            result = self._pipe.recv()
        except EOFError:
            self._process.join()
            raise RuntimeError(f"The worker died with exit code {self._process.exitcode}.") from None
        if isinstance(result, Exception):
            raise result
        return result

    def __call__(self, cap: float, job: Callable[..., Any], *arguments: Any) -> Any:
        """What ``job(data, *arguments)`` returns, or None if it was stopped after ``cap`` seconds."""
        self._pipe.send((job, arguments))
        if self._pipe.poll(cap):
            return self._receive()
        self.close()
        self._start()
        return None

    def close(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()


def _serve(pipe: Connection, prepare: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        data = prepare(*arguments)
        pipe.send(None)
    except Exception as error:
        pipe.send(error)
        return
    while True:
        try:
            job, arguments = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(job(data, *arguments))
        except Exception as error:
            pipe.send(error)


def report(name: str, share: int, table: list[dict[str, Any]], **facts: Any) -> None:
    """Print the rows of a table and save them as JSON with what is known of the machine."""
    show(table, **facts)
    save(name, share, {"table": table, **facts, **machine()})


def show(table: list[dict[str, Any]], **facts: Any) -> None:
    """Print the rows of a table, some of which may have columns of their own, and facts below it."""
    columns = list(dict.fromkeys(column for row in table for column in row))
    cells = [[_text(row.get(column, "")) for column in columns] for row in table]
    widths = [max(len(line[k]) for line in [columns, *cells]) for k in range(len(columns))]
    for line in [columns, ["-" * width for width in widths], *cells]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    for fact, value in facts.items():
        print(f"{fact}: {_text(value)}")


def machine() -> dict[str, Any]:
    return {"machine": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}


def save(name: str, share: int, content: dict[str, Any]) -> None:
    """Write what was measured, a list of numbers on one line."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(content, indent=1)
    text = re.sub(r"\[[-+.,\deE\s]*\]", lambda numbers: " ".join(numbers[0].split()), text)
    result_path(name, share, "json").write_text(text + "\n")


def saved(name: str, share: int) -> dict[str, Any]:
    """What an earlier run saved, or nothing."""
    path = result_path(name, share, "json")
    return json.loads(path.read_text()) if path.exists() else {}


def result_path(name: str, share: int, kind: str) -> Path:
    """Where a result is kept; those of a quick run lie apart."""
    return RESULTS / f"{name}{'-quick' * (share > 1)}.{kind}"


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
