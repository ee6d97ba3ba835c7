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
