"""The duality gap of a soft-margin support vector machine, and its independent check in NumPy.

Rows x_i have labels y_i in {-1, +1} and costs C_i >= 0, C times the weight of the row. The machine minimises

    P(w, b) = 1/2 |w|^2 [+ 1/2 b^2] + sum_i C_i xi_i        (xi_i^2 for the squared hinge)

with xi_i = max(0, 1 - y_i (w.x_i + b)), and b^2 only if the intercept is penalised. The dual problem maximises

    D(a) = sum_i a_i - 1/2 |sum_i a_i y_i x_i|^2 [- 1/2 (sum_i y_i a_i)^2] [- sum_i a_i^2 / (4 C_i), squared hinge]

over 0 <= a_i <= C_i (without the upper limit for the squared hinge, except that a_i = 0 where C_i = 0), subject to
sum_i y_i a_i = 0 if the intercept is free. For all such a and all (w, b), D(a) <= optimum <= P(w, b).
docs/theory.md E.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import counted
from novikoff._wide_array import stored

from .certificate import OTHER_DATA, Duals, Support, misfit
from .columns import compact
from .enclosed_sums import Rows
from .feasible import within_limits
from .gap_checks import GapClaims, check_bounds, check_costs
from .gap_values import Point, SoftMargin
from .geometry import INTERCEPTS, Extended, Floats, as_table
from .slack import hinge_slack
from .svm_model import SvmModel
from .verification import Check, Verification

LOSSES = ("hinge", "squared_hinge")
SUPPORT_TOLERANCE = 1e-6  # relative; how far a recomputed sum of support vectors may be off because of rounding


@dataclass(frozen=True, repr=False, eq=False)
class GapCertificate(GapClaims):
    """An upper bound on how far the objective of a soft-margin support vector machine is from its minimum.

    The claim is ``dual`` <= minimum <= ``primal``: ``primal`` is at least the objective of the model, and ``dual`` at
    most the bound of its duals.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge"}
        The loss.
    intercept : {"free", "penalized", "none"}
        Whether there is an intercept, and whether its square is part of the objective.
    C : float
        Cost of a row of weight 1. With weights, the costs are ``model.costs``; they are part of the claim.
    tol : float
        The relative gap that was requested.
    primal : float
        The objective of the model, or a little more: an upper bound that includes rounding errors.
    dual : float
        A lower bound on the objective of all models, which follows from ``model.duals`` in spite of rounding errors.
    iterations : int
        Number of steps of the solver.
    examples : int
        Number of rows whose cost is not 0.
    model : SvmModel
        The model.

    See Also
    --------
    novikoff.LinearSVM : The learner that has this certificate.

    Notes
    -----
    ``verify`` compares the costs with C times ``sample_weight``, if it is given; otherwise it takes them on trust. A
    claim holds if it is true whatever the rounding errors of the check are. With ``exact``, and for small data where
    rounding would leave a claim open, both bounds are computed as fractions, which takes some microseconds per nonzero
    value.

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], [0, 0, 1, 1]
    >>> certificate = LinearSVM().fit(X, y).certificate_
    >>> certificate.dual <= certificate.primal, bool(certificate.verify(X, y))
    (True, True)
    """

    loss: str
    intercept: str
    C: float
    tol: float
    primal: Extended
    dual: Extended
    iterations: int
    examples: int
    model: SvmModel

    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        X = as_table(X)
        if unfit := misfit(X, y, sample_weight, len(self.model.weights), check_values=False) or self._misfit(y):
            return Verification((unfit,))
        if self.model.negative is not None:
            return self._verify_pair(X, np.ravel(y), sample_weight, exact)
        X, weights = compact(X, self.model.weights)
        rows = Rows(X)
        if not rows.is_finite:
            return Verification((Check("data", "fails", "NaN or infinity among the values"),))
        costs, stated = check_costs(self.model.costs, self.C, X.shape[0], self.examples, sample_weight)
        if costs is None:
            return Verification((stated,))
        most = costs if self.loss == "hinge" else np.where(costs > 0, np.inf, 0.0)
        feasible, a = within_limits(self.model.duals, X.shape[0], most)
        checks = [
            Check("data", "holds", f"{counted(X.shape[0], 'row')} of {counted(len(self.model.weights), 'feature')}"),
            stated,
            feasible,
        ]
        if a is None:
            return Verification(tuple(checks))
        problem = SoftMargin(X, self.model.signs(y), costs, self.loss, self.intercept)
        return Verification((*checks, *check_bounds(self, problem, Point(weights, self.model.bias, a), rows, exact)))

    def _verify_pair(self, X: Any, y: Any, sample_weight: Any, exact: bool) -> Verification:
        """Verify the certificate of two labels on their rows alone, as that of a problem that has no other rows."""
        model, duals = self.model, self.model.duals
        rows = np.flatnonzero(model.belongs(y))
        if model.negative == model.positive or not np.any(y == model.negative):
            return Verification((Check("data", "fails", f"no row has the negative label {model.negative!r}"),))
        strange = duals.rows[~np.isin(duals.rows, rows)]
        if len(strange):
            detail = f"row {strange[0]} has a dual variable, but neither of the two labels: {OTHER_DATA}"
            return Verification((Check("feasible duals", "fails", detail, int(strange[0])),))
        weights = sample_weight if np.ndim(sample_weight) == 0 else np.asarray(sample_weight)[rows]
        places = Duals(np.searchsorted(rows, duals.rows), duals.weights)
        alone = replace(self, model=replace(model, duals=places, negative=None))
        found = alone.verify(X[rows], y[rows], weights, exact)
        return Verification(tuple(_renumbered(check, rows) for check in found.checks))

    def _misfit(self, y: Any) -> Check | None:
        """Return a failed check if no data can have this model, or these labels cannot."""
        if self.loss not in LOSSES or self.intercept not in INTERCEPTS:
            return Check("problem", "fails", f"unknown loss {self.loss!r} or intercept {self.intercept!r}")
        if not (
            0 <= self.C < math.inf
            and np.all(np.isfinite(stored(self.model.weights)))
            and math.isfinite(self.model.bias)
        ):
            return Check("model", "fails", "NaN or infinity among the weights, or C is negative or not finite")
        if self.intercept == "none" and self.model.bias != 0:
            return Check("model", "fails", f"the bias is {self.model.bias:.6g} where there is no intercept")
        if not np.any(np.ravel(y) == self.model.positive):
            return Check("data", "fails", f"no row has the label {self.model.positive!r} that the model calls positive")
        return None

    def explain(self) -> str:
        return self._explained("The model minimises an objective, and reaches", len(self.model.duals.rows))

    def plane(self) -> tuple[Floats, float]:
        return self.model.weights, self.model.bias

    def labels(self) -> tuple[Any, Any]:
        return self.model.positive, self.model.negative

    def stated(self) -> dict[str, Any]:
        return {"intercept": self.intercept, "tol": self.tol, "C": self.C, "loss": self.loss}

    def fitted(self) -> dict[str, Any]:
        return {"objective_": self.primal, "n_iter_": self.iterations, "C_": self.C}

    def row_coefficients(self, y: Any) -> tuple[NDArray[np.int64], Floats]:
        duals = self.model.duals
        return duals.rows, np.where(self.model.signs(y)[duals.rows] == 1, duals.weights, -duals.weights)[None, :]

    def fitted_from_rows(self, X: Any, y: Any) -> dict[str, Floats]:
        model, found = self.model, np.zeros(X.shape[0])
        rows = np.flatnonzero(model.belongs(y))
        if model.costs is not None:
            rows = rows[model.costs > 0]
        part, weights = compact(X if len(rows) == len(found) else X[rows], model.weights)
        found[rows] = hinge_slack(part, model.signs(y)[rows], weights, model.bias)
        return {"slack_": found}

    def band(self) -> float:
        return 1.0  # the loss is 0 for larger scores

    def support(self, X: Any, y: Any) -> Support:
        # The objective is strongly convex, so a gap g implies |v - w|^2 <= 2 g for v = sum a_i y_i x_i.
        found = self.model.recombined(X, y, self.intercept == "penalized")
        if found is None:
            return Support()
        v, w = found
        slack = SUPPORT_TOLERANCE * float(np.linalg.norm(v) + np.linalg.norm(w))
        is_sum = float(np.linalg.norm(v - w)) <= math.sqrt(2 * max(0.0, self.primal - self.dual)) + slack
        return Support(self.model.duals.rows) if is_sum else Support()

    def claims(self) -> list[tuple[str, str]]:
        costs = "" if self.model.costs is None else f", total cost of the rows {self.model.costs.sum():.6g}"
        problem = f"{self.loss.replace('_', ' ')}, {self._penalty_shown()}, intercept {self.intercept}{costs}"
        return self._claimed(problem, len(self.model.duals.rows))


def _renumbered(check: Check, rows: NDArray[np.intp]) -> Check:
    """Return a check of some rows with the number that its row has among all rows."""
    if check.row is None:
        return check
    row = int(rows[check.row])
    return replace(check, row=row, detail=re.sub(rf"\brow {check.row}\b", f"row {row}", check.detail, count=1))
