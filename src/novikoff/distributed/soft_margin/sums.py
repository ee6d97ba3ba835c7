"""Bounds on the optimum from sums over all partitions."""

from __future__ import annotations

from novikoff.solvers.bounds import Bounds as Bounds
from novikoff.solvers.bounds import balancing_shares, half_square
from novikoff.theory.geometry import Floats

from .setup import Setup


def regularization(setup: Setup, v: Floats) -> float:
    """Return lam/2 |w|^2 + kappa/2 b^2 for v = (w, b)."""
    return 0.5 * float(v @ (setup.penalty * v))


def bounds_of(setup: Setup, v: Floats, sums: Floats, vectors: Floats) -> Bounds:
    """Return the bounds at v, given the sums of `LocalProblem.dual_sums` over all partitions."""
    ridge, width = setup.loss_function.ridge, setup.width + 1
    a, a_slack, a_alpha, loss = sums[0:2].tolist(), sums[2:4].tolist(), sums[4:6].tolist(), float(sums[6])
    negative, positive = vectors[:width], vectors[width:]
    shares = balancing_shares(*a) if setup.has_free_intercept else (1.0, 1.0)
    total = shares[0] * negative + shares[1] * positive
    dual = sum(
        share * own - 0.5 * ridge * share * share * square
        for share, own, square in zip(shares, a, a_alpha, strict=True)
    )
    dual -= half_square(total[:-1], 0.0, setup.lam)
    if setup.kappa > 0:
        dual -= half_square(total[-1:], 0.0, setup.kappa)
    row_gap = loss - sum(a_slack) + 0.5 * ridge * sum(a_alpha)
    gradient = setup.penalty * v - (negative + positive)
    return Bounds(v, regularization(setup, v) + loss, dual, shares, max(0.0, row_gap), gradient)
