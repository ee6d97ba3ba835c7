"""Arrays with far more columns than numbers: the entries of the dense array, in the memory of those that occur."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff._wide_array import (
    MIN_RATIO,
    MIN_WIDTH,
    WideArray,
    appended,
    changed,
    compact_attribute,
    compact_attributes,
    compacted,
    is_wide,
    last_of,
    narrowed,
    occurring,
    on_request,
    same_array,
    stacked,
    stored,
    widened,
    without_last,
)
from novikoff.errors import InvalidInputError

HUGE = 2**31 - 1
VECTOR = WideArray(np.array([1.5, -0.0, 2.0]), np.array([0, 3, 5]), 7)
MATRIX = WideArray(np.array([[1.0, 0.0], [0.0, -2.0]]), np.array([1, 4]), 6)


@pytest.mark.parametrize("wide", [VECTOR, MATRIX])
def test_it_has_the_shape_and_the_entries_of_the_dense_array(wide):
    dense = np.asarray(wide)
    assert (wide.shape, wide.dtype, wide.ndim, wide.size) == (dense.shape, dense.dtype, dense.ndim, dense.size)
    assert len(wide) == len(dense)
    assert dense[..., wide.columns].tolist() == wide.values.tolist()
    assert np.count_nonzero(dense) == np.count_nonzero(wide.values)


def test_what_it_cannot_do_itself_the_dense_array_does():
    dense = np.asarray(VECTOR)
    assert (2 * VECTOR + 1).tolist() == (2 * dense + 1).tolist()
    assert (np.eye(7) @ VECTOR).tolist() == dense.tolist()
    assert VECTOR[[0, 5]].tolist() == [1.5, 2.0]
    assert VECTOR.sum() == 3.5
    assert list(VECTOR) == dense.tolist()
    assert [row.tolist() for row in map(np.asarray, MATRIX)] == np.asarray(MATRIX).tolist()
    assert isinstance(MATRIX[1], WideArray)
    assert MATRIX[1:].shape == (1, 6)
    assert np.flatnonzero(VECTOR).tolist() == [0, 5]
    with pytest.raises(AttributeError):
        _ = VECTOR.no_such_method
    with pytest.raises(ValueError, match="always a copy"):
        np.asarray(VECTOR, copy=False)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda wide: pickle.loads(pickle.dumps(wide))])
def test_it_can_be_copied_and_pickled(duplicate):
    again = duplicate(MATRIX)
    assert isinstance(again, WideArray)
    assert np.asarray(again).tolist() == np.asarray(MATRIX).tolist()


@pytest.mark.parametrize("wide", [VECTOR, MATRIX, WideArray(np.zeros((2, 0)), np.zeros(0, dtype=np.int64), 5)])
def test_positions_restore_the_array_bit_for_bit(wide):
    positions, values = wide.positions()
    assert np.all(np.diff(positions) > 0)
    again = WideArray.of_positions(wide.shape, positions, values)
    assert np.asarray(again).tobytes() == np.asarray(wide).tobytes()


def test_memory_does_not_depend_on_the_width():
    wide = stacked([WideArray(np.ones(2), np.array([3, HUGE - 1]), HUGE), WideArray(np.ones(1), np.array([5]), HUGE)])
    assert wide.shape == (2, HUGE)
    assert wide.positions()[0].tolist() == [3, HUGE - 1, HUGE + 5]
    assert narrowed(wide, np.array([4, 5, HUGE - 1])).tolist() == [[0, 0, 1], [0, 1, 0]]
    assert occurring(wide).tolist() == [3, 5, HUGE - 1]
    assert same_array(wide[0], WideArray(np.array([1.0, 0.0, 1.0]), np.array([3, 4, HUGE - 1]), HUGE))
    assert not same_array(wide[0], wide[1])
    assert "2147483647" in repr(wide)


def test_only_arrays_far_wider_than_their_columns_are_kept_compactly():
    assert not is_wide(MIN_WIDTH - 1, 1)
    assert is_wide(MIN_WIDTH, MIN_WIDTH // MIN_RATIO - 1)
    assert not is_wide(MIN_WIDTH, MIN_WIDTH // MIN_RATIO)
    assert isinstance(widened(np.ones(1), np.array([2]), MIN_WIDTH), WideArray)
    assert widened(np.ones(1), np.array([2]), 4).tolist() == [0, 0, 1, 0]


@given(st.integers(0, 2**32 - 1))
def test_functions_of_wide_arrays_agree_with_those_of_dense_arrays(seed):
    rng = np.random.default_rng(seed)
    width, count = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    rows = []
    for _ in range(count):
        columns = np.flatnonzero(rng.random(width) < 0.5)
        rows.append(WideArray(rng.integers(-1, 2, len(columns)).astype(float), columns, width))
    dense, wanted = [np.asarray(row) for row in rows], np.flatnonzero(rng.random(width) < 0.5)
    matrix = stacked(rows)
    assert isinstance(matrix, WideArray)
    assert np.asarray(matrix).tolist() == np.array(dense).tolist() == stacked([*dense[:1], *rows[1:]]).tolist()
    assert occurring(matrix).tolist() == occurring(np.array(dense)).tolist()
    assert narrowed(matrix, wanted).tolist() == np.array(dense)[:, wanted].tolist()
    assert np.any(stored(matrix)) == np.any(dense)
    assert appended(rows[0], 7.0).tolist() == appended(dense[0], 7.0).tolist()
    assert without_last(rows[0]).tolist() == without_last(dense[0]).tolist()
    assert last_of(rows[0]) == last_of(dense[0])
    assert np.asarray(changed(matrix, np.negative)).tolist() == changed(np.array(dense), np.negative).tolist()
    assert same_array(matrix, np.array(dense))
    assert same_array(rows[0], rows[-1]) == np.array_equal(dense[0], dense[-1])
    assert not same_array(matrix, np.array(dense)[:, :0])


def test_a_wide_array_is_compared_with_lists():
    assert same_array(MATRIX, np.asarray(MATRIX).tolist())
    assert same_array(np.asarray(VECTOR).tolist(), VECTOR)
    assert not same_array(MATRIX, [[0.0] * 6] * 2)
    assert not same_array([1.0, 2.0], VECTOR)
    assert not same_array(VECTOR, None)


def test_a_vector_is_compacted_bit_for_bit_if_it_is_wide():
    vector = np.zeros(MIN_WIDTH)
    vector[[3, 70]] = 1.5, -0.0
    wide = compacted(vector)
    assert isinstance(wide, WideArray)
    assert np.asarray(wide).tobytes() == vector.tobytes()
    assert compacted(wide) is wide
    for dense in (vector[1:], np.ones(MIN_WIDTH)):
        assert compacted(dense) is dense


def test_an_attribute_is_dense_on_request_and_compact_where_it_is_only_shown():
    class Model:
        coef_ = property(lambda model: on_request(MATRIX))

    assert isinstance(Model().coef_, np.ndarray)
    with compact_attributes():
        assert Model().coef_ is MATRIX
    assert compact_attribute(Model(), "coef_") is MATRIX
    assert compact_attribute(Model(), "missing_") is None
    assert isinstance(Model().coef_, np.ndarray)


def test_a_dense_array_that_does_not_fit_in_memory_is_refused_with_its_width():
    wide = WideArray(np.ones((2**20, 1)), np.array([5]), 2**62)
    with pytest.raises(InvalidInputError, match=r"4,611,686,018,427,387,904 columns needs .* GiB .*weights_"):
        np.asarray(wide)
