"""Vectors u in fractions."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import rational
from novikoff.theory import Geometry, exact_lifted
from novikoff.theory.certificate import Duals
from novikoff.theory.enclosure import Enclosure
from novikoff.theory.evidence import Evidence
from novikoff.theory.exact_lifted import ExactCombination, ExactMargin, ExactRows

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


GEOMETRIES = [Geometry(one, unit, delta) for one in (True, False) for unit in (True, False) for delta in (0.0, 0.5)]


@pytest.mark.parametrize("batch", [1, 200_000])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_scores_and_squares_of_any_geometry_are_those_of_fractions(geometry, sparse, batch, monkeypatch):
    monkeypatch.setattr(exact_lifted, "BATCH_ENTRIES", batch)
    rows = ExactRows(sp.csr_array(X) if sparse else X, SIGNS, geometry)
    some, private = np.array([4, 0, 2, 5]), np.array([0.5, 0.0, 2.0, 0.0, 1.0, 0.0])
    u = rational.vectors(X, geometry)
    v = [*map(Fraction, EVIDENCE.weights.tolist()), *[Fraction(0.3)] * geometry.fit_intercept]
    delta = Fraction(geometry.slack_feature)
    squares = dict(rows.squares(some))
    assert list(squares) == some.tolist()
    for row, margin in rows.margins(some, EVIDENCE.weights, 0.3, private):
        square = rational.dot(u[row], u[row])
        assert margin.score == int(SIGNS[row]) * rational.dot(u[row], v)
        assert margin.square == (square if geometry.normalize else 1)
        assert margin.private == delta * delta * Fraction(private[row])
        assert squares[row] == (1 if geometry.normalize else square) + delta * delta


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("order", [[0, 1, 4, 5], [5, 4, 1, 0]])
def test_sums_of_any_geometry_and_their_sizes_are_enclosed(geometry, sparse, order):
    some, amounts = np.array(order), np.array([1.0, 0.3, 5e-324, 7.0])
    found = ExactRows(sp.csr_array(X) if sparse else X, SIGNS, geometry).combine(some, amounts)
    u, unit, delta = rational.vectors(X, geometry), Fraction(2) ** found.exponent, Fraction(geometry.slack_feature)
    assert found.steps == sum(map(Fraction, amounts.tolist()))
    assert found.private == delta * delta * sum(Fraction(a) ** 2 for a in amounts.tolist())
    total = Enclosure.exactly(0)
    for column in range(len(u[0])):
        exact, size = Enclosure.exactly(0), Enclosure.exactly(0)
        for row, amount in zip(order, amounts.tolist(), strict=True):
            length = Enclosure.exactly(rational.dot(u[row], u[row]) if geometry.normalize else Fraction(1)).root(400)
            term = Enclosure.exactly(Fraction(amount) * u[row][column]) / length
            exact = exact + (term if SIGNS[row] > 0 else -term)
            size = size + (term if u[row][column] > 0 else -term)
        error = found.errors.get(column, 0) * unit
        assert abs(found.sums.get(column, 0) * unit - exact.low) <= error + exact.width
        assert abs(found.sizes.get(column, 0) * unit - size.low) <= error + size.width
        assert error == 0 if not geometry.normalize else error <= size.high / 2**190
        total = total + exact.square()
    ratio = found.squared_ratio()
    exact = (total + Enclosure.exactly(found.private)) / Enclosure.exactly(found.steps**2)
    assert ratio.low <= exact.high
    assert exact.low <= ratio.high
    assert ratio.width <= ratio.high / 2**180


def one_column(total, error, bits):
    """A sum of ``total`` 2^-bits whose terms have the same sign, with a bound on its error in these units."""
    return ExactCombination({0: total}, {0: total}, {0: error} if error else {}, -bits, Fraction(0), Fraction(1))


@pytest.mark.parametrize("roundings", [1, 5])
def test_numbers_are_near_up_to_so_many_roundings(roundings):
    exact = one_column(2**60, 0, 60)
    assert exact.are_near({0: 1 + roundings * 2.0**-52}, roundings) == (None, None)
    assert exact.are_near({0: 1 - roundings * 2.0**-52}, roundings) == (None, None)
    assert exact.are_near({0: 1 + (roundings + 1) * 2.0**-52}, roundings) == (0, None)
    assert exact.are_near({}, roundings) == (0, None)
    nothing = one_column(0, 0, 0)
    assert nothing.are_near({0: roundings * 5e-324, 2: 0.0}, roundings) == (None, None)
    assert nothing.are_near({2: (roundings + 1) * 5e-324}, roundings) == (2, None)


def test_numbers_are_far_only_if_they_are_for_all_sums_within_the_error():
    half = one_column(2**60, 2**59, 60)  # from 1/2 to 3/2, of a size that may be as large
    assert half.are_near({0: 1.5 + 2.0**-52}, 1) == (None, 0)
    assert half.are_near({0: 1.5 + 2 * 2.0**-52}, 1) == (0, None)
    least = 2**58 - 2**6  # the error that the size less itself allows: 2^-52 (1 - error) in units of 2^-110
    assert one_column(2**110, least, 110).are_near({0: 1.0}, 1) == (None, None)
    assert one_column(2**110, least + 1, 110).are_near({0: 1.0}, 1) == (None, 0)
    unknown = one_column(1, 5, 0)
    assert unknown.are_near({0: 1.0}, 1) == (None, 0)


def test_an_error_widens_the_ratio_on_both_sides():
    found = one_column(8, 3, 1).squared_ratio()
    assert (found.low, found.high) == (Fraction(25, 4), Fraction(121, 4))
    assert one_column(2, 3, 1).squared_ratio().low == 0
    own = ExactCombination({0: -8}, {0: 8}, {}, -1, Fraction(9), Fraction(5)).squared_ratio()
    assert own.low == own.high == 1


@pytest.mark.parametrize("square", [1, 2, 9])
@pytest.mark.parametrize("score", [-5, -1, 3])
def test_the_square_of_a_margin_with_a_private_feature_is_enclosed(score, square):
    found = ExactMargin(Fraction(score), Fraction(square), Fraction(1)).signed_square()
    margin = score / square**0.5 + 1
    assert float(found.low) == pytest.approx(margin * abs(margin), rel=1e-14, abs=1e-14)
    assert found.width <= Fraction(1, 2**200)
    alone = ExactMargin(Fraction(score), Fraction(square), Fraction(0)).signed_square()
    assert alone.low == alone.high == Fraction(score * abs(score), square)
