"""What a learner keeps of its weights."""

from fractions import Fraction

import pytest

from novikoff.theory.forgetting import Forgetting


@pytest.mark.parametrize("half_life", [1.0, 2.5, 50.0, 1e6, 1e15])
def test_after_a_half_life_a_half_is_left(half_life):
    fade = Forgetting(half_life=half_life).fade
    assert 0 < fade < 1
    if half_life <= 1000:
        assert fade**half_life == pytest.approx(0.5, rel=1e-12)


def test_the_factor_is_rounded_once():
    """2^-1/2 is irrational: the square of the nearest double is nearest to a half."""
    fade = Fraction(Forgetting(half_life=2.0).fade)
    assert abs(fade * fade - Fraction(1, 2)) < Fraction(1, 2**53)
    assert Forgetting(half_life=1.0).fade == 0.5


def test_nothing_is_forgotten_by_default():
    assert not Forgetting().is_any
    assert Forgetting().fade == 1.0
    assert Forgetting(0.1).is_any
    assert Forgetting(half_life=3.0).is_any


def test_a_fraction_of_an_update_forgets_that_fraction():
    assert Forgetting(0.5).kept_by_update(1.0) == 0.5
    assert Forgetting(0.5).kept_by_update(0.5) == 0.75


def test_updates_keep_a_part_and_half_lives_are_1_to_1e15():
    possible = [(0.0, None), (5e-324, None), (1 - 2**-53, None), (0.5, 1.0), (0.0, 1e15)]
    impossible = [(1.0, None), (-5e-324, None), (float("nan"), None), (1.0, 5.0), (0.5, 0.5)]
    impossible += [(0.0, 1 - 2**-53), (0.0, 1e15 + 0.125), (0.0, float("nan"))]
    assert all(Forgetting(*numbers).is_possible for numbers in possible)
    assert not any(Forgetting(*numbers).is_possible for numbers in impossible)
    assert not Forgetting(0.0, None).is_any
    assert Forgetting(5e-324).is_any
    assert Forgetting().kept_by_update(1.0) == 1.0
