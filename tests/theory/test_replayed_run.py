"""The state of a repeated run: sums that carry their errors, distances that enclose the truth, and the proof."""

from fractions import Fraction

import numpy as np

import novikoff as nk
from novikoff.theory.replay import replay
from novikoff.theory.replayed_run import CarriedSum, squared_distance


def test_a_carried_sum_is_exact_where_a_plain_one_is_not():
    total, terms = CarriedSum(), [1e16, 1.0, -1e16, 1.0, 2.0**-40]
    for term in terms:
        total.add(term)
    assert Fraction(total.value()) == sum(map(Fraction, terms))
    assert sum(terms) != total.value()


def test_the_squared_distance_encloses_the_truth():
    rng = np.random.default_rng(0)
    for _ in range(50):
        one, other = rng.normal(size=4), rng.normal(size=4)
        found = squared_distance(one[:3], one[3], other[:3], other[3])
        truth = sum((Fraction(p) - Fraction(q)) ** 2 for p, q in zip(one.tolist(), other.tolist(), strict=True))
        assert Fraction(found.low) <= truth <= Fraction(found.high)
    assert squared_distance(one[:3], 1.0, one[:3], 1.0).high == 0
    assert squared_distance(np.array([np.nan]), 0.0, np.zeros(1), 0.0).high == np.inf


def test_a_run_has_the_counts_and_weights_of_its_learner():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.choice([-1.0, 1.0], size=40)
    model = nk.Perceptron().partial_fit(X, y)
    rule = model.record_.problems[0].run.rule
    again = replay(X, y, np.ones(40), rule.implementation(), rule.geometry, [np.arange(40)])
    assert (again.updates, again.examples, again.visits) == (model.certificate_.updates, 40.0, 40)
    assert again.distance(model.coef_[0], model.intercept_[0]).high <= again.rounding**2
    assert again.check_bound("bound", 1e9).status == "holds"
    assert again.check_bound("bound", 0.0).status == "fails"
