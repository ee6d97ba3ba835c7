"""Scores and sums of duals of several problems, measured in one pass."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory.enclosed_sums import CACHED_ENTRIES, Rows
from novikoff.theory.gap_values import Point, SoftMargin
from novikoff.theory.measured import Measured, joined, measure

RNG = np.random.default_rng(0)
COLUMNS = 300
X = RNG.normal(size=(3 * CACHED_ENTRIES // COLUMNS, COLUMNS)).astype(np.float32)
SIGNS = np.where(RNG.random((3, len(X))) < 0.4, 1.0, -1.0)
WEIGHTS, BIASES, DUALS = RNG.normal(size=(3, COLUMNS)) / 20, RNG.normal(size=3), RNG.random((3, len(X)))
DUALS[:, ::3] = 0.0


def measured_in_parts(starts):
    cuts = [slice(*ends) for ends in zip(starts, [*starts[1:], len(X)], strict=True)]
    parts = [measure(Rows(X[cut]), WEIGHTS, (DUALS * SIGNS)[:, cut]) for cut in cuts]
    return [joined([part[k] for part in parts]) for k in range(3)]


@pytest.mark.parametrize("starts", [[0], [0, 17, 1000]])
def test_the_products_are_those_of_each_problem(starts):
    for k, found in enumerate(measured_in_parts(starts)):
        np.testing.assert_allclose(found.scores, X.astype(float) @ WEIGHTS[k], atol=1e-12)
        np.testing.assert_allclose(found.v, (DUALS[k] * SIGNS[k]) @ X.astype(float), atol=1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_bounds_from_products_of_sparse_rows_enclose_the_exact_objectives(loss):
    """The errors of sums over a row are those of its own values, not of all columns."""
    table = sp.csr_array(np.where(RNG.random((60, COLUMNS)) < 0.03, X[:60], 0))
    a, y, terms = DUALS[0, :60], SIGNS[0, :60], int(np.diff(table.indptr).max())
    own = Measured(table @ WEIGHTS[0], table.T @ (a * y), added=60, pieces=1, terms=terms)
    problem = SoftMargin(table, y, np.full(60, 2.0), loss, "penalized", own)
    point = Point(WEIGHTS[0], float(BIASES[0]), a)
    for quick, exact in zip(problem.enclose(point, Rows(table), quick=True), problem.exact(point), strict=True):
        assert quick.low <= exact.low <= exact.high <= quick.high
        assert float(quick.high - quick.low) <= 1e-10 * abs(float(exact.high))
