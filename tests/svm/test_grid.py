"""The values of C: given, computed, and continued."""

import numpy as np
import pytest

from novikoff.svm._grid import extension

GRID = np.array([1.0, 2.0, 4.0, 8.0])


@pytest.mark.parametrize(
    ("scores", "more"),
    [
        ([0.1, 0.2, 0.3, 0.4], [16.0, 32.0]),  # the best is the largest
        ([0.5, 0.5, 0.5, 0.5 + 1e-15], [16.0, 32.0]),  # all are equal, up to rounding
        ([0.4, 0.3, 0.2, 0.1], [0.25, 0.5]),  # the best is the smallest
        ([0.4, 0.4, 0.2, 0.1], None),  # a smaller C is not better than the smallest
        ([0.1, 0.4, 0.4, 0.4], None),
        ([0.1, 0.2, 0.4, 0.3], None),
    ],
)
def test_a_grid_is_continued_where_its_best_score_is(scores, more):
    found = extension(GRID, np.array(scores), 2, may_rise=True)
    assert (None if found is None else found.tolist()) == more


def test_a_grid_is_not_continued_above_a_given_limit_or_without_a_step():
    assert extension(GRID, GRID, 2, may_rise=False) is None
    assert extension(GRID, -GRID, 2, may_rise=False).tolist() == [0.25, 0.5]
    assert extension(np.ones(1), np.ones(1), 2, may_rise=True) is None
    assert extension(np.ones(3), np.ones(3), 2, may_rise=True) is None
