"""A verdict on rows that are far wider than their entries is about the columns that occur."""

import dataclasses
import json

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff import _wide_array
from novikoff.theory.coefficients import CoefficientStatus
from novikoff.theory.columns import Columns
from novikoff.theory.verdict_columns import names_in_columns, narrowed, rows_in_columns, widened

WIDTH = 2**31 - 1
USED = [3, 7, WIDTH - 1]


def wide(dense):
    """Rows whose columns are some of very many."""
    rows = sp.csr_array(np.asarray(dense, dtype=np.float64))
    return sp.csr_array((rows.data, np.array(USED)[rows.indices], rows.indptr), shape=(rows.shape[0], WIDTH))


COMPLETE = [[1.0, 0.0, 2.0], [2.0, 1.0, 1.0], [-1.0, 0.0, -3.0], [-2.0, -1.0, 0.0]], [1, 1, 0, 0]
QUASI = [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 3.0, 0.0], [1.0, 1.0, 1.0]], [0, 1, 0, 1]
OVERLAP = (
    [[1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [1.5, 1.0, 1.0], [1.0, 2.0, 0.0], [3.0, 0.0, 1.0]] * 2,
    [0, 1, 1, 0, 1, 1, 0, 0, 1, 0],
)


@pytest.mark.parametrize(("dense", "y"), [COMPLETE, QUASI, OVERLAP])
def test_the_verdict_is_that_of_the_columns_that_occur(dense, y):
    narrow, found = nk.separability(sp.csr_array(np.array(dense)), y), nk.separability(wide(dense), y)
    assert found.columns.tolist() == USED
    assert found.n_features == WIDTH
    for name in ("kind", "intercept", "numerators", "directions", "dependences", "margin_lower_bound"):
        assert getattr(found, name) == getattr(narrow, name)
    assert found.statuses.tolist() == narrow.statuses.tolist()
    assert list(found.coefficients) == ["x3", "x7", f"x{WIDTH - 1}", "(Intercept)"]
    assert found.verify(wide(dense), y)
    assert found.verify(wide(dense), y, exact=True)
    assert f"{WIDTH - 3:,} columns of zeros" in str(found)
    assert json.loads(found.to_json())["columns"] == USED
    assert "columns of zeros" not in str(narrow)
    assert narrow.coef is None or narrow.plane()[0] is narrow.coef
    if found.coef is None:
        assert found.plane() is None
    else:
        assert found.plane()[0].shape == (WIDTH,)
        assert found.plane()[0][USED].tolist() == narrow.coef.tolist()
    for false in ({"columns": None}, {"n_features": None}):
        assert not dataclasses.replace(found, **false).verify(wide(dense), y)


def test_entries_in_other_columns_refute_the_verdict():
    dense, y = COMPLETE
    X, found = wide(dense), nk.separability(wide(dense), y)
    X.indices[0] = 5
    assert "column 5 has entries" in str(found.verify(X, y))
    assert not found.verify(X, y)
    assert not found.verify(wide(dense)[:, : WIDTH - 1], y)
    for columns in ([3, 7], [7, 3, WIDTH - 1], [3, 7, WIDTH], [-1, 3, 7]):
        assert not dataclasses.replace(found, columns=np.array(columns)).verify(wide(dense), y)


def test_zeros_that_are_stored_are_not_entries():
    dense, y = COMPLETE
    X, found = wide(dense), nk.separability(wide(dense), y)
    more = sp.csr_array((np.append(X.data, 0.0), np.append(X.indices, 100), [*X.indptr[:-1], X.nnz + 1]), shape=X.shape)
    more.sort_indices()
    assert found.verify(more, y)
    assert more.nnz == X.nnz + 1


def test_boundary_data_have_the_columns_of_the_user():
    dense, y = QUASI
    narrow = nk.separability(dense, y).boundary_data(dense, y)
    found = nk.separability(wide(dense), y).boundary_data(wide(dense), y)
    assert found.columns.tolist() == [USED[column] for column in narrow.columns]
    assert found.X.toarray().tolist() == narrow.X.tolist()


@pytest.mark.parametrize(("dense", "y"), [COMPLETE, QUASI, OVERLAP])
def test_a_verdict_on_all_columns_says_the_same(dense, y, monkeypatch):
    X = wide(dense)
    X = sp.csr_array(
        (X.data, np.array([3, 7, 99])[np.searchsorted(USED, X.indices)], X.indptr), shape=(len(y), 100_000)
    )
    found = nk.separability(X, y)
    monkeypatch.setattr(_wide_array, "MIN_WIDTH", np.inf)
    full = nk.separability(X, y)
    assert full.columns is None
    assert full.statuses[[3, 7, 99, -1]].tolist() == found.statuses.tolist()
    assert full.verify(X, y)
    same = widened(dataclasses.replace(found, columns=None, n_features=None), Columns(found.columns, 100_000))
    assert same.statuses.tolist() == full.statuses.tolist()
    assert narrowed(full, X)[0].statuses.tolist() == found.statuses.tolist()


def test_names_and_rows_are_cut_alike():
    assert names_in_columns(("a", "b", "c"), np.array([0, 2])) == ("a", "c")
    assert names_in_columns(None, np.array([0])) is None
    assert rows_in_columns(np.array([[0.0, 5.0]]), np.array([1]), 2, 1).toarray().tolist() == [[5.0]]


@pytest.mark.parametrize(
    ("columns", "width", "count"),
    [
        ([-1, 1], 2, 2),
        ([1, 2], 2, 2),
        ([1, 1], 2, 2),
        ([1, 0], 2, 2),
        ([0], 2, 2),
        ([0, 1], None, 2),
        ([0.0, 1.0], 2, 2),
        ([[0, 1]], 2, 2),
    ],
)
def test_columns_that_are_not_ascending_numbers_of_columns_are_refused(columns, width, count):
    rows = np.array([[0.0, 5.0]])
    found = rows_in_columns(rows, np.array(columns), width, count)
    assert (found.claim, found.status) == ("columns", "fails")
    for other in (None, [0, 1]):
        assert rows_in_columns(rows, other, 2, 2).claim == "columns"


def test_rows_of_another_width_are_refused_and_the_first_other_column_is_named():
    assert rows_in_columns(np.zeros((1, 3)), np.array([0, 1]), 2, 2).claim == "data"
    found = rows_in_columns(np.array([[0.0, 5.0, 6.0]]), np.array([0]), 3, 1)
    assert "column 1 has entries" in found.detail
    assert rows_in_columns(np.array([[4.0, 5.0, 0.0]]), np.array([0, 1]), 3, 2).toarray().tolist() == [[4.0, 5.0]]


def test_rows_that_share_their_values_with_the_user_are_not_changed():
    rows = sp.csr_array((np.array([1.0, 0.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    assert rows_in_columns(rows, np.array([0]), 2, 1).toarray().tolist() == [[1.0]]
    assert (rows.nnz, rows.data.tolist()) == (2, [1.0, 0.0])


def test_columns_of_zeros_are_aliased_unless_nothing_is_known():
    found = nk.separability(np.array([[1.0], [2.0]]), [0, 1])
    columns = Columns(np.array([1]), 3)
    aliased, undecided = CoefficientStatus.ALIASED, CoefficientStatus.UNDECIDED
    wider = widened(dataclasses.replace(found, numerators=(5, 7), directions=((1, -1),)), columns)
    assert wider.statuses[[0, 2]].tolist() == [aliased, aliased]
    assert wider.statuses[[1, 3]].tolist() == found.statuses.tolist()
    assert (wider.numerators, wider.directions) == ((0, 5, 0, 7), ((0, 1, 0, -1),))
    assert wider.coef.tolist() == [0.0, found.coef[0], 0.0]
    nothing = dataclasses.replace(found, kind="undecided", coef=None, numerators=None, statuses=np.zeros(2, np.int8))
    assert widened(nothing, columns).statuses.tolist() == [undecided] * 4
    assert (widened(nothing, columns).coef, widened(nothing, columns).numerators) == (None, None)


def test_names_outside_of_the_data_are_left_out():
    assert names_in_columns(("a", "b"), None) == ("a", "b")
    assert names_in_columns(("a", "b"), np.array([-1, 0, 1, 2])) == ("a", "b")
