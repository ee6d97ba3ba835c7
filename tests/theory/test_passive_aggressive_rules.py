"""The rules of the passive-aggressive algorithms: the length of their steps."""

import math

import pytest

from novikoff.theory.passive_aggressive_rules import (
    PassiveAggressiveIIRule,
    PassiveAggressiveIRule,
    PassiveAggressiveRule,
)
from novikoff.theory.rules import RuleInput

RULES = [PassiveAggressiveRule(), PassiveAggressiveIRule(0.5), PassiveAggressiveIIRule(0.5)]


def example(margin, squared_norm=4.0, weight=1.0, squared_length=1.0):
    return RuleInput(1.0, margin, squared_norm, weight, squared_length, 1.0)


def test_the_step_leaves_no_loss():
    step = PassiveAggressiveRule().step(example(-1.0))
    assert -1.0 + step * 4.0 == 1.0
    assert PassiveAggressiveRule().step(example(-1.0, weight=0.25)) == step / 4


def test_the_first_variant_limits_the_step_to_C():
    assert PassiveAggressiveIRule(0.5).step(example(-5.0)) == 0.5
    assert PassiveAggressiveIRule(0.5).step(example(-5.0, weight=0.5)) == 0.25
    assert PassiveAggressiveIRule(9.0).step(example(-1.0)) == 0.5


def test_the_second_variant_adds_to_the_squared_length():
    assert PassiveAggressiveIIRule(0.5).step(example(-1.0)) == 2.0 / (4.0 + 1.0)


@pytest.mark.parametrize("rule", RULES)
def test_examples_without_loss_or_without_length_change_nothing(rule):
    assert rule.step(example(1.0)) == 0.0
    assert rule.step(example(2.0)) == 0.0
    assert rule.step(example(-1.0, squared_norm=0.0)) == 0.0
    assert rule.threshold(example(0.0)) == 1.0


@pytest.mark.parametrize("rule", RULES)
def test_a_loss_that_is_only_rounding_counts_as_zero(rule):
    assert rule.step(example(1.0 - 1e-15)) == 0.0
    assert rule.step(example(1.0 - 1e-9)) > 0.0


def test_bounds_depend_on_C():
    assert [rule.bound(1.0, 0.5) for rule in RULES] == [4.0, 8.0, 8.0]
    assert PassiveAggressiveIRule(0.5).bound(1.0, 0.0) == math.inf


def test_C_must_be_positive():
    assert PassiveAggressiveRule().has_valid_parameter()
    assert not PassiveAggressiveIRule(0.0).has_valid_parameter()
    assert not PassiveAggressiveIIRule(-1.0).has_valid_parameter()


def test_rounding_is_judged_by_the_lengths_of_the_weights_and_of_the_example():
    """A loss of up to 16 roundings of 1 + |v| |u| counts as 0, unless it is 1e-6 or more."""
    rule, unit = PassiveAggressiveRule(), 2.0**-52
    for squared_length, squared_norm in ((1.0, 4.0), (2.0**20, 2.0**10), (0.0, 4.0), (2.0**40, 2.0**-60)):
        limit = 16 * unit * (1 + math.sqrt(squared_length * squared_norm))
        limit = 1 - (1 - limit)  # the difference from 1 that a score can have
        inside = example(1 - limit, squared_norm, squared_length=squared_length)
        assert rule.step(inside) == 0.0
        outside = example(1 - 2 * limit, squared_norm, squared_length=squared_length)
        assert rule.step(outside) == (1 - outside.margin) / squared_norm
    far = 2.0**100
    assert rule.step(example(1 - 1e-6, far, squared_length=far)) > 0.0
    assert rule.step(example(1 - 0.9e-6, far, squared_length=far)) == 0.0
    assert rule.step(example(0.5, 4.0, squared_length=-1.0)) == 0.125
    assert rule.step(example(-1e308, 5e-324)) == 0.0  # not finite


def test_small_examples_and_small_losses_count():
    assert PassiveAggressiveRule().step(example(0.5, squared_norm=0.25)) == 2.0
    assert PassiveAggressiveRule().step(example(0.75, squared_norm=1.0)) == 0.25
    assert PassiveAggressiveIIRule(0.25).step(example(-1.0, weight=0.5)) == 2.0 / (4.0 + 4.0)
    assert PassiveAggressiveIIRule(0.25).step(example(-1.0, weight=0.0)) == 0.0
    assert PassiveAggressiveIRule(5e-324).has_valid_parameter()
