import pytest

from novikoff._report.tables import count, percent


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (1234567, "1,234,567"), (2.5, "2.5"), (1234.5678, "1,234.57")])
def test_counts_are_grouped_and_sums_of_weights_keep_decimals(value, text):
    assert count(value) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0.0 %"), (1.0, "100.0 %"), (0.5, "50.0 %"), (0.0004, "0.040 %"), (0.9996, "99.960 %")]
)
def test_percentages_are_not_rounded_to_0_or_100(share, text):
    assert percent(share) == text
