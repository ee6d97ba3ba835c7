"""The model that a certificate of a support vector machine is about."""

import numpy as np

import novikoff as nk
from novikoff.theory import SvmModel
from novikoff.theory.certificate import Duals

DUALS = Duals(np.array([0, 2]), np.array([1.0, 2.0]))
X, Y = np.array([[1.0, 0.0], [5.0, 5.0], [0.0, 1.0], [3.0, 3.0]]), np.array(["a", "c", "b", "a"])


def test_without_a_negative_label_all_rows_belong_to_the_problem():
    model = SvmModel(np.zeros(2), 0.0, "a", DUALS)
    assert model.signs(Y).tolist() == [1.0, -1.0, -1.0, 1.0]
    assert model.belongs(Y).all()


def test_with_a_negative_label_rows_of_other_labels_do_not_belong():
    assert SvmModel(np.zeros(2), 0.0, "a", DUALS, negative="b").belongs(Y).tolist() == [True, False, True, True]


def test_the_weights_are_recombined_from_the_duals():
    v, w = SvmModel(np.array([1.0, -2.0]), 0.5, "a", DUALS).recombined(X, Y, penalized=True)
    assert v.tolist() == [1.0, -2.0, -1.0]
    assert w.tolist() == [1.0, -2.0, 0.5]
    assert SvmModel(np.zeros(3), 0.0, "a", DUALS).recombined(X, Y, penalized=False) is None


def test_duals_of_rows_that_do_not_exist_are_not_recombined():
    model = SvmModel(np.zeros(2), 0.0, "a", DUALS)
    assert model.recombined(X[:2], Y[:2], penalized=False) is None
    v, w = model.recombined(X[:3], Y[:3], penalized=False)
    assert (v.tolist(), w.tolist()) == ([1.0, -2.0], [0.0, 0.0])
    nothing = SvmModel(np.zeros(2), 0.0, "a", Duals(np.zeros(0, np.int64), np.zeros(0)))
    v, _ = nothing.recombined(X[:0], Y[:0], penalized=False)
    assert v.tolist() == [0.0, 0.0]


def test_the_support_of_a_pair_has_the_row_numbers_of_all_rows():
    rows, y = np.array([[0.0], [9.0], [1.0], [2.0], [9.0], [3.0]]), np.array([0, 2, 0, 1, 2, 1])
    certificate = nk.LinearSVM(C=100).fit(rows, y).certificate_[0]
    assert certificate.support(rows, y).rows.tolist() == [2, 3]
