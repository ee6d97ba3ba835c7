"""HardMarginSVM: data that it refuses."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import novikoff as nk
from machines import INTERCEPTS, fewer_examples
from strategies import make_separable, seeds

each_intercept = pytest.mark.parametrize("intercept", INTERCEPTS)


def overlapping(seed=0, rows=60, columns=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)), np.where(rng.random(rows) < 0.5, 1, -1)


def assert_shows(error, X, y, intercept):
    """The witness is a combination of rows that is nearly 0, with both classes alike if the intercept is free."""
    a = error.witness.dense(len(y))
    assert error.rows.tolist() == np.flatnonzero(a).tolist()
    assert np.all(a >= 0)
    assert a.sum() == pytest.approx(1)
    assert np.linalg.norm((a * y) @ X) <= 1e-5 * np.hypot(1, np.linalg.norm(X, axis=1).max())
    if intercept != "none":
        assert abs(a @ y) <= 1e-5


# ---- data that cannot be separated ----------------------------------------------------------------------------------


@each_intercept
@fewer_examples
@given(seed=seeds)
def test_overlap_is_refused_with_a_witness(intercept, seed):
    X, y = overlapping(seed)
    with pytest.raises(nk.NotSeparableError, match=r"^HardMarginSVM: no hyperplane separates class 1 from") as caught:
        nk.HardMarginSVM(**INTERCEPTS[intercept]).fit(X, y)
    assert_shows(caught.value, X, y, intercept)


@each_intercept
@pytest.mark.parametrize("X", [np.zeros((4, 2)), np.ones((4, 2)), sp.csr_array((4, 3))])
def test_equal_rows_are_refused(intercept, X):
    with pytest.raises(nk.NotSeparableError) as caught:
        nk.HardMarginSVM(**INTERCEPTS[intercept]).fit(X, [0, 1, 1, 0])
    assert_shows(caught.value, X if not sp.issparse(X) else X.toarray(), np.array([-1, 1, 1, -1]), intercept)


def test_one_row_with_both_labels_is_refused():
    data = make_separable(np.random.default_rng(0), 50, 3, 0.2, intercept=True)
    X, y = np.vstack([data.X, data.X[11:12]]), np.append(data.y, -data.y[11])
    with pytest.raises(nk.NotSeparableError) as caught:
        nk.HardMarginSVM().fit(X, y)
    assert_shows(caught.value, X, y, "free")


def test_hulls_that_touch_are_refused():
    X, y = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 3.0]]), np.array([0, 0, 1, 1])
    with pytest.raises(nk.NotSeparableError):
        nk.HardMarginSVM().fit(X, y)


def test_the_error_is_a_value_error_and_can_be_stored():
    X, y = overlapping()
    with pytest.raises(ValueError, match="Use LinearSVM") as caught:
        nk.HardMarginSVM().fit(X, y)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.rows.tolist() == caught.value.rows.tolist()


def test_a_refusal_leaves_the_last_fit_in_place_or_none():
    data = make_separable(np.random.default_rng(0), 50, 3, 0.2, intercept=True)
    model = nk.HardMarginSVM()
    with pytest.raises(nk.NotSeparableError):
        model.fit(*overlapping())
    assert not [name for name in vars(model) if name.endswith("_")]
    before = model.fit(data.X, data.y).coef_.tobytes()
    with pytest.raises(nk.NotSeparableError):
        model.fit(*overlapping())
    assert model.coef_.tobytes() == before


# ---- parameters and data that cannot be used ------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-145, 1e145])
def test_rows_that_are_too_long_or_too_short_are_refused(scale):
    with pytest.raises(nk.InvalidInputError, match=r"^HardMarginSVM: rows of length .* Scale X"):
        nk.HardMarginSVM().fit([[scale], [-scale]], [0, 1])
