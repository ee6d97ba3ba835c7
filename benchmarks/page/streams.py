"""The tables of benchmarks/stream_accuracy.py and of benchmarks/class_streams.py, for docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

PEERS = ("River", "VW", "VW --coin", "VW --ftrl")
PROGRAMS = ("tracker", "perceptron", "averaged perceptron", "passive-aggressive I", *PEERS, "majority", "last label")
CLASS_PEERS = ("River, one-vs-rest", "River, softmax", "VW", "VW --coin", "VW --ftrl")
CLASS_TRACKERS = ("tracker", "tracker with MulticlassAROW")
CLASS_PROGRAMS = (*CLASS_TRACKERS, "MulticlassAROW", *CLASS_PEERS, "majority", "last label")


def rows(accuracy: dict[str, dict[str, float]]) -> list[list[str]]:
    """Return the rows of the table: each stream, and the means over the streams of each kind; the best peer is bold."""
    found = []
    kinds = dict.fromkeys(kind_of(case) for case in accuracy)
    for kind in kinds:
        cases = {case: entry for case, entry in accuracy.items() if kind_of(case) == kind}
        found += [_row(case, entry) for case, entry in cases.items()]
        found.append(_row(f"mean, {kind}", means(accuracy, kind)))
    return found


def kind_of(case: str) -> str:
    """Return "raw, delay 0" for "elec2, raw, delay 0"."""
    return ", ".join(case.split(", ")[-2:])


def means(accuracy: dict[str, dict[str, float]], kind: str) -> dict[str, float]:
    """Return the mean of each program over the streams of a kind."""
    entries = [entry for case, entry in accuracy.items() if kind_of(case) == kind]
    return {name: sum(entry[name] for entry in entries) / len(entries) for name in PROGRAMS}


def lead(accuracy: dict[str, dict[str, float]], kind: str) -> float:
    """Return the mean of the tracker minus that of the best peer of each stream."""
    entries = [entry for case, entry in accuracy.items() if kind_of(case) == kind]
    return sum(entry["tracker"] - max(entry[peer] for peer in PEERS) for entry in entries) / len(entries)


def worst(accuracy: dict[str, dict[str, float]], delay: int) -> tuple[float, str]:
    """Return by how much the tracker is below the best peer where it is most, and where; negative if it never is."""
    gaps = {
        case: max(entry[peer] for peer in PEERS) - entry["tracker"]
        for case, entry in accuracy.items()
        if case.endswith(f"delay {delay}")
    }
    case = max(gaps, key=gaps.__getitem__)
    return gaps[case], case


def class_rows(accuracy: dict[str, dict[str, float]]) -> list[list[str]]:
    """Return the rows of the table of several classes; the best peer is bold."""
    return [_row(case, entry, CLASS_PEERS, CLASS_PROGRAMS) for case, entry in accuracy.items()]


def class_leads(accuracy: dict[str, dict[str, float]], tracker: str) -> list[float]:
    """Return a tracker of several classes minus the best peer, for each stream."""
    return [entry[tracker] - max(entry.get(peer, 0.0) for peer in CLASS_PEERS) for entry in accuracy.values()]


def _row(
    name: str, entry: dict[str, Any], peers: Sequence[str] = PEERS, programs: Sequence[str] = PROGRAMS
) -> list[str]:
    best = max(entry.get(peer, 0.0) for peer in peers)
    shown = {own: f"{entry[own]:.1f}" if own in entry else "" for own in programs}
    return [name, *(f"**{text}**" if own in peers and entry.get(own) == best else text for own, text in shown.items())]
