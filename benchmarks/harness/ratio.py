"""Ratios of times: their intervals, what these say, targets, and means over several ratios."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MAX_WIDTH = 2.0  # a ratio is not printed if the upper end of its interval is more than this many times the lower one
RESAMPLES, LEVEL, SEED = 2000, 0.95, 0  # of the bootstrap
FASTER, SLOWER, SAME, WIDE, WORSE = "faster", "slower", "not distinguishable", "spread too wide", "worse answer"
STOPPED = "stopped too early to tell"
AT_LEAST, AT_MOST, UNKNOWN = "≥", "≤", "?"  # what a ratio is if the peer, ours, or both were stopped
BOUNDS = {(False, True): AT_LEAST, (True, False): AT_MOST, (True, True): UNKNOWN}
MET, MISSED, UNDECIDED = "yes", "no", "not decided"
Peer = Mapping[str, Any]  # the ratio of a peer as results have it


@dataclass
class Times:
    """Seconds of one contestant in each round. If it was stopped, it would have taken longer."""

    seconds: list[float] = field(default_factory=list)
    stopped: bool = False


@dataclass(frozen=True)
class Ratio:
    """Seconds of a peer over ours, with the ends of a bootstrap interval over the rounds.

    ``bound`` says whether the true ratio is at least or at most this one, because a contestant was stopped.
    """

    value: float
    low: float
    high: float
    bound: str = ""

    @property
    def verdict(self) -> str:
        """What the interval says about the ratio: which program is faster, or why that is not known."""
        known = {"": True, AT_LEAST: self.low > 1, AT_MOST: self.high < 1, UNKNOWN: False}[self.bound]
        if not known:
            return STOPPED
        if self.low <= 1 <= self.high:
            return SAME
        if self.high > MAX_WIDTH * self.low:
            return WIDE
        return FASTER if self.low > 1 else SLOWER


def ratio_of(ours: list[float], peer: list[float], bound: str = "") -> Ratio:
    """Return the ratio of medians. Rounds are resampled as pairs, because both had the same load in a round."""
    pairs = np.array([ours, peer])
    medians = np.median(pairs[:, _resamples(len(ours))], axis=2)
    return Ratio(statistics.median(peer) / statistics.median(ours), *_interval(medians[1] / medians[0]), bound)


def compared(ours: Times, peer: Times) -> dict[str, Any]:
    """Return the ratio of two contestants, its interval and its verdict, as results have them.

    Rates of rounds are compared as their reciprocals, the seconds of one piece of work.
    """
    if min(len(ours.seconds), len(peer.seconds)) < 3:
        raise ValueError("fewer than three rounds have no spread")
    ratio = ratio_of(ours.seconds, peer.seconds, BOUNDS.get((ours.stopped, peer.stopped), ""))
    bound = {"bound": ratio.bound} if ratio.bound else {}
    return {"ratio": ratio.value, "ratio_interval": [ratio.low, ratio.high], "verdict": ratio.verdict, **bound}


def says_something(peer: Peer) -> bool:
    """Whether a ratio is printed: it has a known direction, or it comes from a run that kept medians only."""
    return "ratio" in peer and ("ratio_interval" not in peer or peer["verdict"] in (FASTER, SLOWER))


def target_met(peer: Peer, *, least: float | None = None, most: float | None = None) -> str:
    """Return whether a ratio is within its target, which is decided only if its whole interval says the same."""
    if "ratio_interval" not in peer:
        return UNDECIDED
    (low, high), bound = peer["ratio_interval"], peer.get("bound", "")
    low, high = (0.0 if bound in (AT_MOST, UNKNOWN) else low), (np.inf if bound in (AT_LEAST, UNKNOWN) else high)
    if (least is None or low >= least) and (most is None or high <= most):
        return MET
    return MISSED if (least is not None and high < least) or (most is not None and low > most) else UNDECIDED


@dataclass(frozen=True)
class Mean:
    """The geometric mean of several ratios, with the ends of a bootstrap interval over them, and their median."""

    value: float
    low: float
    high: float
    median: float  # of the same ratios; it stays the same if the largest ones grow
    count: int
    bounds: Mapping[str, int]  # how many of the ratios are lower and upper bounds
    left_out: int  # ratios without a meaning

    def __str__(self) -> str:
        notes = [
            f"{self.low:.3g} to {self.high:.3g}; {self.count} ratios" if self.count >= 3 else f"{self.count} ratios"
        ]
        notes += [f"{count} of them {what} bounds" for what, count in self.bounds.items() if count]
        notes += [f"{self.left_out} left out"] * (self.left_out > 0)
        return f"{self.value:.3g} ({', '.join(notes)})"


def mean_of(peers: Iterable[Peer]) -> Mean | None:
    """Return the geometric mean of ratios; None if all were left out.

    A ratio that cannot be distinguished from 1 counts: without it, the mean would move away from 1. What is left out
    are ratios whose spread is too wide, those of worse answers, and those of runs of which both were stopped.
    """
    peers = list(peers)
    used = [peer for peer in peers if "ratio" in peer and peer.get("bound") != UNKNOWN and _is_narrow(peer)]
    if not used:
        return None
    logs = np.log([peer["ratio"] for peer in used])
    low, high = _interval(np.exp(logs[_resamples(len(used))].mean(axis=1)))
    signs = [peer.get("bound") for peer in used]
    bounds = {"lower": signs.count(AT_LEAST), "upper": signs.count(AT_MOST)}
    median = statistics.median(peer["ratio"] for peer in used)
    return Mean(float(np.exp(logs.mean())), low, high, median, len(used), bounds, len(peers) - len(used))


def _is_narrow(peer: Peer) -> bool:
    low, high = peer.get("ratio_interval", (1.0, 1.0))
    return bool(high <= MAX_WIDTH * low)


def _resamples(count: int) -> np.ndarray:
    return np.random.default_rng(SEED).integers(0, count, (RESAMPLES, count))


def _interval(values: np.ndarray) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
