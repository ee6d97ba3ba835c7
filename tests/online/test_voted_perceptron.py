"""The voted perceptron."""

import numpy as np
import pytest
from hypothesis import given

import novikoff as nk
from reference import perceptrons
from reference.margin_perceptrons import normalized
from strategies import few, lift, separable, ties


@pytest.mark.parametrize("tie", ["mistake", "positive"])
@few
@given(data=ties(), new=ties())
def test_the_vote_and_the_last_weights_are_those_of_the_reference(data, new, tie):
    rows, y = data
    model = nk.VotedPerceptron(tie=tie, shuffle=False, max_iter=1).fit(rows, y)
    others = np.resize(new[0], (6, rows.shape[1]))
    expected = perceptrons.voted(lift(rows, True), y, lift(others, True), tie)
    np.testing.assert_allclose(model.decision_function(others), expected, rtol=1e-12, atol=1e-12)
    last, _ = perceptrons.perceptron(lift(rows, True), y, tie)
    np.testing.assert_array_equal(np.append(model.coef_, model.intercept_), last[-1])


@few
@given(data=separable())
def test_the_vote_of_normalised_rows_is_that_of_rows_of_unit_length(data):
    model = nk.VotedPerceptron(normalize=True, fit_intercept=data.intercept, shuffle=False, max_iter=1)
    model.fit(data.X, data.y)
    expected = perceptrons.voted(normalized(data.U), data.y, data.U)
    np.testing.assert_allclose(model.decision_function(data.X), expected, rtol=1e-9, atol=1e-9)
    assert nk.verify(model, data.X, data.y)
