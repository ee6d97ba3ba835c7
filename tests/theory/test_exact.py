"""Exact arithmetic: whole numbers, and signs that floating point cannot see."""

import contextlib
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from matrices import FLOATS, matrices
from novikoff.theory import exact
from novikoff.theory.elimination import CONVERSION, OPERATION, Budget, WorkLimitReached
from novikoff.theory.exact import Examples, to_integers


@given(values=st.lists(FLOATS, min_size=1, max_size=6))
def test_whole_numbers_are_the_floats_themselves(values):
    numbers, exponent = to_integers(np.array(values))
    assert [Fraction(number) * Fraction(2) ** exponent for number in numbers] == [Fraction(v) for v in values]
    assert not any(numbers) or any(number % 2 for number in numbers)


@given(
    rows=matrices(FLOATS | st.sampled_from([0.0, 1.0, -1.0, 1e15, 1e-300])),
    direction=st.lists(st.integers(-(10**40), 10**40) | st.integers(-2, 2), min_size=6, max_size=6),
    fit_intercept=st.booleans(),
    sparse=st.booleans(),
)
def test_sides_are_the_signs_of_fractions(rows, direction, fit_intercept, sparse):
    X = np.array(rows)
    y = np.where(np.arange(len(X)) % 2 == 0, 1.0, -1.0)
    direction = direction[: X.shape[1] + fit_intercept]
    found = Examples(sp.csr_array(X) if sparse else X, y, fit_intercept).sides(direction)
    for row, sign, side in zip(rows, y, found, strict=True):
        lifted = [*row, *([1.0] if fit_intercept else [])]
        score = sum(Fraction(x) * v for x, v in zip(lifted, direction, strict=True)) * int(sign)
        assert side == (score > 0) - (score < 0)


def test_a_direction_that_rounds_to_whole_numbers_is_not_taken_for_them():
    """Its share of the largest entry rounds to 1, and x - x' would seem to be 0 exactly."""
    X = np.array([[1.0, -1.0]])
    assert Examples(X, np.ones(1), False).sides([2**80, 2**80 - 1]).tolist() == [1]
    assert Examples(X, np.ones(1), False).sides([2**80 - 1, 2**80]).tolist() == [-1]


@pytest.mark.parametrize("value", [1e308, 5e-324])
def test_overflow_and_underflow_are_settled_exactly(value):
    X = np.array([[value, value], [value, -value]])
    assert Examples(X, np.ones(2), False).sides([10**400, 10**400 - 1]).tolist() == [1, 1]


@pytest.mark.parametrize("sparse", [False, True])
def test_the_smallest_score_is_that_of_fractions(sparse):
    X = np.array([[1e300, 1e-300], [0.1, 5e-324], [3.0, -2.0]])
    examples = Examples(sp.csr_array(X) if sparse else X, np.array([1.0, -1.0, 1.0]), True)
    direction = [3, -(10**30), 7]
    scores = [sign * (3 * Fraction(a) - 10**30 * Fraction(b) + 7) for (a, b), sign in zip(X, (1, -1, 1), strict=True)]
    assert examples.smallest_score(direction) == min(scores)


def test_what_takes_too_much_work_is_not_begun():
    examples = Examples(np.array([[1.0, -1.0]] * 1000), np.ones(1000), False)
    assert not examples.sides([10**40, 10**40]).any()
    with pytest.raises(WorkLimitReached):
        examples.sides([10**40, 10**40], Budget(1000.0))
    with pytest.raises(WorkLimitReached):
        examples.off_zero([[10**40, 10**40]], Budget(1000.0))
    with pytest.raises(WorkLimitReached):
        examples.integer_rows(np.arange(1000), budget=Budget(1000.0))


def test_read_only_sparse_rows_with_stored_zeros_are_not_changed():
    X = sp.csr_array((np.array([1.0, 0.0, 2.0, 3.0]), np.array([0, 1, 1, 0]), np.array([0, 2, 3, 4])), shape=(3, 2))
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    examples = Examples(X, np.array([1.0, 1.0, -1.0]), True)
    assert examples.used(np.array([0, 2])).tolist() == [0, 2]
    assert examples.reaches_beyond(np.array([1, 2])).tolist() == [True, False, True]
    assert examples.sides([1, -1, 0]).tolist() == [1, -1, -1]
    assert examples.off_zero([[0, 1, -2]]).tolist() == [True, False, True]
    assert X.data.tolist() == [1.0, 0.0, 2.0, 3.0]


KINDS = {  # rows and directions; the last is decided by residues
    "integers": (lambda rng: rng.integers(-3, 4, (9, 3)).astype(float), 3),
    "halves": (lambda rng: rng.integers(-3, 4, (9, 3)) / 2, 3),
    "long integers": (lambda rng: rng.integers(-3, 4, (9, 3)) * 2.0**52, 3),
    "far from 1": (lambda rng: rng.integers(-3, 4, (9, 3)) * 2.0**400, 3),
    "long directions": (lambda rng: rng.integers(-3, 4, (9, 3)).astype(float), 10**30),
    "residues": (lambda rng: rng.integers(-3, 4, (9, 3)) / 2, 10**30),
}


def lifted(examples, i):
    """The vector z_i as fractions."""
    x = examples.X[[i]]
    x = x.toarray()[0] if sp.issparse(x) else x[0]
    sign = int(examples.signs[i])
    return [sign * Fraction(v) for v in (*x.tolist(), *([1.0] if examples.fit_intercept else []))]


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_all_predicates_are_those_of_fractions(kind, fit_intercept, layout, monkeypatch):
    monkeypatch.setattr(exact, "MAX_DIRECT_ENTRIES", 5 if kind == "residues" else 2000)
    make, size = KINDS[kind]
    rng = np.random.default_rng(len(kind))
    X = make(rng)
    X[0] = 0.0
    X[2, 1:] = 0.0
    signs = np.where(rng.random(len(X)) < 0.5, 1.0, -1.0)
    examples = Examples(layout(X), signs, fit_intercept)
    vectors = [lifted(examples, i) for i in range(len(X))]
    width = 3 + fit_intercept
    directions = [[int(v) * size for v in rng.integers(-1, 2, width)] for _ in range(3)]
    directions += [[0] * width, [1, *[0] * (width - 1)], [size, -size, *[0] * (width - 2)]]
    scores = np.array([[sum(z * v for z, v in zip(x, d, strict=True)) for d in directions] for x in vectors])
    assert examples.off_zero(directions).tolist() == np.any(scores != 0, axis=1).tolist()
    assert not examples.off_zero([[0] * width]).any()
    assert not examples.off_zero([]).any()
    wrong = examples.wrong_sides(directions)
    assert [row >= 0 for row in wrong] == np.any(scores < 0, axis=0).tolist()
    assert all(scores[row, k] < 0 for k, row in enumerate(wrong) if row >= 0)
    assert examples.wrong_sides([]).tolist() == []
    for k, direction in enumerate(directions):
        assert examples.sides(direction).tolist() == np.sign(scores[:, k]).tolist()
        assert examples.open_sides(np.arange(len(X)), direction).tolist() == np.sign(scores[:, k]).tolist()
        clear, is_open = examples.clear_sides(direction)
        assert clear[~is_open].tolist() == np.sign(scores[~is_open, k]).tolist()
        for cut, found in examples.relative_scores(np.array(direction, dtype=float)):
            sizes = [sum(abs(z * v) for z, v in zip(x, direction, strict=True)) for x in vectors[cut]]
            expected = [float(s / size) if size else 0.0 for s, size in zip(scores[cut, k], sizes, strict=True)]
            assert found == pytest.approx(expected, abs=1e-14)
        assert examples.smallest_score(direction) == scores[:, k].min()


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_rows_are_cut_and_signed_without_rounding(fit_intercept, layout):
    X, signs = np.array([[1.0, 0.0, -0.5], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0]]), np.array([1.0, -1.0, -1.0])
    examples, rows = Examples(layout(X), signs, fit_intercept), np.array([0, 2])
    ones = [[1.0], [-1.0]] if fit_intercept else [[], []]
    assert examples.floats(rows).tolist() == [[1.0, 0.0, -0.5, *ones[0]], [0.0, -3.0, 0.0, *ones[1]]]
    assert examples.floats(rows, np.array([1, 2])).tolist() == [[0.0, -0.5], [-3.0, 0.0]]
    last = np.array([0, 3])
    assert not fit_intercept or examples.floats(rows, last).tolist() == [[1.0, 1.0], [0.0, -1.0]]
    assert examples.integer_rows(rows, np.array([0, 1])) == [([1, 0], 0), ([0, -3], 0)]
    assert examples.integer_rows(rows, np.array([0, 2])) == [([2, -1], -1), ([0, 0], 0)]
    assert examples.used(rows).tolist() == [0, 1, 2, *([3] if fit_intercept else [])]
    assert examples.used(rows[1:]).tolist() == [1, *([3] if fit_intercept else [])]
    inside = np.array([0, 2, 3]) if fit_intercept else np.array([0, 2])
    assert examples.reaches_beyond(inside).tolist() == [False, False, True]
    assert examples.reaches_beyond(np.array([0, 1, 2])).tolist() == [fit_intercept] * 3
    assert examples.reaches_beyond(np.arange(examples.columns)).tolist() == [False] * 3
    assert examples.entries() == (3 if layout is sp.csr_array else 9)
    assert examples.entries(rows) == (3 if layout is sp.csr_array else 6)
    assert examples.entries(rows[:1]) == (2 if layout is sp.csr_array else 3)


def test_only_short_integers_are_taken_as_they_are():
    examples = Examples(np.array([[2.0**53 - 1, -1.0], [2.0**53, 2.0]]), np.ones(2), False)
    assert examples.integer_rows(np.array([0])) == [([2**53 - 1, -1], 0)]
    assert examples.integer_rows(np.array([1])) == [([2**52, 1], 1)]


def test_scores_of_short_integers_are_exact_and_others_have_bounds():
    def errors(row, direction, **options):
        (_, scores, found), *_ = Examples(np.array([row]), -np.ones(1), True).scores(np.array(direction), **options)
        return scores, found

    assert [x.tolist() for x in errors([3.0, 0.0], [2.0, 1.0, -5.0])] == [[-1.0 / 16], [0.0]]  # in units of 2^e
    for row, direction in (
        ([0.5, 1.0], [1.0, 1.0, 0.0]),
        ([1.0, 1.0], [0.5, 1.0, 0.0]),
        ([2.0**52, 1.0], [1.0, 1.0, 2.0**52]),
    ):
        assert errors(row, direction)[1][0] > 0
    assert errors([0.5, 1.0], [0.0, 1.0, 0.0])[1].tolist() == [0.0]  # the half is not used
    assert errors([3.0, 0.0], [2.0, 1.0, -5.0], rounded=True)[1][0] > 0
    assert errors([2.0**52, 1.0], [1.0, 1.0, 1.0])[1][0] > 0  # terms up to 3 * 2^52
    assert errors([2.0**51, 1.0], [1.0, 1.0, 1.0])[1].tolist() == [0.0]


def test_work_is_spent_on_each_entry():
    examples, direction = Examples(np.full((5, 3), 0.1), np.ones(5), True), [2**70 - 1, 1, 0, 0]
    each = CONVERSION + OPERATION + 70
    for budget, is_enough in ((20 * each, True), (20 * each - 1, False)):  # three values and one for the intercept
        with contextlib.nullcontext() if is_enough else pytest.raises(WorkLimitReached):
            examples.smallest_score(direction, Budget(float(budget)))
