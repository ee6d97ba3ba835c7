"""Bounds on the largest margin, from the distance of convex hulls, and their independent check in NumPy.

Rows x_i have labels y_i in {-1, +1}. With a free intercept the margin of (w, b) is min_i y_i (w.x_i + b) / |w|, and the
largest margin, gamma*, is half the distance between the convex hulls of the two classes. Without an intercept, u_i =
x_i, or with a penalised one, u_i = (x_i, 1), the margin is min_i y_i v.u_i / |v|, and gamma* is the distance of 0 from
the convex hull of all y_i u_i. In both cases

    min_i y_i (w.x_i + b) / |w|  <=  gamma*  <=  |sum_i a_i y_i u_i| / sum_i a_i

for every (w, b) and every a >= 0, with sum_i y_i a_i = 0 if the intercept is free.  docs/theory.md E.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .certificate import OTHER_DATA, ROUNDING, Support, misfit
from .columns import compact
from .exact import UNDERFLOW_BOUND, Examples, distance_is_at_most, margin_is_at_least
from .feasible import allowed
from .gap import SUM_BLOCK_ROWS, SUPPORT_TOLERANCE
from .gap_checks import EPS, INTERCEPTS
from .generalization import Generalization
from .geometry import BLOCK_ENTRIES, Floats, as_table, blocks
from .margin import MarginCertificate
from .svm_model import SvmModel
from .verification import Check, Verification, compare

CACHED_ENTRIES = 1 << 17  # entries of a block of rows that stays in the cache while it is read twice


@dataclass(frozen=True)
class Range:
    """An interval that contains a number computed in floating point, and the row that determined it, if one did."""

    low: float
    high: float
    row: int | None = None

    @property
    def least(self) -> float:
        """A lower bound that another computation of the same accuracy confirms."""
        return self.low - (self.high - self.low)

    @property
    def most(self) -> float:
        """An upper bound that another computation of the same accuracy confirms."""
        return self.high + (self.high - self.low)


@dataclass(frozen=True, repr=False, eq=False)
class HullCertificate(MarginCertificate):
    """Bounds on the margin of a hard-margin support vector machine, and on the largest margin of any plane.

    The weights of ``model`` have the lower bound as their margin; its duals prove the upper bound.

    Parameters
    ----------
    margin_lower_bound, margin_upper_bound : float
        The bounds, as in ``MarginCertificate``.
    examples : float
        Number of rows whose weight is not 0.
    intercept : {"free", "penalized", "none"}
        Whether there is an intercept, and whether it counts as a feature.
    tol : float
        The relative difference of the bounds that was requested.
    iterations : int
        Number of steps of the solver.
    radius : float
        The largest |u|.
    model : SvmModel
        The model and its duals.

    See Also
    --------
    novikoff.HardMarginSVM : The learner that has this certificate.

    Notes
    -----
    ``verify`` skips rows of weight 0; other weights do not matter. With ``exact`` it decides in integers what rounding
    leaves open.

    Examples
    --------
    >>> from novikoff import HardMarginSVM
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]], [0, 0, 1, 1]
    >>> certificate = HardMarginSVM().fit(X, y).certificate_
    >>> certificate.margin_lower_bound <= certificate.margin_upper_bound, bool(certificate.verify(X, y))
    (True, True)
    """

    examples: int  # rows are counted, not their weights
    intercept: str
    tol: float
    iterations: int
    radius: float
    model: SvmModel

    @property
    def relative_gap(self) -> float:
        """(upper - lower) / upper: the fraction of the largest margin by which the model may fall short."""
        return 1 - self.ratio

    @property
    def converged(self) -> bool:
        """Whether the model separates the rows and the relative gap is at most ``tol``."""
        return self.margin_lower_bound > 0 and self.relative_gap <= self.tol

    @property
    def leave_one_out_bound(self) -> float | None:
        """An upper bound on the leave-one-out error; None where the margin bounds are too far apart to prove it.

        A row whose dual is 0 does not contribute to the upper bound on the margin, so that bound also holds without the
        row. Hence every machine that is solved as accurately on the other rows has nearly the same direction and
        intercept, and predicts the same label for the row. Only support vectors can be mistaken (Vapnik 1995).
        """
        lower, upper = self.margin_lower_bound, self.margin_upper_bound
        without = (1 - self.tol) * lower  # at least the margin of a machine that was solved without some row
        if not 0 < without <= upper:
            return None
        # Both directions have a cosine of at least margin / upper with the line between the nearest points of the
        # hulls. With a free intercept, the midpoint of that line is within upper - margin of the plane. A turn by an
        # angle moves a point by at most twice the radius times that angle.
        turn = sum(math.sqrt(2 * (max(0.0, 1 - margin / upper) + 4 * EPS)) for margin in (without, lower))
        if 2 * lower + without - 2 * upper <= 2 * self.radius * turn * (1 + ROUNDING):
            return None
        return len(self.model.duals.rows) / self.examples

    @property
    def generalization(self) -> Generalization | None:
        """What the number of support vectors says about new examples; None where it proves nothing."""
        share = self.leave_one_out_bound
        if share is None:
            return None
        support, examples = len(self.model.duals.rows), int(self.examples)
        return Generalization(
            share,
            f"if the {examples} examples are independent draws from one distribution, a machine learned from "
            f"{examples - 1} of them errs on a new one with a probability of at most the expectation of this number, "
            f"{support} support vectors in {examples}; and if each of these examples is left out once, at most "
            f"{support} are mistaken",
        )

    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        X = as_table(X)
        if unfit := misfit(X, y, sample_weight, columns=len(self.model.weights)) or self._misfit():
            return Verification((unfit,))
        rows = X.shape[0]
        counted = np.broadcast_to(True if sample_weight is None else np.asarray(sample_weight) > 0, (rows,))
        examples = int(np.count_nonzero(counted))
        if examples != self.examples:
            detail = f"claimed {self.examples:g} rows, found {examples} with a weight above 0: {OTHER_DATA}"
            return Verification((Check("examples", "fails", detail),))
        signs = self.model.signs(y)
        feasible, a = allowed(
            self.model.duals, signs, np.where(counted, np.inf, 0.0), balanced=self.intercept == "free"
        )
        if a is None or not a.any():
            return Verification((feasible if a is None else Check("feasible duals", "fails", "they are all 0"),))
        X, weights = compact(X, self.model.weights)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # a bound that overflows fails
            lower, radius = margin_range(X, signs, counted, weights, self.model.bias, self.intercept)
            upper = distance_range(X, signs, a, self.intercept)
        bounds = [self._check_lower(lower), self._check_upper(upper)]
        if exact:
            bounds = self._decided(bounds, X, signs, counted, weights)
        return Verification(
            (
                feasible,
                compare("radius", self.radius, radius, slack=ROUNDING * self.radius, exact_match=True),
                compare("lower below upper bound", self.margin_upper_bound, self.margin_lower_bound, slack=0.0),
                *bounds,
                Check("iterations", "on trust", f"{self.iterations}"),
            )
        )

    def _decided(self, checks: list[Check], X: Any, signs: Floats, counted: Any, weights: Floats) -> list[Check]:
        """Return the checks of the two bounds, decided in integers where they were open. ``weights`` fit X."""
        lower, upper = checks
        has_intercept = self.intercept != "none"
        if lower.status == "open":
            rows = slice(None) if np.all(counted) else np.flatnonzero(counted)
            v = np.append(weights, [self.model.bias] if has_intercept else [])
            examples = Examples(X[rows], signs[rows], has_intercept)
            holds = margin_is_at_least(examples, v, self.margin_lower_bound, self.intercept == "penalized")
            lower = _exactly(lower, holds)
        if upper.status == "open":
            duals, examples = self.model.duals, Examples(X, signs, has_intercept)
            free = self.intercept == "free"
            holds = distance_is_at_most(examples, duals.rows, duals.weights, self.margin_upper_bound, free)
            upper = _exactly(upper, holds)
        return [lower, upper]

    def _misfit(self) -> Check | None:
        """Return a failed check if no data can have this model."""
        if self.intercept not in INTERCEPTS:
            return Check("problem", "fails", f"unknown intercept {self.intercept!r}")
        if not (np.all(np.isfinite(self.model.weights)) and math.isfinite(self.model.bias)):
            return Check("model", "fails", "NaN or infinity among the weights")
        if self.intercept == "none" and self.model.bias != 0:
            return Check("model", "fails", f"the bias is {self.model.bias:.6g} where there is no intercept")
        return None

    def _check_lower(self, found: Range) -> Check:
        claim, claimed = "lower bound", self.margin_lower_bound
        detail = f"claimed {claimed:.10g}, found {found.low:.10g} or more"
        if claimed == -math.inf:
            return Check(claim, "on trust", "no lower bound is claimed")
        if claimed <= found.low:
            return Check(claim, "holds", detail)
        if claimed <= found.high:
            return Check(claim, "open", f"{detail}, but rounding may hide {found.high - found.low:.3g}", found.row)
        return Check(claim, "fails", f"claimed {claimed:.10g}, found {found.high:.10g} or less", found.row)

    def _check_upper(self, found: Range) -> Check:
        claim, claimed = "upper bound", self.margin_upper_bound
        detail = f"claimed {claimed:.10g}, found {found.high:.10g} or less"
        if claimed >= found.high:
            return Check(claim, "holds", detail)
        if claimed >= found.low:
            return Check(claim, "open", f"{detail}, but rounding may hide {found.high - found.low:.3g}")
        return Check(claim, "fails", f"claimed {claimed:.10g}, found {found.low:.10g} or more: {OTHER_DATA}")

    def plane(self) -> tuple[Floats, float]:
        return self.model.weights, self.model.bias

    def labels(self) -> tuple[Any, Any]:
        return self.model.positive, self.model.negative

    def stated(self) -> dict[str, Any]:
        return {"intercept": self.intercept, "tol": self.tol}

    def band(self) -> float:
        return 1.0  # the weights are scaled so that the nearest rows have this score

    def support(self, X: Any, y: Any) -> Support:
        # The cosine between sum a_i y_i x_i and w is at least the ratio of the bounds.
        found = self.model.recombined(X, y, self.intercept == "penalized")
        if found is None:
            return Support()
        v, w = found
        least = (self.ratio - SUPPORT_TOLERANCE) * float(np.linalg.norm(v) * np.linalg.norm(w))
        return Support(self.model.duals.rows) if float(v @ w) >= least else Support()

    def claims(self) -> list[tuple[str, str]]:
        asked = "within" if self.converged else "above"
        return [
            *super().claims(),
            ("relative gap", f"{self.relative_gap:.3g}, {asked} the requested {self.tol:g}"),
            ("intercept", self.intercept),
            ("support", f"{len(self.model.duals.rows)} of {self.examples:g} examples"),
        ]


def _exactly(check: Check, holds: bool) -> Check:
    detail = f"{check.detail.split(',')[0]}, decided exactly"
    return Check(check.claim, "holds" if holds else "fails", detail, None if holds else check.row)


def margin_range(
    X: Any, signs: Floats, counted: Any, weights: Floats, bias: float, intercept: str
) -> tuple[Range, float]:
    """Return bounds on the margin of (w, b) on the rows that count, and the largest |u|, from one pass.

    A score of k terms has an error of at most (k + 4) eps (|x| |w| + |b|) (Higham 2002, section 3.1).
    """
    own = math.hypot(length(weights), bias if intercept == "penalized" else 0.0)
    low, high, longest, row = math.inf, math.inf, 0.0, None
    for cut, block in _pieces(X):
        use = np.flatnonzero(counted[cut])
        if len(use) == 0:
            continue
        lengths = _lengths(block)
        terms = np.diff(block.indptr) if sp.issparse(block) else block.shape[1]
        margins = (signs[cut] * (block @ weights + bias))[use]
        errors = ((terms + 4) * (EPS * (lengths * length(weights) + abs(bias)) + UNDERFLOW_BOUND))[use]
        finite = np.isfinite(margins) & np.isfinite(errors)  # a score that overflows proves nothing
        lows = np.where(finite, margins - errors, -math.inf)
        at = int(np.argmin(lows))
        if lows[at] < low:
            low, row = float(lows[at]), cut.start + int(use[at])
        high = min(high, float(np.where(finite, margins + errors, math.inf).min()))
        longest = max(longest, float(lengths[use].max()))
    radius = math.hypot(longest, 1.0) if intercept == "penalized" else longest
    if own == 0 or not math.isfinite(low):
        return Range(-math.inf, -math.inf if own == 0 else math.inf, row), radius
    last_digits = (len(weights) + 8) * EPS
    return Range(low / own - last_digits * abs(low) / own, high / own + last_digits * abs(high) / own, row), radius


def distance_range(X: Any, signs: Floats, a: Floats, intercept: str) -> Range:
    """Return an interval for |sum a y u| / sum a, which no margin exceeds.

    If the intercept is free and r = sum y a is not exactly 0, then r times the b of a separator of unit length has to
    be added. That b is at most the length of the longest of these rows, because the plane passes between them.
    """
    support = np.flatnonzero(a)
    v, size, longest, pieces = np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0.0, 0
    step = SUM_BLOCK_ROWS if sp.issparse(X) else max(1, min(SUM_BLOCK_ROWS, BLOCK_ENTRIES // max(1, X.shape[1])))
    for first in range(0, len(support), step):  # partial sums, to limit rounding errors
        rows = support[first : first + step]
        piece = X[rows].astype(np.float64, copy=False)
        v += piece.T @ (a[rows] * signs[rows])
        size += abs(piece).T @ a[rows]
        longest = max(longest, float(_lengths(piece).max()))
        pieces += 1
    total, rest = math.fsum(a[support]), math.fsum(a[support] * signs[support])
    error = (min(step, len(support)) + pieces + 4) * EPS * length(size)
    found = length(v)
    if intercept == "penalized":
        found, error = math.hypot(found, rest), error + 2 * EPS * total
    elif intercept == "free":
        error += abs(rest) * longest
    error += (len(v) + 8) * EPS * (found + error)
    return Range((found - error) / total, (found + error) / total)


def length(v: Floats) -> float:
    """Return |v|, without overflow or underflow of squares."""
    largest = float(np.abs(v).max(initial=0.0))
    return largest * float(np.linalg.norm(v / largest)) if 0 < largest < math.inf else largest


def _pieces(X: Any) -> Iterator[tuple[slice, Any]]:
    """Yield blocks of rows, as float64, that stay in the cache while they are read twice."""
    for cut, block in blocks(X):
        rows = block.shape[0]
        step = rows if sp.issparse(block) else max(1, CACHED_ENTRIES // max(1, block.shape[1]))
        for first in range(0, rows, step):
            last = min(first + step, rows)
            yield slice(cut.start + first, cut.start + last), block if step >= rows else block[first:last]


def _lengths(block: Any) -> Floats:
    """Return |x| of every row, without overflow or underflow of squares."""
    largest = float(np.abs(block.data if sp.issparse(block) else block).max(initial=0.0))
    scale = 2.0 ** -math.frexp(largest)[1] if 1e-290 < largest < 1e290 else 1.0
    scaled = block * scale if not 1e-100 < largest < 1e100 else block
    squares = scaled.multiply(scaled).sum(axis=1) if sp.issparse(scaled) else np.einsum("ij,ij->i", scaled, scaled)
    lengths: Floats = np.sqrt(np.asarray(squares, dtype=np.float64).ravel())
    # A row that is tiny beside the longest of the block may have lost its squares: it is not shorter than this.
    lengths = np.maximum(lengths, 1e-150)
    return lengths if scaled is block else lengths / scale
