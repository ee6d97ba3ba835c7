"""The default C of partitioned rows is that of one machine; columns that occur are found in all partitions."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.distributed.engines.local import LocalEngine
from novikoff.distributed.moments import IndexSet, default_cost, occurring_columns
from novikoff.distributed.survey import survey
from partitions import cut, parameters


def on_partitions(sizes, X, y, weights, function):
    engine = LocalEngine(2)
    with engine.open(engine.data("here", cut(X, sizes), cut(y, sizes), cut(weights, sizes))) as rounds:
        found = survey("here", rounds)
        return function(rounds, found)


def cost(sizes, X, y, weights=None, intercept="free", factors=None):
    classes = tuple(np.unique(y).tolist())
    return on_partitions(
        sizes, X, y, weights, lambda *given: default_cost(*given, classes, factors, intercept != "none")
    )


def rows_of(kind, rng):
    """30 rows of a kind."""
    X = rng.normal(size=(30, 4))
    if kind == "constant":
        return np.full((30, 4), 1 / 3)
    if kind == "nearly constant":
        return 1e6 + X * 1e-3
    if kind == "zeros":
        return np.zeros((30, 4))
    if kind == "float32":
        return X.astype(np.float32)
    if kind == "mixed units":
        return X * 10.0 ** np.array([-5, 0, 3, 9])
    if kind == "sparse":
        return sp.csr_matrix(np.where(rng.random((30, 4)) < 0.4, X + 3, 0.0))
    return X * float(kind)


KINDS = [
    "1",
    "1e-7",
    "1e7",
    "1e-120",
    "1e110",
    "constant",
    "nearly constant",
    "zeros",
    "float32",
    "mixed units",
    "sparse",
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", ["free", "none"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_default_cost_is_that_of_one_machine(kind, intercept, is_weighted):
    rng = np.random.default_rng(KINDS.index(kind))
    X, y = rows_of(kind, rng), np.arange(30) % 2
    weights = rng.choice([0.0, 0.5, 3.0], 30) + (np.arange(30) < 2) if is_weighted else None
    one = nk.LinearSVM(max_iter=1, tol=1.0, **parameters(intercept)).fit(X, y, sample_weight=weights)
    for sizes in ([30], [0, 1, 29], [10, 10, 10], [1] * 30):
        assert cost(sizes, X, y, weights, intercept) == one.certificate_.C


def test_columns_of_sparse_rows_that_occur():
    X = sp.csr_matrix(([1.0, 1.0, 2.0], ([0, 1, 2], [7, 2, 7])), shape=(4, 9))
    y = np.array([0, 1, 0, 1])
    assert on_partitions([1, 0, 3], X, y, None, occurring_columns).tolist() == [2, 7]
    assert on_partitions([4], sp.csr_matrix((4, 9)), y, None, occurring_columns).tolist() == [0]
    assert on_partitions([2, 2], sp.csr_matrix(np.eye(4)), y, None, occurring_columns) is None
    assert on_partitions([2, 2], np.zeros((4, 2)), y, None, occurring_columns) is None
    union = IndexSet(np.array([1, 4])) + IndexSet(np.array([0, 4, 9]))
    assert union.indices.tolist() == [0, 1, 4, 9]
