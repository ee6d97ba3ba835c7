import pytest

from novikoff._report.tables import count


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (1234567, "1,234,567"), (2.5, "2.5"), (1234.5678, "1,234.57")])
def test_counts_are_grouped_and_sums_of_weights_keep_decimals(value, text):
    assert count(value) == text
