"""AROW against ten lines of NumPy, and its parameters."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from reference.adaptive import arow


def stream(seed=0, rows=200, columns=5):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns)) * np.array([1, 10, 0.1, 1, 100])[:columns]
    return X, np.where(X[:, 0] + X[:, 1] / 10 + random.normal(size=rows) / 2 > 0, 1, -1)


@pytest.mark.parametrize(("r", "floor"), [(1.0, 0.0), (0.1, 0.0), (1.0, 0.05), (5.0, 1.0)])
def test_weights_are_those_of_the_reference(r, floor):
    X, y = stream()
    model = nk.AROW(r=r, floor=floor).partial_fit(X, y)
    w, s = arow(np.column_stack([X, np.ones(len(X))]), y, r, floor)
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), w, rtol=1e-9)
    certificate = model.certificate_
    np.testing.assert_allclose(np.where(certificate.variances == 0, 1, certificate.variances), s[:-1], rtol=1e-9)
    np.testing.assert_allclose(certificate.intercept_variance, s[-1], rtol=1e-9)


def test_repeated_and_unsorted_columns_of_a_row_are_summed():
    rows = sp.csr_array(([1.0, 2.0, 1.0, -3.0, 0.5, 0.5], [2, 0, 2, 1, 3, 3], [0, 3, 6]), shape=(2, 4))
    summed = rows.toarray()
    sparse, dense = nk.AROW().partial_fit(rows, [1, 0]), nk.AROW().partial_fit(summed, [1, 0])
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-12)
    np.testing.assert_allclose(sparse.certificate_.variances, dense.certificate_.variances, rtol=1e-12)


def test_a_floor_follows_a_target_that_changes():
    random = np.random.default_rng(0)
    X = random.normal(size=(6000, 3))
    y = np.where(X @ np.where(np.arange(6000)[:, None] < 3000, [1.0, 0, 0], [-1.0, 0, 0]).T[:, 0] > 0, 1, 0)
    y[3000:] = X[3000:, 0] < 0
    stiff, agile = (nk.AROW(floor=floor).partial_fit(X, y).certificate_.mistakes for floor in (0.0, 0.05))
    assert agile < stiff / 2


@pytest.mark.parametrize(
    "parameters",
    [{"r": 0}, {"r": -1.0}, {"r": "1"}, {"r": 1e-200}, {"floor": -0.1}, {"floor": 2.0}, {"floor": "a"}],
)
def test_bad_parameters_are_refused(parameters):
    with pytest.raises(nk.InvalidInputError, match=next(iter(parameters))):
        nk.AROW(**parameters).partial_fit([[1.0], [2.0]], [0, 1])


def test_scale_of_a_column_matters_less_than_for_the_perceptron():
    X, y = stream(3, 2000)
    ours, peer = (cls().partial_fit(X, y).certificate_.mistakes for cls in (nk.AROW, nk.Perceptron))
    assert ours < 0.7 * peer
