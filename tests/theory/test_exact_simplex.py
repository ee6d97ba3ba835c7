"""Gordan's alternative in integers."""

from hypothesis import given
from hypothesis import strategies as st

from matrices import NUMBERS, matrices
from novikoff.theory.exact_simplex import alternative


@given(vectors=matrices(st.integers(-2, 2), 8, 4) | matrices(NUMBERS, 8, 4))
def test_the_alternative_is_one_or_the_other(vectors):
    weights, direction = alternative(vectors)
    if weights is not None:
        assert direction is None
        assert min(weights) >= 0 < max(weights)
        for column in zip(*vectors, strict=True):
            assert sum(w * v for w, v in zip(weights, column, strict=True)) == 0
    else:
        assert all(sum(a * b for a, b in zip(vector, direction, strict=True)) > 0 for vector in vectors)
