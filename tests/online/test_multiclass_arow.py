"""AROW of several classes together: ten lines of NumPy, its bound, and classes that appear at any time."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from reference.kesler import by_appearance, multiclass_arow
from strategies import few, lift, streams

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


def text(seed=0, rows=300, columns=40, classes=5):
    """Rows of few words, of which each class has some that are frequent."""
    random = np.random.default_rng(seed)
    y = random.integers(classes, size=rows)
    X = (random.random((rows, columns)) < 0.05) * 1.0
    X[np.arange(rows), random.integers(0, columns // classes, size=rows) * classes + y] += 1.0
    return X, y


@few
@given(
    data=streams(3),
    intercept=st.booleans(),
    r=st.sampled_from([0.1, 1.0, 8.0]),
    floor=st.sampled_from([0.0, 0.25]),
)
def test_weights_variances_and_sums_are_those_of_the_reference(data, intercept, r, floor):
    X, y = data
    model = nk.MulticlassAROW(r=r, floor=floor, fit_intercept=intercept).partial_fit(X, y)
    codes, classes = by_appearance(y)
    updates, Z, w, s = multiclass_arow(lift(X, intercept), codes, len(classes), r, floor)
    order, width, certificate = np.argsort(classes), X.shape[1], model.certificate_
    np.testing.assert_allclose(certificate.planes()[0], w[order, :width], rtol=1e-7, atol=1e-7)
    variances = np.where(certificate.sum.variances == 0, 1.0, certificate.sum.variances)
    np.testing.assert_allclose(variances, s[order, :width], rtol=1e-7)
    sums = Z.sum(axis=0).reshape(len(classes), -1)[order]
    np.testing.assert_allclose(certificate.sum.weights, sums[:, :width], rtol=1e-9, atol=1e-9)
    if intercept:
        np.testing.assert_allclose(certificate.sum.biases, sums[:, -1], atol=1e-9)
        np.testing.assert_allclose(certificate.sum.bias_variances, s[order, -1], rtol=1e-7)
    assert certificate.updates == certificate.sum.added == len(updates)
    assert certificate.mistakes == sum(mistake for *_, mistake in updates)


def test_it_learns_words_faster_than_the_perceptron():
    X, y = text(1, 2000)
    X[:, 0] *= 20.0  # one column of another scale
    ours, peer = (cls().partial_fit(X, y).certificate_.mistakes for cls in (nk.MulticlassAROW, nk.MulticlassPerceptron))
    assert ours < 0.9 * peer


def test_a_floor_follows_a_target_that_changes():
    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 3))
    y = np.argmax(np.where(np.arange(4000)[:, None] < 2000, X, -X), axis=1)
    stiff, agile = (nk.MulticlassAROW(floor=floor).partial_fit(X, y).certificate_.mistakes for floor in (0.0, 0.05))
    assert agile < stiff / 2


@pytest.mark.parametrize(
    "parameters", [{"r": 0}, {"r": -1.0}, {"r": "1"}, {"r": 1e-200}, {"floor": -0.1}, {"floor": 2.0}, {"floor": "a"}]
)
def test_bad_parameters_are_refused(parameters):
    with pytest.raises(nk.InvalidInputError, match=f"MulticlassAROW: {next(iter(parameters))} must"):
        nk.MulticlassAROW(**parameters).partial_fit([[1.0], [2.0]], [0, 1])


def test_dicts_sparse_rows_and_dense_rows_give_the_same_bits():
    X, y = text()
    dense, sparse, dicts = (nk.MulticlassAROW(floor=0.01) for _ in range(3))
    dense.partial_fit(X, y)
    sparse.partial_fit(sp.csr_array(X), y)
    for x, label in zip(X, y.tolist(), strict=True):
        dicts.learn_one({str(j): value for j, value in enumerate(x)}, label)
    assert dense.coef_.tobytes() == sparse.coef_.tobytes() == dicts.coef_.tobytes()
    assert dense.certificate_.to_json() == sparse.certificate_.to_json() == dicts.certificate_.to_json()


def test_repeated_and_unsorted_columns_of_a_row_are_summed():
    rows = sp.csr_array(([1.0, 2.0, 1.0, -3.0, 0.5, 0.5], [2, 0, 2, 1, 3, 3], [0, 3, 6]), shape=(2, 4))
    summed = rows.toarray()
    sparse, dense = (nk.MulticlassAROW().partial_fit(X, ["a", "b"]) for X in (rows, summed))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-12)
    np.testing.assert_allclose(sparse.certificate_.sum.variances, dense.certificate_.sum.variances, rtol=1e-12)


def test_a_class_that_appears_late_is_learned_and_verified():
    X, y = text(2)
    order = np.argsort(y == 4, kind="stable")
    X, y = X[order], y[order]
    model = nk.MulticlassAROW()
    for x, label in zip(X, y.tolist(), strict=True):
        model.learn_one(x, label)
    assert model.predict_one(X[-1]) == 4
    assert nk.verify(model, X, y)
    declared = nk.MulticlassAROW(classes=range(5)).partial_fit(X, y)
    assert declared.coef_.tobytes() == model.coef_.tobytes()


def test_a_saved_learner_goes_on_with_the_same_bits():
    X, y = text(3)
    whole = nk.MulticlassAROW(r=0.5).partial_fit(X, y)
    model = nk.loads(nk.dumps(nk.MulticlassAROW(r=0.5).partial_fit(X[:7], y[:7])))
    model.partial_fit(X[7:150], y[7:150])
    nk.loads(nk.dumps(model)).partial_fit(X[150:], y[150:])
    model.partial_fit(X[150:], y[150:])
    assert model.coef_.tobytes() == whole.coef_.tobytes()
    assert model.certificate_.to_json() == whole.certificate_.to_json()


def test_weights_are_that_many_copies():
    X, y = text(4, 80)
    copies = np.random.default_rng(4).integers(0, 4, 80)
    weighted = nk.MulticlassAROW().partial_fit(X, y, sample_weight=copies)
    copied = nk.MulticlassAROW().partial_fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert weighted.coef_.tobytes() == copied.coef_.tobytes()
    assert weighted.certificate_.sum.added == copied.certificate_.sum.added
    assert nk.verify(weighted, X, y, copies)


def test_a_wide_stream_is_kept_compactly():
    wide = sp.csr_array((np.ones(4), [5, 10**8, 7, 2 * 10**8], [0, 1, 2, 3, 4]), shape=(4, 3 * 10**8))
    model = nk.MulticlassAROW().partial_fit(wide, [0, 1, 2, 0])
    assert len(nk.dumps(model)) < 100_000
    assert nk.verify(nk.loads(nk.dumps(model)), wide, [0, 1, 2, 0])


def test_one_class_and_rows_of_zeros_are_learned():
    one = nk.MulticlassAROW().partial_fit([[1.0], [2.0]], ["a", "a"])
    assert (one.certificate_.mistakes, one.certificate_.sum.added) == (0.0, 0.0)
    assert nk.verify(one, [[1.0], [2.0]], ["a", "a"])
    rows, labels = np.array([[0.0], [0.0], [1.0], [0.0]]), [0, 1, 1, 0]
    zeros = nk.MulticlassAROW(fit_intercept=False).partial_fit(rows, labels, sample_weight=[1, 2.5, 1, 1])
    assert (zeros.certificate_.mistakes, zeros.certificate_.updates, zeros.certificate_.sum.added) == (4.5, 5, 4.5)
    assert nk.verify(zeros, rows, labels, [1, 2.5, 1, 1])


@pytest.mark.parametrize("scale", [1e-120, 1e-60, 1e60, 1e140])
def test_rows_of_any_length_are_learned_and_not_refuted(scale):
    X, y = text(5, 60)
    model = nk.MulticlassAROW(normalize=scale > 1).partial_fit(scale * X, y)
    assert np.all(np.isfinite(model.coef_))
    assert not nk.verify(model, scale * X, y).failures
