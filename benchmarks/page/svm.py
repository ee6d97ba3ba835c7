"""Summaries of the soft-margin benchmark: an overview, the claims, and the table of docs/benchmarks.md."""

from __future__ import annotations

import math
from typing import Any

Row = dict[str, Any]


def ratio(row: Row) -> float:
    """LinearSVC's time to the same objective over ours to the gap 1e-6."""
    return row["seconds"]["same objective"] / row["seconds"]["1e-6"]


def slowdown(row: Row) -> float:
    """Our time to the gap 1e-4 over LinearSVC's with its defaults."""
    return row["seconds"]["1e-4"] / row["seconds"]["defaults"]


def mark(row: Row) -> str:
    """Say which side a ratio errs on: LinearSVC, LinearSVM, or both were stopped."""
    ours = row["ours"]["1e-6"]["proven"]
    return {(True, True): "", (False, True): ">=", (True, False): "<=", (False, False): "?"}[row["reached"], ours]


def name_of(row: Row) -> str:
    return f"{row['set']}, C = {row['C']:g}, {row['loss']}"


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
            "ratio": f"{mark(row)}{ratio(row):.3g}",
            "ours/defaults": slowdown(row),
            "optimum known to": (row["best_primal"] - row["dual_bound"]) / row["best_primal"],
        }
        for row in table
    ]


def summary(results: dict[str, Any]) -> list[Row]:
    """The claims, each with its bar and whether it is met."""
    claims: list[Row] = []

    def claim(work: str, found: float, least: float | None = None, most: float | None = None, note: str = "") -> None:
        bar = f">= {least:g}" if least is not None else f"<= {most:g}" if most is not None else ""
        met = (least is None or found >= least) and (most is None or found <= most)
        claims.append(
            {"work": work, "found": float(f"{found:.4g}"), "bar": bar, "met": met if bar else "", "note": note}
        )

    if table := results.get("A", {}).get("table"):
        mean = math.exp(sum(math.log(ratio(row)) for row in table) / len(table))
        capped = sum(not row["reached"] for row in table)
        unproven = [name_of(row) for row in table if not row["ours"]["1e-6"]["proven"]]
        claim("same objective, geometric mean", mean, note=f"{len(table)} cells, {capped} of them lower bounds")
        worst = min(table, key=ratio)
        claim("same objective, worst cell", ratio(worst), note=name_of(worst))
        worst = max(table, key=slowdown)
        claim("time over LinearSVC's defaults, worst cell", slowdown(worst), most=1.2, note=name_of(worst))
        slower = [name_of(row) for row in table if slowdown(row) > 1.2]
        claim("cells above 1.2 times the defaults", len(slower), most=0, note="; ".join(slower))
        claim("cells whose gap of 1e-6 is not proven", len(unproven), most=0, note="; ".join(unproven))
        warned = sum(row["defaults"]["warned"] for row in table)
        claim("cells where LinearSVC warns by default", warned)
    for row in results.get("B", {}).get("table", []):
        found = row["seconds"]["SVC"] / row["seconds"]["ours"]
        note = ", ".join(
            f"{who} {value:.8g}" if value else f"{who} was stopped" for who, value in row["objective"].items()
        )
        claim(f"SVC over ours, {row['set']}", found, least=50, note=f"objectives: {note}")
    large = {row["copies"]: row for row in results.get("C", {}).get("table", [])}
    if large:
        gaps = {copies: f"gap {row['gap']:.2g}" if row["gap"] else "stopped" for copies, row in large.items()}
        claim(f"{large[1]['set']} to the gap 1e-6, seconds", large[1]["seconds"], most=60, note=gaps[1])
        claim("four copies over one", large[4]["seconds"] / large[1]["seconds"], most=5, note=gaps[4])
    for row in results.get("D", {}).get("table", []):
        note = f"{row['seconds']['1']:.3g} s with one, which kept {row['cores']['1']:.2g} cores busy"
        claim(f"two threads, {name_of(row)}", row["seconds"]["1"] / row["seconds"]["2"], least=1.5, note=note)
    for row in results.get("memory", {}).get("table", []):
        if row["bytes"] is not None:
            note = f"{row['bytes'] / 1e6:.1f} MB, {row['rows']} rows, {row['columns']} columns"
            claim(f"memory beyond {row['set']}, in vectors of rows", row["vectors"], note=note)
    return claims


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
    sign = mark(row).replace(">=", "≥ ").replace("<=", "≤ ").replace("?", "not proven: ")
    return f"{_plain(row['seconds']['1e-6'])} s, {sign}{_plain(ratio(row))}"


def _plain(value: float) -> str:
    """Three digits, or two below 10, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"
