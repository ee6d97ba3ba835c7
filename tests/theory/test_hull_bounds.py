"""Margins and distances of hulls: enclosures and exact values against fractions, on numbers of all magnitudes."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.enclosed_sums import Rows
from novikoff.theory.enclosure import Enclosure
from novikoff.theory.hull_bounds import SMALL_WORK, HullSolution, measure, precisely
from reference.hull_bounds import truth, values
from share import share_of


def a_solution(rng):
    n, d = int(rng.integers(2, 7)), int(rng.integers(1, 4))
    intercept = str(rng.choice(["free", "penalized", "none"]))
    X, signs = values(rng, n, d), np.where(rng.random(n) < 0.5, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    counted = rng.random(n) < 0.8
    counted[:2] = True
    duals = np.where(counted, np.abs(values(rng, n)), 0.0)
    bias = 0.0 if intercept == "none" else float(values(rng, 1)[0])
    return HullSolution(X, signs, counted, values(rng, d), bias, duals, intercept)


def measured(found):
    return found.smallest, found.squared_norm, found.squared_radius, found.squared_distance


def check_against_fractions(seed):
    rng = np.random.default_rng(seed)
    solution = a_solution(rng)
    X = sp.csr_array(solution.X) if rng.random() < 0.3 else solution.X
    if X is not solution.X:
        solution = HullSolution(X, *(getattr(solution, name) for name in list(HullSolution.__annotations__)[1:]))
    found = measure(Rows(X), solution)
    dense = HullSolution(np.asarray(X.todense()) if sp.issparse(X) else X, *list(vars(solution).values())[1:])
    for one, true in zip(measured(found), truth(dense), strict=True):
        assert (one is None) == (true is None)
        assert one is None or one.low <= true <= one.high
    for one, true in zip(measured(found.exact(SMALL_WORK)), truth(dense), strict=True):
        assert one is None or one == Enclosure.exactly(true)


@pytest.mark.parametrize("seed", range(300))
def test_enclosures_contain_the_true_values_and_exact_ones_are_these(seed):
    check_against_fractions(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1000 + share_of(6000), 1000))
def test_many_enclosures_contain_the_true_values(first):
    for seed in range(first, first + 1000):
        check_against_fractions(seed)


def test_too_many_values_are_not_converted():
    solution = a_solution(np.random.default_rng(0))
    assert measure(Rows(solution.X), solution).exact(1) is None


def test_what_is_not_precise_in_floating_point_is_computed_exactly_if_it_is_small():
    X = np.array([[1e300, 1e-300], [1e300, -1e-300]])
    solution = HullSolution(X, np.array([1.0, -1.0]), np.ones(2, bool), np.array([0.0, 1e300]), 0.0, np.ones(2), "free")
    assert not measure(Rows(X), solution).is_precise
    found = precisely(Rows(X), solution)
    assert found.margin.stated_low() == pytest.approx(1e-300)
    assert found.squared_distance.root().stated_high() == pytest.approx(1e-300)
