"""Timing: warm-up, turns, intervals of ratios, and answers that are worse."""

import itertools

import pytest
from benchmarks.harness import race
from benchmarks.harness.race import FASTER, SAME, SLOWER, WIDE, WORSE, Limit, Ratio, Timed


def timed(*seconds, answer=None):
    """A contestant that says what it took in each call."""
    times = itertools.cycle(seconds)
    return lambda: Timed(next(times), answer)


def only_row(**options):
    (row,) = race.race("work", rounds=5, **options)
    return row


def test_the_warm_up_is_not_counted():
    calls = iter([100.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    row = only_row(ours={"a": lambda: Timed(next(calls))}, peers={"b": timed(2.0)})
    assert row["ours"]["seconds"] == row["ours"]["least"] == 1.0
    assert row["ours"]["rounds"] == 5
    assert next(calls, None) is None


def test_contestants_take_turns_in_every_round():
    order = []
    contestants = {name: lambda name=name: order.append(name) for name in "abc"}
    race.rounds_of(contestants, 3)
    assert order == list("abcabcabc")


def test_the_clock_is_used_if_a_contestant_does_not_say_its_seconds(monkeypatch):
    clock = itertools.count(10.0, 0.5)
    monkeypatch.setattr(race.time, "perf_counter", lambda: next(clock))
    assert race.once(lambda: "answer") == (0.5, "answer")


def test_a_ratio_and_its_interval_are_those_of_medians():
    row = only_row(ours={"a": timed(1.0)}, peers={"b": timed(3.0)})
    (peer,) = row["peers"]
    assert (peer["ratio"], peer["ratio_interval"], peer["verdict"]) == (3.0, [3.0, 3.0], FASTER)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.2, 1.5, FASTER),
        (0.5, 0.8, SLOWER),
        (0.9, 1.1, SAME),
        (1.0, 1.5, SAME),
        (0.6, 1.0, SAME),
        (1.5, 3.5, WIDE),
        (0.1, 0.3, WIDE),
        (1.5, 3.0, FASTER),
    ],
)
def test_a_ratio_means_something_only_if_its_interval_is_narrow_and_without_1(low, high, verdict):
    assert Ratio((low * high) ** 0.5, low, high).verdict == verdict


def test_noise_is_not_distinguishable():
    ours, peer = [1.0, 1.3, 0.8, 1.1, 0.9], [1.2, 0.9, 1.0, 1.3, 0.8]
    assert race.ratio_of(ours, peer).verdict == SAME


def test_rounds_are_resampled_as_pairs():
    load = [1.0, 5.0, 2.0, 8.0, 3.0]  # in each round, for both
    found = race.ratio_of(load, [2 * seconds for seconds in load])
    assert (found.value, found.low, found.high) == (2.0, 2.0, 2.0)


def test_a_worse_answer_is_not_timed():
    calls = []

    def slow():
        calls.append(None)
        return Timed(1.0, 2.0)

    row = only_row(ours={"a": timed(1.0, answer=1.0)}, peers={"b": slow}, cost=float, tolerance=0.01)
    (peer,) = row["peers"]
    assert (peer["verdict"], peer["cost"], len(calls)) == (WORSE, 2.0, 1)
    assert "seconds" not in peer
    assert "ratio" not in peer


def test_our_worse_answer_is_not_timed_either():
    row = only_row(ours={"a": timed(1.0, answer=2.0)}, peers={"b": timed(9.0, answer=1.0)}, cost=float, tolerance=0.5)
    assert row["ours"] == {"name": "a", "cost": 2.0, "verdict": WORSE}
    assert row["peers"][0]["verdict"] == WORSE
    assert "ratio" not in row["peers"][0]


@pytest.mark.parametrize(
    ("costs", "tolerance", "expected"),
    [
        ({"a": 1.0, "b": 1.25}, 0.25, set()),
        ({"a": 1.0, "b": 1.02}, 0.01, {"b"}),
        ({"a": 0.0, "b": 0.5}, 0.5, set()),
        ({"a": 0.0, "b": 0.6}, 0.5, {"b"}),
        ({"a": 1.0, "b": float("nan")}, 0.5, {"b"}),
        ({"a": float("nan"), "b": 1.0}, 0.5, {"a"}),
        ({"a": -2.0, "b": -1.0}, 0.5, {"b"}),
    ],
)
def test_tolerances_are_relative_to_the_best_cost_or_absolute_at_0(costs, tolerance, expected):
    assert race.worse(costs, tolerance) == expected


def test_fewer_than_three_rounds_have_no_spread():
    with pytest.raises(ValueError, match="at least 3"):
        race.race("work", {"a": timed(1.0)}, {"b": timed(1.0)}, rounds=2)


def test_each_of_ours_has_a_row_with_the_limit():
    ours = {"one": timed(1.0), "two": timed(2.0)}
    rows = race.race("work", ours, {"b": timed(4.0)}, rounds=3, limit=Limit("bytes", 0.5))
    assert [row["work"] for row in rows] == ["work, one", "work, two"]
    assert [row["peers"][0]["ratio"] for row in rows] == [4.0, 2.0]
    assert all(row["limit"] == {"what": "bytes", "seconds": 0.5} for row in rows)
