"""The tables of the accuracy benchmark, for docs/benchmarks.md."""

from __future__ import annotations

from typing import Any

PEERS = ("LinearSVC", "LogisticRegression", "RidgeClassifier")
MEASURES = ("accuracy", "balanced_accuracy")


def is_within(entry: dict[str, Any], measure: str, error: str = "standard_error") -> bool:
    """Whether the defaults are at most one standard error behind the best peer."""
    return bool(entry[measure]["behind"] <= entry[measure][error] + 1e-12)


def share_within(entries: list[dict[str, Any]], measure: str, error: str = "standard_error") -> float:
    """Return on which fraction of the sets the defaults are at most one standard error behind the best peer."""
    return sum(is_within(entry, measure, error) for entry in entries) / len(entries)


def peer_within(entries: list[dict[str, Any]], measure: str) -> float:
    """Return the largest fraction of the sets on which one peer is within one standard error of the best of all."""
    return max(
        sum(
            entry[measure][entry[measure]["best"]] - entry[measure][peer]
            <= entry[measure]["standard_error_of_best"] + 1e-12
            for entry in entries
        )
        / len(entries)
        for peer in PEERS
    )


def mean_of(entries: list[dict[str, Any]], measure: str, name: str) -> float:
    """Return the mean of a classifier over the sets."""
    return sum(float(entry[measure][name]) for entry in entries) / len(entries)


def below_majority(entries: list[dict[str, Any]]) -> list[str]:
    """Return the sets on which the defaults are less accurate than the most frequent label."""
    return [entry["name"] for entry in entries if entry["accuracy"]["novikoff"] < entry["majority"] - 1e-12]


def means(entries: list[dict[str, Any]]) -> list[list[str]]:
    """Return the rows of the table of mean accuracies, by collection."""
    rows = []
    for collection in [*dict.fromkeys(entry["collection"] for entry in entries), "all"]:
        own = [entry for entry in entries if collection in ("all", entry["collection"])]
        cells = [
            " / ".join(f"{mean_of(own, measure, name):.3f}" for measure in MEASURES) for name in ("novikoff", *PEERS)
        ]
        rows.append([collection, str(len(own)), *cells])
    return rows


def sets(entries: list[dict[str, Any]]) -> list[list[str]]:
    """Return the rows of the table of all sets; a loss of more than one standard error is in bold."""
    rows = []
    for entry in entries:
        cells = []
        for measure in MEASURES:
            found = entry[measure]
            ours, best = f"{found['novikoff']:.3f}", f"{found[found['best']]:.3f} {found['best']}"
            cells += [ours if is_within(entry, measure) else f"**{ours}**", best, f"{found['standard_error']:.3f}"]
        size = f"{entry['rows']:,} x {entry['columns']:,}"
        rows.append([entry["name"], size, str(entry["classes"]), f"{entry['majority']:.3f}", *cells])
    return rows
