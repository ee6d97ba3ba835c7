"""Rows that a single column decides."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff._separability.peeling import combined, peel
from novikoff.theory.exact import Examples

# Column 2 is positive in one row only; without that row, column 1 has one sign; the rest overlaps in column 0.
X = np.array([[1.0, 3.0, 2.0], [1.0, -3.0, 0.0], [2.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
SIGNS = np.array([1.0, 1.0, 1.0, -1.0])


@pytest.mark.parametrize("table", [X, sp.csr_array(X)])
def test_columns_of_one_sign_take_rows_away_stage_by_stage(table):
    left, stages = peel(Examples(table, SIGNS, fit_intercept=False))
    assert left.tolist() == [2, 3]
    assert [stage.rows.tolist() for stage in stages] == [[0], [1]]
    assert [stage.direction.tolist() for stage in stages] == [[0, 0, 1], [0, -1, 0]]


def test_the_combined_direction_has_all_peeled_rows_on_the_right_side():
    examples = Examples(X, SIGNS, fit_intercept=False)
    _, stages = peel(examples)
    sides = examples.sides(combined(examples, stages, None))
    assert sides.tolist() == [1, 1, 0, 0]


def test_data_without_such_columns_are_left_whole():
    left, stages = peel(Examples(np.array([[1.0], [2.0]]), np.array([1.0, -1.0]), fit_intercept=True))
    assert left.tolist() == [0, 1]
    assert stages == []
