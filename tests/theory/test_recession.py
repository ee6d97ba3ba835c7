"""Coordinates of the directions that are 0 on the boundary, against fractions."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory import balance as balance_module
from novikoff.theory import recession as module
from novikoff.theory.balance import balance
from novikoff.theory.certificate import Duals
from novikoff.theory.elimination import OPERATION, Budget, WorkLimitReached
from novikoff.theory.exact import Examples
from novikoff.theory.recession import Aliasing, Recession, _independent, _System
from random_designs import random_design
from reference.separability_claims import dot, null_space, reduce, rows_of, spans
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


@pytest.mark.slow
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


# ---- coordinates -----------------------------------------------------------------------------------------------------


def is_positive_multiple(vector, other):
    """Whether one vector is a positive number times the other, or both are 0."""
    factors = {Fraction(a) / Fraction(b) for a, b in zip(vector, other, strict=True) if b}
    same = all(bool(a) == bool(b) for a, b in zip(vector, other, strict=True))
    return same and len(factors) <= 1 and all(factor > 0 for factor in factors)


def combination(coordinates, basis, width):
    return [sum(t * vector[j] for t, vector in zip(coordinates, basis, strict=True)) for j in range(width)]


def test_rows_columns_and_directions_have_the_coordinates_of_the_basis():
    for recession, z, _ in cases(range(40)):
        rows, width = np.arange(len(z)), len(z[0])
        basis = recession.basis
        if basis is None:
            basis = [[int(i == j) for i in range(width)] for j in range(width)]
        for row, found in zip(z, recession.integer_rows(rows), strict=True):
            assert is_positive_multiple(found, [dot(row, vector) for vector in basis])
        assert [recession.integer_column(j) for j in range(width)] == [[v[j] for v in basis] for j in range(width)]
        assert recession.directions.shape == (len(basis), width)
        for vector, direction in zip(basis, recession.directions.tolist(), strict=True):
            np.testing.assert_allclose(direction, [entry / max(map(abs, vector)) for entry in vector], rtol=1e-15)
        exact = [[float(dot(row, map(Fraction, d))) for d in recession.directions.tolist()] for row in z]
        sizes = np.abs(recession.examples.floats(rows)) @ np.abs(recession.directions).T
        assert np.all(np.abs(recession.floats(rows) - np.array(exact).reshape(sizes.shape)) <= 1e-14 * sizes)
        coordinates = list(range(2, 2 + len(basis)))
        if basis:
            found = recession.combined(coordinates)
            assert is_positive_multiple(found, combination(coordinates, basis, width))
            assert math.gcd(*found) == 1


def proves_in_fractions(rows, target):
    """Whether the target is a unique combination of the rows, with positive weights."""
    matrix = [[*entries, last] for entries, last in zip(zip(*rows, strict=True), target, strict=True)]
    table, pivots = reduce([list(map(Fraction, row)) for row in matrix])
    return pivots == list(range(len(rows))) and all(row[-1] > 0 for row in table)


def check_proofs(recession, z, supports):
    """Compare all proofs by some rows with fractions; return how many there are."""
    found, width = 0, len(z[0])
    basis = recession.basis or [[int(i == j) for i in range(width)] for j in range(width)]
    for support in supports:
        vectors = [[dot(z[i], vector) for vector in basis] for i in support]
        for column, sign in itertools.product(range(width), (-1, 1)):
            expected = proves_in_fractions(vectors, [sign * vector[column] for vector in basis])
            assert recession.proves(np.array(support), column, sign) == expected
            weights = recession.weights(np.array(support), column, sign)
            if weights is not None:
                target = [sign * vector[column] for vector in basis]
                integers = recession.integer_rows(np.array(support))
                assert is_positive_multiple(combination(weights, integers, len(basis)), target)
            found += expected
    return found


@pytest.mark.parametrize("scale", [1.0, 2.0**-40, 1 / 3, 1e18])
def test_signs_of_columns_are_proven_by_unique_positive_weights(scale):
    for seed in range(3):
        X = np.random.default_rng(seed).integers(-2, 3, size=(5, 2)) * scale
        recession = Recession(Examples(X, np.ones(5), False), np.ones(5, dtype=np.int8), None)
        supports = [support for size in (1, 2, 3) for support in itertools.combinations(range(5), size)]
        assert check_proofs(recession, rows_of(X, np.ones(5), False), supports) > 0


@pytest.mark.parametrize("scale", [1.0, 1e18 + 256])
def test_signs_of_columns_are_proven_in_the_coordinates_of_a_boundary(scale):
    X = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [2.0, 1.0, 1.0]]) * scale
    signs = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    examples = Examples(X, signs, False)
    proof = balance(examples, Duals(np.arange(2), np.ones(2)))
    recession = Recession(examples, np.array([0, 0, 1, 1, 1], dtype=np.int8), proof)
    assert recession.dimension == 2
    supports = [support for size in (1, 2) for support in itertools.permutations((2, 3, 4), size)]
    assert check_proofs(recession, rows_of(X, signs, False), supports) > 0


def test_the_boundary_is_all_rows_without_sides_and_directions_may_be_too_many(monkeypatch):
    X = np.array([[1.0, 2.0], [1.0, 2.0]])
    examples = Examples(X, np.array([1.0, -1.0]), False)
    proof = balance(examples, Duals(np.arange(2), np.ones(2)))
    assert Recession(examples, None, proof).off_boundary.tolist() == []
    assert Recession(examples, np.array([1, 0], dtype=np.int8), None).off_boundary.tolist() == [0]
    monkeypatch.setattr(balance_module, "MAX_FREE_DIMENSIONS", 0)
    with pytest.raises(WorkLimitReached):
        _ = Recession(examples, None, proof).basis


# ---- dependences -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [0, 10_000])
def test_systems_have_orthogonal_vectors_with_given_entries_and_spans(most, monkeypatch):
    monkeypatch.setattr(module, "MAX_REDUCED_BITS", most)
    for seed in range(30):
        random = np.random.default_rng(seed)
        rows, columns, rank = (int(random.integers(1, 5)) for _ in range(3))
        vectors = (random.integers(-3, 4, (rows, rank)) @ random.integers(-3, 4, (rank, columns))).tolist()
        exact = [list(map(Fraction, row)) for row in vectors]
        system = _System(vectors, columns, None)
        assert len(system.free) == len(null_space(exact, columns))
        coefficients = random.integers(1, 9, (2, len(system.free))).tolist()
        if system.free:
            for vector, given in zip(system.null_vectors(coefficients), coefficients, strict=True):
                assert not any(dot(row, map(Fraction, vector)) for row in exact)
                own = [vector[j] for j in system.free]
                assert is_positive_multiple(own, given) or is_positive_multiple([-entry for entry in own], given)
                assert math.gcd(*vector) == 1
        targets = [[0] * columns, *random.integers(-1, 2, (4, columns)).tolist(), *vectors]
        assert system.spans(targets) == [spans(exact, [list(map(Fraction, t))]) for t in targets]
        assert system.spans([]) == []


@pytest.mark.parametrize("seed", range(3))
def test_all_dependences_are_listed_if_they_are_few(seed, monkeypatch):
    X = np.random.default_rng(seed).normal(size=(5, 1)) * [[1.0, 2.0, -1.0, 0.5]]  # 3 dependences of 4 columns
    recession = Recession(Examples(X, np.ones(5), False), np.ones(5, dtype=np.int8), None)
    for most, count in ((12, 3), (11, 2)):
        monkeypatch.setattr(module, "MAX_LISTED_ENTRIES", most)
        found = Aliasing(recession)
        assert len(found.vectors) == count
        assert found.is_aliased.all()
        entries = [sum(entry != 0 for entry in vector) for vector in found.vectors]
        assert entries == ([2] * 3 if count == 3 else [4] * 2)  # a basis, or combinations of all dependences


def test_matrices_are_reduced_as_a_whole_up_to_a_limit(monkeypatch):
    for most, is_reduced in ((11, True), (10, False)):  # one free column, and 3 + 8 bits
        monkeypatch.setattr(module, "MAX_REDUCED_BITS", most)
        assert (_System([[1, 7]], 2, None)._reduced is not None) == is_reduced


def test_nothing_is_claimed_of_columns_if_rows_are_missed_in_all_rounds(monkeypatch):
    recession = Recession(Examples(np.eye(3), np.ones(3), False), np.ones(3, dtype=np.int8), None)
    monkeypatch.setattr(module, "SAMPLE_ROWS", (1, 0))
    for rounds, expected in ((1, [False] * 3), (2, [True] * 3)):
        monkeypatch.setattr(module, "MAX_ROUNDS", rounds)
        found = Aliasing(recession)
        assert (found.is_identified.tolist(), found.vectors) == (expected, [])
        assert not found.is_aliased.any()


@pytest.mark.parametrize(("sample", "step"), [((1, 1), 2), ((2, 0), 3), ((1, 0), 6), ((3, 2), 1), ((7, 0), 1)])
def test_a_sample_is_a_number_of_rows_and_some_more_per_coordinate(sample, step, monkeypatch):
    tried = []
    monkeypatch.setattr(module, "SAMPLE_ROWS", sample)
    monkeypatch.setattr(module, "_independent", lambda recession, rows: tried.append(rows.tolist()) or rows)
    X = np.array([[1.0, 0.0], [0.0, 1.0]] * 3)
    Aliasing(Recession(Examples(X, np.ones(6), False), np.ones(6, dtype=np.int8), None))
    assert tried == [list(range(6))[::step]]


def independent(X, fit_intercept=False, proof=None, budget=None):
    examples = Examples(X, np.ones(len(X)), fit_intercept)
    return _independent(Recession(examples, np.ones(len(X), dtype=np.int8), proof, budget), np.arange(len(X))).tolist()


def test_rows_that_span_all_are_found_whatever_their_sizes():
    X = np.array([[1e-200, 0.0], [2e-200, 0.0], [0.0, 0.0], [1e-200, 1e200], [0.0, 1e150]])
    found = independent(X)
    assert len(found) == 2
    assert found == sorted(found)
    assert len(reduce(rows_of(X[found], np.ones(2), False))[1]) == 2
    assert len(independent(np.array([[1.0, 1.0], [1.0, 1.0 + 1e-12]]))) == 1  # they cannot be told from parallel ones
    assert len(independent(np.array([[1.0, 1.0], [1.0, 1.0 + 1e-6]]))) == 2
    assert independent(np.zeros((0, 2))) == []
    budget = Budget(100.0)
    independent(np.ones((5, 2)), budget=budget)
    assert budget.left == 100 - 5 * 2 * 2 / 4


def test_rows_that_overflow_are_taken_without_a_choice():
    X = np.array([[1.0, -1.0], [-1.0, 1.0], *([[1e308, 1e308]] * 6)])
    proof = balance(Examples(X, np.ones(8), False), Duals(np.arange(2), np.ones(2)))
    assert independent(X, proof=proof) == [0, 1]  # twice the dimension


def test_the_work_of_dependences_is_limited_before_it_is_done():
    budget = Budget(1e9)
    _System([[1, 2, 3]], 3, None).null_vectors([[1, 0], [0, 1]])
    system = _System([[1, 2, 3]], 3, budget)
    _ = system._reduced
    before = budget.left
    system.null_vectors([[1, 0], [0, 1]])
    assert before - budget.left == 2 * 3 * 2 * OPERATION
    recession = Recession(Examples(np.eye(3), np.ones(3), False), np.ones(3, dtype=np.int8), None, Budget(1e9))
    assert recession.proves(np.arange(3), 0, 1) is False
    X = np.array([[2.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
    recession = Recession(Examples(X, np.ones(3), False), np.ones(3, dtype=np.int8), None, Budget(1e9))
    assert recession.proves(np.arange(3), 2, 1)
    assert recession.budget.most - recession.budget.left == 4 * 3**3 / 4
