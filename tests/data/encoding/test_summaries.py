"""What a pass learns: moments in any blocks, extremes, strings and their counts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.encoding.summaries import (
    NumberSummary,
)

CELLS = st.floats(-1e6, 1e6) | st.just(np.nan)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=30), st.lists(st.integers(0, 30), max_size=4))
def test_moments_do_not_depend_on_blocks(rows, cuts):
    numbers = np.array(rows)
    summary = NumberSummary(2)
    for part in np.split(numbers, sorted(cuts)):
        summary.add(part)
    present = [column[~np.isnan(column)] for column in numbers.T]
    assert summary.rows == len(rows)
    assert summary.count.tolist() == [len(column) for column in present]
    for j, column in enumerate(present):
        if len(column):
            np.testing.assert_allclose(summary.mean[j], column.mean(), rtol=1e-12, atol=1e-9)
            np.testing.assert_allclose(summary.deviation(j), column.std(), rtol=1e-9, atol=1e-8)
            assert (summary.least[j], summary.largest[j]) == (column.min(), column.max())
