"""The rules of classes that are learned together, and the bounds of J6 and J7 that they state."""

import math

import pytest

from novikoff.theory import kesler_bounds
from novikoff.theory.rules import RULES, Rule, RuleInput

NAMES = ["multiclass perceptron", "multiclass passive-aggressive I", "multiclass passive-aggressive II"]


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_takes_the_steps_of_that_for_two_classes(name):
    rule, single = Rule(name, 0.5).implementation(), Rule(name.removeprefix("multiclass "), 0.5).implementation()
    assert rule.is_joint
    assert not single.is_joint
    assert rule.kernel == single.kernel
    for lead in (-1.0, 0.0, 0.5, 1.0, 2.0):
        example = RuleInput(1.0, lead, 4.0, 0.7, 3.0, 2.0)
        assert rule.step(example) == single.step(example)
        assert rule.threshold(example) == single.threshold(example)


def test_the_bounds_are_those_of_the_theorems():
    perceptron, first, second = (Rule(name, 0.5).implementation() for name in NAMES)
    assert perceptron.bound(2.0, 0.5) == perceptron.update_bound(2.0, 0.5) == 32.0
    assert first.bound(2.0, 0.5) == kesler_bounds.passive_aggressive_I(2.0, 2.0, 0.0, 0.5) == 32.0
    assert second.bound(2.0, 0.5) == kesler_bounds.passive_aggressive_II(2.0, 2.0, 0.0, 0.5) == 36.0
    assert perceptron.comparator_bound(1.0, 2.0, 3.0, 5.0) == kesler_bounds.multiclass_perceptron_loss(1.0, 2.0, 3.0)
    assert first.comparator_bound(1.0, 2.0, 3.0, 5.0) == kesler_bounds.passive_aggressive_I(1.0, 2.0, 3.0, 0.5)
    assert second.comparator_bound(1.0, 2.0, 3.0, 5.0) == kesler_bounds.passive_aggressive_II(1.0, 2.0, 5.0, 0.5)


@pytest.mark.parametrize("name", NAMES)
def test_without_a_margin_there_is_no_bound(name):
    assert Rule(name, 0.5).implementation().bound(1.0, 0.0) == math.inf


@pytest.mark.parametrize("name", NAMES)
def test_any_positive_margin_has_a_bound_and_a_negative_one_has_none(name):
    rule = Rule(name, 0.5).implementation()
    assert rule.bound(1.0, 0.25) == 4 * rule.bound(1.0, 0.5) < math.inf
    assert rule.bound(1.0, -1.0) == math.inf


def test_AROW_is_that_for_two_classes_on_vectors_of_both_blocks():
    rule, single = (Rule(name, 0.5, extra=0.25).implementation() for name in ("multiclass arow", "arow"))
    assert rule.is_joint
    assert rule.is_second_order
    assert rule.kernel == single.kernel == "arow"
    assert rule.threshold(RuleInput(1.0, 0.0, 4.0, 0.7, 3.0, 2.0)) == 1.0
    assert not Rule("multiclass arow", 0.5, extra=2.0).implementation().has_valid_parameter()


def test_each_update_adds_no_single_example():
    assert not any(RULES[name].adds_examples for name in NAMES)
