"""The rules of the perceptron and of the margin perceptrons: when they update, and by how much."""

import math

import numpy as np
import pytest

from novikoff.theory import bounds
from novikoff.theory.perceptron_rules import DynamicMarginRule, FixedMarginRule, PerceptronRule
from novikoff.theory.rules import RuleInput


def example(score, y=1.0, weight=1.0, squared_length=4.0, steps=2.0):
    return RuleInput(y, score, 1.0, weight, squared_length, steps)


@pytest.mark.parametrize(
    ("score", "y", "tie", "updates"),
    [
        (0.5, 1.0, "mistake", False),
        (0.5, -1.0, "mistake", True),
        (0.0, 1.0, "mistake", True),
        (0.0, -1.0, "mistake", True),
        (0.0, 1.0, "positive", False),
        (0.0, -1.0, "positive", True),
    ],
)
def test_the_perceptron_updates_on_mistakes(score, y, tie, updates):
    assert PerceptronRule(tie=tie).step(example(score, y, weight=0.5)) == (0.5 if updates else 0.0)


def test_a_fixed_margin_is_measured_in_lengths_of_v():
    rule = FixedMarginRule(0.5)
    assert rule.threshold(example(0.0)) == 1.0  # half of |v| = 2
    assert rule.step(example(1.0)) == 0.0
    assert rule.step(example(math.nextafter(1.0, 0.0))) == 1.0
    assert rule.step(example(-1.0, y=-1.0)) == 0.0


def test_a_dynamic_margin_is_a_fraction_of_the_upper_bound():
    rule = DynamicMarginRule(0.25)
    assert rule.threshold(example(0.0)) == 1.5  # 3/4 of |v|^2 / M = 2
    assert rule.step(example(1.5)) == 0.0
    assert rule.step(example(math.nextafter(1.5, 0.0))) == 1.0


@pytest.mark.parametrize("rule", [FixedMarginRule(0.5), DynamicMarginRule(0.5)])
def test_margin_perceptrons_update_at_zero(rule):
    assert rule.step(example(0.0, squared_length=0.0, steps=0.0)) == 1.0


def test_only_the_perceptron_has_a_bound_on_its_mistakes():
    assert PerceptronRule().bound(2.0, 0.5) == 16.0
    assert FixedMarginRule(0.5).bound(2.0, 0.5) == math.inf


def test_bounds_on_updates_and_lengths_are_those_of_the_theorems():
    M = np.array([1.0, 4.0])
    assert PerceptronRule().update_bound(2.0, 0.5) == 16.0
    assert PerceptronRule().length_bound(2.0, 0.5, M).tolist() == [2.0, 4.0]
    fixed = FixedMarginRule(0.25)  # half of the margin 0.5
    assert fixed.update_bound(1.0, 0.5) == bounds.margin_perceptron(1.0, 0.5, 0.5)
    assert fixed.length_bound(1.0, 0.5, M).tolist() == [1 + 4 + 0.375, 1 + 4 + 1.5]
    assert fixed.update_bound(1.0, 0.25) == math.inf
    assert fixed.length_bound(1.0, math.nan, M).tolist() == [math.inf] * 2
    dynamic = DynamicMarginRule(0.5)
    assert dynamic.update_bound(1.0, 0.5) == bounds.dynamic_margin_perceptron(1.0, 0.5, 0.5)
    assert dynamic.length_bound(1.0, 0.5, M).tolist() == bounds.dynamic_margin_length(1.0, 0.5, M).tolist()


def test_the_lost_fraction_of_a_margin_is_one_less_its_share():
    assert FixedMarginRule(0.25).lost(1.0) == 0.75
    assert FixedMarginRule(0.25).lost(0.125) == -1.0
    assert FixedMarginRule(0.25).lost(0.0) == FixedMarginRule(0.25).lost(-1.0) == -math.inf
    assert FixedMarginRule(0.25).required_margin() == 0.25
    assert FixedMarginRule(0.25).threshold(example(0.0, squared_length=-1e-20)) == 0.0
    assert DynamicMarginRule(0.25).threshold(example(0.0, steps=0.0)) == 0.0
    assert DynamicMarginRule(0.25).threshold(example(0.0, squared_length=4.0, steps=0.5)) == 6.0
