"""Certificates of adaptive conformal sets, and their replay."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from novikoff.theory.conformal import SetCertificate, replayed_errors

HONEST = SetCertificate(0.1, 0.05, 0.1, rounds=1000, errors=104, empty=3, single=950, labels=1044)


def test_an_honest_certificate_is_verified():
    assert HONEST.verify()
    assert (HONEST.error_share, HONEST.several, HONEST.mean_size) == (0.104, 47, 1.044)
    assert (HONEST.single_share, HONEST.empty_share, HONEST.several_share) == (0.95, 0.003, 0.047)


@pytest.mark.parametrize(
    "forged",
    [
        {"errors": 119},  # further from 0.1 than T1 allows
        {"errors": 81},
        {"errors": -1},
        {"empty": 105},  # an empty set errs
        {"single": 998},
        {"labels": 1043},
        {"rounds": 10},
    ],
)
def test_counts_that_cannot_be_are_refused(forged):
    assert not replace(HONEST, **forged).verify()


def test_the_bound_is_rounded_up_and_the_edge_itself_holds():
    edge = SetCertificate(0.5, 0.25, 1.0, rounds=9, errors=9, empty=0, single=9, labels=9)
    assert Fraction(edge.bound) > Fraction(1 + 0.125) / Fraction(0.25 * 9) == Fraction(1, 2)
    assert edge.verify()
    assert not replace(edge, rounds=10, errors=10, single=10, labels=10).verify()


def test_before_the_first_round_nothing_is_claimed():
    none = replace(HONEST, rounds=0, errors=0, empty=0, single=0, labels=0)
    assert none.bound == math.inf
    assert none.claims() == [("sets", "no set whose label was seen")]
    assert none.verify()


def test_a_tiny_step_has_an_infinite_bound():
    assert replace(HONEST, step=1e-320).bound == math.inf


def test_claims_say_the_share_and_the_promise():
    assert HONEST.claims() == [
        ("set errors", "104 of 1,000 sets lack the label: 0.104"),
        ("promised", "0.1 +- 0.0181 for every sequence of examples"),
    ]


def test_the_replay_compares_with_the_quantile_of_the_rounds_before():
    """Rate 1/2 and step 1/2 in exact numbers: levels 1/2, 3/4, 1/2, 1/4, 1/2."""
    errors = replayed_errors([0.0, 5.0, 7.0, 1.0], 0.5, 0.5, 0.5)
    assert errors.tolist() == [False, True, True, False]


def test_a_window_forgets_older_rounds():
    values = [9.0] * 5 + [1.0] * 4 + [2.0]
    assert not replayed_errors(values, 0.125, 0.0625, 0.5)[-1]
    assert replayed_errors(values, 0.125, 0.0625, 0.5, window=3)[-1]


def test_a_replay_decides_about_the_number_of_errors():
    values = np.random.default_rng(0).normal(size=300)
    errors = int(replayed_errors(values, 0.2, 0.05, 0.2, window=50).sum())
    found = SetCertificate(0.2, 0.05, 0.2, 300, errors, 0, 300, 300)
    assert found.verify(values, window=50)
    assert not replace(found, errors=errors + 1).verify(values, window=50)
    assert not found.verify(values[:-1], window=50)


def test_counts_go_on_after_more_sets():
    sizes, errors = np.array([-1, 0, 1, 2, 1]), np.array([False, True, False, False, True])
    after = HONEST.after(sizes, errors)
    assert (after.rounds, after.errors, after.empty, after.single, after.labels) == (1004, 106, 4, 952, 1048)


def test_the_bound_is_the_larger_distance_of_the_level_from_its_ends():
    """Start 1/8: the level can fall by 1/8 and rise by 7/8, each plus what one error moves."""
    low = SetCertificate(0.25, 0.5, 0.125, rounds=3, errors=0, empty=0, single=3, labels=3)
    assert low.bound == math.nextafter(2 / 3, 1.0) or low.bound == 2 / 3
    assert Fraction(low.bound) >= Fraction(2, 3)
    high = replace(low, start=0.75)
    assert high.bound == math.nextafter(0.75, 1.0)


def test_bounds_are_finite_up_to_1e300():
    once = replace(HONEST, rounds=1, start=0.5)
    assert 1e297 < replace(once, step=2.0**-990).bound < 1e299
    assert replace(once, step=1e-310).bound == math.inf


def test_counts_go_on_with_further_sets():
    more = HONEST.after(np.array([0, 1, 1, 2, 5, -1]), np.array([True, False, True, False, False]))
    assert (more.rounds, more.errors, more.empty, more.single, more.labels) == (1005, 106, 4, 952, 1053)
    none = replace(HONEST, rounds=0, errors=0, empty=0, single=0, labels=0)
    assert (none.error_share, none.mean_size, none.several_share) == (0.0, 0.0, 0.0)


def test_a_label_that_conforms_as_well_as_the_best_round_is_in_the_smallest_set():
    """The second set is compared with one round, at the level 3/4, so that k = 1."""
    assert replayed_errors([5.0, 5.0], 0.5, 0.5, 0.5).tolist() == [False, False]
    assert replayed_errors([5.0, math.nextafter(5.0, 9.0)], 0.5, 0.5, 0.5).tolist() == [False, True]


def test_a_replay_of_another_length_fails_although_the_errors_are_as_many():
    values = [0.0, 5.0, 7.0, 1.0]
    found = SetCertificate(0.5, 0.5, 0.5, rounds=4, errors=2, empty=0, single=4, labels=4)
    assert found.verify(values)
    assert not found.verify(values[:3])
    assert not replace(found, errors=1).verify(values)
