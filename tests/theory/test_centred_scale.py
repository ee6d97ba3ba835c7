"""Rows as a learner with a centred scale saw them, docs/theory.md S5."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
import novikoff_check
from novikoff.theory.centred_scale import CentredColumns, centred_rows
from novikoff.theory.running_scale import CENTRED, as_seen
from reference.centred_scale import centred

RNG = np.random.default_rng(5)
MEANS, UNITS, SHARES = np.array([1e3, 0, -7, 2, 1, 0.5]), np.array([1, 1e-3, 1e3, 2, 0, 1]), [1, 1, 0.9, 0.6, 0.5, 0.2]
X = (MEANS + UNITS * RNG.normal(size=(300, 6))) * (RNG.random((300, 6)) < SHARES)
WEIGHTS = RNG.choice([1.0, 0.5, 0.25], 300)


@pytest.mark.parametrize("weights", [np.ones(300), WEIGHTS])
def test_rows_are_those_of_plain_numpy_bit_for_bit(weights):
    expected = centred(X, weights)
    seen = as_seen(X, weights, CENTRED)
    assert np.array_equal(seen.X, expected)
    assert np.array_equal(as_seen(sp.csr_array(X), weights, CENTRED).X.toarray(), expected)
    narrow = sp.csr_array(X)
    wide = sp.csr_array((narrow.data, narrow.indices * 300_000, narrow.indptr), (300, 1_500_001))
    found = as_seen(wide, weights, CENTRED)
    assert np.array_equal(found.X[:, ::300_000].toarray(), expected)
    assert np.asarray(found.shifts)[::300_000].tolist() == seen.shifts.tolist()


def long_stream(count):
    """Return rows whose columns become frequent, rare, constant and other, and in which others are new or far away."""
    random = np.random.default_rng(count)
    half, X = (
        count // 2,
        random.normal(5.0, 1.0, (count, 7)) * (random.random((count, 7)) < [1, 0.9, 0.5, 0.1, 1, 1, 1]),
    )
    X[half:, 1], X[:half, 3], X[:, 4] = X[half:, 3], 0.0, 2.0
    X[-count // 4 :: 7, 4], X[half::99, 5], X[: half + half // 3, 6] = 3.0, 0.0, 0.0
    X[random.integers(0, count, 9), 0] = 1e4
    return X


@pytest.mark.slow
@pytest.mark.parametrize("weights", [np.ones(2000), np.random.default_rng(1).choice([1.0, 0.5, 0.25], 2000)])
def test_long_streams_are_seen_as_in_plain_numpy_in_the_checker_and_in_the_kernel(weights):
    X = long_stream(2000)
    expected = centred(X, weights)
    seen = as_seen(X, weights, CENTRED)
    assert np.array_equal(seen.X, expected)
    rows = [[(j, x) for j, x in enumerate(row) if x] for row in X.tolist()]
    found, factors, shifts = novikoff_check.centred_rows(rows, weights.tolist(), 7)
    assert found[-1] == [(j, x) for j, x in enumerate(seen.X[-1].tolist()) if x or j in dict(found[-1])]
    assert (factors, shifts) == (seen.factors.tolist(), seen.shifts.tolist())
    for rows in (X, sp.csr_array(X)):
        model = nk.Perceptron(scale="centred").partial_fit(rows, np.arange(2000) % 2, sample_weight=weights)
        assert model._learner.scale_factors().tolist() == factors
        assert model._learner.scale_shifts().tolist() == shifts


def test_the_independent_checker_sees_the_same_bits():
    rows = [[(j, x) for j, x in enumerate(row) if x] for row in X.tolist()]
    found, factors, shifts = novikoff_check.centred_rows(rows, WEIGHTS.tolist(), 6)
    seen = as_seen(X, WEIGHTS, CENTRED)
    dense = np.zeros(X.shape)
    for i, row in enumerate(found):
        dense[i, [j for j, _ in row]] = [x for _, x in row]
    assert np.array_equal(dense, seen.X)
    assert (factors, shifts) == (seen.factors.tolist(), seen.shifts.tolist())


def test_frequent_columns_have_mean_0_and_deviation_1_and_others_remain_sparse():
    seen = as_seen(np.tile(X, (10, 1)), np.ones(3000), CENTRED).X[1500:]
    often = [0, 1, 2, 3]
    assert np.abs(seen[:, often].mean(axis=0)).max() < 0.1
    assert np.abs(seen[:, often].std(axis=0) - 1).max() < 0.1
    assert np.array_equal(seen[:, 5] == 0, np.tile(X[:, 5], 5) == 0)


def test_units_and_origins_of_columns_that_are_never_0_make_no_difference():
    rows = RNG.normal(size=(200, 2)) + 9
    plain, other = (as_seen(table, np.ones(200), CENTRED).X for table in (rows, 64.0 * rows - 1024.0))
    assert np.allclose(plain, other, rtol=1e-9, atol=1e-9)
    assert np.array_equal(as_seen(-4.0 * rows, np.ones(200), CENTRED).X, -plain)


def test_a_constant_column_is_0_and_one_of_zeros_and_ones_keeps_its_two_values():
    flags = np.column_stack([np.full(90, 0.1), np.arange(90) % 3 == 0])
    seen = as_seen(flags, np.ones(90), CENTRED).X
    assert not seen[:, 0].any()
    assert set(seen[9:, 1].tolist()) == {0.0, 1.0}


@pytest.mark.parametrize("value", [1e9, 0.0])
def test_no_value_exceeds_the_square_root_of_the_number_of_examples(value):
    column = np.r_[RNG.normal(size=100) + 1e6, value, RNG.normal(size=50), -1e12, 1e150, 1.0, 0.0][:, None]
    seen = np.abs(as_seen(column, np.ones(len(column)), CENTRED).X.ravel())
    assert np.all(seen <= np.maximum(8, np.sqrt(np.arange(1, len(column) + 1))) * (1 + 1e-9))


def test_numbers_without_a_square_are_seen_as_zero_and_nothing_is_infinite():
    column = np.array([1e-200, 1e-125, 1e150, 1e-30, 1e154, -1e154, 1e154, -1e154])[:, None]
    assert np.all(np.isfinite(as_seen(column, np.ones(8), CENTRED).X))


def test_rows_before_they_are_counted_are_scaled_by_the_rows_before():
    rows = [(slice(None), row) for row in X[:20]]
    places = np.flatnonzero(X[19])
    before, _ = centred_rows(rows, [1.0] * 20, 6, before=True)
    _, state = centred_rows(rows[:19], [1.0] * 19, 6)
    columns, values = state.predict(places, X[19][places])
    assert np.array_equal(before[19][0], columns)
    assert np.array_equal(before[19][1], values)


def test_a_column_that_becomes_rare_is_no_longer_centred():
    state = CentredColumns(1)
    for x in [3.0, 5.0, 0.0, 0.0]:
        state.learn(np.flatnonzero([x]), np.array([x] * (x != 0)), 1.0)
    assert state.centred.tolist() == [0]
    state.learn(np.zeros(0, dtype=np.intp), np.zeros(0), 1.0)
    assert state.centred.tolist() == []
    assert (state.shifts[0], state.factors[0]) == (0.0, np.sqrt(2 / 34))


def learned(values, weight=1.0):
    """The state of one column after these values, all of the same weight."""
    state = CentredColumns(1)
    for x in values:
        state.learn(np.flatnonzero([x]), np.array([x] * bool(x)), weight)
    return state


def test_a_scale_that_has_learned_nothing_sees_zeros_and_centres_no_column():
    state = CentredColumns(3)
    columns, values = state.predict(np.array([1]), np.array([5.0]))
    assert (columns.tolist(), values.tolist(), state.total) == ([1], [0.0], 0.0)
    assert not np.any([state.weights, state.sums, state.squares, state.origins, state.shifts, state.factors])


@pytest.mark.parametrize(
    ("x", "shift"), [(10.0, 2.0), (np.nextafter(10.0, 11), 14 / 3), (-6.0, 2.0), (-6.01, -2.01 / 3)]
)
def test_values_up_to_8_deviations_from_the_mean_are_seen_before_they_are_counted(x, shift):
    """After 1 and 3 the mean is 2 and the deviation 1."""
    state = learned([1.0, 3.0])
    assert (state.shifts[0], state.factors[0]) == (2.0, 1.0)
    _, seen = state.learn(np.array([0]), np.array([x]), 1.0)
    assert state.shifts[0] == pytest.approx(shift)
    assert seen[0] == (x - 2.0 if shift == 2.0 else (x - state.shifts[0]) * state.factors[0])


@pytest.mark.parametrize("values", [[1e-130, 3e-130], [1e-130, 3e-130, 0.0, 0.0, 0.0, 1e-130]])
def test_a_column_whose_squares_are_too_small_is_neither_shifted_nor_scaled(values):
    state = learned(values)
    assert (state.shifts[0], state.factors[0]) == (0.0, 0.0)


def test_the_least_sum_of_squares_is_large_enough():
    smaller = np.nextafter(1e-120, 0)
    assert 1e-120**2 == 1e-240 > smaller**2
    state = learned([0.0, 0.0, 1e-120])
    assert (state.shifts[0], state.factors[0]) == (0.0, pytest.approx(1e120))
    assert learned([0.0, 0.0, smaller]).factors[0] == 0.0


def test_rows_of_weight_0_are_seen_but_not_counted():
    rows = [(slice(None), np.array([x])) for x in (1.0, 3.0, 5.0)]
    seen, state = centred_rows(rows, [1.0, 1.0, 0.0], 1)
    assert (seen[2][1].tolist(), state.total, state.weights.tolist()) == ([3.0], 2.0, [2.0])
    with pytest.raises(ValueError, match="zip"):
        centred_rows(rows, [1.0, 1.0], 1)


@pytest.mark.parametrize(("factor", "shift"), [(1.0, 1 + 1e-12), (1 + 1e-12, 1.0), (np.nan, 1.0), (1.0, -1.0)])
def test_factors_and_shifts_that_are_not_those_of_the_rows_are_refused(factor, shift):
    seen = as_seen(X, np.ones(300), CENTRED)
    assert seen.check(seen.factors, seen.shifts).status == "holds"
    assert seen.check(seen.factors * factor, seen.shifts * shift).status == "fails"
