"""The dual variables of a joint machine: stored sparsely, with sums that are exact."""

from fractions import Fraction

import numpy as np
import pytest

from novikoff.theory.joint_duals import JointDuals, allowed, excess

BETAS = np.array([[0.0, 0.25, 0.5], [0.25, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]])
CODES = np.array([0, 1, 2, 1])


def test_only_positive_entries_are_stored_by_row_and_class():
    duals = JointDuals.of(BETAS)
    assert duals.rows.tolist() == [0, 0, 1, 2]
    assert duals.classes.tolist() == [1, 2, 0, 0]
    np.testing.assert_array_equal(duals.dense(4, 3), BETAS)


def test_the_coefficients_of_every_row_add_up_to_0():
    a = JointDuals.of(BETAS).coefficients(CODES, 3).toarray()
    assert a.tolist() == [[0.75, -0.25, -0.5], [-0.25, 0.25, 0.0], [-0.5, 0.0, 0.5], [0.0, 0.0, 0.0]]


def test_the_sums_of_classes_are_exact():
    duals = JointDuals.of(BETAS)
    assert duals.class_sums(CODES, 3) == [0, 0, 0]
    values = duals.values.copy()
    values[0] = np.nextafter(values[0], 1.0)
    ulp = values[0] - 0.25
    moved = JointDuals(duals.rows, duals.classes, values)
    assert moved.class_sums(CODES, 3) == [ulp, -ulp, 0]
    assert allowed(duals, CODES, 4, 3, balanced=True).status == "holds"
    assert allowed(moved, CODES, 4, 3, balanced=True).status == "fails"
    assert allowed(moved, CODES, 4, 3, balanced=False).status == "holds"


def test_rows_above_their_costs_are_scaled_down_by_the_smallest_quotient():
    duals = JointDuals.of(BETAS)
    assert excess(duals, np.ones(4), 3).high == 1
    for costs in ([0.7, 1.0, 1.0, 1.0], [0.75 * (1 - 1e-12), 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0], [5e-324, 1, 1, 1]):
        found, truth = excess(duals, np.array(costs), 3), min(Fraction(1), Fraction(costs[0]) / Fraction(3, 4))
        assert found.low <= truth <= found.high
        assert found.width <= 1e-14
    assert excess(JointDuals.of(0 * BETAS), np.zeros(4), 3).low == 1


@pytest.mark.parametrize("seed", range(50))
def test_the_factor_encloses_the_exact_one(seed):
    rng = np.random.default_rng(seed)
    betas = rng.random((5, 4)) * 10.0 ** rng.uniform(-300, 300, (5, 1)) * (rng.random((5, 4)) < 0.7)
    costs = betas.sum(axis=1) * rng.choice([0.5, 1.0, 1 - 1e-15, 2.0], 5)
    sums = [sum(map(Fraction, row)) for row in betas.tolist()]
    truth = min([Fraction(1), *(Fraction(c) / s for c, s in zip(costs.tolist(), sums, strict=True) if s)])
    found = excess(JointDuals.of(betas), costs, 4)
    assert found.low <= truth <= found.high


def test_sums_that_overflow_on_the_way_are_exact():
    huge = JointDuals(np.array([0, 1, 2, 3]), np.array([1, 0, 1, 0]), np.full(4, 1.7e308))
    codes = np.array([0, 1, 0, 1])
    assert huge.class_sums(codes, 2) == [0, 0]
    assert allowed(huge, codes, 4, 2, balanced=True).status == "holds"
    one_sided = JointDuals(np.array([0, 2]), np.array([1, 1]), np.full(2, 1.7e308))
    assert allowed(one_sided, codes, 4, 2, balanced=True).status == "fails"
    one_row = JointDuals(np.array([0, 0]), np.array([1, 2]), np.full(2, 1.7e308))
    assert excess(one_row, np.full(4, np.finfo(float).max), 3).low >= 0


@pytest.mark.parametrize(
    ("rows", "classes", "values", "status"),
    [
        ([0, 1], [1, 0], [0.0, 0.25], "holds"),
        ([0, 3], [2, 0], [5e-324, 0.25], "holds"),
        ([0, 4], [1, 0], [0.25, 0.25], "fails"),
        ([-1, 1], [1, 0], [0.25, 0.25], "fails"),
        ([0, 1], [3, 0], [0.25, 0.25], "fails"),
        ([0, 1], [1, -1], [0.25, 0.25], "fails"),
        ([0, 1], [1, 1], [0.25, 0.25], "fails"),
        ([0, 0], [1, 1], [0.25, 0.25], "fails"),
        ([0, 1], [1, 0], [-5e-324, 0.25], "fails"),
        ([0, 1], [1, 0], [np.inf, 0.25], "fails"),
        ([0, 1], [1, 0], [np.nan, 0.25], "fails"),
        ([0, 1], [1, 0], [0.25], "fails"),
        ([0, 1], [1], [0.25, 0.25], "fails"),
        ([[0, 1]], [[1, 0]], [[0.25, 0.25]], "fails"),
    ],
)
def test_variables_belong_to_rows_and_other_classes_and_are_not_negative(rows, classes, values, status):
    duals = JointDuals(np.array(rows), np.array(classes), np.array(values))
    assert allowed(duals, CODES, 4, 3, balanced=False).status == status


def test_rows_below_their_costs_are_not_scaled():
    duals = JointDuals.of(BETAS)
    for costs in (np.full(4, 0.75 * (1 + 1e-12)), np.full(4, 9.0)):
        found = excess(duals, costs, 3)
        assert (found.low, found.high) == (1, 1)
