"""The search for a verdict: on a working set, by a linear program or in integers."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nk
from novikoff._separability import search
from novikoff.theory.exact import Examples
from reference import separability as reference
from separable_cases import small_case


@pytest.fixture(scope="module")
def without_integers():
    """Small problems are solved by the linear program, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "SMALL_PROBLEM_ENTRIES", 0)
        yield


@settings(max_examples=15)
@given(seed=st.integers(0, 10**9))
def test_the_linear_program_agrees_with_the_enumeration(without_integers, seed):
    X, y, fit_intercept = small_case(seed)
    verdict = search.decide(Examples(X, y.astype(float), fit_intercept), None)
    right = np.array(reference.right_side(X, y, fit_intercept))
    assert (verdict.direction is None) == (not right.any())
    if verdict.direction is not None:
        assert verdict.sides.tolist() == right.astype(int).tolist()
    assert (verdict.witness is None) == bool(right.all())


@pytest.mark.parametrize("flip", [0, 3])
def test_larger_data_are_decided_on_few_rows(flip):
    rng = np.random.default_rng(flip)
    X = rng.normal(size=(3000, 8)).round(3)
    y = np.where(X @ np.arange(1, 9) + 0.5 > 0, "yes", "no")
    for row in range(flip):
        y[row] = "no" if y[row] == "yes" else "yes"
    found = nk.separability(X, y)
    assert found.kind == ("overlap" if flip else "complete")
    assert found.verify(X, y)
    assert found.verify(X, y, exact=True)
    if flip:
        assert len(found.witness.rows) < 1000


def test_rows_fewer_than_twice_the_columns_are_separated_by_descent():
    X = sp.random(600, 400, 0.02, random_state=0, format="csr")
    y = np.random.default_rng(0).integers(0, 2, 600)
    found = nk.separability(X, y)
    assert found.verify(X, y, exact=True)
