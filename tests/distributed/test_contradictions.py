import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.distributed.block import checked_block
from novikoff.distributed.contradictions import (
    Claims,
    ClaimTest,
    OnPlane,
    Setting,
    Span,
    list_columns,
    list_rows_on_plane,
    send_contradictions,
)
from novikoff.distributed.moments import IndexSet
from novikoff.distributed.packed_integers import packed
from novikoff.distributed.working_rows import Frame
from novikoff.theory.balance import balance
from novikoff.theory.certificate import Duals
from novikoff.theory.exact import Examples

X = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [-3.0, 0.0], [0.0, -1.0]])
Y = np.array([1, 1, 1, 0, 0, 0])


def contradicting(claims, X=X, y=Y, most=9, columns=None, fit_intercept=False, weights=None):
    """The rows of a partition that contradict claims."""
    frame = Frame([0, 1], X.shape[1], [0], float(abs(X).max()))
    setting = Setting(frame, columns, fit_intercept, 1)
    _, found = send_contradictions(checked_block("part", X, y, weights), 0, ClaimTest(setting, claims, most))
    return found.numbers.tolist()


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        (Claims(packed([1, 1]), is_complete=True), []),
        (Claims(packed([1, 0]), is_complete=True), [0, 1, 2, 3, 4, 5]),  # with those that are nearly wrong
        (Claims(packed([1, 0])), []),
        (Claims(packed([-1, 0])), [0, 1, 3, 4]),
        (Claims(packed([1, 0]), span=Span(np.array([1]), [])), []),
        (Claims(packed([0, 1]), span=Span(np.array([1]), [])), [0, 1, 3, 4]),
        (Claims(None, span=Span(np.array([0, 1]), [])), []),
        (Claims(None, span=Span(np.array([0, 1]), [packed([1, -1])])), [0, 1, 2, 3, 4, 5]),
        (Claims(packed([1, 1]), True, directions=(packed([1, 0]), packed([0, 1]))), []),
        (Claims(packed([1, 1]), True, directions=(packed([1, 0]), packed([1, -1]))), [2, 5]),
        (Claims(packed([1, 1]), True, dependences=(packed([0, 1]),)), [2, 5]),
        (Claims(packed([1, 1]), True, used=np.array([0, 1])), []),
        (Claims(packed([1, 1]), True, used=np.array([0])), [2, 5]),
    ],
)
def test_rows_that_contradict_each_kind_of_claim_are_sent(claims, expected, is_sparse):
    assert contradicting(claims, sp.csr_matrix(X) if is_sparse else X) == expected


def test_the_sign_of_one_unit_in_the_last_place_is_decided():
    third = np.array([[1.0 / 3.0, 1.0], [-1.0 / 3.0, -1.0], [np.nextafter(1 / 3, 1), 1.0]])
    y, plane = np.array([1, 0, 1]), [3 * 2**54, -(2**54) + 1]
    exact = [3 * int(row[0] * 2**54) * 2**54 + int(row[1] * 2**54) * plane[1] for row in third.tolist()]
    sides = [np.sign(value) * (1 if label else -1) for value, label in zip(exact, y, strict=True)]
    assert sides == [0, 0, 1]
    assert contradicting(Claims(packed(plane)), third, y) == []
    assert contradicting(Claims(packed([-entry for entry in plane])), third, y) == [2]
    assert 0 in contradicting(Claims(packed(plane), is_complete=True), third, y)
    assert contradicting(Claims(packed(plane), is_complete=True), third[2:], y[2:]) == []


def test_the_most_wrong_rows_come_first():
    rows = np.array([[-3.0, 2.0], [-3.0, 1.0], [-30.0, 0.0], [1.0, 1.0]])
    assert contradicting(Claims(packed([1, 1])), rows, np.ones(4, dtype=int), most=2) == [1, 2]


def test_rows_of_weight_zero_contradict_nothing():
    assert contradicting(Claims(packed([1, 0]), True), weights=np.array([1.0, 1, 0, 1, 1, 0])) == []


def test_rows_are_cut_to_the_columns_that_occur():
    wide = sp.csr_matrix((X.ravel(), np.tile([3, 70], 6), np.arange(0, 13, 2)), shape=(6, 100))
    assert contradicting(Claims(packed([-1, 0])), wide, columns=np.array([3, 70])) == [0, 1, 3, 4]


def test_the_intercept_is_the_last_entry_of_a_plane():
    assert contradicting(Claims(packed([1, 1, 2])), fit_intercept=True) == [3, 5]


def test_a_span_is_that_of_the_rows_that_balance():
    examples = Examples(np.array([[1.0, 0, 0], [1.0, 0, 0], [0.0, 1, 1]]), np.array([1.0, -1, 1]), False)
    proof = balance(examples, Duals(np.array([0, 1]), np.ones(2)))
    span = Span.of(proof, 3)
    assert span.columns.tolist() == [0]
    assert span.moves == []


def test_rows_on_a_plane_are_listed():
    frame = Frame([0, 1], 2, [0, 10], 3.0)
    command = OnPlane(Setting(frame, None, False, 1), packed([1, 0]))
    assert [rows.tolist() for rows in list_rows_on_plane(checked_block("part", X, Y), 1, command)[1]] == [[12, 15]]
    assert list_rows_on_plane(checked_block("part", X[:0], Y[:0]), 0, command)[1] == []


def test_columns_of_all_partitions_are_joined():
    frame = Frame([0, 1], 5, [0, 1], 1.0)
    rows = [sp.csr_matrix(([1.0, 1.0], ([0, 0], columns)), shape=(1, 5)) for columns in ([0, 3], [3, 4])]
    found = [list_columns(checked_block("part", row, np.array([1])), 0, frame)[1] for row in rows]
    assert (found[0] + found[1]).indices.tolist() == [0, 3, 4]
    nothing = list_columns(checked_block("part", rows[0], np.array([1]), np.zeros(1)), 0, frame)[1]
    assert isinstance(nothing, IndexSet)
    assert nothing.indices.tolist() == []
