"""The survey: what all partitions together say, and what is refused."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.distributed.block import checked_block
from novikoff.distributed.engines.local import LocalEngine
from novikoff.distributed.survey import Survey, codes_of, in_width, survey, survey_block
from novikoff.errors import InvalidInputError
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


def test_labels_of_weight_zero_are_not_classes():
    found = surveyed([np.ones((3, 1))], [np.array(["a", "b", "c"])], [np.array([1.0, 0.0, 2.0])])
    assert found.counts == {"a": 1.0, "c": 2.0}
    classes, counts = found.classes("here")
    assert (classes.tolist(), counts.tolist()) == (["a", "c"], [1.0, 2.0])
    block = checked_block("here", np.ones((3, 1)), ["c", "b", "a"])
    assert codes_of(block, ["a", "c"]).tolist() == [1, -1, 0]


def test_classes_ascend_whatever_partition_they_are_met_in():
    found = surveyed([np.ones((2, 1)), np.ones((1, 1))], [np.array([7, 3]), np.array([5])])
    assert found.classes("here")[0].tolist() == [3, 5, 7]
    words = surveyed([np.ones((2, 1)), np.ones((1, 1))], [np.array(["b", "a"]), np.array(["longer"])])
    assert words.classes("here")[0].tolist() == ["a", "b", "longer"]


def test_sparse_rows_of_a_partition_may_have_fewer_columns():
    parts = [sp.csr_matrix(np.eye(2)), sp.csr_matrix(np.eye(5))]
    found = surveyed(parts, [np.array([0, 1]), np.array([0, 1, 0, 1, 0])])
    assert (found.columns, found.is_sparse, found.elements) == (5, True, 7)
    assert in_width(parts[0], 5).toarray().tolist() == np.eye(5)[:2].tolist()
    assert in_width(np.zeros((0, 2)), 5).shape == (0, 5)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (
            [np.ones((1, 2)), np.ones((1, 3))],
            r"partition 0 has 2 columns, but partition 1 has 3\. All partitions",
        ),
        ([np.ones((1, 3)), sp.csr_matrix(np.ones((1, 3)))], r"partition 0 has 3 columns, but others are sparse\."),
        ([np.ones((1, 0)), np.ones((1, 0))], r"the rows have no columns\."),
    ],
)
def test_rows_that_do_not_fit_together_are_refused(X, message):
    with pytest.raises(InvalidInputError, match=message):
        surveyed(X, [np.array([0]), np.array([1])])


@pytest.mark.parametrize(
    ("X", "y", "weights", "message"),
    [
        (np.ones((0, 2)), np.zeros(0), None, r"^here: the data have no rows\.$"),
        (np.ones((2, 2)), None, None, r"^here: y is missing\. Pass the labels, or the name of their column\.$"),
        (np.ones((2, 2)), np.array([0, 1]), np.zeros(2), r"^here: sample_weight is zero for every row\.$"),
        (np.ones((2, 2)), np.array(["a", "a"]), None, r"^here: y has only one class, 'a'\. At least two are needed\.$"),
        (np.ones((2, 2)), np.array([0, 1]), np.array([1.0, 0.0]), r"^here: y has only one class, 0\."),
    ],
)
def test_data_without_two_classes_are_refused_with_the_reason(X, y, weights, message):
    found = surveyed([X], None if y is None else [y], None if weights is None else [weights])
    with pytest.raises(InvalidInputError, match=message):
        found.classes("here")


def test_a_partition_without_labels_is_named():
    with pytest.raises(InvalidInputError, match=r"^here: partition 1: the rows have no labels\. Pass y\.$"):
        codes_of(checked_block("here: partition 1", np.ones((2, 1)), None), [0, 1])
    assert len(codes_of(checked_block("here", np.ones((0, 1)), None), [0, 1])) == 0


def test_too_many_labels_are_refused():
    X = np.ones((10_001, 1))
    with pytest.raises(InvalidInputError, match=r"y has 10001 different labels, but at most 10000 are classes"):
        survey_block(checked_block("p", X, np.arange(10_001.0)), 0, None)
    assert isinstance(survey_block(checked_block("p", X, np.arange(10_001.0) // 2), 0, None)[1], Survey)
