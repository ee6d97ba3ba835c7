"""Results that were stored before spreads were, as rows of comparisons that have medians only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.harness.race import EQUAL, LESS_EXACT, NOT_COMPARED, worse
from benchmarks.harness.ratio import AT_LEAST

Row = dict[str, Any]


def compared(
    work: str,
    seconds: Mapping[str, float],
    ours: str,
    *,
    stopped: tuple[str, ...] = (),
    costs: Mapping[str, float] | None = None,
    tolerance: float = 0.0,
    **facts: Any,
) -> Row:
    """Return the row of one comparison from the median seconds of all contestants."""
    costs = costs or {}
    worst = worse(costs, tolerance)
    cells = {name: {"name": name, "seconds": value} for name, value in seconds.items()}
    for name, cell in cells.items():
        cell |= {"cost": costs[name]} if name in costs else {}
        cell |= {"stopped": True} if name in stopped else {}
    mine = cells.pop(ours)
    for name, cell in cells.items():
        cell["ratio"] = seconds[name] / seconds[ours]
        cell |= {"bound": AT_LEAST} if name in stopped else {}
        answer = NOT_COMPARED if name not in costs else LESS_EXACT if name in worst else EQUAL
        cell |= {"answer": answer} if costs else {}
    return {"work": work, "ours": {**mine, "name": "novikoff"}, "peers": list(cells.values()), **facts}


def unreached(row: Row) -> tuple[str, ...]:
    """Return the contestants of a row that were stopped."""
    return tuple(name for name, reached in row["reached"].items() if not reached)


def few_rows(found: Row) -> list[Row]:
    """Return single fits and cross-validations."""
    rows = []
    for row in [*found.get("fits", []), *found.get("cross-validation", [])]:
        what = f"{row['loss'].replace('_', ' ')}, C = {row['C']:g}" if "loss" in row else "cross-validation"
        seconds = {name.removesuffix(", s"): value for name, value in row.items() if name.endswith(", s")}
        cap = found["cap"] * (1 if "loss" in row else 10)
        stopped = tuple(name for name, value in seconds.items() if value >= cap)
        rows.append(compared(f"{row['set']}, {row['rows']}, {what}", seconds, "ours", stopped=stopped))
    return rows


def embeddings(found: Row) -> list[Row]:
    """Return the fits of ten classes; an answer costs its sum of objectives over the proven lower bound."""
    rows = []
    names = {"LinearSVM, defaults": "novikoff, pairs of classes"}
    for row in found.get("cells", []):
        seconds = {names.get(name, name): value for name, value in row["seconds"].items()}
        costs = {name: 1 + excess for name, excess in row["excess"].items()}
        work = f"{row['set']}, {row['loss'].replace('_', ' ')}, C = {row['C']:g}"
        stopped = tuple(names.get(name, name) for name in unreached(row))
        rows.append(compared(work, seconds, "LinearSVM, ovr", stopped=stopped, costs=costs, tolerance=1e-4))
    return rows


def distributed(found: Row) -> list[Row]:
    """Return the fits on partitions."""
    rows = []
    for row in found.get("fits", []):
        peers = {"LinearSVC s": "LinearSVC of Spark", "one process s": "novikoff, one process"}
        seconds = {name: row[column] for column, name in peers.items() if column in row}
        if seconds:
            rows.append(compared(row["what"], {"ours": row["ours s"], **seconds}, "ours"))
    return rows


ROWS: dict[str, Callable[[Row], list[Row]]] = {
    "few_rows": few_rows,
    "embeddings": embeddings,
    "distributed": distributed,
}
