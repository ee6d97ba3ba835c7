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
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .certificate import OTHER_DATA, Certificate, Duals, Support, below, misfit
from .columns import compact
from .exact_gap import ExactTable
from .feasible import allowed
from .gap_checks import EPS, INTERCEPTS, SMALLEST, Value, check_costs, check_gap, gap_shown, relative, rounded
from .geometry import Extended, Floats, as_table, blocks
from .svm_model import SvmModel
from .verification import Check, Verification

SUM_BLOCK_ROWS = 512  # rows per partial sum; the rounding error grows with this number and the number of partial sums
LOSSES = ("hinge", "squared_hinge")
SUPPORT_TOLERANCE = 1e-6  # relative; how far a recomputed sum of support vectors may be off because of rounding


@dataclass(frozen=True, repr=False, eq=False)
class GapCertificate(Certificate):
    """An upper bound on how far the objective of a soft-margin support vector machine is from its minimum.

    The claim is ``dual`` <= minimum <= ``primal``.

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
        The objective of the model.
    dual : float
        A lower bound on the objective of all models, which follows from ``model.duals``.
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
    ``verify`` compares the costs with C times ``sample_weight``, if it is given; otherwise it takes them on trust. With
    ``exact`` it computes both bounds in fractions, which takes some microseconds per nonzero value.

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

    @property
    def relative_gap(self) -> float:
        """(primal - dual) / primal: the fraction of the objective by which a better model could be lower, at most."""
        return relative(self.primal - self.dual, self.primal)

    @property
    def converged(self) -> bool:
        """Whether the relative gap is at most ``tol``."""
        return self.relative_gap <= self.tol

    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        X = as_table(X)
        if unfit := misfit(X, y, sample_weight, columns=len(self.model.weights)) or self._misfit(y):
            return Verification((unfit,))
        if self.model.negative is not None:
            return self._verify_pair(X, np.ravel(y), sample_weight, exact)
        costs, stated = check_costs(self.model.costs, self.C, X.shape[0], self.examples, sample_weight)
        if costs is None:
            return Verification((stated,))
        signs = self.model.signs(y)
        most = costs if self.loss == "hinge" else np.where(costs > 0, np.inf, 0.0)
        feasible, a = allowed(self.model.duals, signs, most, balanced=self.intercept == "free")
        checks = [Check("data", "holds", f"{X.shape[0]} rows of {X.shape[1]} features"), stated, feasible]
        if a is None:
            return Verification(tuple(checks))
        X, weights = compact(X, self.model.weights)
        own = replace(self, model=replace(self.model, weights=weights))
        with np.errstate(over="ignore", invalid="ignore"):  # a bound that overflows fails below
            primal, dual = (own._exactly if exact else own._values)(X, signs, costs, a)
        return Verification((*checks, *check_gap(self, primal, dual)))

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
        if not (0 <= self.C < math.inf and np.all(np.isfinite(self.model.weights)) and math.isfinite(self.model.bias)):
            return Check("model", "fails", "NaN or infinity among the weights, or C is negative or not finite")
        if self.intercept == "none" and self.model.bias != 0:
            return Check("model", "fails", f"the bias is {self.model.bias:.6g} where there is no intercept")
        if not np.any(np.ravel(y) == self.model.positive):
            return Check("data", "fails", f"no row has the label {self.model.positive!r} that the model calls positive")
        return None

    def _values(self, X: Any, signs: Floats, costs: Floats, a: Floats) -> tuple[Value, Value]:
        """Return P(w, b) and D(a), computed in one pass over the rows."""
        w, b = self.model.weights, self.model.bias
        v, v_size = np.zeros(len(w)), np.zeros(len(w))
        losses, loss_rounding, pieces = 0.0, 0.0, 0
        for cut, block in blocks(X):
            absolute, y, cost = abs(block), signs[cut], costs[cut]
            terms = np.diff(block.indptr) if sp.issparse(block) else len(w)
            sizes = absolute @ np.abs(w)
            # If all products are 0, 1 - y b is correctly rounded, so it has no error but that of every term of a sum.
            error = (terms + 4) * EPS * (sizes + (sizes > 0) * (abs(b) + 1.0))
            error += terms * SMALLEST * w.any()  # a product may underflow
            short = 1.0 - y * (block @ w + b)
            short_at_most = np.maximum(0.0, short + error)  # rows that are certainly beyond the margin have no error
            slack = np.maximum(0.0, short)
            if self.loss == "hinge":
                losses += float(cost @ slack)
                loss_rounding += float(cost @ np.minimum(error, short_at_most))
            else:
                losses += float((cost * slack) @ slack)
                loss_rounding += float((cost * np.minimum(error, short_at_most)) @ (slack + short_at_most))
            for first in range(0, len(y), SUM_BLOCK_ROWS):  # partial sums, to limit rounding errors
                piece, part = slice(first, first + SUM_BLOCK_ROWS), a[cut][first : first + SUM_BLOCK_ROWS]
                v += block[piece].T @ (part * y[piece])
                v_size += absolute[piece].T @ part
                pieces += 1
        terms = SUM_BLOCK_ROWS + pieces + 4
        return self._primal(losses, loss_rounding, rows=len(a)), self._dual(v, v_size, signs, costs, a, terms)

    def _exactly(self, X: Any, signs: Floats, costs: Floats, a: Floats) -> tuple[Value, Value]:
        """Return P(w, b) and D(a), computed exactly and then rounded."""
        table, squared, w = ExactTable.of(X, signs, costs), self.loss == "squared_hinge", self.model.weights
        primal = table.primal(w, self.model.bias, self.intercept == "penalized", squared)
        dual = table.dual(a, self.intercept, squared)
        size = rounded(2 * sum(map(Fraction, a.tolist()), Fraction(0)) - dual)
        found = rounded(primal)
        return Value(found, found, EPS * found), Value(rounded(dual), size, EPS * size)

    def _primal(self, losses: float, loss_rounding: float, rows: int) -> Value:
        """Return P(w, b). All its terms are positive, so its size is its value."""
        w, b = self.model.weights, self.model.bias if self.intercept == "penalized" else 0.0
        found = 0.5 * float(w @ w) + 0.5 * b * b + losses
        return Value(found, found, 2 * (loss_rounding + (rows + len(w) + 4) * EPS * found))

    def _dual(self, v: Floats, v_size: Floats, signs: Floats, costs: Floats, a: Floats, terms: int) -> Value:
        """Return D(a), given v = sum a y x and v_size = sum a |x|, which were sums of at most ``terms`` terms."""
        total = float(a.sum())
        length = 0.5 * float(v @ v)
        size, errors = total + length, float(np.abs(v) @ v_size)
        if self.intercept == "penalized":
            balance = float(a @ signs)
            length += 0.5 * balance * balance
            size, errors = total + length, errors + abs(balance) * total
        found = total - length
        if self.loss == "squared_hinge":
            used = a > 0
            # a / C first: for huge data, a is so small that its square would underflow.
            squares = 0.25 * float(a[used] @ (a[used] / costs[used]))
            found, size = found - squares, size + squares
        rounding = (terms * (size + errors) + len(v) * size) * EPS
        # An error e = terms eps v_size of v changes |v|^2 / 2 by |v|.e, counted above, and e^2 / 2.
        rounding += 0.5 * float((terms * EPS * v_size) @ (terms * EPS * v_size))
        if self.intercept == "free":
            # Scaling leaves |sum y a| <= 2 eps sum a, which lowers the bound by that times the optimal b, for which the
            # model's b is used.
            rounding += 2 * EPS * total * abs(self.model.bias)
        return Value(found, size, 2 * rounding)

    def explain(self) -> str:
        return (
            f"The model minimises an objective, and reaches {self.primal:.6g}. Weights of its "
            f"{len(self.model.duals.rows):,} support vectors prove that no model is below {self.dual:.6g}: "
            f"a better model could lower the objective by a fraction of at most {self.relative_gap:.2g}. "
            + (
                f"The requested fraction is {self.tol:g}."
                if self.converged
                else f"The request was {self.tol:g}; more iterations are needed."
            )
        )

    def plane(self) -> tuple[Floats, float]:
        return self.model.weights, self.model.bias

    def labels(self) -> tuple[Any, Any]:
        return self.model.positive, self.model.negative

    def stated(self) -> dict[str, Any]:
        return {"intercept": self.intercept, "tol": self.tol, "C": self.C, "loss": self.loss}

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
        asked = "within" if self.converged else "above"
        return [
            ("objective", f"{self.primal:.6g}, the minimum is at least {below(self.dual)}"),
            ("relative gap", f"{gap_shown(self.relative_gap)}, {asked} the requested {self.tol:g}"),
            ("problem", f"{self.loss.replace('_', ' ')}, C {self.C:g}, intercept {self.intercept}{costs}"),
            ("support", f"{len(self.model.duals.rows)} of {self.examples} examples"),
            ("iterations", f"{self.iterations}"),
        ]


def _renumbered(check: Check, rows: NDArray[np.intp]) -> Check:
    """Return a check of some rows with the number that its row has among all rows."""
    if check.row is None:
        return check
    row = int(rows[check.row])
    return replace(check, row=row, detail=re.sub(rf"\brow {check.row}\b", f"row {row}", check.detail, count=1))
