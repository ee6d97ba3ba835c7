"""Rows as a learner with a running scale saw them, docs/theory.md S4."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory import running_scale
from novikoff.theory.centred_scale import LEAST_SQUARES
from novikoff.theory.enclosed_sums import EPS
from novikoff.theory.running_scale import CENTRED, FIXED, LEAST_VALUE, RUNNING, ColumnScale, SeenRows, as_seen
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


def test_rows_that_are_predicted_are_scaled_by_what_was_learned_before():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3)) * (rng.random((20, 3)) < 0.7)
    found = as_seen(X, np.ones(20), "running", before=True).X
    for t in range(20):
        known = X[:t]
        counts, squares = np.count_nonzero(known, axis=0), (known**2).sum(axis=0)
        factors = np.sqrt(counts / np.where(squares > 0, squares, 1))
        np.testing.assert_allclose(found[t], X[t] * factors, rtol=1e-12)
    np.testing.assert_array_equal(as_seen(sp.csr_array(X), np.ones(20), "running", before=True).X.toarray(), found)


def test_the_plane_of_given_rows_has_the_scores_of_seen_ones():
    scale = ColumnScale(CENTRED, np.array([2.0, 0.5]), np.array([1.0, -3.0]))
    weights, intercept = scale.plane(np.array([3.0, 8.0]), 5.0)
    assert (weights.tolist(), intercept) == ([6.0, 4.0], 5.0 - (6.0 - 12.0))
    seen, back, error = scale.seen_plane(weights, intercept)
    assert (seen.tolist(), back) == ([3.0, 8.0], 5.0)
    assert error == 4 * EPS * (5 + 2 * (6 + 12))
    plain = ColumnScale(RUNNING, np.array([2.0, 0.5]))
    weights, intercept = plain.plane(np.array([3.0, 8.0]), 5.0)
    assert (weights.tolist(), intercept) == ([6.0, 4.0], 5.0)
    seen, back, error = plain.seen_plane(weights, intercept)
    assert (seen.tolist(), back, error) == ([3.0, 8.0], 5.0, 0.0)


def test_a_scale_has_a_finite_factor_for_each_column_and_shifts_if_it_is_centred():
    for scale, fits in (
        (ColumnScale(RUNNING, np.array([0.0, 1.0])), True),
        (ColumnScale("other", np.ones(2)), False),
        (ColumnScale(FIXED, np.ones(3)), False),
        (ColumnScale(FIXED, -np.ones(2)), False),
        (ColumnScale(CENTRED, np.ones(2), np.full(2, np.nan)), False),
        (ColumnScale(RUNNING, np.array([np.inf, 1.0])), False),
        (ColumnScale(RUNNING, np.array([np.nan, 1.0])), False),
        (ColumnScale(RUNNING, np.array([-5e-324, 1.0])), False),
        (ColumnScale(RUNNING, np.ones(2), np.zeros(2)), False),
        (ColumnScale(CENTRED, np.ones(2)), False),
        (ColumnScale(CENTRED, np.ones(2), np.array([-1.0, 0.0])), True),
        (ColumnScale(CENTRED, np.ones(2), np.array([np.inf, 0.0])), False),
        (ColumnScale(CENTRED, np.ones(2), np.zeros(3)), False),
        (ColumnScale(CENTRED, np.ones(3), np.zeros(3)), False),
    ):
        found = scale.misfit(2)
        assert found is None if fits else found.status == "fails"


@pytest.mark.parametrize("sign", [-1, 1])
def test_factors_agree_up_to_the_roundings_of_their_sums(sign):
    """2 + 8 roundings of a factor of 1 with two rows, and none of a factor of 0."""
    seen = SeenRows(np.ones((2, 2)), np.arange(2), np.ones(2), np.array([0.0, 1.0]))
    assert seen.check(np.array([0.0, 1 + sign * 10 * EPS])).status == "holds"
    assert seen.check(np.array([0.0, 1 + sign * 11 * EPS])).status == "fails"
    assert seen.check(np.array([5e-324, 1.0])).status == "fails"
    (words,) = {seen.check(np.array([0.0, 2.0])).detail}
    assert words == "claimed 2 for column 1, found 1"


def test_a_centred_scale_agrees_in_every_bit():
    seen = SeenRows(np.ones((2, 2)), np.arange(2), np.ones(2), np.array([2.0, 1.0]), np.array([0.0, 3.0]))
    factors, shifts = np.array([2.0, 1.0]), np.array([0.0, 3.0])
    assert seen.check(factors, shifts).status == "holds"
    other = seen.check(np.array([2.0, np.nextafter(1.0, 2.0)]), shifts)
    assert (other.status, other.detail) == ("fails", "factor: claimed 1 for column 1, found 1")
    other = seen.check(factors, np.array([5e-324, 3.0]))
    assert (other.status, other.detail) == ("fails", "shift: claimed 4.94066e-324 for column 0, found 0")


def test_values_and_squares_count_down_to_the_least_ones():
    """A column whose squares add up to the least sum has a factor; scaled values below the least are 0."""
    for square, factor in ((LEAST_SQUARES, True), (np.nextafter(LEAST_SQUARES, 0.0), False)):
        state = running_scale._Columns(1)
        state.weights[:], state.squares[:] = 1.0, square
        assert (state.factors(np.array([0]))[0] > 0) == factor
    rows = np.array([[1.0], [1.0], [LEAST_VALUE / 4], [LEAST_VALUE * 4]])
    assert (as_seen(rows, np.ones(4), FIXED).X.ravel() != 0).tolist() == [True, True, False, True]
    # Three examples of 1, 1 and the last, so that the scaled value is x sqrt(4 / 2): just the least one or below.
    least = LEAST_VALUE / np.sqrt(2)
    for value, seen in ((least * (1 + 1e-15), True), (least * (1 - 1e-15), False)):
        found = as_seen(np.array([[1.0], [1.0], [value], [value]]), np.ones(4), FIXED).X.ravel()
        assert (found[-1] != 0) == seen


def test_weights_of_a_fixed_scale_are_counted_and_their_rows_are_seen_once():
    weights = np.array([2.0, 0.0, 1.5, 0.25])
    seen = as_seen(X[:4], weights, FIXED)
    assert seen.index.tolist() == [0, 1, 2, 3]
    counts, squares = weights @ (X[:4] != 0), weights @ (X[:4] ** 2)
    expected = np.sqrt(counts / np.where(squares > 0, squares, 1.0))
    np.testing.assert_allclose(seen.factors, expected, rtol=1e-14)
    np.testing.assert_allclose(seen.X, X[:4] * expected, rtol=1e-14)


@pytest.mark.parametrize("kind", [RUNNING, CENTRED, FIXED])
def test_no_rows_are_seen_of_none(kind):
    seen = as_seen(np.zeros((0, 3)), np.zeros(0), kind)
    assert seen.X.shape == (0, 3)
    assert seen.factors.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("before", [False, True])
def test_centred_rows_are_seen_in_sparse_tables_as_in_dense_ones(before):
    dense = as_seen(X, np.ones(30), CENTRED, before=before)
    sparse = as_seen(sp.csr_array(X), np.ones(30), CENTRED, before=before)
    np.testing.assert_array_equal(sparse.X.toarray(), dense.X)
    np.testing.assert_array_equal(sparse.factors, dense.factors)
    np.testing.assert_array_equal(sparse.shifts, dense.shifts)
    assert dense.shifts.any()
