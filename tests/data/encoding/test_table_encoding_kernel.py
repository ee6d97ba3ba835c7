"""Sparse rows from numbers and codes: every entry is what the definition in plain Python gives."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import _core

values = st.sampled_from([np.nan, 0.0, 1.0, 2.5, -3.0, 1e-320, 1e300])


@st.composite
def cases(draw):
    """The first arguments of encode_rows."""
    rows, n, s = draw(st.integers(0, 5)), draw(st.integers(0, 3)), draw(st.integers(0, 3))
    numbers = np.array(draw(st.lists(values, min_size=rows * n, max_size=rows * n)), float).reshape(rows, n)
    codes = draw(st.lists(st.integers(-1, 3), min_size=rows * s, max_size=rows * s))
    steps = [(kind, j) for kind in (0, 1, 3) for j in range(n)] + [(2, j) for j in range(s)]
    plan = draw(st.lists(st.sampled_from(steps), max_size=6)) if steps else []
    columns, next_column = [], 0
    for kind, _ in plan:
        size = draw(st.integers(1, 5)) if kind == 2 else 1
        has_column = [kind != 2 or draw(st.booleans()) for _ in range(size)]
        columns.append(np.where(has_column, np.arange(next_column, next_column + size), -1).astype(np.int32))
        next_column += size
    scaling = [
        np.array(draw(st.lists(st.sampled_from([0.0, 1.0, 4.0]), min_size=n, max_size=n)), float) for _ in range(3)
    ]
    shift, scale, fill = scaling[0], scaling[1] + 1, scaling[2]
    plan = np.array(plan, np.int32).reshape(len(plan), 2)
    return numbers, np.array(codes, np.int32).reshape(rows, s), plan, shift, scale, fill, columns


def reference(numbers, codes, plan, shift, scale, fill, columns):
    """Return the entries of each row as pairs of a column and a value."""
    rows = []
    for x, c in zip(numbers, codes, strict=True):
        row = []
        for (kind, j), places in zip(plan, columns, strict=True):
            if kind == 2:
                known = c[j] < len(places) - 1
                row.append((places[c[j]] if known else -1, 1.0))
            elif kind == 1:
                row.append((places[0], float(np.isnan(x[j]))))
            else:
                missing = fill[j] if kind == 0 else 0.0
                row.append((places[0], missing if np.isnan(x[j]) else (x[j] - shift[j]) / scale[j]))
        rows.append([(column, value) for column, value in row if column >= 0 and value != 0])
    return rows


def encode(case, threads=1, start=0, dtype=float):
    """Return the entries of each row as pairs of a column and a value."""
    rows, room = len(case[0]), start + len(case[0]) * len(case[2])
    out, indices, ends = np.zeros(room, dtype), np.zeros(room, np.int32), np.zeros(rows, np.int64)
    end = _core.encode_rows(*case, out, indices, ends, start, threads)
    begins = [start, *ends]
    assert end == begins[-1]
    return [list(zip(indices[a:b], out[a:b], strict=True)) for a, b in itertools.pairwise(begins)]


@given(cases(), st.integers(0, 4))
def test_entries_are_those_of_the_definition(case, start):
    assert encode(case, start=start) == reference(*case)


def test_threads_change_nothing():
    random = np.random.default_rng(0)
    numbers, codes = random.normal(size=(10_000, 3)), random.integers(-1, 4, size=(10_000, 2)).astype(np.int32)
    numbers[random.random(numbers.shape) < 0.2] = np.nan
    plan = np.array([[0, 0], [1, 0], [2, 1], [3, 1], [0, 2], [2, 0]], np.int32)
    columns = [np.array(c, np.int32) for c in ([0], [1], [2, 3, -1, 4], [5], [6], [7, 8, 9, 10, -1])]
    case = (numbers, codes, plan, np.ones(3), np.full(3, 2.0), np.zeros(3), columns)
    assert encode(case, threads=3) == encode(case, threads=1) == reference(*case)


def test_values_that_float32_rounds_to_zero_are_not_stored():
    one = np.ones(1)
    case = (np.array([[1e-60], [0.1]]), np.zeros((2, 0), np.int32), np.zeros((1, 2), np.int32), 0 * one, one, one)
    assert encode((*case, [np.array([5], np.int32)]), dtype=np.float32) == [[], [(5, np.float32(0.1))]]


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        (2, np.array([[4, 0]], np.int32), "kinds"),
        (2, np.array([[0, 1]], np.int32), "column of the table"),
        (2, np.array([[2, 0]], np.int32), "column of the table"),
        (2, np.zeros((2, 2), np.int32), "fit"),
        (3, np.ones(2), "fit"),
        (6, [np.zeros(0, np.int32)], "columns of the output"),
        (7, np.zeros(1), "too short"),
        (9, np.zeros(1, np.int64), "too short"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(argument, value, message):
    one, plan, places = np.ones(1), np.zeros((1, 2), np.int32), [np.zeros(1, np.int32)]
    arguments = [np.ones((2, 1)), np.zeros((2, 0), np.int32), plan, 0 * one, one, one, places]
    arguments += [np.zeros(2), np.zeros(2, np.int32), np.zeros(2, np.int64)]
    assert _core.encode_rows(*arguments, 0, 1) == 2
    arguments[argument] = value
    with pytest.raises(ValueError, match=message):
        _core.encode_rows(*arguments, 0, 1)
