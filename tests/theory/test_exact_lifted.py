"""Vectors u in fractions."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import rational
from novikoff.theory import Geometry
from novikoff.theory.certificate import Duals
from novikoff.theory.evidence import Evidence
from novikoff.theory.exact_lifted import ExactMargin, ExactRows

random = np.random.default_rng(0)
X = random.standard_normal((6, 3)) * (random.random((6, 3)) < 0.7) * [1.0, 1e-200, 1e200]
SIGNS = np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
EVIDENCE = Evidence(
    random.standard_normal(3), 0.3, Geometry(), 1, Duals(np.array([0, 1, 4]), np.array([1.0, 0.3, 5e-324]))
)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("geometry", [Geometry(), Geometry(False), Geometry(slack_feature=0.1)])
def test_margins_and_sums_are_those_of_fractions(geometry, sparse):
    evidence = Evidence(EVIDENCE.weights, 0.3 * geometry.fit_intercept, geometry, 1, EVIDENCE.duals)
    rows = ExactRows(sp.csr_array(X) if sparse else X, SIGNS, geometry)
    private = evidence.duals.dense(6)
    for row, margin in rows.margins(np.arange(6), evidence.weights, evidence.intercept, private):
        truth = rational.margins(X, SIGNS, evidence)[row]
        assert margin.score + margin.private == truth
        assert margin.is_positive() == (truth > 0)
        assert margin.signed_square().low == margin.signed_square().high == truth * abs(truth)
    found = rows.combine(evidence.duals.rows, evidence.duals.weights).squared_ratio()
    assert found.low == found.high == rational.squared_ratio(X, SIGNS, evidence)


def test_rows_of_unit_length_have_squares_of_one():
    rows = ExactRows(np.array([[3.0, 4.0], [0.0, 0.0]]), SIGNS[:2], Geometry(False, True))
    assert [square for _, square in rows.squares(np.arange(2))] == [1, 0]
    (_, margin), (_, nothing) = rows.margins(np.arange(2), np.array([1.0, 0.0]), 0.0, None)
    assert margin.signed_square().low == Fraction(9, 25)
    assert nothing.signed_square().high == 0
    found = rows.combine(np.arange(1), np.ones(1))
    assert found.squared_ratio().low <= 1 <= found.squared_ratio().high


def test_a_root_beside_a_private_feature_is_decided_by_squares():
    two = Fraction(2)
    assert not ExactMargin(-two, Fraction(4), Fraction(1)).is_positive()  # -2 / 2 + 1 = 0
    assert ExactMargin(-two, Fraction(4) + Fraction(1, 2**300), Fraction(1)).is_positive()
    assert not ExactMargin(-two, Fraction(4) - Fraction(1, 2**300), Fraction(1)).is_positive()


@pytest.mark.parametrize("normalize", [False, True])
def test_weights_near_the_sum_are_told_from_others(normalize):
    rows = ExactRows(X, SIGNS, Geometry(True, normalize))
    found = rows.combine(EVIDENCE.duals.rows, EVIDENCE.duals.weights)
    unit = Fraction(2) ** found.exponent
    nearest = {column: float(total * unit) for column, total in found.sums.items()}
    assert found.are_near(nearest, 1) == (None, None)
    assert found.are_near({**nearest, 3: nearest[3] * (1 + 1e-12)}, 1) == (3, None)
    assert found.are_near({**nearest, 7: 1.0}, 1) == (7, None)
