"""The averaged perceptron."""

import numpy as np
import pytest
from hypothesis import given

import novikoff as nk
from reference import perceptrons
from reference.margin_perceptrons import normalized
from strategies import few, lift, separable, ties


@pytest.mark.parametrize("tie", ["mistake", "positive"])
@few
@given(data=ties())
def test_the_average_is_that_of_the_reference(data, tie):
    rows, y = data
    model = nk.AveragedPerceptron(tie=tie, shuffle=False, max_iter=1).fit(rows, y)
    v = perceptrons.averaged(lift(rows, True), y, tie)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), v, rtol=1e-12, atol=1e-12)


@few
@given(data=separable())
def test_the_average_of_normalised_rows_is_that_of_rows_of_unit_length(data):
    model = nk.AveragedPerceptron(normalize=True, fit_intercept=data.intercept, shuffle=False, max_iter=1)
    model.fit(data.X, data.y)
    v = perceptrons.averaged(normalized(data.U), data.y)
    found = np.append(model.coef_, model.intercept_)[: len(v)]
    np.testing.assert_allclose(found, v, rtol=1e-9, atol=1e-9)
    assert nk.verify(model, data.X, data.y)
