"""Timing: warm-up, turns, intervals of ratios, targets, means, contestants that were stopped, and worse answers."""

import itertools
import math

import pytest
from benchmarks.harness import race
from benchmarks.harness.race import EQUAL, LESS_EXACT, NOT_COMPARED, Limit, Timed
from benchmarks.harness.ratio import (
    AT_LEAST,
    AT_MOST,
    FASTER,
    MET,
    MISSED,
    SAME,
    SLOWER,
    STOPPED,
    UNDECIDED,
    UNKNOWN,
    WIDE,
    WORSE,
    Ratio,
    Times,
    compared,
    mean_of,
    ratio_of,
    target_met,
)


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
    assert race.once(lambda: "answer") == Timed(0.5, "answer")


def test_a_ratio_and_its_interval_are_those_of_medians():
    row = only_row(ours={"a": timed(1.0)}, peers={"b": timed(3.0)})
    (peer,) = row["peers"]
    assert (peer["ratio"], peer["ratio_interval"], peer["verdict"]) == (3.0, [3.0, 3.0], FASTER)


@pytest.mark.parametrize(
    ("low", "high", "bound", "verdict"),
    [
        (1.2, 1.5, "", FASTER),
        (0.5, 0.8, "", SLOWER),
        (0.9, 1.1, "", SAME),
        (1.0, 1.5, "", SAME),
        (0.6, 1.0, "", SAME),
        (1.5, 3.5, "", WIDE),
        (0.1, 0.3, "", WIDE),
        (1.5, 3.0, "", FASTER),
        (1.1, 1.2, AT_LEAST, FASTER),
        (0.5, 0.6, AT_LEAST, STOPPED),
        (0.9, 1.2, AT_LEAST, STOPPED),
        (1.1, 3.0, AT_LEAST, WIDE),
        (0.5, 0.6, AT_MOST, SLOWER),
        (2.0, 3.0, AT_MOST, STOPPED),
        (2.0, 3.0, UNKNOWN, STOPPED),
    ],
)
def test_a_ratio_means_something_only_if_its_interval_is_narrow_and_without_1(low, high, bound, verdict):
    """And one that is a bound only on its side of 1."""
    assert Ratio((low * high) ** 0.5, low, high, bound).verdict == verdict


def test_rounds_are_resampled_as_pairs():
    load = [1.0, 5.0, 2.0, 8.0, 3.0]  # in each round, for both
    found = ratio_of(load, [2 * seconds for seconds in load])
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


# ---- contestants that were stopped -----------------------------------------------------------------------------------


def stopped(after):
    """A contestant that is stopped in each call, and the list of its calls."""
    calls = []

    def work():
        calls.append(after)
        return Timed(after, stopped=True)

    return work, calls


def test_the_ratio_to_a_stopped_peer_is_a_lower_bound_and_it_is_called_once():
    slow, calls = stopped(60.0)
    row = only_row(ours={"a": timed(2.0, 2.1, answer=1.0)}, peers={"b": slow}, cost=float)
    (peer,) = row["peers"]
    assert (peer["bound"], peer["verdict"], peer["stopped"], len(calls)) == (AT_LEAST, FASTER, True, 1)
    assert peer["ratio_interval"][0] <= peer["ratio"] <= peer["ratio_interval"][1] <= 30.0
    assert "cost" not in peer


def test_the_ratio_of_ours_that_was_stopped_is_an_upper_bound():
    (peer,) = only_row(ours={"a": stopped(60.0)[0]}, peers={"b": timed(3.0)})["peers"]
    assert (peer["ratio"], peer["bound"], peer["verdict"]) == (0.05, AT_MOST, SLOWER)


def test_a_contestant_that_is_stopped_later_counts_with_the_least_that_it_took():
    runs = iter([Timed(9.0), Timed(9.5), Timed(10.0, stopped=True)])  # the first one warms up
    row = only_row(ours={"a": timed(1.0)}, peers={"b": lambda: next(runs)})
    (peer,) = row["peers"]
    assert (peer["seconds"], peer["rounds"], peer["bound"]) == (9.5, 5, AT_LEAST)


def test_after_three_rounds_patience_ends():
    times = race.rounds_of({"a": timed(1.0), "b": timed(30.0)}, 10, patience=60.0)
    assert [len(own.seconds) for own in times.values()] == [3, 3]
    assert len(race.rounds_of({"a": timed(1.0)}, 10, patience=60.0)["a"].seconds) == 10


def test_lists_of_fewer_than_three_rounds_are_not_compared():
    with pytest.raises(ValueError, match="no spread"):
        compared(Times([1.0, 1.0]), Times([2.0, 2.0]))


# ---- peers that are less exact ---------------------------------------------------------------------------------------


def test_a_less_exact_peer_is_timed_and_marked_if_the_suite_allows_it():
    peers = {"equal": timed(2.0, answer=1.005), "poor": timed(4.0, answer=3.0), "other": timed(8.0, answer=None)}
    row = only_row(
        ours={"a": timed(1.0, answer=1.0)}, peers=peers, cost=lambda v: v, tolerance=0.01, less_exact_peers=True
    )
    assert [peer["answer"] for peer in row["peers"]] == [EQUAL, LESS_EXACT, NOT_COMPARED]
    assert [peer["ratio"] for peer in row["peers"]] == [2.0, 4.0, 8.0]


@pytest.mark.parametrize("less_exact", [False, True])
def test_ours_is_never_timed_on_a_worse_answer(less_exact):
    peers = {"best": timed(9.0, answer=1.0), "poor": timed(9.0, answer=5.0)}
    ours = {"a": timed(1.0, answer=2.0)}
    row = only_row(ours=ours, peers=peers, cost=float, tolerance=0.5, less_exact_peers=less_exact)
    assert row["ours"] == {"name": "a", "cost": 2.0, "verdict": WORSE}
    assert [peer["verdict"] for peer in row["peers"]] == [WORSE, WORSE]
    assert not any("ratio" in peer for peer in row["peers"])


# ---- targets and means -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "bound", "target", "outcome"),
    [
        (3.0, 3.4, "", {"least": 3}, MET),
        (2.9, 3.4, "", {"least": 3}, UNDECIDED),
        (2.0, 2.9, "", {"least": 3}, MISSED),
        (4.0, 5.0, "", {"most": 5}, MET),
        (4.0, 5.1, "", {"most": 5}, UNDECIDED),
        (5.1, 6.0, "", {"most": 5}, MISSED),
        (2.0, 2.9, AT_LEAST, {"least": 3}, UNDECIDED),
        (3.0, 3.1, AT_LEAST, {"least": 3}, MET),
        (3.0, 3.1, AT_MOST, {"least": 3}, UNDECIDED),
        (2.0, 2.1, AT_MOST, {"least": 3}, MISSED),
        (3.0, 3.1, UNKNOWN, {"least": 3}, UNDECIDED),
    ],
)
def test_a_target_is_decided_by_the_whole_interval(low, high, bound, target, outcome):
    assert target_met({"ratio_interval": [low, high], "bound": bound}, **target) == outcome


def test_a_target_of_a_ratio_without_an_interval_is_not_decided():
    assert target_met({"ratio": 9.0}, least=3) == UNDECIDED


def ratio(value, low, high, **more):
    return {"ratio": value, "ratio_interval": [low, high], **more}


def test_a_mean_leaves_out_what_means_nothing_and_says_so():
    peers = [ratio(2.0, 1.9, 2.1), ratio(8.0, 7.0, 9.0, bound=AT_LEAST), ratio(50.0, 10.0, 90.0), {"verdict": WORSE}]
    mean = mean_of(peers)
    assert math.isclose(mean.value, 4.0)
    assert (mean.count, mean.left_out, mean.bounds) == (2, 2, {"lower": 1, "upper": 0})
    assert str(mean) == "4 (2 ratios, 1 of them lower bounds, 2 left out)"
    assert mean_of([{"verdict": WORSE}]) is None


def test_a_mean_of_three_ratios_has_an_interval_over_them_and_1_counts_in_it():
    assert mean_of([ratio(1.0, 0.9, 1.1, verdict=SAME), ratio(4.0, 3.9, 4.1)]).value == pytest.approx(2.0)
    mean = mean_of([ratio(2.0, 2.0, 2.0), ratio(4.0, 4.0, 4.0), ratio(8.0, 8.0, 8.0)])
    assert 2.0 <= mean.low < mean.value < mean.high <= 8.0
    assert str(mean).startswith("4 (2 to 8; 3 ratios")
    assert mean.median == 4.0


def test_the_median_of_ratios_does_not_depend_on_when_a_slow_peer_is_stopped():
    peers = [ratio(1.5, 1.4, 1.6), ratio(2.0, 1.9, 2.1)]
    early, late = ([*peers, ratio(bound, bound, bound, bound=AT_LEAST)] for bound in (20.0, 4000.0))
    assert mean_of(early).value < mean_of(late).value
    assert mean_of(early).median == mean_of(late).median == 2.0
