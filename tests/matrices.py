"""Hypothesis strategies for small matrices, as lists of rows."""

from hypothesis import strategies as st

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.integers(-(10**20), 10**20)


def matrices(entries, most_rows=5, most_columns=5):
    return st.integers(1, most_columns).flatmap(
        lambda width: st.lists(st.lists(entries, min_size=width, max_size=width), min_size=1, max_size=most_rows)
    )
