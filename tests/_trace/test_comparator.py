"""The vector that a run is compared with: the largest margin in the learner's own geometry."""

import numpy as np
import pytest
from hypothesis import given

import novikoff as nk
from novikoff._trace.comparator import given_vector, largest_margin_vector
from strategies import few, margin_of, separable
from wide_rows import HUGE, never_dense, wide_rows


@given(data=separable())
@few
def test_no_separator_has_a_larger_margin(data):
    found = largest_margin_vector(data.U, data.y)
    assert margin_of(data.U, data.y, found) >= (1 - 1e-5) * data.margin


def test_without_a_separator_there_is_no_vector():
    assert largest_margin_vector(np.array([[1.0], [1.0]]), np.array([1.0, -1.0])) is None


def test_the_margin_of_a_trace_is_that_of_a_penalised_intercept():
    X, y = np.array([[0.0], [1.0], [5.0]]), [0, 0, 1]
    steps = nk.trace(nk.Perceptron(), X, y)
    best = nk.HardMarginSVM(penalized_intercept=True).fit(X, y)
    assert steps.margin == pytest.approx(best.certificate_.margin_lower_bound, rel=1e-5)


def test_a_classifier_of_wider_rows_is_refused_without_dense_weights():
    model = nk.HardMarginSVM().fit(*wide_rows())
    with never_dense(), pytest.raises(nk.InvalidInputError, match=f"must have 2 weights.*{HUGE}"):
        given_vector("test", model, 2, True, 1)
