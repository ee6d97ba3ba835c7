"""Dates and times as days since 1970-01-01."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.tables.dates import day_comes_first, days_since_1970, has_open_order, is_date

FORMS = {
    "%Y-%m-%d": None,
    "%Y/%m/%d": None,
    "%d.%m.%Y": None,
    "%d/%m/%Y": True,
    "%d-%m-%Y": True,
    "%m/%d/%Y": False,
    "%m-%d-%Y": False,
}
TIMES = ["", " %H:%M", " %H:%M:%S", "T%H:%M:%S", "T%H:%M:%SZ", "T%H:%M:%S+00:00"]


@given(st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31)), st.sampled_from(list(FORMS)), st.sampled_from(TIMES))
def test_every_form_of_a_date_gives_the_days_since_1970(moment, form, time):
    text = moment.strftime(form + time)
    moment = datetime.strptime(
        text.removesuffix("Z").removesuffix("+00:00"), (form + time)[: len(form) + 9].rstrip("Z+")
    )
    days = (moment - datetime(1970, 1, 1)) / timedelta(days=1)
    assert days_since_1970(text, bool(FORMS[form])) == pytest.approx(days, abs=1e-9)
    assert is_date(text)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-01-31T12:00:00+01:00", datetime(2024, 1, 31, 11)),
        ("2024-01-31 12:00 -0330", datetime(2024, 1, 31, 15, 30)),
        ("2024-01-31T12:00:00.5Z", datetime(2024, 1, 31, 12, 0, 0, 500_000)),
        ("1/31/99", datetime(1999, 1, 31)),
        ("1/31/05", datetime(2005, 1, 31)),
        ("2024-1-3", datetime(2024, 1, 3)),
    ],
)
def test_offsets_fractions_and_short_years(text, moment):
    days = (moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(days=1)
    assert days_since_1970(text, False) == pytest.approx(days, abs=1e-9)


@pytest.mark.parametrize(
    "text", ["", "2024", "2024-13-01", "2024-02-30", "31.31.2024", "2024-01-31 25:00", "1-2-99", "x"]
)
def test_other_text_is_not_a_date(text):
    assert days_since_1970(text, False) is None
    assert not is_date(text)


def test_only_dates_with_the_year_last_and_slashes_or_dashes_leave_the_order_open():
    assert has_open_order(["2024-01-31", "01/02/2024"])
    assert has_open_order(["13-02-2024"])
    assert not has_open_order(["2024-01-31", "31.01.2024", "word"])


def test_a_first_number_above_12_is_a_day():
    assert day_comes_first(["01/02/2024", "13/02/2024"]) is True
    assert day_comes_first(["01/02/2024", "01/13/2024"]) is False
    assert day_comes_first(["01/02/2024"]) is None
    assert day_comes_first(["2024-02-01", "31.12.2024"]) is None


@pytest.mark.parametrize("texts", [["13/01/2024", "01/13/2024"], ["01/01/2024", "word"]])
def test_dates_that_disagree_have_no_order(texts):
    with pytest.raises(ValueError, match=r"^$"):
        day_comes_first(texts)
