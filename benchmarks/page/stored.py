"""Stored results, and the tables in Markdown that all sections of the page have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks.harness.machine import is_idle
from benchmarks.harness.ratio import says_something
from benchmarks.harness.session import (
    RESULTS,
    answer_text,
    contestant_text,
    load_result,
    number_text,
    ratio_text,
    seconds_text,
)
from benchmarks.harness.suite import NAMES

from . import medians, svm

Row = dict[str, Any]
RATES = {"bytes": ("MB/s", 1e6), "nonzeros": ("ns per nonzero", None), "keys": ("ns per key", None)}


def result(name: str) -> Row:
    """Return the stored result of a suite; empty if there is none."""
    return load_result(RESULTS / f"{name}.json")


def rows_of(name: str) -> list[Row]:
    """Return the comparisons of a suite, also those that were stored before spreads were."""
    found = result(name)
    rows = [row for row in found.get("table", []) if "peers" in row]
    known = {row["work"] for row in rows}
    old = medians.ROWS[name](found) if name in medians.ROWS else []
    return [*(row for row in old if row["work"] not in known), *rows]


def stored() -> list[str]:
    """Return the suites with a stored result."""
    return [name for name in NAMES if result(name)]


def table(header: list[str], rows: Iterable[list[str]]) -> str:
    """Return a table in Markdown."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows])


def machine_text(found: Row) -> str:
    """Return the machine of a result in words."""
    machine = found["machine"]
    processor = f"{machine['processor']}, " if "processor" in machine else ""
    return f"{processor}{machine['architecture']}, {machine['cores']} cores, Python {machine['python']}"


def suite_text(name: str, found: Row) -> str:
    """Return the name of a suite, with the load before it was run if the machine was not idle."""
    machine = found["machine"]
    return name if "load_before" not in machine or is_idle(machine) else f"{name} ({machine['load_before']})"


def rate_text(row: Row) -> str:
    """Return the rate of ours: bytes a second, or nanoseconds for each value."""
    for fact, (unit, scale) in RATES.items():
        if fact in row and "seconds" in row["ours"]:
            rate = row[fact] / row["ours"]["seconds"] / scale if scale else 1e9 * row["ours"]["seconds"] / row[fact]
            return f"{number_text(rate)} {unit}"
    return ""


def limit_text(row: Row) -> str:
    """Return the limit of a row, and how many times longer ours takes."""
    limit = row.get("limit")
    if not limit:
        return ""
    if "seconds" not in row["ours"]:
        return seconds_text(limit["seconds"])
    times = row["ours"]["seconds"] / limit["seconds"]
    return f"{seconds_text(limit['seconds'])}, {times:,.{0 if times >= 10 else 1}f} times"


def comparisons(compared: Iterable[Row]) -> str:
    """Return the table of rows that are comparisons."""
    rows = [
        [
            row["work"],
            contestant_text(row["ours"]),
            f"{contestant_text(peer)} ({peer['name']})",
            ratio_text(peer),
            answer_text(row["ours"], peer),
            rate_text(row),
            limit_text(row),
        ]
        for row in compared
        for peer in row["peers"]
    ]
    header = ["work", "novikoff", "peer", "ratio", "answer of the peer", "rate of novikoff", "limit"]
    filled = [k for k in range(len(header)) if any(row[k] for row in rows)]
    return table([header[k] for k in filled], [[row[k] for k in filled] for row in rows])


def ratios() -> Iterator[tuple[str, str, str, float]]:
    """Yield suite, work, peer and ratio of all stored comparisons with other programs whose ratio means something."""
    for name in stored():
        for row in rows_of(name):
            for peer in row["peers"]:
                if _is_known(peer) and not peer["name"].startswith(("our ", "novikoff")):
                    yield name, row["work"], peer["name"], peer["ratio"]
    for cell in result("svm").get("A", {}).get("table", []):
        if _is_known(peer := svm.against(cell)):
            yield "svm", f"soft margin, {svm.name_of(cell)}", "LinearSVC", peer["ratio"]


def _is_known(peer: Row) -> bool:
    return says_something(peer) and not peer.get("bound")
