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
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import count, counted
from novikoff._wide_array import stored

from .certificate import OTHER_DATA, Duals, Support, misfit
from .columns import Columns, compact
from .enclosed_sums import Rows
from .enclosure import ROUNDING_UNIT, SMALLEST, Enclosure, agrees, at_least, at_most
from .feasible import within_limits
from .gap import SUPPORT_TOLERANCE
from .gap_checks import gap_shown
from .generalization import Generalization
from .geometry import INTERCEPTS, Floats, Matrix, as_table
from .hull_bounds import MAX_EXACT_WORK, SMALL_WORK, HullSolution, Measurement
from .margin import MarginCertificate
from .margin_value import Margin
from .quick_hulls import measurements
from .svm_model import SvmModel
from .verification import Check, Verification


def hull_points(X: Any, signs: Floats, duals: Duals) -> Matrix | None:
    """Return the points of the two convex hulls that duals stand for; None if those of a class are all 0.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    duals : Duals
        The dual variables a.

    Returns
    -------
    ndarray of shape (2, n_features) or None
        The sums of a_i x_i over the rows with y_i = 1 and over the others, each divided by its sum of a_i.
    """
    points = []
    is_positive = signs[duals.rows] > 0
    for side in (is_positive, ~is_positive):
        own, total = duals.weights[side], float(duals.weights[side].sum())
        if not 0 < total < math.inf:
            return None
        rows = X[duals.rows[side]].astype(np.float64, copy=False)
        points.append(np.asarray(rows.T @ (own / total), dtype=np.float64).ravel())
    return np.array(points)


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
    The claims are about the rows whose weight is not 0; other weights do not matter. Let u = (x, 1) if the intercept is
    penalised and u = x otherwise, and let |v| be |(w, b)| or |w|.

    - w is not 0, and y_i (w.x_i + b) >= ``margin_lower_bound`` |v| for all rows. -infinity claims nothing.
    - a >= 0, and |sum a'_i y_i u_i| <= ``margin_upper_bound`` sum a'_i with sum a' > 0. If the intercept is free, a' is
      a with the class of the larger sum scaled down, so that both classes have the same sum; otherwise a' = a.
      Infinity claims nothing.
    - ``radius`` is the largest |u|, up to d + 8 roundings for d features.

    ``verify`` decides them by enclosures, and in integers where these leave a claim open and the rows in doubt are
    few, or with ``exact``.

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

    def in_geometry(self, margin: float) -> float:
        is_known = self.intercept in INTERCEPTS and not math.isnan(margin)  # not so in a damaged file
        return Margin(margin, intercept=self.intercept) if is_known else margin

    @property
    def relative_gap(self) -> float:
        """(upper - lower) / upper, rounded up: the fraction of the largest margin by which the model may fall short."""
        lower, upper = self.margin_lower_bound, self.margin_upper_bound
        if lower == -math.inf:
            return math.inf
        if not (math.isfinite(lower) and 0 < upper < math.inf):
            return 1 - self.ratio
        return Enclosure.exactly(1 - Fraction(lower) / Fraction(upper)).outer_high()

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
        given = (self.margin_lower_bound, self.margin_upper_bound, self.radius, self.tol)
        if not all(map(math.isfinite, given)):
            return None
        lower, upper, radius, tol = map(Fraction, given)
        without = (1 - tol) * lower  # at least the margin of a machine that was solved without some row
        if not 0 < without <= lower <= upper:
            return None
        last_digits = len(self.model.weights) + 8  # of the radius, which is stated to so many roundings
        radius = (radius + last_digits * SMALLEST) / (1 - last_digits * ROUNDING_UNIT)
        # Both directions have a cosine of at least margin / upper with the line between the nearest points of the
        # hulls, so their distance is at most the sum of these chords. With a free intercept, the midpoint of that line
        # is within upper - margin of the plane. Points are at most twice the radius apart.
        chords = [Enclosure.exactly(2 * (1 - margin / upper)).root().high for margin in (without, lower)]
        if 2 * lower + without - 2 * upper <= 2 * radius * (chords[0] + chords[1]):
            return None
        share = Fraction(len(self.model.duals.rows), int(self.examples))
        return Enclosure.exactly(share).outer_high()

    @property
    def generalization(self) -> Generalization | None:
        """What the number of support vectors says about new examples; None where it proves nothing."""
        share = self.leave_one_out_bound
        if share is None:
            return None
        support, examples = len(self.model.duals.rows), int(self.examples)
        return Generalization(
            share,
            f"if the {count(examples)} examples are independent draws from one distribution, a machine learned from "
            f"{count(examples - 1)} of them errs on a new one with a probability of at most the expectation of this "
            f"number, {counted(support, 'support vector')} in {count(examples)}; and if each of these examples is left "
            f"out once, at most {count(support)} {'is' if support == 1 else 'are'} mistaken",
        )

    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        X = as_table(X)
        if unfit := misfit(X, y, sample_weight, len(self.model.weights), check_values=False) or self._misfit(y):
            return Verification((unfit,))
        is_counted = np.broadcast_to(True if sample_weight is None else np.asarray(sample_weight) > 0, X.shape[:1])
        examples = int(np.count_nonzero(is_counted))
        if examples != self.examples or examples == 0:
            detail = (
                f"claimed {counted(self.examples, 'row')}, found {count(examples)} with a weight above 0: {OTHER_DATA}"
            )
            return Verification((Check("examples", "fails", detail),))
        feasible, a = within_limits(self.model.duals, X.shape[0], np.where(is_counted, np.inf, 0.0))
        if a is None:
            return Verification((feasible,))
        X, weights = compact(X, self.model.weights)
        solution = HullSolution(X, self.model.signs(y), is_counted, weights, self.model.bias, a, self.intercept)
        rows = Rows(X)
        if not rows.is_finite:
            return Verification((Check("data", "fails", "NaN or infinity among the values"),))
        checks: list[Check] = []
        for found in measurements(rows, solution, MAX_EXACT_WORK if exact else SMALL_WORK):
            checks = self._compared(found)
            if not any(check.status == "open" for check in checks):
                break
        if exact and any(check.status == "open" for check in checks):
            reason = f"more than {MAX_EXACT_WORK:,} values would have to be computed exactly"
            checks = [replace(one, detail=f"{one.detail}; {reason}") if one.status == "open" else one for one in checks]
        lower, upper = self.margin_lower_bound, self.margin_upper_bound
        detail = f"claimed at least {lower:.10g} and at most {upper:.10g}"
        in_order = Check("lower below upper bound", "holds" if lower <= upper else "fails", detail)  # NaN fails
        return Verification((feasible, *checks, in_order, Check("iterations", "on trust", count(self.iterations))))

    def _compared(self, found: Measurement) -> list[Check]:
        """Compare the claims with what was measured."""
        roundings = len(self.model.weights) + 8
        return [
            agrees("radius", self.radius, found.squared_radius, roundings, squared=True),
            self._check_lower(found),
            self._check_upper(found),
        ]

    def _misfit(self, y: Any) -> Check | None:
        """Return a failed check if no data can have this model, or these labels cannot."""
        model = self.model
        if self.intercept not in INTERCEPTS:
            return Check("problem", "fails", f"unknown intercept {self.intercept!r}")
        if model.costs is not None or model.negative is not None:
            return Check("problem", "fails", "a hard margin has no costs, and the rows of all labels are part of it")
        if not (np.all(np.isfinite(stored(model.weights))) and math.isfinite(model.bias)):
            return Check("model", "fails", "NaN or infinity among the weights")
        if self.intercept == "none" and model.bias != 0:
            return Check("model", "fails", f"the bias is {model.bias:.6g} where there is no intercept")
        if not np.any(np.ravel(y) == model.positive):
            return Check("data", "fails", f"no row has the label {model.positive!r} that the model calls positive")
        return None

    def _check_lower(self, found: Measurement) -> Check:
        claim, claimed = "lower bound", self.margin_lower_bound
        if claimed == -math.inf:
            return Check(claim, "on trust", "no lower bound is claimed")
        if not found.has_direction:
            return Check(claim, "fails", f"claimed {claimed:.10g}, but weights of 0 have no margin")
        check = at_least(claim, claimed, found.squared_margin, squared=True)
        return check if check.status == "holds" else replace(check, row=int(found.nearest[0]))

    def _check_upper(self, found: Measurement) -> Check:
        claim, claimed = "upper bound", self.margin_upper_bound
        if claimed == math.inf:
            return Check(claim, "on trust", "no upper bound is claimed")
        if found.squared_distance is None:
            return Check(claim, "fails", f"claimed {claimed:.10g}, but the duals, or those of a class, are all 0")
        return at_most(claim, claimed, found.squared_distance, squared=True, hint=f": {OTHER_DATA}")

    def plane(self) -> tuple[Floats, float]:
        return self.model.weights, self.model.bias

    def labels(self) -> tuple[Any, Any]:
        return self.model.positive, self.model.negative

    def stated(self) -> dict[str, Any]:
        return {"intercept": self.intercept, "tol": self.tol}

    def fitted(self) -> dict[str, Any]:
        return {"margin_": self.margin_lower_bound, "n_iter_": self.iterations}

    def scaled_duals(self) -> Duals:
        """Return the dual variables for which, at the optimum, the weights are the sum of a_i y_i x_i.

        Returns
        -------
        Duals
            ``model.duals``, which add up to 1, divided twice by the upper bound on the margin; infinite or 0 where the
            quotient is not in the range of floats.
        """
        duals, upper = self.model.duals, self.margin_upper_bound
        with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
            return Duals(duals.rows, duals.weights / upper / upper)

    def row_coefficients(self, y: Any) -> tuple[NDArray[np.int64], Floats]:
        duals = self.scaled_duals()
        return duals.rows, np.where(self.model.signs(y)[duals.rows] > 0, duals.weights, -duals.weights)[None, :]

    def fitted_from_rows(self, X: Any, y: Any) -> dict[str, Floats]:
        columns = Columns.occurring(X)
        part = X if columns is None else columns.cut(X)
        points = hull_points(part, self.model.signs(y), self.model.duals) if self.intercept == "free" else None
        if points is None:
            return {}
        return {"nearest_points_": points if columns is None else columns.widen(points)}

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
            ("relative gap", f"at most {gap_shown(self.relative_gap)}, {asked} the requested {self.tol:g}"),
            ("intercept", self.intercept),
            ("support", f"{count(len(self.model.duals.rows))} of {counted(self.examples, 'example')}"),
        ]
