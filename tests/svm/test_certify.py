"""Certificates of solutions, and the warning about wide gaps."""

import dataclasses
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from binary_problems import SIGNS, WEIGHTS, X, problem_of, training_set
from novikoff.solvers.problem import Problem
from novikoff.solvers.solver import SolverOptions, solve
from novikoff.svm._certify import certify, warn_if_wide


@pytest.mark.parametrize("weights", [None, np.where(WEIGHTS > 1, WEIGHTS, 0.0)])
def test_a_certificate_states_the_problem_and_verifies(weights):
    data = training_set(weights=weights)
    problem = problem_of(C=0.3, loss="squared_hinge", data=data)
    certificate = certify(data, problem.objective, (1, None), solve(problem, SolverOptions(1000, 1, 0)))
    assert certificate.stated() == {"intercept": "free", "tol": 1e-6, "C": 0.3, "loss": "squared_hinge"}
    assert certificate.model.positive == 1.0
    assert certificate.examples == (60 if weights is None else np.count_nonzero(weights))
    assert certificate.verify(X, SIGNS, weights)


def test_the_certificate_of_a_pair_has_the_row_numbers_of_all_rows():
    y = np.arange(60) % 3
    weights = np.where(WEIGHTS > 1, WEIGHTS, 0.0)
    data = training_set(y=y, weights=weights)
    part, rows = data.only((2, 0))
    problem = Problem(part.table, 2, problem_of(C=0.3).objective)
    certificate = certify(part, problem.objective, (2, 0), solve(problem, SolverOptions(1000, 1, 0)), rows)
    assert (certificate.model.positive, certificate.model.negative) == (2, 0)
    assert set(certificate.model.duals.rows.tolist()) <= set(np.flatnonzero(y != 1).tolist())
    assert len(certificate.model.costs) == 40
    assert certificate.verify(X, y, weights)


def test_only_a_gap_above_tol_gives_a_warning():
    data = training_set()
    problem = problem_of(data=data)
    narrow = certify(data, problem.objective, (1, None), solve(problem, SolverOptions(1000, 1, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_wide("test", [narrow, narrow])
    wide = dataclasses.replace(narrow, dual=0.5 * narrow.primal)
    with pytest.warns(ConvergenceWarning, match=r"^test: after .* the relative gap is 0.5, above tol=1e-06"):
        warn_if_wide("test", [narrow, wide])
