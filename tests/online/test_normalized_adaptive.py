"""Normalised adaptive updates against ten lines of NumPy, at all scales, and their parameters."""

import numpy as np
import pytest

import novikoff as nk
from reference.adaptive import normalized_adaptive


def stream(seed=0, rows=200):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 4)) * np.array([1, 1e6, 1e-6, 1])
    return X, np.where(X[:, 0] + X[:, 1] / 1e6 + random.normal(size=rows) / 2 > 0, 1, -1)


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared"])
@pytest.mark.parametrize("rate", [0.5, 0.05])
def test_weights_are_those_of_the_reference(loss, rate):
    X, y = stream()
    model = nk.NormalizedAdaptive(loss=loss, learning_rate=rate).partial_fit(X, y)
    w, scale = normalized_adaptive(np.column_stack([X, np.ones(len(X))]), y, rate, loss)
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), w, rtol=1e-9)
    np.testing.assert_allclose(model.certificate_.variances, scale[:-1] ** -2, rtol=1e-12)


def test_columns_times_powers_of_two_change_no_prediction():
    X, y = stream()
    factors = np.array([2.0**40, 2.0**-30, 1.0, 2.0**7])
    plain, scaled = nk.NormalizedAdaptive(), nk.NormalizedAdaptive()
    np.testing.assert_array_equal(plain.predict_then_learn(X, y), scaled.predict_then_learn(X * factors, y))
    np.testing.assert_array_equal(plain.coef_, scaled.coef_ * factors)
    assert plain.certificate_.sum_square == scaled.certificate_.sum_square


def test_every_example_of_a_sum_is_a_mistake():
    X, y = stream(1)
    certificate = nk.NormalizedAdaptive().partial_fit(X, y).certificate_
    assert certificate.added == certificate.mistakes == certificate.updates > 0


@pytest.mark.parametrize("parameters", [{"learning_rate": 0}, {"learning_rate": np.inf}, {"loss": "log"}, {"loss": 1}])
def test_bad_parameters_are_refused(parameters):
    with pytest.raises(nk.InvalidInputError, match=next(iter(parameters))):
        nk.NormalizedAdaptive(**parameters).partial_fit([[1.0], [2.0]], [0, 1])
