"""A classifier whose weights come from elsewhere."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import novikoff as nk

X = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.5], [0.0, 0.0]])


def test_it_predicts_by_its_weights():
    model = nk.LinearClassifier.of([[1.0, -2.0]], [0.0], ["no", "yes"])
    assert model.decision_function(X).tolist() == [1.0, -4.0, 0.0, 0.0]
    assert model.predict(X).tolist() == ["yes", "no", "yes", "yes"]
    assert model.predict_sign(sp.csr_array(X)).tolist() == [1, -1, 0, 0]


def test_several_classes_have_a_score_each():
    model = nk.LinearClassifier.of(np.eye(3)[:, :2], [0.0, 0.0, 0.25], [4, 5, 6])
    assert model.decision_function(X).shape == (4, 3)
    assert model.predict(X).tolist() == [4, 5, 4, 6]


def test_it_has_no_certificate_and_cannot_be_fitted():
    model = nk.LinearClassifier.of([[1.0]], [0.0], [0, 1])
    with pytest.raises(AttributeError, match="learned elsewhere"):
        _ = model.certificate_
    assert not hasattr(model, "certificate_")
    with pytest.raises(nk.InvalidInputError, match=r"LinearClassifier: it cannot be fitted. Use a learner"):
        model.fit(X, [0, 1, 0, 1])


def test_a_clone_has_no_weights_and_a_pickle_has_them():
    model = nk.LinearClassifier.of([[1.0, -2.0]], [0.5], [0, 1])
    with pytest.raises(NotFittedError):
        clone(model).predict(X)
    assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == model.predict(X).tolist()


def test_its_weights_are_its_own():
    coef = np.ones((1, 2))
    model = nk.LinearClassifier.of(coef, [0.0], [0, 1])
    coef[:] = 7
    assert model.coef_.tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize(
    ("coef", "intercept", "classes", "need"),
    [
        ([[1.0]], [0.0], [1], "at least two labels"),
        ([[1.0]], [0.0], [1, 0], r"ascending order, \[0, 1\]"),
        ([[1.0]], [0.0], [1, 1, 2], "ascending order"),
        ([1.0], [0.0], [0, 1], "coef must be an array of numbers with 2 dimensions"),
        ([["a"]], [0.0], [0, 1], "coef must be an array of numbers"),
        ([[np.nan]], [0.0], [0, 1], "coef contains NaN"),
        ([[1.0], [1.0]], [0.0], [0, 1], "coef must have 1 rows, for 2 classes"),
        ([[1.0]], [0.0], [0, 1, 2], "coef must have 3 rows, for 3 classes"),
        ([[]], [0.0], [0, 1], "at least one column"),
        ([[1.0]], [0.0, 1.0], [0, 1], "intercept must have 1 numbers, but it has 2"),
        ([[1.0]], [np.inf], [0, 1], "intercept contains NaN or infinity"),
    ],
)
def test_weights_that_do_not_fit_are_refused(coef, intercept, classes, need):
    with pytest.raises(nk.InvalidInputError, match=need):
        nk.LinearClassifier.of(coef, intercept, classes)


def test_rows_of_another_width_are_refused():
    with pytest.raises(nk.InvalidInputError, match="features"):
        nk.LinearClassifier.of([[1.0]], [0.0], [0, 1]).predict(X)
