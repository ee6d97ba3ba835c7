"""What all benchmarks share: interleaved timing, one table, one JSON file, and rows that look like text."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

RESULTS = Path(__file__).parent / "results"


def share_of_rows(description: str) -> int:
    """1, or 10 if the command line asks for a quick run over a tenth of the data."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the data, and numbers that are kept apart")
    return 10 if parser.parse_args().quick else 1


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


def report(name: str, share: int, table: list[dict[str, Any]], **facts: Any) -> None:
    """Print the rows of a table and save them as JSON with what is known of the machine."""
    columns = list(table[0])
    cells = [[_text(row[column]) for column in columns] for row in table]
    widths = [max(len(line[k]) for line in [columns, *cells]) for k in range(len(columns))]
    for line in [columns, ["-" * width for width in widths], *cells]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
    for fact, value in facts.items():
        print(f"{fact}: {_text(value)}")
    machine = {"machine": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}{'-quick' * (share > 1)}.json"
    path.write_text(json.dumps({"table": table, **facts, **machine}, indent=1) + "\n")


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
