"""The setup: problems of partitions, their rows, costs and columns."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.distributed.block import checked_block
from novikoff.distributed.soft_margin.setup import LocalProblem, Setup, begin


def setup_of(**changed):
    usual = {
        "classes": ("a", "b", "c"),
        "factors": None,
        "pairs": ((0, -1), (2, 1)),
        "columns": None,
        "total_columns": 3,
        "firsts": (0, 10),
        "C": 4.0,
        "loss": "hinge",
        "intercept": "free",
        "scale": 0.5,
        "largest": 2.0,
    }
    return Setup(**{**usual, **changed})


X = np.arange(12.0).reshape(4, 3)
BLOCK = checked_block("p", X, ["a", "b", "c", "b"], [1.0, 2.0, 3.0, 0.0])


def test_regularisation_of_the_scaled_problem():
    setup = setup_of(intercept="penalized")
    assert (setup.lam, setup.kappa) == (0.0625, 0.25)
    assert setup.penalty.tolist() == [0.0625, 0.0625, 0.0625, 0.25]
    assert setup_of().penalty.tolist()[-1] == setup_of(intercept="none").kappa == 0.0
    assert setup_of().has_free_intercept
    assert not setup.has_free_intercept


def test_costs_are_products_of_weights():
    state, reply = begin(BLOCK, 1, setup_of(factors=np.array([10.0, 1.0, 0.5])))
    assert (state.first, state.codes.tolist(), reply) == (10, [0, 1, 2, 1], None)
    assert state.costs.tolist() == [10.0, 2.0, 1.5, 0.0]
    plain = checked_block("p", X, ["a", "b", "c", "b"])
    assert begin(plain, 0, setup_of())[0].costs is None
    assert begin(plain, 0, setup_of(factors=np.array([2.0, 1.0, 4.0])))[0].costs.tolist() == [2.0, 1.0, 4.0, 1.0]


def test_labels_that_only_rows_of_weight_zero_have_cost_nothing():
    block = checked_block("p", X, ["a", "b", "z", "b"], [1.0, 1.0, 0.0, 1.0])
    state, _ = begin(block, 0, setup_of(factors=np.array([10.0, 1.0, 0.5])))
    assert (state.codes.tolist(), state.costs.tolist()) == ([0, 1, -1, 1], [10.0, 1.0, 0.0, 1.0])


def test_one_class_against_the_rest_has_all_rows_and_a_pair_has_its_own():
    state, _ = begin(BLOCK, 1, setup_of())
    rest, pair = LocalProblem(BLOCK, state, 0), LocalProblem(BLOCK, state, 1)
    assert (rest.rows, rest.is_positive.tolist()) == (None, [True, False, False, False])
    assert rest.numbers.tolist() == [10, 11, 12, 13]
    assert (pair.rows.tolist(), pair.is_positive.tolist()) == ([1, 2, 3], [False, True, False])
    assert (pair.numbers.tolist(), pair.all_costs().tolist()) == ([11, 12, 13], [2.0, 3.0, 0.0])
    v = np.array([1.0, 0.0, 2.0, 5.0])
    scores = 0.5 * X @ v[:3] + 5.0
    assert rest.margins(v) == pytest.approx(scores * [1, -1, -1, -1])
    assert pair.margins(v) == pytest.approx(scores[1:] * [-1, 1, -1])


def test_an_intercept_that_is_not_fitted_does_not_count():
    state, _ = begin(BLOCK, 0, setup_of(intercept="none"))
    assert LocalProblem(BLOCK, state, 0).margins(np.array([0.0, 0.0, 0.0, 9.0])).tolist() == [0.0] * 4


def test_sparse_rows_are_cut_to_the_columns_that_occur():
    S = sp.csr_matrix(([1.0, 2.0, 3.0], ([0, 1, 1], [7, 2, 7])), shape=(2, 8))
    setup = setup_of(columns=np.array([2, 7]), total_columns=9)
    assert setup.width == 2
    assert setup.cut(S).toarray().tolist() == [[0.0, 1.0], [2.0, 3.0]]


def test_partitions_without_rows_beside_sparse_ones_have_the_same_columns():
    for columns, width in ((np.array([2, 7]), 2), (None, 9)):
        setup = setup_of(columns=columns, total_columns=9)
        for X in (np.zeros((0, 9)), np.zeros((0, 4)), sp.csr_matrix((0, 4))):
            block = checked_block("p", X, [])
            state, _ = begin(block, 0, setup)
            problem = LocalProblem(block, state, 0)
            assert (problem.count, problem.X.shape, problem.margins(np.zeros(width + 1)).tolist()) == (
                0,
                (0, width),
                [],
            )
            sums, vectors = problem.dual_sums(np.zeros(0), np.zeros(0), setup.loss_function.response(1.0))
            assert not sums.any()
            assert vectors.shape == (2 * width + 2,)
