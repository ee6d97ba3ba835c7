"""The sum of replies: which kinds are added how, and in which order."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.distributed.moments import IndexSet
from novikoff.distributed.protocol import added, size_of, size_of_replies, tree_sum
from novikoff.distributed.survey import Survey


@dataclass(frozen=True)
class Word:
    """Text whose sum shows the order of additions."""

    text: str

    def __add__(self, other):
        return Word(f"({self.text}+{other.text})")


@pytest.mark.parametrize(
    ("count", "order"),
    [
        (1, "0"),
        (2, "(0+1)"),
        (3, "((0+1)+2)"),
        (4, "((0+1)+(2+3))"),
        (5, "(((0+1)+(2+3))+4)"),
        (6, "(((0+1)+(2+3))+(4+5))"),
        (7, "(((0+1)+(2+3))+((4+5)+6))"),
    ],
)
def test_neighbours_are_added_in_a_tree(count, order):
    assert tree_sum([Word(str(k)) for k in range(count)]).text == order


def test_floats_are_rounded_in_the_order_of_the_tree():
    values = [1.0, 2.0**-53, 2.0**-53, 2.0**-53]
    assert tree_sum(values) == 1.0 + 2.0**-52  # ((1 + t) + (t + t)), where 1 + t is 1
    assert tree_sum(values) != sum(values)
    arrays = tree_sum([np.array([value]) for value in values])
    assert arrays.tolist() == [tree_sum(values)]


def test_each_kind_is_added_by_its_rule():
    assert added(None, 3) == added(3, None) == 3
    assert added(None, None) is None
    assert added((1, None, [1]), (2, 5, [2])) == (3, 5, [1, 2])
    assert added({"a": 1, "b": (1, 2)}, {"b": (3, 4), "c": [5]}) == {"a": 1, "b": (4, 6), "c": [5]}
    assert list(added({"b": 1}, {"a": 1})) == ["b", "a"]
    assert added(Fraction(1, 3), Fraction(1, 6)) == Fraction(1, 2)
    assert np.array_equal(added(np.array([1, 2]), np.array([3, 4])), [4, 6])
    assert added(Word("a"), Word("b")) == Word("(a+b)")
    with pytest.raises(ValueError, match="zip"):
        added((1, 2), (1,))


@pytest.mark.parametrize("count", range(1, 10))
def test_lists_are_joined_in_the_order_of_partitions(count):
    assert tree_sum([[k] for k in range(count)]) == list(range(count))


def test_arguments_are_not_modified():
    items = [[0], [1], [2]]
    first = np.zeros(1)
    tree_sum(items)
    added(first, np.ones(1))
    assert (items, first.tolist()) == ([[0], [1], [2]], [0.0])


def test_the_size_is_that_of_the_numbers():
    matrix = sp.csr_matrix(np.eye(3))
    sparse = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    assert size_of(np.zeros((2, 3))) == 48
    assert size_of(matrix) == sparse
    assert size_of({"a": [1, 2.0, (np.float64(1),)], "b": np.zeros(2, dtype=np.float32)}) == 32
    assert size_of(Word("text")) == size_of(None) == size_of("text") == 0


@pytest.mark.parametrize(
    "replies",
    [
        [np.zeros(3), np.ones(3)],
        [[np.zeros(2)], [np.zeros(5)], []],
        [(1.0, [np.zeros(2)]), (2.0, [])],
        [IndexSet(np.array([1, 2])), IndexSet(np.array([2, 4, 5])), IndexSet(np.array([2], dtype=np.int64))],
        [Survey([rows], 3, {}, None, 1.0, 3 * rows, False, {}, False) for rows in (1, 5, 2)],
    ],
)
def test_the_size_of_replies_is_known_from_their_sum(replies):
    total = tree_sum(replies)
    assert size_of_replies(total, len(replies)) == sum(size_of_replies(reply, 1) for reply in replies)
