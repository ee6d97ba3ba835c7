"""The level of adaptive sets, the latest rounds, and counts, against the replay and docs/theory.md T1."""

from fractions import Fraction

import numpy as np
import pytest

from novikoff.evaluate._running_sets import (
    MAX_FLOAT,
    RunningSets,
    chosen_labels,
    label_array,
    nonconformity_of,
    nonconformity_of_rows,
)
from novikoff.theory.conformal import SetCertificate, SetState, replayed_errors
from share import share_of


def running(rate, step, start, window=1000):
    return RunningSets(SetState(SetCertificate(rate, step, start, 0, 0, 0, 0, 0), window, 0, ()))


def nonconformities(rng, rounds):
    """Normal, with ties, growing, or with a jump: nothing of this has to be exchangeable."""
    values = rng.normal(size=rounds)
    kind = int(rng.integers(5))
    if kind == 1:
        values = rng.integers(-2, 3, rounds) * 1.0
    elif kind == 2:
        values = values + np.arange(rounds) / 3
    elif kind == 3:
        values[rounds // 2 :] += 10
    elif kind == 4:
        values = values - np.arange(rounds)
    return values


def assert_promised(sets):
    """T1 in fractions, for the share of errors and for the level."""
    counts = sets.certificate
    rate, step, start = (Fraction(value) for value in (counts.error_rate, counts.step, counts.start))
    level = start + step * (rate * counts.rounds - counts.errors)
    assert -step * (1 - rate) <= level <= 1 + step * rate
    assert counts.verify()
    assert Fraction(sets.level) == pytest.approx(level)


def run_random_streams(rng, count, rounds, checked):
    for _ in range(count):
        rate, start = rng.choice([0.1, 0.02, 0.5, 0.9]), rng.choice([0.0, 0.1, 1.0])
        step, window = rng.choice([0.005, 0.05, 0.3, 2.0]), int(rng.integers(1, 12))
        values = nonconformities(rng, rounds)
        sets = running(rate, step, start, window)
        errors = []
        for T, value in enumerate(values.tolist(), start=1):
            errors.append(sets.add_round([value, -value], 0)[1])
            if T in checked:
                assert_promised(sets)
        assert errors == replayed_errors(values, rate, step, start, window).tolist()


def test_errors_are_those_of_the_replay_and_T1_holds_at_every_time():
    run_random_streams(np.random.default_rng(5), 12, 40, range(41))


@pytest.mark.slow
def test_T1_holds_for_1e5_random_streams():
    run_random_streams(np.random.default_rng(6), share_of(100_000), 10, (4, 10))


@pytest.mark.parametrize("rate", [0.1, 0.3])
@pytest.mark.parametrize("step", [0.01, 1.5])
def test_T1_holds_against_an_adversary_who_knows_the_limit(rate, step):
    """The label is just outside of the set whenever that is possible, or just inside."""
    for is_hostile in (True, False):
        sets = running(rate, step, rate, window=20)
        for _ in range(400):
            limit = sets.limit()
            own = np.clip(limit, -1e3, 1e3) + (1.0 if is_hostile else -1.0)
            sets.add_round([float(own), 0.0], 0)
            assert_promised(sets)


def test_sizes_are_counted():
    sets = running(0.1, 0.05, 0.1)
    assert sets.add_round([1.0, 2.0, 3.0], 0) == (3, False)
    assert (sets.rounds, sets.labels, sets.single, sets.empty) == (1, 3, 0, 0)
    for _ in range(50):
        sets.add_round([1.0, 2.0, 3.0], 0)
    assert sets.add_round([1.0, 2.0, 3.0], 2) == (1, True)
    assert sets.add_round([5.0, 6.0], 0) == (0, True)
    assert (sets.single > 0, sets.empty) == (True, 1)


def test_a_restored_state_goes_on_with_the_same_bits():
    values = np.random.default_rng(1).normal(size=300).tolist()
    whole, sets = running(0.1, 0.013, 0.1, window=40), running(0.1, 0.013, 0.1, window=40)
    for place, value in enumerate(values):
        whole.add_round([value, -value], 0)
        sets.add_round([value, -value], 0)
        if place in (10, 39, 40, 41, 200):
            sets = RunningSets(sets.state)
    assert sets.state == whole.state


def test_the_nonconformity_of_one_example_is_that_of_a_row():
    rng = np.random.default_rng(2)
    special = [0.0, -0.0, 1e308, -1e308, np.inf, -np.inf, np.nan, 1.0]
    for classes in (2, 3, 5):
        scores = np.vstack([rng.normal(size=(20, classes)), rng.choice(special, size=(60, classes))])
        decisions = scores[:, 0] if classes == 2 else scores
        rows = nonconformity_of_rows(decisions)
        for row, own in zip(rows, decisions.tolist(), strict=True):
            assert row == nonconformity_of(own if classes == 2 else dict(enumerate(own)))
            assert all(abs(value) <= MAX_FLOAT for value in row)


def test_the_nonconformity_is_the_best_other_score_minus_the_own():
    assert nonconformity_of(2.0) == [2.0, -2.0]
    assert nonconformity_of({"a": 1.0, "b": 4.0, "c": 2.0}) == [3.0, -2.0, 2.0]
    assert nonconformity_of({"a": 4.0, "b": 4.0, "c": 2.0}) == [0.0, 0.0, 2.0]


def test_the_label_of_the_largest_score_is_chosen_and_no_label_before_any_is_known():
    assert chosen_labels(["a", "b"], np.array([-1.0, 0.0])) == ["a", "b"]
    assert chosen_labels(["a", "b", "c"], np.array([[0.0, 2.0, 1.0]])) == ["b"]
    assert chosen_labels(["a"], np.array([1.0, -1.0])) == ["a", "a"]
    assert chosen_labels([], np.zeros(2)) == [None, None]
    assert label_array([None, 1]).tolist() == [None, 1]
    assert label_array([0, 1]).dtype.kind == "i"
