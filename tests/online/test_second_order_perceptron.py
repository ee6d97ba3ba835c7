"""The second-order perceptron against a few lines of NumPy, and its parameters."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.theory import second_order_bounds
from online.test_arow import stream
from reference.second_order import second_order_perceptron


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("a", [0.1, 1.0, 30.0])
def test_mistakes_and_weights_are_those_of_the_reference(a, full):
    X, y = stream()
    U = np.column_stack([X, np.ones(len(X))])
    model = nk.SecondOrderPerceptron(a=a, full=full).partial_fit(X, y)
    rows, signs = second_order_perceptron(U, y, a, diagonal=not full, after=False)
    assert model.certificate_.mistakes == len(rows)
    A = a * np.eye(6) + U[rows].T @ U[rows]
    weights = np.linalg.solve(A if full else np.diag(np.diag(A)), signs @ U[rows])
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), weights, rtol=1e-8)


def test_with_a_full_matrix_the_score_before_and_after_have_the_same_sign():
    X, y = stream(4)
    U = np.column_stack([X, np.ones(len(X))])
    before, after = (second_order_perceptron(U, y, 1.0, after=after)[0] for after in (False, True))
    np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("seed", range(10))
def test_the_bound_of_the_diagonal_form_holds_for_the_matrix_before(seed):
    X, y = stream(seed, 400)
    U, a = np.column_stack([X, np.ones(len(X))]), 0.5
    certificate = nk.SecondOrderPerceptron(a=a).partial_fit(X, y).certificate_
    rows, signs = second_order_perceptron(U, y, a, diagonal=True, after=False)
    sums = second_order_bounds.sums_of(U[rows], signs, np.ones(6), a, diagonal=True)
    factor = second_order_bounds.diagonal_factor(float(np.abs(U[rows]).max()), a)
    assert certificate.sum_square == pytest.approx(sums.model, rel=1e-9)
    assert certificate.sum_square <= sums.log_det * factor


@pytest.mark.parametrize("full", [False, True])
def test_repeated_and_unsorted_columns_of_a_row_are_summed(full):
    rows = sp.csr_array(([1.0, 2.0, 1.0, -3.0, 0.5, 0.5], [2, 0, 2, 1, 3, 3], [0, 3, 6]), shape=(2, 4))
    fits = [nk.SecondOrderPerceptron(full=full).partial_fit(X, [1, 0]) for X in (rows, rows.toarray())]
    np.testing.assert_allclose(fits[0].coef_, fits[1].coef_, rtol=1e-12)


@pytest.mark.parametrize(
    "parameters", [{"a": 0}, {"a": -1.0}, {"a": "1"}, {"a": 1e-200}, {"a": np.nan}, {"full": "yes"}, {"full": 2}]
)
def test_bad_parameters_are_refused(parameters):
    with pytest.raises(nk.InvalidInputError, match=next(iter(parameters))):
        nk.SecondOrderPerceptron(**parameters).partial_fit([[1.0], [2.0]], [0, 1])
