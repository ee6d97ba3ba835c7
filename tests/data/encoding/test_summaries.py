"""What a pass learns: moments in any blocks, extremes, strings and their counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.encoding.summaries import (
    NumberSummary,
    StringSummary,
    columns_of,
    is_row_number,
    safe_scale,
    scaled_moments,
    string_counts,
)
from novikoff.data.tables.block import Block

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


def test_a_mean_of_many_large_values_is_exact_to_the_last_digits():
    values = 1.7e9 + np.random.default_rng(0).normal(size=200_000) * 1e-3
    summary = NumberSummary(1)
    summary.add(np.ascontiguousarray(values[:, None]))
    exact = 1.7e9 + np.mean(values - 1.7e9)  # the differences are exact
    assert summary.mean[0] == pytest.approx(exact, abs=5e-7)
    assert summary.deviation(0) == pytest.approx(np.std(values - 1.7e9), rel=1e-6)


def test_no_rows_and_no_columns_are_nothing():
    summary = NumberSummary(0)
    summary.add(np.empty((3, 0)))
    assert summary.rows == 3
    summary = NumberSummary(2)
    summary.add(np.empty((0, 2)))
    assert (summary.rows, summary.count.tolist()) == (0, [0, 0])


@pytest.mark.parametrize("unit", [1e-320, 1e-300, 1.0, 1e300, 2e307])
def test_extreme_values_have_moments_in_their_own_units(unit):
    values = np.array([1.0, -3.0, 2.0, 8.0])
    mean, deviation = scaled_moments(values * unit)
    assert mean == pytest.approx(values.mean() * unit, rel=1e-3 if unit < 1e-310 else 1e-12)
    assert deviation == pytest.approx(values.std() * unit, rel=1e-3 if unit < 1e-310 else 1e-12)


def blocks():
    values = ["a", "b"]
    place, none = str, np.empty((3, 0))
    first = Block((), none, ("s",), np.array([[0], [-1], [0]], np.int32), (list(values),), place)
    second = Block((), none, ("s",), np.array([[1], [2], [-1]], np.int32), ([*values, "c"],), place)
    return [first, second]


def test_strings_are_counted_over_all_blocks():
    summary = StringSummary(["s", "absent"])
    for block in blocks():
        summary.add(block)
    assert summary.rows == 6
    assert summary.missing == {"s": 2, "absent": 6}
    assert list(summary.values["s"]) == ["a", "b", "c"]
    assert string_counts(blocks(), "s").tolist() == [2, 1, 1]


def test_a_column_of_numbers_is_taken_without_missing_values():
    place, codes = str, np.empty((2, 0), np.int32)
    parts = [Block(("x",), np.array([[1.0], [np.nan]]), (), codes, (), place) for _ in range(2)]
    assert columns_of(parts, "x").tolist() == [1.0, 1.0]


def test_row_numbers_grow_by_one():
    assert is_row_number(np.arange(5.0) + 17)
    assert not is_row_number(np.array([1.0, 2.0, 2.0]))
    assert not is_row_number(np.array([3.0, 2.0, 1.0]))


@pytest.mark.parametrize(
    ("scale", "expected"), [(2.0, 2.0), (0.0, 1.0), (np.inf, 1.0), (np.nan, 1.0), (5e-324, 5e-324)]
)
def test_a_scale_divides(scale, expected):
    assert safe_scale(scale) == expected
