"""What certificates of duality gaps share: the claims in words, the costs of rows, and the comparison of the bounds."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any, Protocol, Self

import numpy as np

from novikoff._counts import count, counted

from .certificate import OTHER_DATA, Certificate, above, below
from .enclosed_sums import Rows
from .enclosure import ROUNDING_UNIT, SMALLEST, Enclosure, End, at_least, at_most
from .geometry import Extended, Floats
from .verification import Check

COST_ROUNDINGS = 4  # of a cost, the product of C, the weight of a row and that of its class
LAM_ROUNDING = Fraction(1, 2**51)  # relative; C may be 1 / (2 lambda) with two roundings
REFUTED = f": {OTHER_DATA}, or the claim is false"


class GapClaims(Certificate):
    """The claims dual <= minimum <= primal, and what follows from them. Subclasses have these fields."""

    C: float
    tol: float
    primal: Extended
    dual: Extended
    iterations: int
    examples: int

    _speaks_of_lambda = False  # in words; it is not a field, because it claims nothing

    @property
    def relative_gap(self) -> float:
        """(primal - dual) / primal, rounded up: the fraction by which a better model could be lower, at most."""
        return relative_gap(self.primal, self.dual)

    @property
    def converged(self) -> bool:
        """Whether the relative gap is at most ``tol``."""
        return self.relative_gap <= self.tol

    @property
    def lam(self) -> float:
        """The penalty lambda for which lambda |w|^2 + the sum of the losses is the same problem, 1 / (2 C)."""
        return 1 / (2 * self.C) if self.C > 0 else math.inf

    @property
    def primal_lam(self) -> float:
        """An upper bound on lambda |w|^2 + the sum of the losses of the model, ``primal`` / C."""
        if not (math.isfinite(self.primal) and self.C > 0):
            return math.inf
        return Enclosure.exactly(Fraction(self.primal) / Fraction(self.C) * (1 + LAM_ROUNDING)).outer_high()

    @property
    def dual_lam(self) -> float:
        """A lower bound on lambda |w|^2 + the sum of the losses of every model, ``dual`` / C."""
        if not (math.isfinite(self.dual) and self.C > 0):
            return -math.inf
        return Enclosure.exactly(Fraction(self.dual) / Fraction(self.C) * (1 - LAM_ROUNDING)).outer_low()

    def in_lambda(self) -> Self:
        """Return this certificate with its claims in words that name lambda instead of C.

        Returns
        -------
        Certificate
            A copy with the same fields. ``claims``, ``explain`` and the text state the objective as lambda |w|^2 plus
            the sum of the losses.
        """
        found = copy.copy(self)
        object.__setattr__(found, "_speaks_of_lambda", True)
        return found

    def _penalty_shown(self) -> str:
        return f"lambda {self.lam:g} (C {self.C:g})" if self._speaks_of_lambda else f"C {self.C:g}"

    def _bounds_shown(self) -> tuple[float, float, str]:
        """Return the bounds on the objective in the convention that is shown, and what the objective is."""
        if not self._speaks_of_lambda:
            return self.primal, self.dual, ""
        return self.primal_lam, self.dual_lam, " for lambda |w|^2 + the sum of the losses"

    def _explained(self, reaches: str, support: int) -> str:
        """Explain the claims, given words that say what reaches the value of the objective that follows them."""
        primal, dual, what = self._bounds_shown()
        return (
            f"{reaches} a value of at most {above(primal)}{what}. Weights of {counted(support, 'support vector')} "
            f"prove that no model is below {below(dual)}: a better model could lower the objective by a fraction of "
            f"at most {gap_shown(self.relative_gap)}. The requested fraction is {self.tol:g}"
            f"{'' if self.converged else ', which was not reached'}."
        )

    def _claimed(self, problem: str, support: int) -> list[tuple[str, str]]:
        """Return the claims in words, given those of the problem."""
        asked, (primal, dual, what) = "within" if self.converged else "above", self._bounds_shown()
        return [
            ("objective", f"at most {above(primal)}{what}, and the minimum is at least {below(dual)}"),
            ("relative gap", f"at most {gap_shown(self.relative_gap)}, {asked} the requested {self.tol:g}"),
            ("problem", problem),
            ("support", f"{count(support)} of {counted(self.examples, 'example')}"),
            ("iterations", count(self.iterations)),
        ]


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
        return None, Check(claim, "fails", f"{counted(len(stated), 'cost')}, but {counted(rows, 'row')}: {OTHER_DATA}")
    if not np.all((stated >= 0) & (stated < np.inf)):
        return None, Check(claim, "fails", "some are negative or not finite")
    found = int(np.count_nonzero(stated))
    if found != examples:
        detail = f"claimed {counted(examples, 'row')} with a cost, found {count(found)}: {OTHER_DATA}"
        return None, Check(claim, "fails", detail)
    words = f"{counted(found, 'row')} with a total cost of {stated.sum():.6g}"
    if sample_weight is None:
        if costs is None:
            return stated, Check(claim, "holds", words)
        return stated, Check(claim, "on trust", f"{words}, as the certificate says; sample_weight would show it")
    weights = np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), (rows,))
    row = first_other_cost(stated, C, weights)
    if row is not None:
        detail = f"row {row} costs {stated[row]:.6g} by the certificate, {C * weights[row]:.6g} by sample_weight, "
        detail += "which must include the class weights"
        return None, Check(claim, "fails", detail, row)
    return stated, Check(claim, "holds", words)


def first_other_cost(stated: Floats, C: float, weights: Floats) -> int | None:
    """Return the first row whose cost is not C times its weight, up to the rounding of a product; None without one."""
    products = C * weights
    differs = np.flatnonzero(stated != products)
    for row in differs.tolist():
        weight = float(weights[row])
        if not math.isfinite(weight) or weight < 0:
            return int(row)
        product = Fraction(C) * Fraction(weight)
        if abs(Fraction(float(stated[row])) - product) > COST_ROUNDINGS * (ROUNDING_UNIT * product + SMALLEST):
            return int(row)
    return None


class Objectives(Protocol):
    """The objectives P and D of a problem, at a point of weights, intercepts and duals."""

    @property
    def is_small(self) -> bool:
        """Whether ``exact`` takes so little time that it need not be asked for."""

    def enclose(self, point: Any, rows: Rows, quick: bool) -> tuple[Enclosure, Enclosure]:
        """Return enclosures of P and D, computed in one pass over the rows; ``quick`` ones are wider."""

    def exact(self, point: Any) -> tuple[Enclosure, Enclosure]:
        """Return P and D as fractions."""


def check_bounds(claimed: GapClaims, problem: Objectives, point: Any, rows: Rows, exact: bool) -> list[Check]:
    """Check the claims at a point: with ``exact`` in fractions, else in the quickest way that leaves none open."""
    if exact:
        return check_gap(claimed, *problem.exact(point))
    found: list[Check] = []
    for bounds in _bounds(problem, point, rows):
        found = check_gap(claimed, *bounds)
        if not any(check.status == "open" for check in found):
            break
    return found


def _bounds(problem: Objectives, point: Any, rows: Rows) -> Iterator[tuple[Enclosure, Enclosure]]:
    """Yield enclosures of P and D, each narrower than the one before; the last is exact if the data are small."""
    for quick in (True, False):
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # what overflows is not bounded
            bounds = problem.enclose(point, rows, quick)
        yield bounds
    if problem.is_small:
        yield problem.exact(point)


def state_bounds(problem: Objectives, point: Any, rows: Rows, tol: float) -> tuple[float, float]:
    """Return an upper bound on P and a lower bound on D at a point, which `check_bounds` confirms without ``exact``."""
    stated = math.inf, -math.inf
    for primal, dual in _bounds(problem, point, rows):
        stated = primal.stated_high(), dual.stated_low()
        if relative_gap(*stated) <= tol:
            break
    return stated


def relative_gap(primal: float, dual: float) -> float:
    """Return (primal - dual) / primal, rounded up; 0 if both are 0, and infinity if one is not known."""
    if not (math.isfinite(primal) and math.isfinite(dual)) or primal < 0:
        return math.inf
    total = Fraction(primal)
    return Enclosure.exactly((total - Fraction(dual)) / total).outer_high() if total else 0.0


def check_gap(claimed: GapClaims, primal: Enclosure, dual: Enclosure) -> list[Check]:
    """Compare the claims with enclosures of the objective of the model and of the bound of the duals."""
    for claim, number in (("primal", claimed.primal), ("dual", claimed.dual), ("converged", claimed.tol)):
        if not math.isfinite(number):
            return [Check(claim, "fails", f"claimed {number}, which is not a finite number")]
    gap = _relative(primal, dual)
    checks = [
        at_most("primal", claimed.primal, primal, hint=REFUTED),
        at_least("dual", claimed.dual, dual, hint=REFUTED),
        at_most("gap", claimed.relative_gap, gap, hint=REFUTED),
    ]
    if claimed.converged:
        checks.append(at_most("converged", claimed.tol, gap, hint=REFUTED))
    return [*checks, Check("iterations", "on trust", count(claimed.iterations))]


def _relative(primal: Enclosure, dual: Enclosure) -> Enclosure:
    """Return the enclosure of (P - D) / P, or of 0 where P is 0. A negative D counts as 0, the bound of no duals."""
    lowest, highest = max(dual.low, Fraction(0)), max(dual.high, Fraction(0))
    if primal.high <= 0:
        return Enclosure.exactly(0)
    low: End = -math.inf
    if isinstance(highest, Fraction) and isinstance(primal.low, Fraction) and primal.low > 0:
        low = 1 - highest / primal.low
    high = 1 - lowest / primal.high if isinstance(primal.high, Fraction) else Fraction(1)
    return Enclosure(min(low, high), high)


def gap_shown(gap: float) -> str:
    """Return a relative gap with three digits, rounded up."""
    if not math.isfinite(gap):
        return f"{gap:g}"
    return f"{float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(gap))):.3g}"
