"""What a mixture counts if labels come late, against a reference that knows nothing of events."""

import numpy as np
import pytest

from novikoff.online._mixture import MixtureCounts, Vote
from novikoff.online._served_counts import Events, ServedCodes, count_one_served, count_served
from novikoff.theory.mixture_replay import NOBODY
from reference import mixtures

ROWS = 60


def late_run(vote, predictions, y, delay, cuts):
    """Serve all rows and learn each ``delay`` rows later, in calls that end at these events."""
    members = len(predictions)
    served = ServedCodes(
        np.full((members, ROWS), NOBODY, np.int32), np.full(ROWS, NOBODY, np.int32), np.zeros(ROWS, np.int64)
    )
    events = sorted([(t, 0, t) for t in range(ROWS)] + [(t + delay, 1, t) for t in range(ROWS)])
    counts = MixtureCounts.none(members)
    for part in np.split(np.array(events), cuts):
        rows, is_learned = part[:, 2], part[:, 1] == 1
        own = Events(rows, ~is_learned, 1.0 * is_learned, predictions[:, rows].astype(np.int32))
        counts, _ = count_served(counts, vote, served, own, y.astype(np.int32))
    return counts, served


@pytest.mark.parametrize("kind", ["leader", "majority", "share"])
@pytest.mark.parametrize("delay", [0, 1, 5, 100])
def test_counts_are_those_of_the_reference_however_events_are_cut(kind, delay):
    rng = np.random.default_rng(delay)
    y = rng.integers(0, 3, ROWS)
    predictions = np.where(rng.random((3, ROWS)) < rng.random((3, 1)), y, rng.integers(0, 3, (3, ROWS)))
    vote = Vote(kind, 0.9, 0.6, 0.05)
    counts, served = late_run(vote, predictions, y, delay, [])
    others, _ = late_run(vote, predictions, y, delay, [3, 50, 51, 100])
    unknown = np.arange(ROWS) <= delay  # nothing is known when they are served
    seen = np.where(unknown, -1, predictions)
    wrong, _ = mixtures.late_mixture(kind, seen.T, y, 0.6, decay=0.9, alpha=0.05, delays=delay)
    assert counts.mistakes == [*(seen != y).sum(axis=1), wrong.sum()]
    assert (counts.delay, counts.is_constant_delay) == (min(delay, ROWS - 1), True)
    for name in MixtureCounts.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(counts, name), getattr(others, name))
    single = MixtureCounts.none(3)
    for t in range(ROWS):
        label, members = int(served.mixture[t]), served.members[:, t].tolist()
        single = count_one_served(single, vote, label, members, int(served.known[t]), int(y[t]), 1.0)
    for name in MixtureCounts.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(counts, name), getattr(single, name))


@pytest.mark.parametrize(
    ("behind", "delay", "is_constant"),
    [
        ([0, 0, 0], 0, True),
        ([0, 1, 2], 2, True),
        ([0, 1, 1], 1, True),
        ([0, 0, 1], 1, False),
        ([0, 1, 0], 1, False),
        ([0, 1, 1, 2], 2, False),
        ([0, 1, 2, 2, 2, 1], 2, False),
    ],
)
def test_a_delay_is_constant_if_all_labels_are_missing_at_first_and_then_the_same_number(behind, delay, is_constant):
    vote = Vote("leader", 0.9, 0.5, 0.1)
    counts = MixtureCounts.none(2)
    for t, between in enumerate(behind):
        counts = count_one_served(counts, vote, 0, (0, 1), t - between, 0, 1.0)
    assert (counts.delay, counts.is_constant_delay) == (delay, is_constant)
    at_once = MixtureCounts.none(2).rounds_after(np.ones(len(behind)), np.array(behind))
    assert (at_once["delay"], at_once["is_constant_delay"]) == (delay, is_constant)


def test_fractions_are_counted_apart():
    vote = Vote("majority", 1.0, 0.5, 0.1)
    counts = count_one_served(MixtureCounts.none(2), vote, "a", ("a", "b"), 0, "b", 0.25)
    assert counts.mistakes == [0.25, 0.0, 0.25]
    assert counts.examples.part == 0.25
