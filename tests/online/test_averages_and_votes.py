"""The averaged and the voted perceptron: their scores are those of ten lines of NumPy."""

import numpy as np
import pytest
from hypothesis import given

import novikoff as nk
from reference import perceptrons
from reference.margin_perceptrons import normalized
from strategies import few, lift, separable, ties


def averaged(U, y, new, tie="mistake"):
    return new @ perceptrons.averaged(U, y, tie)


SCORES = {nk.AveragedPerceptron: averaged, nk.VotedPerceptron: perceptrons.voted}
each_class = pytest.mark.parametrize("cls", SCORES)


@each_class
@pytest.mark.parametrize("tie", ["mistake", "positive"])
@few
@given(data=ties(), new=ties())
def test_scores_are_those_of_the_reference(cls, data, new, tie):
    rows, y = data
    model = cls(tie=tie, shuffle=False, max_iter=1).fit(rows, y)
    others = np.resize(new[0], (6, rows.shape[1]))
    expected = SCORES[cls](lift(rows, True), y, lift(others, True), tie)
    np.testing.assert_allclose(model.decision_function(others), expected, rtol=1e-12, atol=1e-12)
    if cls is nk.VotedPerceptron:
        last, _ = perceptrons.perceptron(lift(rows, True), y, tie)
        np.testing.assert_array_equal(np.append(model.coef_, model.intercept_), last[-1])


@each_class
@few
@given(data=separable())
def test_scores_of_normalised_rows_are_those_of_rows_of_unit_length(cls, data):
    model = cls(normalize=True, fit_intercept=data.intercept, shuffle=False, max_iter=1).fit(data.X, data.y)
    expected = SCORES[cls](normalized(data.U), data.y, data.U)
    np.testing.assert_allclose(model.decision_function(data.X), expected, rtol=1e-9, atol=1e-9)
    assert nk.verify(model, data.X, data.y)
