"""Adaptive conformal sets, docs/theory.md T, in fractions. Each test names the statement it could refute."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from novikoff.theory import conformal_bounds as bounds
from reference.conformal import levels
from share import share_of

RATES = (Fraction(1, 10), Fraction(1, 2))
STEPS = (Fraction(1, 20), Fraction(1), Fraction(3))
STARTS = (0, Fraction(1, 3), 1)


class Errors:
    """Answers of an adversary: from a list, or by the present level."""

    def __init__(self, rounds, answers):
        self.rounds, self.answers = rounds, answers

    def __call__(self, level):
        return self.answers(level)


def adversaries(rng):
    """Errors at low levels, at high levels, always, never, and at random."""
    for edge in (Fraction(0), Fraction(1, 10), Fraction(1)):
        yield lambda level, edge=edge: int(level <= edge)
        yield lambda level, edge=edge: int(level >= edge)
    yield lambda level: 1
    yield lambda level: 0
    yield lambda level: int(rng.random() < 0.3)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("step", STEPS)
def test_T1_the_mean_error_stays_within_both_bounds_at_every_time(rate, step):
    rng = np.random.default_rng(61)
    for start, answer in itertools.product(STARTS, adversaries(rng)):
        errors, path = levels(Errors(60, answer), rate, step, start)
        assert all(-step * (1 - rate) <= level <= 1 + step * rate for level in path)
        for T in (1, 7, 60):
            distance = abs(Fraction(sum(errors[:T]), T) - rate)
            sharp = max(start + step * (1 - rate), 1 - start + step * rate) / (step * T)
            assert distance == abs(path[0] - path[T]) / (step * T)
            assert distance <= sharp <= (max(start, 1 - Fraction(start)) + step) / (step * T)
            assert bounds.adaptive_conformal(T, float(rate), float(step), float(start)) == pytest.approx(float(sharp))


@pytest.mark.slow
def test_T1_the_mean_error_stays_within_the_bound_for_1e5_random_adversaries():
    rng = np.random.default_rng(62)
    for _ in range(share_of(100_000)):
        rate, step, start = (Fraction(int(k), 8) for k in rng.integers((1, 1, 0), (8, 25, 9)))
        edge, side = rng.random(), rng.random() < 0.5
        errors, path = levels(Errors(12, lambda level, e=edge, s=side: int((level < e) == s)), rate, step, start)
        for T in (1, 5, 12):
            distance = abs(Fraction(sum(errors[:T]), T) - rate)
            assert distance <= max(start + step * (1 - rate), 1 - start + step * rate) / (step * T)
        assert all(-step * (1 - rate) <= level <= 1 + step * rate for level in path)


def test_T1_is_attained_by_errors_at_level_0():
    """The level falls from 1 to 0 exactly and then once more: nothing can be further from the rate."""
    rate, step = Fraction(1, 2), Fraction(1, 5)
    errors, path = levels(Errors(11, lambda level: 1), rate, step, 1)
    assert path[11] == -step * (1 - rate)
    assert abs(Fraction(sum(errors), 11) - rate) == (1 + step * (1 - rate)) / (step * 11)


def test_T1_needs_the_whole_set_below_0_and_the_empty_set_above_1():
    """A learner that still errs below 0 has no error rate at all."""
    rate, step, level = Fraction(1, 10), Fraction(1, 20), Fraction(1, 10)
    for _ in range(400):
        level += step * (rate - 1)
    assert abs(1 - rate) > bounds.adaptive_conformal(400, 0.1, 0.05, 0.1)
    assert level < -1
