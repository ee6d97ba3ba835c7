"""The description of rounds over partitions, and the seeds of their row orders."""

import dataclasses

import numpy as np
import pytest

from novikoff.theory import Mixing
from novikoff.theory.mixing import order_seed

GOOD = Mixing(np.array([2, 0, 3]), np.array([[1.0, 0.0, 2.5], [0.0, 0.0, 0.0]]), "mistake", 7, True, 1.5)


def test_empty_partitions_do_not_count():
    assert GOOD.rounds == 2
    assert GOOD.partitions == 2
    assert GOOD.misfit() is None
    assert GOOD.misfit(5) is None


@pytest.mark.parametrize(
    ("changes", "claim"),
    [
        ({"rows": np.array([2, 3])}, "partitions"),
        ({"rows": np.array([2, -1, 4])}, "partitions"),
        ({"rows": np.array([2, 0, 4])}, "partitions"),
        ({"rows": np.zeros(0, dtype=np.int64), "mistakes": np.zeros((2, 0))}, "partitions"),
        ({"mistakes": np.array([[-1.0, 0.0, 2.5]])}, "mistakes"),
        ({"mistakes": np.array([[np.inf, 0.0, 2.5]])}, "mistakes"),
        ({"mistakes": np.array([[np.nan, 0.0, 2.5]])}, "mistakes"),
        ({"tie": "negative"}, "run"),
        ({"seed": -1}, "run"),
        ({"seed": 2**64}, "run"),
        ({"errors": -1.0}, "rows on the wrong side"),
        ({"errors": np.inf}, "rows on the wrong side"),
    ],
)
def test_numbers_that_no_run_has_are_refuted(changes, claim):
    check = dataclasses.replace(GOOD, **changes).misfit(5)
    assert check is not None
    assert (check.claim, check.status) == (claim, "fails")


def test_row_orders_have_seeds_of_their_own():
    seeds = {order_seed(seed, number, part) for seed in range(5) for number in range(20) for part in range(20)}
    assert len(seeds) == 5 * 20 * 20
    assert all(0 <= seed < 2**64 for seed in seeds)
    assert order_seed(1, 2, 3) == order_seed(1, 2, 3)


def test_seeds_of_row_orders_are_those_of_splitmix64():
    """Saved runs depend on them, so they are written out here."""

    def next_of(state):
        z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    for seed, number, partition in ((0, 0, 0), (7, 2, 3), (2**64 - 1, 19, 1)):
        of_round = next_of((seed + (number + 1) * 0x9E3779B97F4A7C15) % 2**64)
        assert order_seed(seed, number, partition) == next_of((of_round + (partition + 1) * 0x9E3779B97F4A7C15) % 2**64)


def test_the_largest_seed_and_no_mistakes_are_possible():
    for changes in ({"seed": 2**64 - 1}, {"seed": 0}, {"errors": 0.0}, {"mistakes": np.zeros((1, len(GOOD.rows)))}):
        assert dataclasses.replace(GOOD, **changes).misfit() is None
