"""A binary problem: its scale and its regularisation."""

import dataclasses
import math

import numpy as np
import pytest

import novikoff as nk
from binary_problems import SIGNS, WEIGHTS, each_problem, objective, problem_of, training_set
from novikoff.solvers.problem import unit_scale


@pytest.mark.parametrize("factor", [2.0**-400, 1.0, 1000.0, 2.0**400])
def test_the_scale_is_a_power_of_two_that_brings_rows_to_about_unit_length(factor):
    rows = factor * np.random.default_rng(0).normal(size=(50, 9))
    scale = unit_scale(training_set(rows, SIGNS[:50]).table)
    assert math.frexp(scale)[0] == 0.5
    lengths = scale * np.linalg.norm(rows / factor, axis=1) * factor
    assert 0.05 < lengths.mean() < 1


def test_all_zeros_have_the_scale_1():
    assert unit_scale(training_set(np.zeros((4, 2)), [0, 1, 0, 1]).table) == 1.0


@pytest.mark.parametrize(("length", "C"), [(1e160, 1.0), (1e-160, 1.0), (1e150, 1e10), (1e-150, 1e-10)])
def test_lengths_and_costs_that_doubles_cannot_hold_are_refused(length, C):
    with pytest.raises(nk.InvalidInputError, match=r"LinearSVM: cannot compute with rows of length .* Scale X"):
        problem_of(C=C, data=training_set([[length], [-length]], [0, 1]))


@pytest.mark.parametrize(("intercept", "kappa"), [("free", 0.0), ("penalized", 0.5), ("none", 0.0)])
def test_the_penalty_is_lam_for_weights_and_kappa_for_the_intercept(intercept, kappa):
    problem = problem_of(C=2.0, intercept=intercept)
    assert problem.lam == problem.scale**2 / 2
    assert problem.penalty.tolist() == [problem.lam] * 4 + [kappa]
    assert problem.regularization(np.ones(5)) == pytest.approx(2 * problem.lam + kappa / 2)
    assert (problem.has_intercept, problem.has_free_intercept) == (intercept != "none", intercept == "free")
    with pytest.raises(dataclasses.FrozenInstanceError):
        problem.scale = 1.0


@each_problem
def test_the_best_point_without_weights_has_the_least_loss_of_all_intercepts(loss, intercept):
    problem = problem_of(loss=loss, intercept=intercept, data=training_set(weights=WEIGHTS))
    v, value = problem.best_without_weights()
    assert not v[:-1].any()
    zeros = np.zeros(4)
    assert value == pytest.approx(objective(zeros, v[-1], loss=loss, weights=WEIGHTS))
    for b in np.linspace(-2, 2, 41):
        assert objective(zeros, b, loss=loss, weights=WEIGHTS) >= value - 1e-9


def test_a_copy_without_zeros_is_made_only_on_demand_and_only_of_rows_with_many():
    random = np.random.default_rng(0)
    full = random.random((5000, 250))
    for X, is_copied in ((full, False), (full * (random.random(full.shape) < 0.2), True)):
        table = training_set(X, np.arange(5000) % 2).table
        assert table.kernel_rows() is table.rows
        assert (table.rows_without_zeros() is not table.rows) == is_copied
        assert table.kernel_rows() is table.rows_without_zeros()
