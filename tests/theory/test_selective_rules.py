"""The rule of the selective perceptron, and its coins."""

import math

import numpy as np
import pytest

from novikoff.theory import selective_rules
from novikoff.theory.rules import Rule, RuleInput
from novikoff.theory.selective_bounds import asking_probability
from novikoff.theory.selective_rules import MAX_SEED, SelectiveRule, coin, mixed


def test_numbers_are_those_of_splitmix64():
    first, second = mixed(0x9E3779B97F4A7C15), mixed(2 * 0x9E3779B97F4A7C15 % 2**64)
    assert (first, second) == (0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4)  # of the seed 0, as published


def splitmix64(seed, count):
    """The first numbers of the generator, as Steele, Lea and Flood write it."""
    for k in range(1, count + 1):
        z = (seed + k * 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ z // 2**30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z // 2**27) * 0x94D049BB133111EB % 2**64
        yield z ^ z // 2**31


@pytest.mark.parametrize("seed", [0, 1, 7, MAX_SEED])
def test_coins_are_the_upper_53_bits_of_the_numbers_of_a_generator_whose_seed_is_mixed(seed):
    (state,) = splitmix64(seed, 1)
    assert [coin(seed, n) for n in range(100)] == [(z // 2**11) / 2**53 for z in splitmix64(state, 100)]


@pytest.mark.parametrize("seed", [0, 1, 2, MAX_SEED])
def test_coins_fall_evenly_and_independently_of_each_other_and_of_the_seed_before(seed):
    coins = np.array([coin(seed, n) for n in range(20_000)])
    others = np.array([coin(seed + 1, n) for n in range(20_000)])
    assert coins.min() >= 0
    assert coins.max() < 1
    counts = np.histogram(coins, bins=20, range=(0, 1))[0]
    assert ((counts - 1000) ** 2 / 1000).sum() < 50  # chi-square of 19 degrees of freedom: less likely than 1 in 10,000
    for a, b in ((coins[:-1], coins[1:]), (coins, others), (coins[:-1], others[1:]), (coins[1:], others[:-1])):
        assert abs(np.corrcoef(a, b)[0, 1]) < 5 / math.sqrt(20_000)


def test_labels_are_asked_for_with_the_stated_probability():
    rule = Rule("selective perceptron", 0.5, extra=7.0).implementation()
    for score in (-3.0, 0.25, 10.0):
        asked = sum(rule.asks(score, n) for n in range(20_000)) / 20_000
        chance = asking_probability(score, 0.5)
        assert abs(asked - chance) < 5 * math.sqrt(chance * (1 - chance) / 20_000)
        assert rule.inverse_probability(score) == pytest.approx(1 / chance)
    assert all(rule.asks(0.0, n) for n in range(1000))


def test_a_coin_asks_up_to_a_score():
    rule = SelectiveRule(2.0, extra=3.0)
    for n in range(1000):
        limit = rule.asking_score(n)
        assert rule.asks(limit * (1 - 1e-12), n)
        assert not rule.asks(-limit * (1 + 1e-12), n)


def test_a_coin_does_not_ask_at_its_own_score(monkeypatch):
    rule = SelectiveRule(2.0)
    monkeypatch.setattr(selective_rules, "coin", lambda seed, number: 0.5)
    assert rule.asking_score(0) == 2.0
    assert rule.asks(2.0 - 1e-14, 0)
    assert not rule.asks(2.0, 0)
    monkeypatch.setattr(selective_rules, "coin", lambda seed, number: 0.0)
    assert rule.asking_score(0) == math.inf
    assert rule.asks(1e300, 0)


def test_a_score_of_0_asks_although_products_with_the_parameter_underflow():
    rule = SelectiveRule(5e-324)
    assert all(rule.asks(0.0, n) for n in range(100))
    assert not any(rule.asks(1.0, n) for n in range(100))


def test_an_asked_mistake_adds_the_example():
    rule = SelectiveRule(2.0)
    assert rule.asks_for_labels
    assert not rule.promises_to_halt
    assert rule.inverse_probability(-3.0) == rule.inverse_probability(3.0) == 2.5
    assert rule.step(RuleInput(1.0, -0.5, 1.0, 1.0, 1.0, 0.0)) == 1.0
    assert rule.step(RuleInput(1.0, 0.5, 1.0, 1.0, 1.0, 0.0)) == 0.0
    assert rule.bound(1.0, 0.5) == pytest.approx((4 + 1) ** 2 / (16 * 0.25))
    assert rule.bound(1.0, 0.0) == math.inf


def test_parameters_of_damaged_files_are_known():
    assert SelectiveRule(1.0, extra=5.0, budget=1).has_valid_parameter()
    for b, seed in ((5e-324, 0.0), (0.5, 0.0), (1e308, 2.0**32 - 1)):
        assert SelectiveRule(b, extra=seed).has_valid_parameter()
    assert not SelectiveRule(math.inf).has_valid_parameter()
    for b, seed, budget in ((0.0, 0.0, None), (math.nan, 0.0, None), (1.0, -1.0, None), (1.0, 0.5, None)):
        assert not SelectiveRule(b, extra=seed, budget=budget).has_valid_parameter()
    for seed, budget in ((2.0**32, None), (math.nan, None), (0.0, 0)):
        assert not SelectiveRule(1.0, extra=seed, budget=budget).has_valid_parameter()
