"""Strings that stand for numbers, booleans and dates."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.tables.values import parsed


@pytest.mark.parametrize(
    ("kind", "texts", "expected"),
    [
        ("number", ["1", " -2.5 ", "1e3", "inf", "nan", "", "many", "1,5"], [1, -2.5, 1000, *[None] * 5]),
        ("boolean", ["true", "False", " TRUE ", "yes", "1", ""], [1, 0, 1, None, None, None]),
        ("date", ["1970-01-02", "1970-01-01T12:00:00", "1969-12-31", "soon", ""], [1, 0.5, -1, None, None]),
        ("date", ["1970-01-01T02:00:00+02:00", "1970-01-01 06:00"], [0, 0.25]),
    ],
)
def test_what_is_not_of_its_kind_is_nan(kind, texts, expected):
    np.testing.assert_array_equal(parsed(texts, kind), [np.nan if value is None else value for value in expected])
    assert parsed([], kind).dtype == np.float64


@given(st.floats(allow_nan=False, allow_infinity=False), st.datetimes(datetime.datetime(1700, 1, 1)))
def test_what_python_writes_is_read(number, moment):
    assert parsed([repr(number)], "number")[0] == number
    days = (moment - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)
    np.testing.assert_allclose(parsed([moment.isoformat()], "date"), [days], rtol=1e-12, atol=1e-9)
