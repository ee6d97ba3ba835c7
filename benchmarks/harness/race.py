"""Timing: contestants take turns, their answers are compared before they are timed, and ratios have intervals."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

MAX_WIDTH = 2.0  # a ratio is not printed if the upper end of its interval is more than this many times the lower one
RESAMPLES, LEVEL, SEED = 2000, 0.95, 0  # of the bootstrap
FASTER, SLOWER, SAME, WIDE, WORSE = "faster", "slower", "not distinguishable", "spread too wide", "worse answer"
Work = Callable[[], Any]


@dataclass(frozen=True)
class Timed:
    """What a contestant returns that measures its own seconds: those of a child process, for example."""

    seconds: float
    answer: Any = None


@dataclass(frozen=True)
class Limit:
    """What the work must cost on this machine, whoever does it: reading its bytes, for example."""

    what: str
    seconds: float


@dataclass(frozen=True)
class Ratio:
    """Seconds of a peer over ours, with the ends of a bootstrap interval over the rounds."""

    value: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """What the interval says about the ratio: which program is faster, or why that is not known."""
        if self.low <= 1 <= self.high:
            return SAME
        if self.high > MAX_WIDTH * self.low:
            return WIDE
        return FASTER if self.low > 1 else SLOWER


def ratio_of(ours: list[float], peer: list[float]) -> Ratio:
    """Return the ratio of medians. Rounds are resampled as pairs, because both had the same load in a round."""
    pairs = np.array([ours, peer])
    drawn = np.random.default_rng(SEED).integers(0, len(ours), (RESAMPLES, len(ours)))
    medians = np.median(pairs[:, drawn], axis=2)
    low, high = np.quantile(medians[1] / medians[0], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Ratio(statistics.median(peer) / statistics.median(ours), float(low), float(high))


def once(work: Work) -> tuple[float, Any]:
    """Return seconds and answer of one call."""
    start = time.perf_counter()
    answer = work()
    seconds = time.perf_counter() - start
    return (answer.seconds, answer.answer) if isinstance(answer, Timed) else (seconds, answer)


def rounds_of(contestants: Mapping[str, Work], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each contestant in each round; all take turns in every round."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            times[name].append(once(work)[0])
    return times


def interleave(contestants: Mapping[str, Work], rounds: int) -> dict[str, float]:
    """Return the median seconds of each contestant."""
    return {name: statistics.median(seconds) for name, seconds in rounds_of(contestants, rounds).items()}


def worse(costs: Mapping[str, float], tolerance: float) -> set[str]:
    """Return the contestants whose answers cost more than the best one by more than a relative tolerance.

    If the best cost is not positive, the tolerance is absolute. A cost that is not a number is worse than any other.
    """
    best = min((cost for cost in costs.values() if cost == cost), default=0.0)
    allowed = tolerance * best if best > 0 else tolerance
    return {name for name, cost in costs.items() if not cost - best <= allowed}


def race(
    work: str,
    ours: Mapping[str, Work],
    peers: Mapping[str, Work],
    *,
    rounds: int,
    cost: Callable[[Any], float] | None = None,
    tolerance: float = 0.0,
    limit: Limit | None = None,
) -> list[dict[str, Any]]:
    """Compare each of ours with all peers, and return a row for each of ours.

    Parameters
    ----------
    work : str
        What is done.
    ours, peers : mapping of str to callable
        The contestants. Each is called once before the rounds: this warms it up, and gives the answer to compare.
    rounds : int
        Timed calls of each contestant, at least 3.
    cost : callable, optional
        What an answer costs; less is better. A contestant that costs more than the best is not timed.
    tolerance : float, default=0
        By how much an answer may cost more, relative to the best.
    limit : Limit, optional
        What the work must cost.
    """
    if rounds < 3:
        raise ValueError(f"{work}: {rounds} rounds have no spread; at least 3 are needed")
    contestants = {**ours, **peers}
    answers = {name: once(run)[1] for name, run in contestants.items()}
    costs = {name: float(cost(answer)) for name, answer in answers.items()} if cost else {}
    del answers
    left_out = worse(costs, tolerance) if costs else set()
    times = rounds_of({name: run for name, run in contestants.items() if name not in left_out}, rounds)
    return [_row(work, name, list(ours), list(peers), times, costs, limit) for name in ours]


def _row(
    work: str,
    mine: str,
    ours: list[str],
    peers: list[str],
    times: dict[str, list[float]],
    costs: dict[str, float],
    limit: Limit | None,
) -> dict[str, Any]:
    row: dict[str, Any] = {"work": f"{work}, {mine}" if len(ours) > 1 else work}
    row["ours"] = _contestant(mine, times, costs)
    row["peers"] = []
    for name in peers:
        peer = _contestant(name, times, costs)
        if mine in times and name in times:
            ratio = ratio_of(times[mine], times[name])
            peer |= {"ratio": ratio.value, "ratio_interval": [ratio.low, ratio.high], "verdict": ratio.verdict}
        else:
            peer["verdict"] = WORSE
        row["peers"].append(peer)
    if limit:
        row["limit"] = {"what": limit.what, "seconds": limit.seconds}
    return row


def _contestant(name: str, times: dict[str, list[float]], costs: dict[str, float]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name}
    if name in costs:
        found["cost"] = costs[name]
    if name not in times:
        return {**found, "verdict": WORSE}
    low, median, high = np.quantile(times[name], [0.25, 0.5, 0.75]).tolist()
    spread = {"least": min(times[name]), "quartiles": [low, high], "rounds": len(times[name])}
    return {**found, "seconds": median, **spread}
