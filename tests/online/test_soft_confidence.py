"""Soft confidence-weighted learning against ten lines of NumPy, and its parameters."""

from statistics import NormalDist

import numpy as np
import pytest

import novikoff as nk
from reference.adaptive import soft_confidence_weighted


def stream(seed=0, rows=200):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 4)) * np.array([1, 10, 0.1, 1])
    return X, np.where(X[:, 0] + X[:, 1] / 10 + random.normal(size=rows) / 2 > 0, 1, -1)


@pytest.mark.parametrize("variant", ["I", "II", 1, 2])
@pytest.mark.parametrize(("C", "eta"), [(1.0, 0.9), (0.1, 0.6), (10.0, 0.99)])
def test_weights_are_those_of_the_reference(variant, C, eta):
    X, y = stream()
    model = nk.SoftConfidenceWeighted(variant=variant, C=C, eta=eta).partial_fit(X, y)
    name = {1: "I", 2: "II"}.get(variant, variant)
    w, s = soft_confidence_weighted(np.column_stack([X, np.ones(len(X))]), y, NormalDist().inv_cdf(eta), C, name)
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), w, rtol=1e-7, atol=1e-9)
    variances = model.certificate_.variances
    np.testing.assert_allclose(np.where(variances == 0, 1, variances), s[:-1], rtol=1e-7)


@pytest.mark.parametrize(
    "parameters", [{"C": 0}, {"C": np.nan}, {"eta": 0.5}, {"eta": 1.0}, {"eta": 2}, {"variant": "III"}, {"variant": 3}]
)
def test_bad_parameters_are_refused(parameters):
    with pytest.raises(nk.InvalidInputError, match=next(iter(parameters))):
        nk.SoftConfidenceWeighted(**parameters).partial_fit([[1.0], [2.0]], [0, 1])
