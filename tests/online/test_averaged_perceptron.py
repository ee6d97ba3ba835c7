"""The averaged perceptron."""

import numpy as np
import pytest
from hypothesis import given

import novikoff as nk
from reference import perceptrons
from strategies import few, lift, ties


@pytest.mark.parametrize("tie", ["mistake", "positive"])
@few
@given(data=ties())
def test_the_average_is_that_of_the_reference(data, tie):
    rows, y = data
    model = nk.AveragedPerceptron(tie=tie, shuffle=False, max_iter=1).fit(rows, y)
    v = perceptrons.averaged(lift(rows, True), y, tie)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), v, rtol=1e-12, atol=1e-12)
