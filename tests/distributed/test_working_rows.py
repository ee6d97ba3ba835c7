import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.distributed.block import checked_block
from novikoff.distributed.engines.local import LocalEngine
from novikoff.distributed.survey import survey
from novikoff.distributed.working_rows import (
    Frame,
    Opening,
    Part,
    Sent,
    WorkingRows,
    open_working_set,
    rows_to_add,
    send_first_rows,
    spread,
)
from working_sets import cut


def opened(X, y, weights=None):
    """The frame and the first working set of partitions."""
    engine = LocalEngine(2)
    with engine.open(engine.data("test", X, y, weights)) as rounds:
        found = survey("test", rounds)
        frame = Frame.of(found, found.classes("test")[0])
        return frame, open_working_set(rounds, found, frame)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_rows_are_numbered_over_all_partitions(is_sparse):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 3)), rng.choice(["a", "b", "c"], 500)
    table = sp.csr_matrix(X) if is_sparse else X
    frame, found = opened(*cut(table, y, at=[0, 100, 100, 350]))
    working = found.working
    assert frame.firsts == [0, 0, 100, 100, 350]
    assert np.all(np.diff(working.numbers) > 0)
    assert len(working) < 150
    assert np.array_equal(working.X.toarray() if is_sparse else working.X, X[working.numbers])
    assert np.array_equal(np.array(frame.classes)[working.codes], y[working.numbers])
    assert set(working.codes.tolist()) == {0, 1, 2}


def test_the_largest_length_is_that_of_all_rows_of_positive_weight():
    X = np.array([[3.0, 4.0], [1.0, 0.0], [100.0, 0.0], [0.0, 2.0]])
    y, weights = np.array([0, 1, 1, 0]), np.array([1.0, 0.5, 0.0, 2.0])
    _, found = opened(*cut(X, y, weights, at=[2]))
    assert found.squared_radius.low <= 25 <= found.squared_radius.high
    assert found.squared_radius.high - found.squared_radius.low < 1e-10
    assert found.examples == 3
    assert 2 not in found.working.numbers


def test_a_class_of_one_row_is_gathered():
    X, y = np.arange(1000.0)[:, None], np.zeros(1000, dtype=int)
    y[777] = 1
    _, found = opened(*cut(X, y, at=[300, 600]))
    assert 777 in found.working.numbers


def test_a_step_can_be_repeated_and_no_row_is_sent_twice():
    block = checked_block("part", np.arange(8.0)[:, None], np.array([0, 1] * 4))
    frame = Frame([0, 1], 1, [0, 8], 7.0)
    sent, reply = send_first_rows(block, 1, Opening(frame, 1))
    again, same = send_first_rows(block, 1, Opening(frame, 1))
    assert reply.working.numbers.tolist() == same.working.numbers.tolist() == [8, 9]
    assert sent.rows.tolist() == again.rows.tolist() == [0, 1]
    assert sent.partition == 1
    part = Part(block, sent, frame)
    assert part.is_new.tolist() == [False, False] + [True] * 6
    later, rows = part.send(np.array([5, 3, 3]))
    assert rows.numbers.tolist() == [11, 13]
    assert later.rows.tolist() == [0, 1, 3, 5]
    assert sent.rows.tolist() == [0, 1]


def test_a_partition_without_rows_that_count_sends_nothing():
    block = checked_block("part", np.ones((2, 1)), np.array([0, 1]), np.zeros(2))
    sent, reply = send_first_rows(block, 0, Opening(Frame([0, 1], 1, [0], 1.0), 5))
    assert reply is None
    assert isinstance(sent, Sent)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_the_smallest_rows_come_first_and_equal_rows_once(is_sparse):
    X = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 3.0], [2.0, 0.0]])
    block = checked_block("part", sp.csr_matrix(X) if is_sparse else X, np.array([0, 1, 0, 1, 1]))
    part = Part(block, 0, Frame([0, 1], 2, [0], 3.0))
    values = np.array([0.5, -1.0, 0.5, 0.5, -1.0])
    assert part.smallest(values, np.arange(5), 3).tolist() == [1, 0, 3]
    assert part.smallest(values, np.arange(5), 2).tolist() == [1, 0]
    assert part.smallest(values, np.array([2, 3]), 9).tolist() == [2, 3]


def test_sparse_rows_have_the_width_of_the_widest_partition():
    X = [sp.csr_matrix([[1.0]]), sp.csr_matrix([[0.0, 0.0, 2.0]])]
    _, found = opened(X, [np.array([0]), np.array([1])])
    assert found.working.X.toarray().tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]


def test_rows_of_several_partitions_are_joined_in_order():
    def rows(*numbers):
        return WorkingRows(np.array(numbers), np.array(numbers, dtype=float)[:, None], np.zeros(len(numbers), np.int32))

    joined = rows(5, 7) + rows() + rows(1, 9)
    assert joined.in_order().numbers.tolist() == [1, 5, 7, 9]
    assert joined.in_order().X.ravel().tolist() == [1, 5, 7, 9]


def test_spread_keeps_both_ends():
    assert spread(np.arange(100), 3).tolist() == [0, 49, 99]
    assert spread(np.arange(3), 3).tolist() == [0, 1, 2]


@pytest.mark.parametrize(("columns", "sharers", "expected"), [(10, 4, 50), (300, 4, 150), (10**6, 4, 500), (1, 999, 1)])
def test_every_partition_may_send_its_share(columns, sharers, expected):
    assert rows_to_add(columns, sharers) == expected
