"""Summaries of the soft-margin benchmark: an overview, the claims, and the table of docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.harness.ratio import MET, MISSED, mean_of, target_met
from benchmarks.harness.session import ratio_text

Row = dict[str, Any]


def against(row: Row) -> Row:
    """LinearSVC's time to the same objective over ours to the gap 1e-6."""
    found: Row = row["ratios"]["same objective"]
    return found


def over_defaults(row: Row) -> Row:
    """Our time to the gap 1e-4 over LinearSVC's with its defaults."""
    found: Row = row["ratios"]["defaults"]
    return found


def ratio(row: Row) -> float:
    """The ratio of ``against``, whatever its spread."""
    return float(against(row)["ratio"])


def slowdown(row: Row) -> float:
    """The ratio of ``over_defaults``, whatever its spread."""
    return float(over_defaults(row)["ratio"])


def name_of(row: Row) -> str:
    """Return the name of a cell."""
    return f"{row['set']}, C = {row['C']:g}, {row['loss'].replace('_', ' ')}"


def kernel_machine(results: Mapping[str, Any]) -> list[Row]:
    """Return the comparisons with SVC; each has its set."""
    table: list[Row] = results.get("B", {}).get("table", [])
    return table


def four_copies(results: Mapping[str, Any]) -> Row | None:
    """Return the comparison of one copy of a set, which is ours, with four copies."""
    table = results.get("C", {}).get("table", [])
    return table[0] if table else None


def two_threads(results: Mapping[str, Any]) -> list[Row]:
    """Return the comparisons of two threads, which are ours, with one."""
    table: list[Row] = results.get("D", {}).get("table", [])
    return table


def overview(table: list[Row]) -> list[Row]:
    """One row per cell."""
    return [
        {
            "set": row["set"],
            "C": row["C"],
            "loss": row["loss"],
            "1e-4, s": row["seconds"]["1e-4"],
            "1e-6, s": row["seconds"]["1e-6"],
            "steps": row["ours"]["1e-6"]["steps"],
            "gap": row["ours"]["1e-6"]["gap"],
            "LinearSVC, s": row["seconds"]["defaults"],
            "its distance": row["defaults"]["distance"],
            "warned": row["defaults"]["warned"],
            "to 1e-6, s": ("" if row["reached"] else ">=") + f"{row['seconds']['same objective']:.4g}",
            "ratio": ratio_text(against(row)),
            "ours/defaults": ratio_text(over_defaults(row)),
            "optimum known to": (row["best_primal"] - row["dual_bound"]) / row["best_primal"],
        }
        for row in table
    ]


def claim(work: str, found: Row | float, note: str, least: float | None = None, most: float | None = None) -> Row:
    """Return a claim with its target and whether it is met. A ratio is judged by its interval, a number as it is."""
    target = f">= {least:g}" if least is not None else f"<= {most:g}" if most is not None else ""
    if isinstance(found, dict):
        met, text = target_met(found, least=least, most=most), ratio_text(found)
    else:
        met = MET if (least is None or found >= least) and (most is None or found <= most) else MISSED
        text = f"{found:.4g}"
    return {"work": work, "found": text, "target": target, "met": met if target else "", "note": note}


def summary(results: dict[str, Any]) -> list[Row]:
    """The claims, each with its target and whether it is met."""
    claims: list[Row] = []
    if table := results.get("A", {}).get("table"):
        claims += grid_claims(table)
    for row in kernel_machine(results):
        claims.append(claim(f"SVC over ours, {row['set']}", row["peers"][0], "", least=50))
    if row := four_copies(results):
        gaps = [f"gap {gap:.2g}" if gap else "stopped" for gap in row["gaps"]]
        claims.append(claim(f"{row['set']} to the gap 1e-6, seconds", row["ours"]["seconds"], gaps[0], most=60))
        claims.append(claim("four copies over one", row["peers"][0], gaps[1], most=5))
    for row in two_threads(results):
        (peer,) = row["peers"]
        note = f"{peer['seconds']:.3g} s with one, which kept {row['cores'][0]:.2g} cores busy"
        claims.append(claim(f"two threads, {name_of(row)}", peer, note, least=1.5))
    for row in results.get("memory", {}).get("table", []):
        if row["bytes"] is not None:
            note = f"{row['bytes'] / 1e6:.1f} MB, {row['rows']} rows, {row['columns']} columns"
            claims.append(claim(f"memory beyond {row['set']}, in vectors of rows", row["vectors"], note))
    return claims


def grid_claims(table: list[Row]) -> list[Row]:
    """The claims about the grid of sets, costs and losses."""
    worst, slowest = min(table, key=ratio), max(table, key=slowdown)
    slower = [name_of(row) for row in table if target_met(over_defaults(row), most=1.2) == MISSED]
    unproven = [name_of(row) for row in table if not row["ours"]["1e-6"]["proven"]]
    mean = mean_of(map(against, table))
    return [
        *([claim("same objective, geometric mean", mean.value, str(mean))] if mean else []),
        claim("same objective, worst cell", against(worst), name_of(worst)),
        claim("time over LinearSVC's defaults, worst cell", over_defaults(slowest), name_of(slowest), most=1.2),
        claim("cells above 1.2 times the defaults", len(slower), "; ".join(slower), most=0),
        claim("cells whose gap of 1e-6 is not proven", len(unproven), "; ".join(unproven), most=0),
        claim("cells where LinearSVC warns by default", sum(row["defaults"]["warned"] for row in table), ""),
    ]


def cells(results: dict[str, Any]) -> str:
    """A table in Markdown with a cell for each fit: our seconds to the gap 1e-6, and the ratio."""
    table = results["A"]["table"]
    columns = sorted({(row["loss"], row["C"]) for row in table})
    lines = [
        "| data | " + " | ".join(f"{loss.replace('_', ' ')}, C = {C:g}" for loss, C in columns) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    for name in dict.fromkeys(row["set"] for row in table):
        found = {(row["loss"], row["C"]): row for row in table if row["set"] == name}
        texts = [_cell(found[column]) if column in found else "" for column in columns]
        lines.append(f"| {name} | " + " | ".join(texts) + " |")
    return "\n".join(lines)


def _cell(row: Row) -> str:
    return f"{_plain(row['seconds']['1e-6'])} s, {ratio_text(against(row))}"


def _plain(value: float) -> str:
    """Three digits, or two below 10, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"
