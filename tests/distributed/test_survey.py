"""The survey: what all partitions together say, and what is refused."""

import math

import numpy as np

from novikoff.distributed.engines.local import LocalEngine
from novikoff.distributed.survey import survey
from partitions import cut

RNG = np.random.default_rng(0)


def surveyed(X, y, weights=None):
    engine = LocalEngine(2)
    with engine.open(engine.data("here", X, y, weights)) as rounds:
        return survey("here", rounds)


def test_any_cut_says_the_same_about_all_rows():
    X, y = RNG.normal(size=(20, 3)), RNG.integers(0, 3, 20)
    weights = RNG.integers(0, 3, 20).astype(float)
    counts = {k: float(weights[y == k].sum()) for k in range(3)}
    for sizes in ([20], [0, 20], [1, 0, 19], [7, 6, 7], [1] * 20):
        found = surveyed(cut(X, sizes), cut(y, sizes), cut(weights, sizes))
        assert found.rows == sizes
        assert found.firsts == [sum(sizes[:k]) for k in range(len(sizes))]
        assert (found.count, found.columns, found.elements) == (20, 3, 60)
        assert (found.largest, found.counts) == (np.abs(X).max(), counts)
        assert (found.is_sparse, found.has_weights, found.dtype) == (False, True, y.dtype)


def test_totals_are_rounded_once_for_any_cut():
    X, y, weights = np.ones((3000, 1)), RNG.integers(0, 2, 3000), RNG.random(3000) * 10.0 ** RNG.integers(-9, 9, 3000)
    counts = {k: math.fsum(weights[y == k].tolist()) for k in range(2)}
    for sizes in ([3000], [1000, 1, 999, 0, 1000], [100] * 30):
        assert surveyed(cut(X, sizes), cut(y, sizes), cut(weights, sizes)).counts == counts


def test_classes_ascend_whatever_partition_they_are_met_in():
    found = surveyed([np.ones((2, 1)), np.ones((1, 1))], [np.array([7, 3]), np.array([5])])
    assert found.classes("here")[0].tolist() == [3, 5, 7]
    words = surveyed([np.ones((2, 1)), np.ones((1, 1))], [np.array(["b", "a"]), np.array(["longer"])])
    assert words.classes("here")[0].tolist() == ["a", "b", "longer"]
