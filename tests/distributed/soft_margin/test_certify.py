"""Certificates of solutions: they state bounds of their own weights and duals, which hold exactly."""

from fractions import Fraction

import numpy as np
import pytest

from novikoff.distributed.soft_margin.certify import Certified, certify
from novikoff.distributed.soft_margin.progress import Outcome, Record
from novikoff.distributed.survey import Survey
from novikoff.theory.gap_values import Point, SoftMargin
from partitions import INTERCEPTS, LOSSES, Problem, cut, noisy_rows

SIZES = [10, 0, 1, 19]


def certified(loss, intercept, alpha=None, v=None):
    rng = np.random.default_rng(0)
    X, signs = noisy_rows(rng, 30, 3)
    problem = Problem(X, signs, rng.choice([0.0, 1.0, 1 / 3], 30), SIZES, loss, intercept, C=0.7, scale=0.5)
    problem.kept = cut(rng.random(30) * 0.2 if alpha is None else alpha, SIZES)
    v = rng.normal(size=4) if v is None else v
    return problem, problem.certified(Outcome(v, 0.0), Record(0.7))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_the_stated_bounds_hold_exactly_and_are_close(loss, intercept):
    problem, found = certified(loss, intercept)
    certificate, duals = found.certificate, np.zeros(30)
    duals[found.duals.rows] = found.duals.weights
    costs = 0.7 * problem.costs
    exact = SoftMargin(problem.X, problem.signs.astype(float), costs, loss, intercept)
    primal, dual = exact.exact(Point(certificate.model.weights, certificate.model.bias, duals))
    assert Fraction(certificate.primal) >= primal.high
    assert Fraction(certificate.dual) <= dual.low
    assert certificate.primal == pytest.approx(float(primal.high), rel=1e-9)
    assert certificate.dual == pytest.approx(float(dual.low), rel=1e-9)
    assert np.array_equal(certificate.model.costs, costs)
    assert certificate.examples == np.count_nonzero(costs)
    assert np.array_equal(found.is_positive, problem.signs[found.duals.rows] > 0)
    assert np.all(duals <= costs)
    assert np.all(found.duals.weights > 0)


def test_duals_of_a_free_intercept_are_balanced_exactly():
    _problem, found = certified("hinge", "free")
    values = [Fraction(value) for value in found.duals.weights.tolist()]
    sides = [
        sum(v for v, is_positive in zip(values, found.is_positive, strict=True) if is_positive == s) for s in (0, 1)
    ]
    assert abs(sides[0] - sides[1]) <= Fraction(1, 10**12) * sides[0]
    assert sides[0] > 0


def test_duals_that_prove_less_than_nothing_are_left_out():
    _, found = certified("hinge", "none", alpha=np.ones(30) * 1.0, v=np.zeros(4))
    _, worse = certified("squared_hinge", "none", alpha=np.ones(30) * 1e6, v=np.zeros(4))
    assert worse.certificate.dual == 0.0
    assert len(worse.duals.rows) == 0
    assert isinstance(found, Certified)
    assert found.certificate.dual >= 0.0


def test_costs_are_gathered_only_if_there_are_weights():
    problem, _ = certified("hinge", "none")
    commands = []
    survey = Survey(SIZES, 3, {-1: 1, 1: 1}, np.dtype(int), 1.0, 1, False, {}, False)
    problem.kept = cut(np.zeros(30), SIZES)
    solver = certify(problem.setup, 0, Outcome(np.zeros(4), 0.0), Record(1.0), 1e-3, survey)
    found = problem.drive(solver, lambda command, reply: commands.append(command))
    assert commands[0].with_costs is False
    assert found.certificate.model.costs is None
    assert found.certificate.dual == 0.0
