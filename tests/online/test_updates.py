"""The updates of a run, one at a time: the kernel of ``fit`` makes them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.online.updates import Stepper, fit_copy, updates_of_fit
from novikoff.theory.rules import Rule
from strategies import few, separable


@given(data=separable(), seed=st.integers(0, 5), shuffle=st.booleans())
@few
def test_the_rows_of_the_updates_add_up_to_the_duals_of_the_certificate(data, seed, shuffle):
    learner = nk.MarginPerceptron(random_state=seed, shuffle=shuffle)
    problem, halted = fit_copy(learner, data.X, data.y)
    updates = list(updates_of_fit(problem.run, data.X, data.y))
    duals = np.bincount([update.row for update in updates], minlength=len(data.y))
    np.testing.assert_array_equal(problem.certificate.evidence.duals.dense(len(data.y)), duals)
    np.testing.assert_array_equal(updates[-1].weights, problem.weights)
    assert halted


def test_a_row_without_an_update_changes_nothing():
    X, signs = np.array([[2.0], [1.0]]), np.array([1.0, 1.0])
    stepper = Stepper(Rule("perceptron"), X, signs)
    assert stepper.learn(0).margin == 0.0
    assert stepper.learn(1) is None
    weights, bias = stepper.plane()
    assert (weights.tolist(), bias, stepper.duals.tolist()) == ([2.0], 1.0, [1.0, 0.0])


def test_a_pass_returns_its_rows_in_the_order_of_their_updates():
    X, signs = np.array([[1.0], [1.0], [1.0]]), np.array([1.0, -1.0, 1.0])
    stepper = Stepper(Rule("perceptron"), X, signs)
    assert stepper.learn_pass(np.array([2, 1, 0])).tolist() == [2, 1, 0]
    assert stepper.learn_pass(np.array([2, 0, 1])).tolist() == [1]


def test_the_copy_starts_from_nothing_and_the_learner_stays():
    learner = nk.Perceptron(warm_start=True, random_state=None).fit([[1.0], [-1.0]], [1, 0])
    problem, halted = fit_copy(learner, [[1.0], [-1.0]], [1, 0])
    assert problem.run.passes >= 1
    assert problem.run.seed is not None
    assert halted
    assert learner.random_state is None
