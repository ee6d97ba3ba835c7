"""Stored results, and the tables in Markdown that all sections of the page have."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks.harness.machine import MAX_IDLE_LOAD, is_idle
from benchmarks.harness.race import FASTER, SLOWER
from benchmarks.harness.session import RESULTS, contestant_text, load_result, ratio_text, seconds_text
from benchmarks.harness.suite import NAMES

Row = dict[str, Any]
RATES = {"bytes": ("MB/s", 1e6), "nonzeros": ("ns per nonzero", None), "keys": ("ns per key", None)}


def result(name: str) -> Row:
    """Return the stored result of a suite; empty if there is none."""
    return load_result(RESULTS / f"{name}.json")


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
    text = f"{processor}{machine['architecture']}, {machine['cores']} cores, Python {machine['python']}"
    if "load_before" not in machine:
        return text
    load = f"at most {MAX_IDLE_LOAD}" if is_idle(machine) else str(machine["load_before"])
    return f"{text}, load {load} before the run"


def rate_text(row: Row) -> str:
    """Return the rate of ours: bytes a second, or nanoseconds for each value."""
    for fact, (unit, scale) in RATES.items():
        if fact in row and "seconds" in row["ours"]:
            rate = row[fact] / row["ours"]["seconds"] / scale if scale else 1e9 * row["ours"]["seconds"] / row[fact]
            return f"{rate:.3g} {unit}"
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


def comparisons(found: Row) -> str:
    """Return the table of a result that has comparisons."""
    rows = [
        [
            row["work"],
            contestant_text(row["ours"]),
            f"{contestant_text(peer)} ({peer['name']})",
            ratio_text(peer),
            rate_text(row),
            limit_text(row),
        ]
        for row in found["table"]
        for peer in row["peers"]
    ]
    header = ["work", "novikoff", "peer", "ratio", "rate of novikoff", "limit"]
    filled = [k for k in range(len(header)) if any(row[k] for row in rows)]
    return table([header[k] for k in filled], [[row[k] for k in filled] for row in rows])


def ratios() -> Iterator[tuple[str, str, str, float]]:
    """Yield suite, work, peer and ratio of all stored comparisons with other programs whose ratio means something."""
    for name in stored():
        for row in result(name).get("table", []):
            for peer in row.get("peers", []):
                known = "ratio_interval" not in peer or peer["verdict"] in (FASTER, SLOWER)
                if known and "ratio" in peer and not peer["name"].startswith(("our ", "novikoff")):
                    yield name, row["work"], peer["name"], peer["ratio"]
    for cell in result("svm").get("A", {}).get("table", []):
        if cell["reached"]:
            where = f"soft margin, {cell['set']}, C = {cell['C']:g}, {cell['loss'].replace('_', ' ')}"
            yield "svm", where, "LinearSVC", cell["seconds"]["same objective"] / cell["seconds"]["1e-6"]
    for row in result("margin").get("hard margin", []):
        for peer, ratio in row["times faster"].items():
            yield "margin", f"hard margin, {row['set']}", peer, ratio
    for row in result("separability").get("sets", []):
        yield "separability", f"separability, {row['set']}", "HiGHS", row["ratio"]


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    return statistics.geometric_mean(values)
