"""First-order rules: when they update, by how much, and the bounds of their theorems."""

import math
from math import nextafter

import numpy as np
import pytest

from novikoff.theory import bounds, kesler_bounds
from novikoff.theory.multiclass_rules import (
    MulticlassArowRule,
    MulticlassPassiveAggressiveIIRule,
    MulticlassPassiveAggressiveIRule,
    MulticlassPerceptronRule,
)
from novikoff.theory.passive_aggressive_rules import (
    PassiveAggressiveIIRule,
    PassiveAggressiveIRule,
    PassiveAggressiveRule,
)
from novikoff.theory.perceptron_rules import DynamicMarginRule, FixedMarginRule, PerceptronRule
from novikoff.theory.rules import RuleInput

PA, PA_I, PA_II = PassiveAggressiveRule, PassiveAggressiveIRule, PassiveAggressiveIIRule
JOINT = {
    PerceptronRule: MulticlassPerceptronRule,
    PA_I: MulticlassPassiveAggressiveIRule,
    PA_II: MulticlassPassiveAggressiveIIRule,
}


def example(score, y=1.0, weight=1.0, squared_norm=4.0, squared_length=4.0, steps=2.0):
    return RuleInput(y, score, squared_norm, weight, squared_length, steps)


STEPS = [
    (PerceptronRule(), example(0.5), 0.0),
    (PerceptronRule(), example(0.5, y=-1.0, weight=0.5), 0.5),
    (PerceptronRule(), example(0.0), 1.0),
    (PerceptronRule(), example(0.0, y=-1.0), 1.0),
    (PerceptronRule(tie="positive"), example(0.0), 0.0),
    (PerceptronRule(tie="positive"), example(0.0, y=-1.0), 1.0),
    (FixedMarginRule(0.5), example(1.0), 0.0),  # half of |v| = 2
    (FixedMarginRule(0.5), example(nextafter(1.0, 0.0)), 1.0),
    (FixedMarginRule(0.5), example(-1.0, y=-1.0), 0.0),
    (FixedMarginRule(0.5), example(0.0, squared_length=0.0, steps=0.0), 1.0),
    (DynamicMarginRule(0.25), example(1.5), 0.0),  # 3/4 of |v|^2 / M = 2
    (DynamicMarginRule(0.25), example(nextafter(1.5, 0.0)), 1.0),
    (DynamicMarginRule(0.5), example(0.0, squared_length=0.0, steps=0.0), 1.0),
    (PA(0.5), example(-1.0), 0.5),  # -1 + 0.5 * 4 leaves no loss
    (PA(0.5), example(-1.0, weight=0.25), 0.125),
    (PA(0.5), example(0.5, squared_norm=0.25), 2.0),
    (PA(0.5), example(0.75, squared_norm=1.0), 0.25),
    (PA(0.5), example(0.5, squared_length=-1.0), 0.125),
    (PA(0.5), example(-1e308, squared_norm=5e-324), 0.0),  # not finite
    (PA_I(0.5), example(-5.0), 0.5),
    (PA_I(0.5), example(-5.0, weight=0.5), 0.25),
    (PA_I(9.0), example(-1.0), 0.5),
    (PA_II(0.5), example(-1.0), 2 / (4 + 1)),
    (PA_II(0.25), example(-1.0, weight=0.5), 2 / (4 + 4)),
    (PA_II(0.25), example(-1.0, weight=0.0), 0.0),
    *(
        (make(0.5), example(*given), 0.0)  # no loss, or only rounding, or no length
        for make in (PA, PA_I, PA_II)
        for given in ((1.0,), (2.0,), (1.0 - 1e-15,), (-1.0, 1.0, 1.0, 0.0))
    ),
]


def test_steps_are_those_of_the_algorithms_for_two_and_for_several_classes():
    for own, given, step in STEPS:
        assert own.step(given) == step, (own, given)
        if type(own) in JOINT:
            joint = JOINT[type(own)](own.parameter, own.tie)
            assert (joint.step(given), joint.threshold(given)) == (step, own.threshold(given))
            assert (joint.is_joint, own.is_joint, joint.adds_examples) == (True, False, False)
            assert joint.kernel == own.kernel


def test_thresholds():
    for own, given, threshold in (
        (FixedMarginRule(0.5), example(0.0), 1.0),
        (FixedMarginRule(0.5), example(0.0, squared_length=-1e-20), 0.0),
        (DynamicMarginRule(0.25), example(0.0), 1.5),
        (DynamicMarginRule(0.25), example(0.0, steps=0.5), 6.0),
        (DynamicMarginRule(0.25), example(0.0, steps=0.0), 0.0),
        (PA(0.5), example(0.0), 1.0),
        (MulticlassArowRule(0.5), example(0.0), 1.0),
    ):
        assert own.threshold(given) == threshold
    assert FixedMarginRule(0.25).required_margin() == 0.25


@pytest.mark.parametrize("make", [PA, PA_I])
def test_rounding_is_judged_by_the_lengths_of_the_weights_and_of_the_example(make):
    """A loss of up to 16 roundings of 1 + |v| |u| counts as 0, unless it is 1e-6 or more."""
    own, unit = make(math.inf), 2.0**-52
    for squared_length, squared_norm in ((1.0, 4.0), (2.0**20, 2.0**10), (0.0, 4.0), (2.0**40, 2.0**-60)):
        limit = 16 * unit * (1 + math.sqrt(squared_length * squared_norm))
        limit = 1 - (1 - limit)  # the difference from 1 that a score can have
        for loss, step in ((limit, 0.0), (2 * limit, (1 - (1 - 2 * limit)) / squared_norm)):
            given = example(1 - loss, squared_norm=squared_norm, squared_length=squared_length)
            assert own.step(given) == step
    far = {"squared_norm": 2.0**100, "squared_length": 2.0**100}
    assert own.step(example(1 - 1e-6, **far)) > 0.0
    assert own.step(example(1 - 0.9e-6, **far)) == 0.0


def test_bounds_on_mistakes_updates_and_lengths_are_those_of_the_theorems():
    M = np.array([1.0, 4.0])
    expected = {PerceptronRule: 16.0, PA: 16.0, PA_I: 16.0, PA_II: 20.0}
    expected |= dict(zip(JOINT.values(), (32.0, 32.0, 36.0), strict=True))
    for make, most in expected.items():
        assert make(0.5).bound(2.0, 0.5) == most
    for make in list(JOINT.values())[1:]:
        assert make(0.5).bound(1.0, 0.0) == make(0.5).bound(1.0, -1.0) == math.inf
    assert PA_I(0.5).bound(1.0, 0.0) == FixedMarginRule(0.5).bound(2.0, 0.5) == math.inf
    assert PerceptronRule().update_bound(2.0, 0.5) == 16.0
    assert MulticlassPerceptronRule().update_bound(2.0, 0.5) == 32.0
    assert PerceptronRule().length_bound(2.0, 0.5, M).tolist() == [2.0, 4.0]
    fixed = FixedMarginRule(0.25)  # half of the margin 0.5
    assert fixed.update_bound(1.0, 0.5) == bounds.margin_perceptron(1.0, 0.5, 0.5)
    assert fixed.length_bound(1.0, 0.5, M).tolist() == [1 + 4 + 0.375, 1 + 4 + 1.5]
    assert fixed.update_bound(1.0, 0.25) == math.inf
    assert fixed.length_bound(1.0, math.nan, M).tolist() == [math.inf] * 2
    assert [fixed.lost(margin) for margin in (1.0, 0.125, 0.0, -1.0)] == [0.75, -1.0, -math.inf, -math.inf]
    dynamic = DynamicMarginRule(0.5)
    assert dynamic.update_bound(1.0, 0.5) == bounds.dynamic_margin_perceptron(1.0, 0.5, 0.5)
    assert dynamic.length_bound(1.0, 0.5, M).tolist() == bounds.dynamic_margin_length(1.0, 0.5, M).tolist()


def test_bounds_by_the_losses_of_a_comparator():
    numbers = 1.0, 2.0, 3.0, 5.0  # the radius, the length, the loss and the squared loss
    for make, most in (
        (PerceptronRule, kesler_bounds.multiclass_perceptron_loss(1.0, 2.0, 3.0)),
        (PA_I, kesler_bounds.passive_aggressive_I(1.0, 2.0, 3.0, 0.5)),
        (PA_II, kesler_bounds.passive_aggressive_II(1.0, 2.0, 5.0, 0.5)),
    ):
        assert JOINT[make](0.5).comparator_bound(*numbers) == most


def test_C_is_positive_and_a_floor_at_most_1():
    assert PA(0.0).has_valid_parameter()
    for make in (PA_I, PA_II):
        assert [make(C).has_valid_parameter() for C in (5e-324, 0.0, -1.0)] == [True, False, False]
    assert not MulticlassArowRule(0.5, extra=2.0).has_valid_parameter()
    assert MulticlassArowRule.is_joint
    assert MulticlassArowRule.is_second_order
