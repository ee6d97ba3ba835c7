"""AROW against ten lines of NumPy, and its parameters."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from reference.adaptive import arow
from reference.second_order import arow as full_arow


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
    [{"r": 0}, {"r": -1.0}, {"r": "1"}, {"r": 1e-200}, {"floor": -0.1}, {"floor": 2.0}, {"floor": "a"}, {"full": "no"}],
)
def test_bad_parameters_are_refused(parameters):
    with pytest.raises(nk.InvalidInputError, match=next(iter(parameters))):
        nk.AROW(**parameters).partial_fit([[1.0], [2.0]], [0, 1])


def test_scale_of_a_column_matters_less_than_for_the_perceptron():
    X, y = stream(3, 2000)
    ours, peer = (cls().partial_fit(X, y).certificate_.mistakes for cls in (nk.AROW, nk.Perceptron))
    assert ours < 0.7 * peer


@pytest.mark.parametrize("r", [0.05, 1.0, 20.0])
def test_weights_with_a_full_matrix_are_those_of_the_reference(r):
    X, y = stream()
    model = nk.AROW(r=r, full=True).partial_fit(X, y)
    rows, _, wrong, mean, covariance = full_arow(np.column_stack([X, np.ones(len(X))]), y, r)
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), mean, rtol=1e-7)
    certificate = model.certificate_
    assert (certificate.added, certificate.mistakes) == (len(rows), wrong.sum())
    assert certificate.log_det == pytest.approx(-np.linalg.slogdet(covariance)[1], rel=1e-6)


def test_with_a_full_matrix_scale_hardly_matters():
    X, y = stream(3, 2000)
    X[:, 3] = X[:, 0] + 1e-3 * X[:, 3]
    full, diagonal = (nk.AROW(full=full).partial_fit(X, y).certificate_.mistakes for full in (True, False))
    scaled = nk.AROW(full=True).partial_fit(X / X.std(axis=0), y).certificate_.mistakes
    assert full < diagonal
    assert abs(full - scaled) < 0.1 * scaled


@pytest.mark.parametrize("learner", [nk.AROW, nk.SecondOrderPerceptron])
def test_a_full_matrix_grows_with_the_columns_of_a_stream(learner):
    random = np.random.default_rng(0)
    events = [{f"w{j}": float(random.normal()) for j in random.integers(0, 2 + i // 10, 3)} for i in range(200)]
    labels = [int(random.random() < 0.5 + 0.3 * np.tanh(event.get("w1", 0.0))) for event in events]
    model = learner(full=True, classes=[0, 1])
    for event, label in zip(events, labels, strict=True):
        model.learn_one(event, label)
    names = model.feature_names_in_ if hasattr(model, "feature_names_in_") else model._learner.names
    X = np.array([[event.get(name, 0.0) for name in names] for event in events])
    whole = learner(full=True, classes=[0, 1]).partial_fit(X, labels)
    np.testing.assert_array_equal(model.coef_, whole.coef_)
    assert nk.verify(model, X, labels)


def test_a_full_matrix_has_no_floor():
    with pytest.raises(nk.InvalidInputError, match="floor must be 0 with full=True"):
        nk.AROW(floor=0.1, full=True).partial_fit([[1.0], [2.0]], [0, 1])


def test_too_many_columns_for_a_full_matrix_are_refused():
    wide, few = sp.csr_array(([1.0, -1.0], [4096, 0], [0, 1, 2]), shape=(2, 4097)), {"a": 1.0}
    many = {f"w{j}": 1.0 for j in range(4096)}

    def refused():
        return pytest.raises(nk.InvalidInputError, match=r"at most 4096 columns, but there are 4097\. Use full=False")

    with refused():
        nk.AROW(full=True).partial_fit(wide, [0, 1])
    with refused():
        nk.AROW(full=True).fit(wide, [0, 1])
    with refused():
        nk.AROW(full=True).learn_one(wide[[0]], 1)
    with refused():
        nk.AROW(full=True, max_features=4097).learn_one(few, 1)
    model = nk.AROW(full=True, classes=[0, 1])
    model.learn_one(few, 1)
    for label in (0, 1):
        with refused():
            model.learn_one(many, label)
    assert model.n_features_in_ == 1
    assert model.predict_one(few) == 1
