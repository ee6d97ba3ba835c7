"""Options decide whether the columns of a table are hashed or grow."""

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

import novikoff as nk

TABLE = pa.table({"a": [1.0, 2.0], "job": ["clerk", "cook"], "y": [0, 1]})


def test_columns_are_hashed_only_if_that_is_asked_for():
    (hashed,) = nk.scan(TABLE, hashing=nk.Hashing(n_bits=5))
    assert (hashed.X.shape, hashed.feature_names, hashed.running) == ((2, 32), None, None)
    (named,) = nk.scan(TABLE)
    assert named.feature_names == ("a", "job=clerk", "job=cook")
    np.testing.assert_array_equal(named.X.toarray(), [[1, 1, 0], [2, 0, 1]])


def test_numbers_are_dense_either_way():
    numbers = TABLE.select(["a", "y"])
    for options in ({}, {"hashing": nk.Hashing()}):
        ((X, _),) = nk.scan(numbers, **options)
        assert not sp.issparse(X)
        assert X.tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hashing": 20}, "hashing must be a Hashing"),
        ({"missing": "median"}, "missing must be"),
        ({"missing": "mean", "hashing": nk.Hashing()}, "missing must be"),
        ({"scale": "robust"}, "scale must be"),
    ],
)
def test_what_a_stream_cannot_do_is_refused(options, words):
    with pytest.raises(nk.InvalidInputError, match=words):
        nk.scan(TABLE, **options)
