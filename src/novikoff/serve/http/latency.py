"""Histograms of durations that cost less than a microsecond per observation."""

from __future__ import annotations

from bisect import bisect_left

BOUNDS = tuple(
    factor * 10.0**power for power in range(-5, 1) for factor in (1.0, 2.0, 5.0)
)  # seconds: 10 us, 20 us, 50 us, ..., 5 s
MAX_SHOWN = 10.0  # seconds, for observations beyond the last bound


class Latency:
    """Durations of one kind of request.

    Attributes
    ----------
    counts : list of int
        Observations up to each of ``BOUNDS`` and above the one before it; the last entry counts those above all.
    total : float
        Their sum, in seconds.
    """

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """Count a duration."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds

    @property
    def count(self) -> int:
        """The number of observations."""
        return sum(self.counts)

    def quantile(self, fraction: float) -> float | None:
        """Return a duration that this fraction of the observations does not exceed, interpolated within its interval.

        None if there are no observations.
        """
        counts = list(self.counts)
        wanted = fraction * sum(counts)
        if wanted == 0:
            return None
        seen = 0
        for place, count in enumerate(counts):
            if count and seen + count >= wanted:
                low = BOUNDS[place - 1] if place else 0.0
                high = BOUNDS[place] if place < len(BOUNDS) else MAX_SHOWN
                return low + (high - low) * (wanted - seen) / count
            seen += count
        return MAX_SHOWN

    def cumulative(self) -> list[tuple[str, int]]:
        """Return the counts as Prometheus wants them: observations up to each bound, the last of them infinite."""
        total, found = 0, []
        for bound, count in zip((*BOUNDS, float("inf")), list(self.counts), strict=True):
            total += count
            found.append(("+Inf" if bound == float("inf") else f"{bound:g}", total))
        return found

    def summary(self) -> dict[str, float | None]:
        """Return the median and the 99th percentile in milliseconds."""
        found = {"p50": self.quantile(0.5), "p99": self.quantile(0.99)}
        return {name: None if value is None else round(value * 1000, 3) for name, value in found.items()}
