"""Alarms if the mean of a stream has changed."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.evaluate import Adwin
from share import share_of


def alarms_of(detector, losses):
    return [t for t, loss in enumerate(losses.tolist()) if detector.update(loss)]


def alarms_of_river(losses, delta):
    drift = pytest.importorskip("river.drift", reason="River is not installed (make peers)").ADWIN(delta=delta)
    found = []
    for t, loss in enumerate(losses.tolist()):
        drift.update(loss)
        if drift.drift_detected:
            found.append(t)
    return found


def coins(rng, *parts):
    """Losses of 0 and 1 with these (number, probability) of ones."""
    return np.concatenate([(rng.random(count) < chance) * 1.0 for count, chance in parts])


def test_the_sums_are_those_of_the_latest_losses():
    rng = np.random.default_rng(1)
    losses, drift = rng.random(700), Adwin()
    for t, loss in enumerate(losses, start=1):
        drift.update(loss)
        assert drift.mean == pytest.approx(losses[t - drift.width : t].mean())
    assert drift.width == 700
    assert drift.alarms == 0


def test_memory_grows_with_the_logarithm():
    drift = Adwin()
    for _ in range(10_000):
        drift.update(0.5)
    assert drift.width == 10_000
    assert sum(len(buckets) for buckets in drift._buckets) <= 5 * 14


@pytest.mark.parametrize("delta", [0.002, 0.1])
def test_a_change_is_found_soon_and_when_river_finds_it(delta):
    rng = np.random.default_rng(2)
    for before, after in ((0.1, 0.4), (0.5, 0.2), (0.0, 0.2)):
        losses = coins(rng, (1500, before), (600, after))
        drift = Adwin(delta)
        found, river = alarms_of(drift, losses), alarms_of_river(losses, delta)
        first, of_river = (next(t for t in times if t >= 1500) for times in (found, river))
        assert 1500 <= first < 1900
        assert abs(first - of_river) <= 96  # three searches
        assert drift.mean == pytest.approx(after, abs=0.08)


def test_a_stream_without_change_gives_few_alarms():
    """At most delta of the searches may; the bound is far from sharp, so that none of 250 is usual."""
    rng = np.random.default_rng(3)
    drift = Adwin(0.05)
    assert len(alarms_of(drift, coins(rng, (8000, 0.3)))) <= 0.05 * 8000 / 32


@pytest.mark.slow
@pytest.mark.parametrize("chance", [0.01, 0.3, 0.5])
def test_the_rate_of_false_alarms_stays_below_delta(chance):
    delta, streams, length = 0.05, share_of(200), 2000
    rng = np.random.default_rng(4)
    wrong = sum(len(alarms_of(Adwin(delta), coins(rng, (length, chance)))) for _ in range(streams))
    assert wrong <= delta * streams * (length // 32)
    river = sum(len(alarms_of_river(coins(rng, (length, chance)), delta)) for _ in range(streams))
    assert wrong <= 5 * river + 0.01 * streams * (length // 32)


@pytest.mark.parametrize("loss", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_loss_out_of_range_is_refused_and_not_counted(loss):
    drift = Adwin()
    with pytest.raises(nk.InvalidInputError, match="a loss must be from 0 to 1"):
        drift.update(loss)
    assert drift.width == 0


@pytest.mark.parametrize("delta", [0, 2, "small", None, float("nan")])
def test_delta_must_be_a_probability(delta):
    with pytest.raises(nk.InvalidInputError, match="delta must be a positive number of at most 1"):
        Adwin(delta)
