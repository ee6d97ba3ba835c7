"""Rows as a learner with a running scale saw them, docs/theory.md S4."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.running_scale import FIXED, RUNNING, ColumnScale, as_seen
from reference.running_scale import divided

RNG = np.random.default_rng(3)
X = RNG.normal(size=(30, 4)) * (RNG.random((30, 4)) < 0.7) * [1.0, 1e6, 1e-6, 1.0]


def test_rows_of_a_stream_are_those_of_ten_lines_of_numpy_bit_for_bit():
    seen = as_seen(X, np.ones(len(X)), RUNNING)
    assert np.array_equal(seen.X, divided(X))
    assert np.array_equal(seen.index, np.arange(len(X)))


def test_sparse_rows_are_seen_like_dense_ones_also_with_many_columns():
    wide = sp.csr_array(
        (sp.csr_array(X).data, sp.csr_array(X).indices * 300_000, sp.csr_array(X).indptr), (30, 900_001)
    )
    for kind in (RUNNING, FIXED):
        dense = as_seen(X, np.ones(len(X)), kind)
        assert np.array_equal(as_seen(sp.csr_array(X), np.ones(len(X)), kind).X.toarray(), dense.X)
        found = as_seen(wide, np.ones(len(X)), kind)
        assert np.array_equal(found.X[:, [0, 300_000, 600_000, 900_000]].toarray(), dense.X)
        assert np.asarray(found.factors)[::300_000].tolist() == dense.factors.tolist()


def test_a_row_of_weight_k_is_seen_k_times_and_a_row_of_weight_0_does_not_count():
    weights = np.array([2.0, 0.0, 1.5, 1.0])
    seen = as_seen(X[:4], weights, RUNNING)
    assert seen.index.tolist() == [0, 0, 1, 2, 2, 3]
    assert seen.copies.tolist() == [1, 1, 0, 1, 0.5, 1]
    assert np.array_equal(seen.X[[0, 1, 3, 4, 5]], divided(X[[0, 0, 2, 2, 3]], [1, 1, 1, 0.5, 1]))


def test_a_fixed_scale_is_the_last_one_of_a_stream():
    running, fixed = (as_seen(X, np.ones(len(X)), kind) for kind in (RUNNING, FIXED))
    assert np.array_equal(running.factors, fixed.factors)
    assert np.array_equal(fixed.X, X * fixed.factors)


def test_numbers_without_a_square_are_seen_as_zero_and_nothing_is_infinite():
    column = np.array([1e-200, 1e-125, 1e150, 1e-30, 1e154, -1e154])[:, None]
    found = as_seen(column, np.ones(6), RUNNING).X.ravel()
    assert np.all(np.isfinite(found))
    assert found[[0, 1, 3]].tolist() == [0, 0, 0]


@pytest.mark.parametrize("change", [lambda f: f * 1.5, lambda f: f + 1e-9, lambda f: f[::-1], lambda f: f * np.nan])
def test_factors_that_are_not_those_of_the_rows_are_refused(change):
    seen = as_seen(X, np.ones(len(X)), RUNNING)
    assert seen.check(seen.factors).status == "holds"
    assert seen.check(change(seen.factors)).status == "fails"


@pytest.mark.parametrize("scale", [ColumnScale("other", np.ones(4)), ColumnScale(FIXED, np.ones(3))])
def test_scales_that_there_cannot_be_are_refused(scale):
    assert scale.misfit(4).status == "fails"
    assert ColumnScale(FIXED, -np.ones(4)).misfit(4).status == "fails"
    assert ColumnScale(FIXED, np.ones(4)).misfit(4) is None


@pytest.mark.parametrize("delay", [0, 1, 5, 40])
def test_rows_that_are_predicted_late_are_scaled_by_what_was_learned_then(delay):
    rng = np.random.default_rng(delay)
    X = rng.normal(size=(20, 3)) * (rng.random((20, 3)) < 0.7)
    found = as_seen(X, np.ones(20), "running", before=True, delay=delay).X
    for t in range(20):
        known = X[: max(0, t - delay)]
        counts, squares = np.count_nonzero(known, axis=0), (known**2).sum(axis=0)
        factors = np.sqrt(counts / np.where(squares > 0, squares, 1))
        np.testing.assert_allclose(found[t], X[t] * factors, rtol=1e-12)
    np.testing.assert_array_equal(
        as_seen(sp.csr_array(X), np.ones(20), "running", before=True, delay=delay).X.toarray(), found
    )
