"""Timing: contestants take turns, their answers are compared before they are timed, and ratios have intervals."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .ratio import WORSE, Times, compared

MIN_ROUNDS = 3  # fewer have no spread
EQUAL, LESS_EXACT, NOT_COMPARED = "equal", "less exact", "not compared"  # the answer of a peer that is timed
Work = Callable[[], Any]


@dataclass(frozen=True)
class Timed:
    """What a contestant returns that measures its own seconds: those of a child process, for example.

    A contestant that was stopped after these seconds has no answer.
    """

    seconds: float
    answer: Any = None
    stopped: bool = False


@dataclass(frozen=True)
class Limit:
    """What the work must cost on this machine, whoever does it: reading its bytes, for example."""

    what: str
    seconds: float


def once(work: Work) -> Timed:
    """Return seconds and answer of one call."""
    start = time.perf_counter()
    answer = work()
    seconds = time.perf_counter() - start
    return answer if isinstance(answer, Timed) else Timed(seconds, answer)


def rounds_of(contestants: Mapping[str, Work], rounds: int, patience: float = math.inf) -> dict[str, Times]:
    """Return what each contestant took in each round; all take turns in every round.

    After three rounds no more are made once the rounds of one contestant took longer than ``patience``. A contestant
    that was stopped is not called again: it counts with the least that it took.
    """
    found = {name: Times() for name in contestants}
    for number in range(rounds):
        if number >= MIN_ROUNDS and any(sum(times.seconds) > patience for times in found.values()):
            break
        for name, work in contestants.items():
            times = found[name]
            run = Timed(min(times.seconds), stopped=True) if times.stopped else once(work)
            times.seconds.append(run.seconds)
            times.stopped = run.stopped
    return found


def interleave(contestants: Mapping[str, Work], rounds: int) -> dict[str, float]:
    """Return the median seconds of each contestant."""
    return {name: statistics.median(times.seconds) for name, times in rounds_of(contestants, rounds).items()}


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
    cost: Callable[[Any], float | None] | None = None,
    tolerance: float = 0.0,
    less_exact_peers: bool = False,
    patience: float = math.inf,
    limit: Limit | None = None,
) -> list[dict[str, Any]]:
    """Compare each of ours with all peers, and return a row for each of ours.

    Parameters
    ----------
    work : str
        What is done.
    ours, peers : mapping of str to callable
        The contestants. Each is called once before the rounds: this warms it up, and gives the answer to compare. One
        that is stopped in this call is not called again.
    rounds : int
        Timed calls of each contestant, at least 3.
    cost : callable, optional
        What an answer costs; less is better, and None is an answer that is not compared. A contestant that costs more
        than the best is not timed.
    tolerance : float, default=0
        By how much an answer may cost more, relative to the best.
    less_exact_peers : bool, default=False
        Whether peers that cost more than the best are timed, too, and are marked as less exact: this can only favour
        them. Ours are never timed on a worse answer.
    patience : float, default=inf
        Seconds of the rounds of one contestant after which only three rounds are made.
    limit : Limit, optional
        What the work must cost.
    """
    if rounds < MIN_ROUNDS:
        raise ValueError(f"{work}: {rounds} rounds have no spread; at least {MIN_ROUNDS} are needed")
    first = {name: once(run) for name, run in {**ours, **peers}.items()}
    costs = _costs(first, cost)
    worst = worse(costs, tolerance)
    left_out = worst - set(peers) if less_exact_peers else worst
    turns: dict[str, Work] = {
        name: (lambda name=name: Timed(first[name].seconds, stopped=True)) if first[name].stopped else run
        for name, run in {**ours, **peers}.items()
        if name not in left_out
    }
    first = {name: Timed(run.seconds, stopped=run.stopped) for name, run in first.items()}  # answers may be large
    times = rounds_of(turns, rounds, patience)
    quality = {name: _quality(name, costs, worst) for name in peers} if less_exact_peers else {}
    return [_row(work, name, list(ours), list(peers), times, costs, quality, limit) for name in ours]


def _quality(name: str, costs: Mapping[str, float], worst: set[str]) -> str:
    """Return how the answer of a contestant compares with the best one."""
    return NOT_COMPARED if name not in costs else LESS_EXACT if name in worst else EQUAL


def _costs(first: Mapping[str, Timed], cost: Callable[[Any], float | None] | None) -> dict[str, float]:
    """Return what the answers cost that are compared."""
    found = {name: cost(run.answer) for name, run in first.items() if not run.stopped} if cost else {}
    return {name: float(value) for name, value in found.items() if value is not None}


def _row(
    work: str,
    mine: str,
    ours: list[str],
    peers: list[str],
    times: dict[str, Times],
    costs: dict[str, float],
    quality: dict[str, str],
    limit: Limit | None,
) -> dict[str, Any]:
    row: dict[str, Any] = {"work": f"{work}, {mine}" if len(ours) > 1 else work}
    row["ours"] = _contestant(mine, times, costs)
    row["peers"] = []
    for name in peers:
        peer = _contestant(name, times, costs)
        peer |= {"answer": quality[name]} if name in quality else {}
        peer |= compared(times[mine], times[name]) if mine in times and name in times else {"verdict": WORSE}
        row["peers"].append(peer)
    if limit:
        row["limit"] = {"what": limit.what, "seconds": limit.seconds}
    return row


def _contestant(name: str, times: dict[str, Times], costs: dict[str, float]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name}
    if name in costs:
        found["cost"] = costs[name]
    return {**found, **spread(times[name])} if name in times else {**found, "verdict": WORSE}


def spread(times: Times) -> dict[str, Any]:
    """Return median, least and quartiles of the seconds, as results have them."""
    low, median, high = np.quantile(times.seconds, [0.25, 0.5, 0.75]).tolist()
    found = {"seconds": median, "least": min(times.seconds), "quartiles": [low, high], "rounds": len(times.seconds)}
    return {**found, "stopped": True} if times.stopped else found
