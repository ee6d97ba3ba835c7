"""Products of floats with integers that are exactly 0."""

from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from matrices import FLOATS, matrices
from novikoff.theory.residues import are_zero


@given(
    rows=matrices(FLOATS | st.sampled_from([0.0, 0.18257, -0.18257, 1.0])),
    direction=st.lists(st.integers(-(10**30), 10**30) | st.integers(-1, 1), min_size=6, max_size=6),
    sparse=st.booleans(),
)
def test_residues_find_the_products_that_are_zero(rows, direction, sparse):
    X = np.array(rows)
    width = X.shape[1]
    first = [int(j == 0) for j in range(width + 1)]
    cancelling = [1, -1, *[0] * (width - 1)] if width > 1 else [0] * (width + 1)
    directions = [direction[: width + 1], first, cancelling]
    found = are_zero(sp.csr_array(X) if sparse else X, True, directions)
    for i, row in enumerate(rows):
        for k, v in enumerate(directions):
            assert found[i, k] == (sum(Fraction(x) * c for x, c in zip([*row, 1.0], v, strict=True)) == 0)
