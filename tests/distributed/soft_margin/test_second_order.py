"""Few columns: the tolerance is reached in few rounds, also if the driver may hold no rows."""

import numpy as np
import pytest

from novikoff.distributed.soft_margin.progress import Record
from novikoff.distributed.soft_margin.second_order import solve_second_order
from partitions import INTERCEPTS, LOSSES, Problem, noisy_rows, optimum


def solved(loss, intercept, tol, kind="dense", C=0.5, **changed):
    rng = np.random.default_rng(0)
    X, signs = noisy_rows(rng, 300, 5, kind)
    problem = Problem(X, signs, rng.choice([0.5, 1.0, 2.0], 300), [100, 0, 1, 199], loss, intercept, C=C)
    record = Record(C)
    options = problem.options(tol=tol, **changed)
    outcome = problem.drive(solve_second_order(problem.setup, 300, record, options), record=record)
    return problem, record, outcome


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_the_tolerance_is_reached_in_few_rounds(loss, intercept, kind):
    problem, record, outcome = solved(loss, intercept, 1e-8, kind)
    low, high = optimum(problem)
    assert record.history[-1].gap <= 1e-8
    assert record.rounds <= 30
    assert low * (1 - 1e-9) <= problem.primal(outcome.v) <= high * (1 + 1e-7)


@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_a_gap_that_ramps_cannot_close_is_stated(intercept):
    """With few free rows and a large C, the dual point may remain worse than the primal one."""
    problem, record, outcome = solved("hinge", intercept, 1e-13, C=100.0, max_gathered=0)
    low, high = optimum(problem)
    certificate = problem.certified(outcome, record, 1e-13).certificate
    assert not certificate.converged
    assert problem.primal(outcome.v) <= high * (1 + 1e-3)
    assert certificate.dual / 100 <= high * (1 + 1e-9)
    assert certificate.primal / 100 >= low * (1 - 1e-9)
