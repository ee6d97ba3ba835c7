"""What certificates of duality gaps share: costs of rows, sums with rounding errors, and their comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from .certificate import OTHER_DATA, ROUNDING
from .geometry import Floats
from .verification import Check

EPS = float(np.finfo(np.float64).eps)
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
INTERCEPTS = ("free", "penalized", "none")


class ClaimedGap(Protocol):
    """The claims of a certificate of a duality gap."""

    @property
    def primal(self) -> float:
        """The objective of the model."""

    @property
    def dual(self) -> float:
        """A lower bound on the objective of all models."""

    @property
    def tol(self) -> float:
        """The relative gap that was requested."""

    @property
    def relative_gap(self) -> float:
        """(primal - dual) / primal."""

    @property
    def converged(self) -> bool:
        """Whether the relative gap is at most ``tol``."""

    @property
    def iterations(self) -> int:
        """Number of steps of the solver."""


@dataclass(frozen=True)
class Value:
    """A sum that was computed in floating point.

    ``size`` is the sum of the absolute values of its terms, and ``rounding`` bounds the difference to the same sum
    computed in another order. A sum of k products has an error of at most (k + 2) eps times ``size`` in any order
    (Higham 2002, section 3.1), so two such sums, here the solver's and ours, differ by at most twice that.
    """

    found: float
    size: float
    rounding: float


@np.errstate(over="ignore", invalid="ignore")  # costs near the largest float may have an infinite sum
def check_costs(
    costs: Floats | None, C: float, rows: int, examples: int, sample_weight: Any
) -> tuple[Floats | None, Check]:
    """Return the cost C_i of each row, or None if certificate and data disagree, and a check that says so.

    Parameters
    ----------
    costs : ndarray of shape (n_samples,) or None
        The costs that the certificate states; None if all are C.
    C : float
        The cost of a row of weight 1.
    rows : int
        The number of rows.
    examples : int
        The number of rows with a cost that the certificate states.
    sample_weight : array-like of shape (n_samples,) or None
        The weights of the rows, if they are known.
    """
    claim = "costs"
    stated = np.full(rows, float(C)) if costs is None else costs
    if stated.shape != (rows,):
        return None, Check(claim, "fails", f"{len(stated)} costs, but {rows} rows: {OTHER_DATA}")
    if not np.all((stated >= 0) & (stated < np.inf)):
        return None, Check(claim, "fails", "some are negative or not finite")
    found = int(np.count_nonzero(stated))
    if found != examples:
        detail = f"claimed {examples} rows with a cost, found {found}: {OTHER_DATA}"
        return None, Check(claim, "fails", detail)
    words = f"{found} rows with a total cost of {stated.sum():.6g}"
    if sample_weight is None:
        if costs is None:
            return stated, Check(claim, "holds", words)
        return stated, Check(claim, "on trust", f"{words}, as the certificate says; sample_weight would show it")
    given = C * np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), (rows,))
    # The tolerance is the rounding of a product of three numbers in any order.
    wrong = np.flatnonzero(~(np.abs(given - stated) <= 8 * EPS * stated))
    if len(wrong):
        row = int(wrong[0])
        detail = f"row {row} costs {stated[row]:.6g} by the certificate, {given[row]:.6g} by sample_weight, "
        detail += "which must include the class weights"
        return None, Check(claim, "fails", detail, row)
    return stated, Check(claim, "holds", words)


def check_gap(claimed: ClaimedGap, primal: Value, dual: Value) -> list[Check]:
    """Compare the claims with the recomputed values, up to rounding, which must be small compared with ``tol``."""
    # Near the optimum the sizes of the terms of D add up to about 3 D: D(t a) = t S - t^2 Q is largest at t = 1
    # only if S = 2 Q. So a fraction of the size is about the same fraction of the objective.
    last_digits = min(ROUNDING, 0.01 * claimed.tol)
    decisive = max(10 * ROUNDING, min(0.1 * max(claimed.tol, claimed.relative_gap), 1e-4))
    above, below = (value.rounding + last_digits * value.size for value in (primal, dual))
    gap = relative(primal.found - dual.found, primal.found)
    gap_slack = relative(above + below, primal.found)
    gap_decisive = relative(decisive * (primal.size + dual.size), primal.found)
    checks = [
        within("primal", claimed.primal, primal.found, primal.found - claimed.primal, above, decisive * primal.size),
        within("dual", claimed.dual, dual.found, claimed.dual - dual.found, below, decisive * dual.size),
        within("gap", claimed.relative_gap, gap, gap - claimed.relative_gap, gap_slack, gap_decisive),
        Check("iterations", "on trust", f"{claimed.iterations}"),
    ]
    if claimed.converged:
        checks.insert(3, within("converged", claimed.tol, gap, gap - claimed.tol, gap_slack, 0.5 * claimed.tol))
    return checks


def relative(part: float, total: float) -> float:
    """Return part / total; 0 if the total is 0."""
    return part / total if total != 0 else 0.0


def gap_shown(gap: float) -> str:
    """Return a relative gap with three digits; one that is negative by rounding only is 0."""
    return "0" if -ROUNDING < gap <= 0 else f"{gap:.3g}"


def subtract(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a - b, and the absolute value of its rounding error, which is exact (Knuth 1997, theorem 4.2.2 B)."""
    found = a - b
    back = found - a
    return found, np.abs((a - (found - back)) - (b + back))


def exact_sum(values: Floats) -> float:
    """Return the sum of finite numbers, correctly rounded; an infinity if it is too large for a float."""
    try:
        return math.fsum(values.tolist())
    except OverflowError:  # of the sum, or of a part of it
        return rounded(sum(map(Fraction, values.tolist()), Fraction(0)))


def rounded(number: Fraction) -> float:
    """Return the nearest float, or an infinity."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def within(claim: str, claimed: float, found: float, excess: float, slack: float, decisive: float) -> Check:
    """Check that ``found`` exceeds the claim by at most ``slack``; open if a slack above ``decisive`` was needed."""
    detail = f"claimed {claimed:.10g}, found {found:.10g}"
    if not (excess <= slack and math.isfinite(found)):
        return Check(claim, "fails", f"{detail}: {OTHER_DATA}, or the claim is false")
    if slack > decisive and excess > -slack:
        return Check(claim, "open", f"{detail}, but rounding may hide {slack:.3g}")
    return Check(claim, "holds", detail)
