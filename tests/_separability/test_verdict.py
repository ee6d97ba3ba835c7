"""Verdicts of separability: known answers, and the enumeration of tests/reference on every small case."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nk
from reference import separability as reference
from separable_cases import small_case
from share import share_of


def assert_right(X, y, fit_intercept=True):
    """The verdict is the reference's, boundary included, and it is proven."""
    found = nk.separability(X, y, fit_intercept=fit_intercept)
    right = reference.right_side(X, y, fit_intercept)
    assert found.kind == reference.kind(X, y, fit_intercept)
    if found.kind == "quasi-complete":
        assert found.boundary.tolist() == np.flatnonzero(~np.array(right)).tolist()
    verification = found.verify(X, y, exact=True)
    assert verification, str(verification)
    return found


@settings(max_examples=15)
@given(seed=st.integers(0, 10**9))
def test_small_cases_agree_with_the_enumeration(seed):
    assert_right(*small_case(seed))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(share_of(40)))
def test_not_one_false_verdict_in_a_hundred_thousand(part):
    for seed in range(2500 * part, 2500 * (part + 1)):
        X, y, fit_intercept = small_case(seed)
        found = nk.separability(X, y, fit_intercept=fit_intercept)
        assert found.kind == reference.kind(X, y, fit_intercept), seed
        assert found.verify(X, y, exact=True), seed


def test_a_known_margin_lies_between_the_bounds():
    rng = np.random.default_rng(0)
    direction = np.array([3.0, 4.0]) / 5
    y = np.repeat([1, -1], 50)
    X = rng.normal(size=(100, 2))
    X += np.outer(y * (0.25 + rng.random(100)) - X @ direction, direction)
    X[0], X[50] = 0.25 * direction, -0.25 * direction
    found = nk.separability(X, y)
    assert found.kind == "complete"
    assert 0 < found.margin_lower_bound <= 0.25 * (1 + 1e-12)
    assert found.margin_upper_bound >= 0.25 * (1 - 1e-12)
    assert found.verify(X, y)


@pytest.mark.parametrize(
    ("X", "y", "kind"),
    [
        ([[0.0], [1.0]], [0, 1], "complete"),
        ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], "quasi-complete"),  # the hulls share one point
        ([[0.0], [0.0]], [0, 1], "overlap"),  # the same point with both labels
        ([[1e15, 1.0], [1e15 + 1, 1.0]], [0, 1], "complete"),
        ([[0.1 + 0.2], [0.3]], [1, 0], "complete"),  # one unit in the last place apart
        ([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1], "overlap"),  # exclusive or
        ([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 1, 1], "quasi-complete"),  # touching hulls
        ([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]], [0, 0, 1], "complete"),  # collinear columns
    ],
)
def test_textbook_cases(X, y, kind):
    found = assert_right(np.array(X), np.where(np.array(y) == 1, 1, -1))
    assert found.kind == kind
    assert nk.separability(sp.csr_array(np.array(X)), y).kind == kind


def test_a_margin_that_floats_cannot_hold_is_kept_in_whole_numbers():
    """Two rows an ulp apart in a plane: the separator needs more digits than a float has."""
    one_up = np.nextafter(1.0, 2.0)
    X = np.array([[1.0, 1.0], [one_up, one_up], [1.0, one_up], [3.0, 3.0]])
    y = np.array([1, 1, -1, 1])
    assert_right(X, y)
    assert_right(X, -y)


def test_rows_of_zeros_without_an_intercept_lie_on_every_plane():
    found = assert_right(np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.5]]), np.array([1, 1, -1]), fit_intercept=False)
    assert found.kind == "quasi-complete"
    assert assert_right(np.zeros((2, 2)), np.array([1, -1]), fit_intercept=False).kind == "overlap"


@settings(max_examples=15)
@given(seed=st.integers(0, 10**9), scale=st.sampled_from([1e-60, 1e-3, 7.0, 1e60]))
def test_the_verdict_does_not_depend_on_units(seed, scale):
    X, y, fit_intercept = small_case(seed)
    with np.errstate(over="ignore"):
        power = 2.0 ** np.round(np.log2(scale))
        if np.abs(X).max() * power > 1e300 or np.abs(X[X != 0]).min(initial=1.0) * power < 1e-290:
            return
    assert nk.separability(X * power, y, fit_intercept=fit_intercept).kind == reference.kind(X, y, fit_intercept)


def test_quasi_complete_in_larger_data():
    """A rare indicator of one class only: its coefficient diverges, and nothing else does."""
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.normal(size=(2000, 4)).round(2), np.zeros(2000)])
    y = rng.integers(0, 2, 2000)
    rare = np.flatnonzero(y == 0)[:5]
    X[rare, 4] = 1.0
    found = nk.separability(sp.csr_array(X), y)
    assert found.kind == "quasi-complete"
    assert sorted(set(range(2000)) - set(found.boundary.tolist())) == rare.tolist()
    assert found.verify(X, y, exact=True)


def test_refusals():
    with pytest.raises(nk.InvalidInputError, match="two classes"):
        nk.separability([[0.0], [1.0], [2.0]], [0, 1, 2])
    with pytest.raises(nk.InvalidInputError, match="only one class"):
        nk.separability([[0.0], [1.0]], [1, 1])
    with pytest.raises(nk.InvalidInputError, match="NaN"):
        nk.separability([[np.nan], [1.0]], [0, 1])
    with pytest.raises(nk.InvalidInputError, match="fit_intercept"):
        nk.separability([[0.0], [1.0]], [0, 1], fit_intercept="yes")


@settings(max_examples=10)
@given(seed=st.integers(0, 10**9))
def test_witnesses_balance_in_floating_point_too(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, (40, int(rng.integers(1, 4)))).astype(float), rng.integers(0, 2, 40)
    if len(set(y.tolist())) == 2:
        found = nk.separability(X, y)
        assert found.verify(X, y), str(found.verify(X, y))
        assert found.verify(X, y, exact=True), str(found.verify(X, y, exact=True))


@pytest.mark.parametrize("scale", [1e300, 1e139, 1e-160, 1e-310])
def test_lengths_beyond_what_can_be_squared_are_decided(scale):
    X, y = scale * np.array([[0, 1], [0, 2], [3, 3], [4, 1]]), [0, 0, 1, 1]
    found = nk.separability(X, y)
    assert found.kind == "complete"
    assert found.verify(X, y, exact=True)


def test_a_small_complete_separation_has_bounds_close_to_the_best_margin():
    X = np.array([[20, 0, 0, 1], [30, 1, 0, 0], [40, 0, 1, 1], [50, 0, 0, 0], [60, 1, 0, 1], [33, 0, 1, 0.0]])
    found = nk.separability(X, [0, 1, 0, 1, 1, 0])
    best = nk.HardMarginSVM().fit(X, [0, 1, 0, 1, 1, 0]).margin_
    assert found.margin_lower_bound > 0.7 * float(best)
    assert found.margin_upper_bound < 1.1 * float(best)
