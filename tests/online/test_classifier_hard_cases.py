"""Cases that once went wrong, or nearly did."""

from collections import UserDict
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.theory.certificate import Duals


def test_a_projection_repeated_a_billion_times_is_made_once():
    X = np.random.default_rng(4).normal(size=(60, 4))
    y = X[:, 0] > 0
    many = nk.PassiveAggressive(max_iter=3).fit(X, y, sample_weight=np.full(60, 1e9))
    two = nk.PassiveAggressive(max_iter=3).fit(X, y, sample_weight=np.full(60, 2.0))
    np.testing.assert_allclose(many.coef_, two.coef_, rtol=1e-9)


def test_negative_duals_prove_nothing():
    X, y = np.array([[1.0, 0], [2, 0], [-1, 0], [-2, 0]]), np.array([1, 1, 0, 0])
    certificate = nk.MarginPerceptron(fit_intercept=False).fit(X, y).certificate_
    duals = Duals(np.array([0, 1]), np.array([201.0, -100.0]))
    evidence = replace(certificate.evidence, weights=np.array([1.0, 0]), duals=duals)
    forged = replace(certificate, evidence=evidence, margin_lower_bound=-np.inf, margin_upper_bound=0.00991)
    assert certificate.verify(X, y)
    assert not replace(forged, updates=10**6).verify(X, y)


def test_a_refused_fit_leaves_the_model_as_it_was():
    model = nk.Perceptron()
    model.learn_one({"a": 1.0, "b": 2.0}, "x")
    model.learn_one({"c": 1.0}, "y")
    with pytest.raises(nk.InvalidInputError):
        model.fit(np.ones((5, 4)), np.zeros(5))
    assert model.predict_one({"a": 1.0}) == "x"
    assert model.n_features_in_ == 3


@pytest.mark.parametrize("form", [sp.dok_array, sp.dok_matrix, sp.coo_array, sp.csc_matrix])
def test_sparse_rows_of_every_form_are_rows(form):
    X, y = np.eye(3), [0, 1, 1]
    model, other = nk.Perceptron(), nk.Perceptron()
    for x, label in zip(X, y, strict=True):
        model.learn_one(form(x.reshape(1, -1)), label)
        other.learn_one(x, label)
    assert np.array_equal(model.coef_, other.coef_)
    assert model.predict_one(form(X[:1])) == other.predict_one(X[0])


@pytest.mark.parametrize("wrap", [UserDict, MappingProxyType])
def test_any_mapping_is_an_example(wrap):
    model = nk.Perceptron()
    model.learn_one(wrap({"a": 1.0}), "x")
    model.learn_one({"b": 1.0}, "y")
    assert model.predict_one(wrap({"a": 1.0})) == "x"


@pytest.mark.parametrize(
    ("X", "weights"), [(np.eye(2) * 1e-170, None), (sp.csr_array(np.eye(2) * 1e-170), None), (np.eye(2), [1e-170, 1.0])]
)
def test_numbers_whose_squares_underflow_are_refused(X, weights):
    with pytest.raises(nk.InvalidInputError, match=r"underflow|1e-30"):
        nk.Perceptron(fit_intercept=False).fit(X, [0, 1], sample_weight=weights)


def test_a_dict_whose_squares_underflow_is_refused():
    with pytest.raises(nk.InvalidInputError, match="underflow"):
        nk.Perceptron().learn_one({"a": 1e-170}, True)


def test_entries_that_cancel_are_a_zero_row():
    X = sp.csr_array((np.array([1.0, -1.0, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert nk.Perceptron(max_iter=5).fit(X, [0, 1]).certificate_.radius == np.sqrt(2)


def test_private_features_refuse_more_copies_than_can_be_kept():
    with pytest.raises(nk.InvalidInputError, match="every copy"):
        nk.Perceptron(slack_feature=1.0).fit(np.eye(2), [0, 1], sample_weight=[1e9, 1e9])


def test_several_fits_are_not_taken_for_one():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    model = nk.Perceptron(max_iter=1, warm_start=True)
    for _ in range(5):
        model.fit(X, y)
    verification = model.certificate_.verify(X, y)
    assert not verification.failures
    assert "several fits" in str(verification)


def test_class_weights_that_verify_is_not_told_of_are_pointed_at():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3 == 0
    certificate = nk.Perceptron(class_weight={True: 3.0}).fit(X, y).certificate_
    assert "class weights" in str(certificate.verify(X, y))
    assert certificate.verify(X, y, sample_weight=np.where(y, 3.0, 1.0))


def test_what_is_set_later_does_not_change_what_was_learned():
    model = nk.PassiveAggressiveI(C=0.1).fit([[1.0], [-1.0]], [1, 0])
    assert model.set_params(C=100.0).certificate_.parameter == 0.1


def test_a_key_that_changes_its_dict_is_survived():
    class Key:
        def __index__(self) -> int:
            features.update({f"late{k}": 1.0 for k in range(10_000)})
            return 7

    features = {Key(): 1.0}
    model = nk.Perceptron()
    model.learn_one(features, True)
    assert model.n_features_in_ == 1


def test_a_missing_label_of_pandas_is_refused():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    with pytest.raises(nk.InvalidInputError, match="must have a label"):
        nk.Perceptron().fit(np.eye(3), pandas.Series([None, "a", "b"], dtype="string").to_numpy())
