"""Certificates of solutions, and the warning about wide gaps."""

import dataclasses
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from binary_problems import SIGNS, WEIGHTS, X, problem_of, training_set
from novikoff import InvalidInputError, LinearSVM, verify
from novikoff.solvers.problem import Problem
from novikoff.solvers.solver import SolverOptions, solve
from novikoff.svm._certify import certify, measure_problem, warn_if_wide
from novikoff.svm._state import as_list
from novikoff.theory.exact_gap import ExactTable
from share import share_of, slow_unless


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


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("weights", [None, np.where(WEIGHTS > 1, WEIGHTS, 0.0)])
def test_what_is_measured_in_one_pass_proves_the_same_bounds(layout, weights):
    data = training_set(X=layout(X), weights=weights)
    objective = problem_of(C=0.3, loss="hinge", data=data).objective
    solution = solve(Problem(data.table, 1, objective), SolverOptions(1000, 1, 0))
    measured = measure_problem(data, objective, 1, solution)
    np.testing.assert_allclose(measured.scores, X @ solution.weights, atol=1e-12)
    np.testing.assert_allclose(measured.v, (solution.duals * SIGNS) @ X, atol=1e-12)
    found = certify(data, objective, (1, None), solution, measured=measured)
    plain = certify(data, objective, (1, None), solution)
    assert found.converged
    assert found.verify(X, SIGNS, weights)
    assert found.primal == pytest.approx(plain.primal, rel=1e-9)
    assert found.dual == pytest.approx(plain.dual, rel=1e-9)


def test_rows_that_must_be_scaled_are_not_measured():
    data = training_set(X=X * 2.0**250)
    objective = problem_of(C=0.3 * 2.0**-500, data=data).objective
    solution = solve(Problem(data.table, 1, objective), SolverOptions(1000, 1, 0))
    assert measure_problem(data, objective, 1, solution) is None


def test_only_a_gap_above_tol_gives_a_warning():
    data = training_set()
    problem = problem_of(data=data)
    narrow = certify(data, problem.objective, (1, None), solve(problem, SolverOptions(1000, 1, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_wide("test", [narrow, narrow], 1000)
    wide = dataclasses.replace(narrow, dual=0.5 * narrow.primal)
    with pytest.warns(ConvergenceWarning, match=r"^test: after .* only proven to be at most 0.5, above tol=1e-06"):
        warn_if_wide("test", [narrow, wide], narrow.iterations)
    with pytest.warns(ConvergenceWarning, match="rounding errors are part of the gap"):
        warn_if_wide("test", [narrow, wide], narrow.iterations + 1)
    with pytest.warns(ConvergenceWarning, match="Increase max_time or tol"):
        warn_if_wide("test", [narrow, wide], narrow.iterations + 1, max_time=0.1)


# ---- honest claims --------------------------------------------------------------------------------------------------


def exact_bounds(certificate, X, y):
    """The exact objectives of the point that a certificate states."""
    model, y = certificate.model, np.asarray(y)
    penalized, squared = certificate.intercept == "penalized", certificate.stated()["loss"] == "squared_hinge"
    if certificate.planes() is not None:
        codes, count = model.codes(y), len(model.classes)
        costs = np.full(len(y), certificate.C) if model.costs is None else model.costs
        table = ExactTable.of(X, np.zeros(len(y)), costs)
        primal = table.joint_primal(model.weights, model.biases, codes, penalized)
        return primal, table.joint_dual(model.duals, codes, count, penalized)
    rows = np.flatnonzero(model.belongs(y))
    costs = np.full(len(rows), certificate.C) if model.costs is None else model.costs
    table = ExactTable.of(X[rows], model.signs(y)[rows], costs)
    dual = table.dual(model.duals.dense(len(y))[rows], certificate.intercept, squared)
    return table.primal(model.weights, model.bias, penalized, squared), dual


def assert_honest(model, X, y):
    """Every stated bound is on its side of the exact value, and so is the gap."""
    for certificate in as_list(model.certificate_):
        primal, dual = exact_bounds(certificate, X, y)
        assert Fraction(certificate.primal) >= primal
        assert Fraction(certificate.dual) <= dual
        gap = 1 - max(dual, Fraction(0)) / primal if primal else Fraction(0)
        assert Fraction(certificate.relative_gap) >= gap
        assert not certificate.converged or gap <= Fraction(certificate.tol)


def test_a_gap_that_rounding_makes_is_stated_and_the_warning_says_so():
    """Eight rows near 1e5 with a huge C: the last digits of the scores cost more than everything else."""
    X = np.array([[998, 2], [999, 3], [997, 1], [1000, 2], [998, 1], [1003, -2], [999, 2], [999, 3]]) / 10
    X += [[99900.0, 100000.0]]
    y = np.arange(8) % 2
    model = LinearSVM(loss="hinge", C=1.07e9, tol=1e-10, max_iter=2000)
    with pytest.warns(ConvergenceWarning, match="rounding errors are part of the gap"):
        model.fit(X, y)
    assert_honest(model, X, y)
    assert 1e-10 < model.certificate_.relative_gap < 1e-8
    assert not model.certificate_.converged
    assert verify(model, X, y)


def random_machine(seed):
    """A machine with any C, scale and weights, and data of a few rows."""
    rng = np.random.default_rng(seed)
    classes = int(rng.choice([2, 2, 2, 3, 4]))
    rows, columns = max(int(rng.integers(2, 12)), classes), int(rng.integers(1, 5))
    X = rng.normal(size=(rows, columns)) if rng.random() < 0.6 else rng.integers(-3, 4, (rows, columns)).astype(float)
    X *= 10.0 ** (rng.uniform(-1, 1, columns) * rng.choice([0, 1, 4])) * 10.0 ** rng.uniform(-6, 6)
    X += (rng.random() < 0.4) * 10.0 ** rng.uniform(-1, 6)
    y = np.append(np.arange(classes), rng.integers(0, classes, rows - classes))
    weights = 10.0 ** rng.uniform(-8, 8, rows) if rng.random() < 0.3 else None
    strategy = str(rng.choice(["ovr", "ovo", "crammer_singer"]))
    model = LinearSVM(
        C=10.0 ** rng.uniform(-9, 12),
        loss="hinge" if strategy == "crammer_singer" else str(rng.choice(["hinge", "squared_hinge"])),
        fit_intercept=bool(rng.random() < 0.7),
        penalized_intercept=bool(rng.random() < 0.5),
        tol=10.0 ** rng.uniform(-12, -2),
        multi_class=strategy,
        max_iter=int(rng.choice([3, 100, 1000])),
        n_jobs=1,
    )
    return model, sp.csr_array(X * (rng.random(X.shape) < 0.6)) if rng.random() < 0.3 else X, y, weights


def check_honesty(seed):
    model, X, y, weights = random_machine(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model.fit(X, y, weights)
        except InvalidInputError:
            return
    assert_honest(model, X, y)
    found = verify(model, X, y, weights)
    assert found, f"{seed}: {found}"


@pytest.mark.slow
@pytest.mark.parametrize("block", slow_unless(lambda block: block < 4, range(10)))
def test_stated_bounds_are_never_better_than_the_exact_ones(block):
    for seed in range(30 * block, 30 * (block + 1)):
        check_honesty(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(share_of(5)))
def test_stated_bounds_are_never_better_than_the_exact_ones_for_many_machines(block):
    for seed in range(200 * (block + 2), 200 * (block + 3)):
        check_honesty(seed)


def test_duals_that_prove_nothing_are_left_out():
    X, y = np.full((40, 1), 1.25730221e19), [1, -1] * 20
    with pytest.warns(ConvergenceWarning):
        certificate = LinearSVM(C=1e-3, loss="hinge").fit(X, y).certificate_
    assert (certificate.dual, certificate.relative_gap, len(certificate.model.duals.rows)) == (0.0, 1.0, 0)
    assert certificate.verify(X, y)


def test_two_equal_rows_of_different_classes_have_an_honest_gap_at_any_scale():
    X, y = np.full((2, 1), 1.25730221e19), [1, -1]
    model = LinearSVM(C=1e-3, loss="hinge")
    with pytest.warns(ConvergenceWarning, match="rounding errors are part of the gap"):
        model.fit(X, y)
    assert model.certificate_.verify(X, y)


def dense(X):
    return X.toarray() if sp.issparse(X) else np.asarray(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weights", [None, "random"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_classes_that_are_measured_together_have_the_certificates_and_slacks_of_each(dtype, weights, loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 20)).astype(dtype), rng.integers(0, 3, 400)
    sample_weight = None if weights is None else rng.integers(0, 3, 400)
    together = [LinearSVM(loss=loss, multi_class="ovr", n_jobs=jobs).fit(X, y, sample_weight) for jobs in (1, 2)]
    for k in range(3):
        alone = LinearSVM(loss=loss).fit(X, np.where(y == k, 1, -1), sample_weight)
        for model in together:
            own = model.certificate_[k]
            assert own.verify(X, y, sample_weight=sample_weight)
            np.testing.assert_array_equal(model.coef_[k], alone.coef_[0])
            np.testing.assert_allclose([own.primal, own.dual], [alone.certificate_.primal, alone.certificate_.dual])
            np.testing.assert_allclose(dense(model.slack_)[:, k], dense(alone.slack_).ravel(), atol=1e-12)
    assert [one.primal for one in together[0].certificate_] == [one.primal for one in together[1].certificate_]
