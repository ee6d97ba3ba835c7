"""Cases that once went wrong, or nearly did."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.theory.certificate import Duals


def test_negative_duals_prove_nothing():
    X, y = np.array([[1.0, 0], [2, 0], [-1, 0], [-2, 0]]), np.array([1, 1, 0, 0])
    certificate = nk.MarginPerceptron(fit_intercept=False).fit(X, y).certificate_
    duals = Duals(np.array([0, 1]), np.array([201.0, -100.0]))
    evidence = replace(certificate.evidence, weights=np.array([1.0, 0]), duals=duals)
    forged = replace(certificate, evidence=evidence, margin_lower_bound=-np.inf, margin_upper_bound=0.00991)
    assert certificate.verify(X, y)
    assert not replace(forged, updates=10**6).verify(X, y)


@pytest.mark.parametrize("form", [sp.dok_array, sp.dok_matrix, sp.coo_array, sp.csc_matrix])
def test_sparse_rows_of_every_form_are_rows(form):
    X, y = np.eye(3), [0, 1, 1]
    model, other = nk.Perceptron(), nk.Perceptron()
    for x, label in zip(X, y, strict=True):
        model.learn_one(form(x.reshape(1, -1)), label)
        other.learn_one(x, label)
    assert np.array_equal(model.coef_, other.coef_)
    assert model.predict_one(form(X[:1])) == other.predict_one(X[0])


@pytest.mark.parametrize(
    ("X", "weights"), [(np.eye(2) * 1e-170, None), (sp.csr_array(np.eye(2) * 1e-170), None), (np.eye(2), [1e-170, 1.0])]
)
def test_numbers_whose_squares_underflow_are_refused(X, weights):
    with pytest.raises(nk.InvalidInputError, match=r"underflow|1e-30"):
        nk.Perceptron(fit_intercept=False).fit(X, [0, 1], sample_weight=weights)


def test_entries_that_cancel_are_a_zero_row():
    X = sp.csr_array((np.array([1.0, -1.0, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert nk.Perceptron(max_iter=5).fit(X, [0, 1]).certificate_.radius == np.sqrt(2)


def test_a_missing_label_of_pandas_is_refused():
    import pandas

    with pytest.raises(nk.InvalidInputError, match="must have a label"):
        nk.Perceptron().fit(np.eye(3), pandas.Series([None, "a", "b"], dtype="string").to_numpy())
