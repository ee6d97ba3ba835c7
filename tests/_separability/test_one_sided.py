"""Signs of coefficients in floating point and in integers are the same, and both are proven."""

import numpy as np
import pytest

import novikoff as nk
from novikoff._separability import one_sided
from random_designs import random_design
from reference.coefficient_statuses import coefficient_statuses


@pytest.mark.parametrize("small", [0, 10**9], ids=["floating point", "integers"])
def test_both_ways_agree_with_linear_programs(small, monkeypatch):
    monkeypatch.setattr(one_sided, "SMALL_PROBLEM_ENTRIES", small)
    if small == 0:
        monkeypatch.setattr(one_sided, "MAX_INTEGER_ENTRIES", -1)
    undecided = 0
    for seed in range(3000, 3040):
        X, y, fit_intercept = random_design(seed)
        found = nk.separability(X, y, fit_intercept=fit_intercept)
        is_decided = found.status != "undecided"
        undecided += np.count_nonzero(~is_decided)
        assert (
            found.status[is_decided].tolist()
            == np.array(coefficient_statuses(X, y, fit_intercept))[is_decided].tolist()
        )
        assert found.verify(X, y), str(found.verify(X, y))
    assert undecided == 0


def test_a_working_set_grows_until_it_suffices(monkeypatch):
    monkeypatch.setattr(one_sided, "WORKING_ROWS", (5, 1))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    y = X @ [1.0, 2.0, 0.001] > 0.3
    found = nk.separability(X, y)
    assert found.status.tolist()[:2] == ["+infinity", "+infinity"]
    assert "undecided" not in found.status
    assert found.verify(X, y)
