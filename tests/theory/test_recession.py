"""Coordinates of the directions that are 0 on the boundary, against fractions."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory import recession as module
from novikoff.theory.balance import balance
from novikoff.theory.elimination import Budget, WorkLimitReached
from novikoff.theory.exact import Examples
from novikoff.theory.recession import Aliasing, Recession
from random_designs import random_design
from reference.separability_claims import dot, null_space, rows_of
from separable_cases import small_case


def cases(seeds, make=small_case):
    """Recessions of data of all kinds, with their rows in fractions and which of them are on the boundary."""
    for seed in seeds:
        X, y, fit_intercept = make(seed)
        y = np.where(y > 0, 1, -1)
        found = nk.separability(X, y, fit_intercept=fit_intercept)
        examples = Examples(X, y.astype(float), fit_intercept)
        sides = np.ones(len(X), dtype=np.int8)
        sides[found.boundary if found.kind != "overlap" else slice(None)] = 0
        proof = None if found.kind == "complete" else balance(examples, found.witness)
        z = rows_of(X, y, fit_intercept)
        yield Recession(examples, sides, proof), z, [z[i] for i in np.flatnonzero(sides == 0)]


def test_columns_are_fixed_where_all_directions_on_the_boundary_are_0():
    for recession, z, boundary in cases(range(60)):
        basis = (
            null_space(boundary, len(z[0]))
            if boundary
            else [[int(i == j) for i in range(len(z[0]))] for j in range(len(z[0]))]
        )
        assert recession.dimension == len(basis)
        assert recession.is_fixed.tolist() == [not any(vector[j] for vector in basis) for j in range(len(z[0]))]
        for vector in recession.basis or []:
            assert not any(dot(row, vector) for row in boundary)


@pytest.mark.parametrize(("listed", "reduced"), [(0, 10_000), (10_000, 0), (0, 0)])
def test_aliased_columns_are_those_of_linear_dependences(listed, reduced, monkeypatch):
    monkeypatch.setattr(module, "MAX_LISTED_ENTRIES", listed)
    monkeypatch.setattr(module, "MAX_REDUCED_BITS", reduced)
    for make in (small_case, random_design):
        for recession, z, _ in cases(range(40), make):
            basis = null_space(z, len(z[0]))
            expected = [any(vector[j] for vector in basis) for j in range(len(z[0]))]
            found = Aliasing(recession)
            assert found.is_aliased.tolist() == expected
            assert found.is_identified.tolist() == [not is_aliased for is_aliased in expected]
            assert not any(dot(row, vector) for row in z for vector in found.vectors)


def test_rows_that_a_sample_misses_are_found(monkeypatch):
    monkeypatch.setattr(module, "SAMPLE_ROWS", (2, 0))
    for recession, z, _ in cases(range(40), random_design):
        basis = null_space(z, len(z[0]))
        assert Aliasing(recession).is_aliased.tolist() == [any(v[j] for v in basis) for j in range(len(z[0]))]


def test_weights_of_a_support_are_unique_or_missing():
    examples = Examples(np.array([[1.0, 1.0], [0.0, 1.0], [2.0, 2.0]]), np.ones(3), False)
    recession = Recession(examples, np.ones(3, dtype=np.int8), None)
    assert recession.weights(np.array([0, 1]), 0, 1) == [1, -1]
    assert recession.weights(np.array([0, 1]), 1, 1) == [0, 1]
    assert recession.weights(np.array([1]), 1, -1) == [-1]
    assert recession.weights(np.array([0]), 0, 1) is None  # not in the span
    assert recession.weights(np.array([0, 1, 2]), 0, 1) is None  # dependent


def test_work_is_limited():
    examples = Examples(np.random.default_rng(0).normal(size=(20, 5)), np.ones(20), False)
    with pytest.raises(WorkLimitReached):
        Aliasing(Recession(examples, np.ones(20, dtype=np.int8), None, Budget(1.0)))
