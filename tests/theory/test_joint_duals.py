"""The dual variables of a joint machine: stored sparsely, with sums that are exact."""

import numpy as np

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
    assert duals.class_sums(CODES, 3).tolist() == [0.0, 0.0, 0.0]
    values = duals.values.copy()
    values[0] = np.nextafter(values[0], 1.0)
    ulp = values[0] - 0.25
    moved = JointDuals(duals.rows, duals.classes, values)
    assert moved.class_sums(CODES, 3).tolist() == [ulp, -ulp, 0.0]
    assert allowed(duals, CODES, np.ones(4), 3, balanced=True).status == "holds"
    assert allowed(moved, CODES, np.ones(4), 3, balanced=True).status == "fails"
    assert allowed(moved, CODES, np.ones(4), 3, balanced=False).status == "holds"


def test_a_row_above_its_cost_is_named_and_rounding_is_scaled_away():
    duals = JointDuals.of(BETAS)
    assert excess(duals, np.ones(4)) == 1.0
    assert allowed(duals, CODES, np.array([0.7, 1.0, 1.0, 1.0]), 3, balanced=False).row == 0
    close = np.array([0.75 * (1 - 1e-12), 1.0, 1.0, 1.0])
    assert allowed(duals, CODES, close, 3, balanced=False).status == "holds"
    assert excess(duals, close) == close[0] / 0.75


def test_sums_that_overflow_on_the_way_are_exact():
    huge = JointDuals(np.array([0, 1, 2, 3]), np.array([1, 0, 1, 0]), np.full(4, 1.7e308))
    codes = np.array([0, 1, 0, 1])
    assert huge.class_sums(codes, 2).tolist() == [0.0, 0.0]
    assert allowed(huge, codes, np.full(4, 1.7e308), 2, balanced=True).status == "holds"
    one_sided = JointDuals(np.array([0, 2]), np.array([1, 1]), np.full(2, 1.7e308))
    assert allowed(one_sided, codes, np.full(4, 1.7e308), 2, balanced=True).status == "fails"


def test_an_infinite_sum_of_a_row_is_not_within_its_cost():
    huge = JointDuals(np.array([0, 0]), np.array([1, 2]), np.full(2, 1.7e308))
    assert allowed(huge, CODES, np.full(4, np.finfo(float).max), 3, balanced=False).row == 0
