"""One run of a suite: its sizes, its rows, what is printed, and the file that is written."""

from __future__ import annotations

import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from . import machine
from .race import LESS_EXACT, Limit, Work, race
from .ratio import mean_of, says_something
from .suite import Suite

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
BUILD = ROOT / "build" / "bench"  # results of quick runs, and files that suites write


class Session:
    """What a suite needs while it runs.

    Parameters
    ----------
    suite : Suite
        The suite.
    quick : bool
        Whether the sizes are those of `make bench`.
    only : tuple of str, default=()
        The parts to measure, by name; all others keep their earlier results.
    folder : Path, optional
        Where the result is written: ``benchmarks/results`` for full sizes, ``build/bench`` for quick ones.
    """

    def __init__(self, suite: Suite, quick: bool, only: tuple[str, ...] = (), folder: Path | None = None) -> None:
        self.suite, self.quick, self.only = suite, quick, only
        self.size: Mapping[str, Any] = suite.quick if quick else suite.full
        self.path = (folder or (BUILD if quick else RESULTS)) / f"{suite.name}.json"
        self.machine = machine.describe()
        self.content: dict[str, Any] = load_result(self.path) if only else {}
        self.begin = time.perf_counter()
        self._parts: list[str] = []

    def chosen(self, names: Iterable[str]) -> list[str]:
        """Return the names that the run is limited to; all, if it is not limited to any of them."""
        names = list(names)
        self._parts += names
        return [name for name in names if name in self.only] or names

    def unknown_parts(self) -> str | None:
        """Return a sentence about names in ``only`` that no part of the suite has; None if there are none."""
        unknown = [name for name in self.only if name not in self._parts]
        if not unknown:
            return None
        parts = ", ".join(dict.fromkeys(self._parts)) or "none"
        return f"{self.suite.name} has no part {', '.join(map(repr, unknown))}. Its parts: {parts}."

    def compare(
        self,
        work: str,
        ours: Mapping[str, Work],
        peers: Mapping[str, Work],
        *,
        rounds: int,
        cost: Callable[[Any], float | None] | None = None,
        tolerance: float = 0.0,
        less_exact_peers: bool = False,
        patience: float = math.inf,
        limit: Limit | None = None,
        **facts: Any,
    ) -> list[dict[str, Any]]:
        """Compare as ``race`` does, and keep the rows with further facts in the table of the result."""
        print(f"{self.suite.name}: {work}", file=sys.stderr, flush=True)
        answers = {"cost": cost, "tolerance": tolerance, "less_exact_peers": less_exact_peers}
        rows = race(work, ours, peers, rounds=rounds, patience=patience, limit=limit, **answers)
        rows = [{**row, **facts} for row in rows]
        new = {row["work"] for row in rows}
        table = [row for row in self.content.get("table", []) if row["work"] not in new]
        self.keep(table=[*table, *rows])
        return rows

    def keep(self, **content: Any) -> None:
        """Add to the result, and write it: a run that is stopped keeps what it has measured."""
        self.content |= content
        state = {"suite": self.suite.name, "quick": self.quick, "machine": self.machine}
        save_result(self.path, {**self.content, **state})

    def finish(self) -> None:
        """Print the table of the comparisons."""
        rows = self.content.get("table", [])
        if rows and "peers" in rows[0]:
            show(line for row in rows for line in lines_of(row))

    def show_means(self) -> None:
        """Print the geometric mean of the ratios to each peer."""
        peers = [peer for row in self.content.get("table", []) for peer in row["peers"]]
        for name in dict.fromkeys(peer["name"] for peer in peers):
            print(f"geometric mean, {name}: {mean_of(peer for peer in peers if peer['name'] == name) or 'none'}")

    def merge(self, part: str, key: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
        """Keep the rows of a part, in place of earlier ones with the same values of these columns."""
        new = {tuple(row[name] for name in key) for row in rows}
        old = [row for row in self.content.get(part, []) if tuple(row[name] for name in key) not in new]
        self.keep(**{part: [*old, *rows]})

    @cached_property
    def bandwidth(self) -> float:
        """Bytes a second at which one core reads memory: the best of five sums over an array."""
        array = np.ones((20_000_000 if self.quick else 200_000_000) // 8)
        times = []
        for _ in range(5):
            start = time.perf_counter()
            np.add.reduce(array)
            times.append(time.perf_counter() - start)
        return float(array.nbytes / min(times))

    def reading(self, size: float) -> Limit:
        """Return the limit of work that must read so many bytes from memory."""
        return Limit(f"{size / 1e6:.0f} MB read at {self.bandwidth / 1e9:.1f} GB/s", size / self.bandwidth)


def lines_of(row: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return a line to print for each peer of a row."""
    ours, limit = row["ours"], row.get("limit")
    shown = f"{seconds_text(limit['seconds'])}: {limit['what']}" if limit else ""
    return [
        {
            "work": row["work"],
            "novikoff": contestant_text(ours),
            "peer": f"{contestant_text(peer)} ({peer['name']})",
            "ratio": ratio_text(peer),
            **({"answer of the peer": answer_text(ours, peer)} if "answer" in peer else {}),
            "limit": shown,
        }
        for peer in row["peers"]
    ]


def contestant_text(found: Mapping[str, Any]) -> str:
    """Return the median and the quartiles, or that the answer was worse."""
    if "seconds" not in found:
        return f"{found['verdict']}: {found['cost']:.6g}"
    if found.get("stopped"):
        return f"stopped after {seconds_text(found['seconds'])}"
    if "quartiles" not in found:
        return seconds_text(found["seconds"])
    low, high = found["quartiles"]
    return f"{seconds_text(found['seconds'])} ({seconds_text(low)} to {seconds_text(high)})"


def ratio_text(peer: Mapping[str, Any]) -> str:
    """Return the ratio and its interval if they mean something, and the verdict if not."""
    if not says_something(peer):
        return str(peer.get("verdict", ""))
    value = f"{peer.get('bound', '')} {number_text(peer['ratio'])}".strip()
    if "ratio_interval" not in peer:  # of a run that kept medians only
        return value
    low, high = peer["ratio_interval"]
    return f"{value} ({number_text(low)} to {number_text(high)})"


def answer_text(ours: Mapping[str, Any], peer: Mapping[str, Any]) -> str:
    """Return how the answer of a peer compares with ours; empty if its suite times equal answers only."""
    if peer.get("answer") != LESS_EXACT:
        return str(peer.get("answer", ""))
    if not 0 < ours["cost"] < peer["cost"]:
        return LESS_EXACT
    return f"{LESS_EXACT} by {peer['cost'] / ours['cost'] - 1:.1g}"


def seconds_text(seconds: float) -> str:
    """Return seconds in a unit that fits, with three digits."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError


def number_text(value: float) -> str:
    """Return a number with three significant digits, and without an exponent if it is large."""
    text = f"{value:.3g}"
    return f"{float(text):,.15g}" if abs(float(text)) >= 1000 else text


def show(table: Iterable[Mapping[str, Any]]) -> None:
    """Print the rows of a table, some of which may have columns of their own."""
    table = list(table)
    columns = list(dict.fromkeys(column for row in table for column in row))
    cells = [[_text(row.get(column, "")) for column in columns] for row in table]
    widths = [max(len(line[k]) for line in [columns, *cells]) for k in range(len(columns))]
    for line in [columns, ["-" * width for width in widths], *cells]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    print(flush=True)


def save_result(path: Path, content: dict[str, Any]) -> None:
    """Write a result as JSON, a list of numbers on one line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, indent=1)
    text = re.sub(r"\[[-+.,\deE\s]*\]", lambda numbers: " ".join(numbers[0].split()), text)
    path.write_text(text + "\n")


def load_result(path: Path) -> dict[str, Any]:
    """Return an earlier result; empty if there is none."""
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
