"""The duality gap of a joint machine of several classes (Crammer and Singer 2001), and its independent check in NumPy.

Rows x_i have a class y_i of K and costs C_i >= 0, C times the weight of the row. With f_k(x) = w_k.x + b_k, the machine
minimises

    P(w, b) = 1/2 sum_k |w_k|^2 [+ 1/2 sum_k b_k^2] + sum_i C_i max_k ([k != y_i] + f_k(x_i) - f_{y_i}(x_i))

with the b_k^2 only if the intercepts are penalised. The dual problem has a variable beta_ik >= 0 for every row and
every class but its own, with sum_k beta_ik <= C_i. With a_ik = -beta_ik, and the sum of the beta_ik for the own
class, it maximises

    D(beta) = sum_ik beta_ik - 1/2 sum_k |sum_i a_ik x_i|^2 [- 1/2 sum_k (sum_i a_ik)^2]

subject to sum_i a_ik = 0 for every k if the intercepts are free. For all such beta and all (w, b),
D(beta) <= optimum <= P(w, b). docs/theory.md J.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .certificate import Certificate, Support, below, misfit
from .columns import Columns
from .exact_gap import ExactTable, as_integers, power_of_two
from .gap_checks import (
    EPS,
    INTERCEPTS,
    SMALLEST,
    Value,
    check_costs,
    check_gap,
    gap_shown,
    relative,
    rounded,
    subtract,
)
from .geometry import Extended, Floats, Matrix, as_table, blocks
from .joint_duals import JointDuals, allowed, excess
from .verification import Check, Verification

SUM_BLOCK_ROWS = 512  # dense rows per partial sum; the rounding error grows with this number and that of the sums
LOSS_TABLES = 4  # tables of rows times classes that count as one of the entries of a block
SUPPORT_TOLERANCE = 1e-6  # relative; how far a recomputed sum of support vectors may be off because of rounding


@dataclass(frozen=True)
class JointModel:
    """The model that a certificate of a joint machine speaks of.

    Parameters
    ----------
    weights : ndarray of shape (n_classes, n_features)
        The weights w_k.
    biases : ndarray of shape (n_classes,)
        The intercepts b_k.
    classes : list
        The labels, in the order of the weights.
    duals : JointDuals
        The dual variables beta.
    costs : ndarray of shape (n_samples,) or None, default=None
        The cost C_i of each row; None if it is C for all.
    """

    weights: Matrix
    biases: Floats
    classes: list[Any]
    duals: JointDuals
    costs: Floats | None = None

    def codes(self, y: Any) -> NDArray[np.intp]:
        """Return labels as indices of classes.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        ndarray of shape (n_samples,)
            The index of each label; -1 where the model does not know it.
        """
        labels = np.ravel(y)
        codes = np.full(len(labels), -1, dtype=np.intp)
        for k, label in enumerate(self.classes):
            codes[labels == label] = k
        return codes


@dataclass(frozen=True, repr=False, eq=False)
class CrammerSingerCertificate(Certificate):
    """An upper bound on how far the objective of a joint machine of several classes is from its minimum.

    The claim is ``dual`` <= minimum <= ``primal``, for the weights of all classes together.

    Parameters
    ----------
    intercept : {"free", "penalized", "none"}
        Whether there are intercepts, and whether their squares are part of the objective.
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
    model : JointModel
        The model.

    See Also
    --------
    GapCertificate : The same for one binary problem.

    Notes
    -----
    ``verify`` compares the costs with C times ``sample_weight``, if it is given; otherwise it takes them on trust. With
    ``exact`` it computes both bounds in fractions, which takes some microseconds per nonzero value and class.

    References
    ----------
    K. Crammer and Y. Singer, "On the algorithmic implementation of multiclass kernel-based vector machines", Journal of
    Machine Learning Research 2, 265-292, 2001.
    """

    intercept: str
    C: float
    tol: float
    primal: Extended
    dual: Extended
    iterations: int
    examples: int
    model: JointModel

    @property
    def relative_gap(self) -> float:
        """(primal - dual) / primal: the fraction of the objective by which a better model could be lower, at most."""
        return relative(self.primal - self.dual, self.primal)

    @property
    def converged(self) -> bool:
        """Whether the relative gap is at most ``tol``."""
        return self.relative_gap <= self.tol

    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        if unfit := self._misfit_of_model():
            return Verification((unfit,))
        X, model = as_table(X), self.model
        if unfit := misfit(X, y, sample_weight, columns=model.weights.shape[1]):
            return Verification((unfit,))
        costs, stated = check_costs(model.costs, self.C, X.shape[0], self.examples, sample_weight)
        if costs is None:
            return Verification((stated,))
        codes = model.codes(y)
        if len(unknown := np.flatnonzero((codes < 0) & (costs > 0))):
            label = np.ravel(y)[unknown[:1]].tolist()[0]
            detail = f"row {unknown[0]} has the label {label!r}, which the model does not know"
            return Verification((Check("data", "fails", detail, int(unknown[0])),))
        feasible = allowed(model.duals, codes, costs, len(model.classes), balanced=self.intercept == "free")
        checks = [Check("data", "holds", f"{X.shape[0]} rows of {X.shape[1]} features"), stated, feasible]
        if feasible.status == "fails":
            return Verification(tuple(checks))
        columns = Columns.occurring(X, np.any(model.weights != 0, axis=0))
        if columns is not None:
            X, model = columns.cut(X), replace(model, weights=model.weights[:, columns.indices])
        own = replace(self, model=model)
        with np.errstate(over="ignore", invalid="ignore"):  # a bound that overflows fails below
            primal, dual = (own._exactly if exact else own._values)(X, codes, costs)
        return Verification((*checks, *check_gap(self, primal, dual)))

    def _misfit_of_model(self) -> Check | None:
        """Return a failed check if no data can have this model."""
        model = self.model
        if self.intercept not in INTERCEPTS:
            return Check("problem", "fails", f"unknown intercept {self.intercept!r}")
        count = len(model.classes)
        if count < 2 or model.weights.ndim != 2 or len(model.weights) != count or np.shape(model.biases) != (count,):
            return Check("model", "fails", "each of two or more classes needs a weight vector and an intercept")
        if len(set(model.classes)) != count:
            return Check("model", "fails", "a class occurs twice")
        if not (0 <= self.C < math.inf and np.all(np.isfinite(model.weights)) and np.all(np.isfinite(model.biases))):
            return Check("model", "fails", "NaN or infinity among the weights, or C is negative or not finite")
        if self.intercept == "none" and np.any(model.biases != 0):
            return Check("model", "fails", "some biases are not 0 where there is no intercept")
        return None

    def _values(self, X: Any, codes: NDArray[np.intp], costs: Floats) -> tuple[Value, Value]:
        """Return P(w, b) and D(beta), computed in one pass over the rows."""
        W, classes = self.model.weights, len(self.model.classes)
        a = self.model.duals.coefficients(codes, classes)
        v, v_size = np.zeros((W.shape[1], classes)), np.zeros((W.shape[1], classes))
        losses, loss_rounding, pieces, longest = 0.0, 0.0, 0, 0
        for cut, block in blocks(X, width=LOSS_TABLES * classes):
            absolute, own = abs(block), a[cut]
            found = self._losses(block, absolute, codes[cut])
            losses += float(costs[cut] @ found[0])
            loss_rounding += float(costs[cut] @ found[1])
            step = block.shape[0] if sp.issparse(block) else SUM_BLOCK_ROWS
            for first in range(0, block.shape[0], step):  # partial sums, to limit rounding errors
                part = own[first : first + step]
                used = np.flatnonzero(np.diff(part.indptr))
                if len(used):
                    amounts = part[used].toarray()
                    v += block[first + used].T @ amounts
                    v_size += absolute[first + used].T @ np.abs(amounts)
                pieces, longest = pieces + 1, max(longest, step)
        primal = self._primal(losses, loss_rounding, rows=len(codes))
        terms = longest + pieces + classes + 4
        sums, scale = np.asarray(a.sum(axis=0)), excess(self.model.duals, costs)
        return primal, self._dual(v, v_size, sums, terms, scale)

    def _losses(self, block: Any, absolute: Any, codes: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Return the loss of each row, and a bound on its rounding error.

        The loss is the largest of 1 + (w_k - w_y).x + (b_k - b_y). Huge biases cancel, so they are subtracted first,
        and the error of this difference, which is a float, is computed exactly and added to the bound. If all products
        are 0, there is no other error: the sum with 1 is then correctly rounded.
        """
        W, b = self.model.weights, self.model.biases
        every = np.arange(len(codes))
        short = np.asarray(block @ W.T)
        short -= short[every, codes][:, None]
        apart, lost = subtract(b, b[codes][:, None])
        short += apart
        short += 1.0
        terms = np.diff(block.indptr) if sp.issparse(block) else np.full(len(codes), W.shape[1])
        sizes = np.asarray(absolute @ np.abs(W).T)
        sizes += sizes[every, codes][:, None]
        sizes += (sizes > 0) * (np.abs(b) + np.abs(b[codes])[:, None] + 1.0)
        error = (terms + 6)[:, None] * EPS * sizes
        error += lost + (2 * SMALLEST * W.any() * terms)[:, None]  # a product may underflow
        for table in (short, error):
            table[every, codes] = 0.0
        loss, at_most = short.max(axis=1), (short + error).max(axis=1)
        return loss, np.minimum(error.max(axis=1), at_most)  # rows that are certainly beyond the margin have no error

    def _primal(self, losses: float, loss_rounding: float, rows: int) -> Value:
        """Return P(w, b). All its terms are positive, so its size is its value."""
        W, b = self.model.weights, self.model.biases * (self.intercept == "penalized")
        found = 0.5 * float(np.vdot(W, W)) + 0.5 * float(b @ b) + losses
        return Value(found, found, 2 * (loss_rounding + (rows + W.size + 4) * EPS * found))

    def _dual(self, v: Floats, v_size: Floats, sums: Floats, terms: int, scale: float) -> Value:
        """Return D(scale beta), given v = sum a x, v_size = sum |a| |x|, and sum a of each class."""
        v, v_size, sums, total = scale * v, scale * v_size, scale * sums, scale * float(self.model.duals.values.sum())
        length, errors = 0.5 * float(np.vdot(v, v)), float(np.vdot(np.abs(v), v_size))
        if self.intercept == "penalized":
            length += 0.5 * float(sums @ sums)
            errors += 2 * float(np.abs(sums).sum()) * total
        size = total + length
        rounding = (terms * (size + errors) + (v.size + len(self.model.duals.values)) * size) * EPS
        # An error e = terms eps v_size of v changes |v|^2 / 2 by |v|.e, counted above, and e^2 / 2.
        rounding += 0.5 * (terms * EPS) ** 2 * float(np.vdot(v_size, v_size))
        return Value(total - length, size, 2 * rounding)

    def _exactly(self, X: Any, codes: NDArray[np.intp], costs: Floats) -> tuple[Value, Value]:
        """Return P(w, b) and D(beta), computed exactly and then rounded."""
        table = ExactTable.of(X, np.zeros(len(codes)), costs)
        primal = rounded(self._exact_primal(table, codes))
        dual, total = self._exact_dual(table, codes)
        size = rounded(2 * total - dual)
        return Value(primal, primal, EPS * primal), Value(rounded(dual), size, EPS * size)

    def _exact_primal(self, table: ExactTable, codes: NDArray[np.intp]) -> Fraction:
        W, b = self.model.weights, self.model.biases
        w, exponent = as_integers(np.hstack([W, b[:, None]]).ravel())
        w = w.reshape(len(W), -1)
        finest = min(exponent + table.exponent, exponent, 0)  # scores, biases and 1 are integer multiples of 2^finest
        scores = []
        for own in w:
            products = table.row_sums(table.values * own[table.rows.indices])
            bias = int(own[-1]) * 2 ** (exponent - finest)
            scores.append(products * 2 ** (exponent + table.exponent - finest) + bias)
        of_own = np.array([scores[code][i] for i, code in enumerate(codes.tolist())], dtype=object)
        short = np.zeros(len(codes), dtype=object)
        for k, of_class in enumerate(scores):
            short = np.maximum(short, np.where(codes == k, 0, 2**-finest + of_class - of_own))
        costs, cost_exponent = as_integers(table.costs)
        squares = sum(int(own[:-1] @ own[:-1]) for own in w)
        if self.intercept == "penalized":
            squares += int(w[:, -1] @ w[:, -1])
        losses = int(costs @ short) * power_of_two(cost_exponent + finest)
        return squares * power_of_two(2 * exponent - 1) + losses

    def _exact_dual(self, table: ExactTable, codes: NDArray[np.intp]) -> tuple[Fraction, Fraction]:
        """Return D(t beta) and the sum of t beta, for the largest t <= 1 for which no row is above its cost."""
        duals, penalized = self.model.duals, self.intercept == "penalized"
        amounts, exponent = as_integers(duals.values)
        unit, per_row = power_of_two(exponent), np.zeros(len(codes), dtype=object)
        np.add.at(per_row, duals.rows, amounts)
        scale = Fraction(1)
        for row in np.flatnonzero(per_row).tolist():
            cost, found = Fraction(float(table.costs[row])), int(per_row[row]) * unit
            scale = min(scale, cost / found)
        length = Fraction(0)
        for k in range(len(self.model.classes)):
            a = np.where(codes == k, per_row, 0)
            of_class = duals.classes == k
            np.subtract.at(a, duals.rows[of_class], amounts[of_class])
            vector = table.combined(a)
            length += int(vector @ vector) * (power_of_two(table.exponent) * unit) ** 2
            length += (int(a.sum()) * unit) ** 2 if penalized else 0
        total = scale * int(amounts.sum()) * unit
        return total - scale * scale * length / 2, total

    def explain(self) -> str:
        return (
            f"The weights of all {len(self.model.classes)} classes together minimise one objective, and reach "
            f"{self.primal:.6g}. Weights of {len(np.unique(self.model.duals.rows)):,} support vectors prove that no "
            f"model is below {self.dual:.6g}: a better model could lower the objective by a fraction of at most "
            f"{self.relative_gap:.2g}. "
            + (
                f"The requested fraction is {self.tol:g}."
                if self.converged
                else f"The request was {self.tol:g}; more iterations are needed."
            )
        )

    def planes(self) -> tuple[Floats, Floats]:
        return self.model.weights, self.model.biases

    def labels(self) -> tuple[Any, ...]:
        return tuple(self.model.classes)

    def stated(self) -> dict[str, Any]:
        return {"intercept": self.intercept, "tol": self.tol, "C": self.C, "loss": "hinge"}

    def support(self, X: Any, y: Any) -> Support:
        # The objective is strongly convex, so a gap g implies sum_k |v_k - w_k|^2 <= 2 g for v_k = sum a_ik x_i.
        X, model = as_table(X), self.model
        rows = np.unique(model.duals.rows)
        codes = model.codes(y)
        if X.ndim != 2 or model.weights.shape[1] != X.shape[1] or len(codes) != X.shape[0]:
            return Support()
        if len(rows) and (rows[0] < 0 or rows[-1] >= len(codes) or np.any(codes[rows] < 0)):
            return Support()
        a = model.duals.coefficients(codes, len(model.classes))[rows]
        v, w = np.asarray(X[rows].T @ a.toarray()).T, model.weights
        if self.intercept == "penalized":
            v, w = np.column_stack([v, a.sum(axis=0)]), np.column_stack([w, model.biases])
        slack = SUPPORT_TOLERANCE * float(np.linalg.norm(v) + np.linalg.norm(w))
        is_sum = float(np.linalg.norm(v - w)) <= math.sqrt(2 * max(0.0, self.primal - self.dual)) + slack
        return Support(rows) if is_sum else Support()

    def claims(self) -> list[tuple[str, str]]:
        costs = "" if self.model.costs is None else f", total cost of the rows {self.model.costs.sum():.6g}"
        asked, count = "within" if self.converged else "above", len(self.model.classes)
        return [
            ("objective", f"{self.primal:.6g}, the minimum is at least {below(self.dual)}"),
            ("relative gap", f"{gap_shown(self.relative_gap)}, {asked} the requested {self.tol:g}"),
            (
                "problem",
                f"Crammer-Singer, {count} classes, C {self.C:g}, intercept {self.intercept}{costs}",
            ),
            ("support", f"{len(np.unique(self.model.duals.rows))} of {self.examples} examples"),
            ("iterations", f"{self.iterations}"),
        ]
