"""Rows with their labels: a tuple that knows its names."""

import copy
import pickle

import numpy as np
import pytest

import novikoff as nk
from novikoff.data.batch import Batch

X, Y, WEIGHTS = np.eye(3), np.array([1, 0, 1]), np.array([1.0, 0.5, 0.0])


def test_it_unpacks_as_two_or_with_weights_as_three():
    rows, labels = Batch(X, Y)
    assert rows is X
    assert labels is Y
    rows, labels, weights = batch = Batch(X, Y, WEIGHTS)
    assert (rows is batch.X, labels is batch.y, weights is batch.weights) == (True, True, True)
    assert Batch(X, Y).weights is None
    assert isinstance(batch, tuple)


def test_names_and_base_are_those_given():
    assert Batch(X, Y).feature_names is None
    assert Batch(X, Y).index_base is None
    assert Batch(X, Y, feature_names=["a", "b", "c"]).feature_names == ("a", "b", "c")
    assert Batch(X, Y, index_base=0).index_base == 0


def test_a_batch_of_a_table_says_where_it_comes_from():
    plain = Batch(X, Y)
    assert (plain.columns, plain.target, plain.encoder, plain.notes, plain.read_as) == (None, None, None, (), "")
    batch = nk.read(b"a;s;y\n1,5;u;0\n;v;1\n", format="csv", missing="mean")
    assert batch.columns == {"a": "number", "s": "string"}
    assert (batch.target, batch.table_columns) == ("y", ("a", "s", "y"))
    assert batch.read_as.startswith(";-separated")
    assert batch.encoder.encoding_.names == batch.feature_names == ("a", "a=missing", "s=u", "s=v")
    assert batch.notes == ("missing numbers count as the mean, with an indicator column: a (1)",)
    again = pickle.loads(pickle.dumps(batch))
    assert (again.columns, again.notes, again.read_as) == (batch.columns, batch.notes, batch.read_as)
    assert again.encoder.encoding_ == batch.encoder.encoding_


def test_it_says_how_much_it_holds():
    assert repr(Batch(X, Y)) == "Batch(3 rows, 3 columns)"
    assert repr(Batch(X, Y, WEIGHTS)) == "Batch(3 rows, 3 columns, weighted)"
    assert repr(nk.read(b"1 2:1\n")) == "Batch(1 row, 2 columns)"


COPIES = {f"pickle {k}": lambda batch, k=k: pickle.loads(pickle.dumps(batch, k)) for k in range(6)}


@pytest.mark.parametrize("again", [*COPIES.values(), copy.copy, copy.deepcopy], ids=[*COPIES, "copy", "deepcopy"])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_copies_hold_the_same(again, weights):
    batch = again(Batch(X, Y, weights, feature_names="abc", index_base=1))
    assert type(batch) is Batch
    assert len(batch) == (2 if weights is None else 3)
    assert batch.feature_names == ("a", "b", "c")
    assert batch.index_base == 1
    for part, expected in zip(batch, (X, Y, weights), strict=False):
        np.testing.assert_array_equal(part, expected)
