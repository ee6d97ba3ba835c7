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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import counted
from novikoff._wide_array import stored

from .certificate import Support, misfit
from .columns import compact
from .enclosed_sums import Rows
from .gap_checks import GapClaims, check_bounds, check_costs
from .geometry import INTERCEPTS, Extended, Floats, WeightRows, as_table
from .joint_duals import JointDuals, allowed
from .joint_values import JointMargin, JointPoint
from .slack import joint_slack
from .verification import Check, Verification

SUPPORT_TOLERANCE = 1e-6  # relative; how far a recomputed sum of support vectors may be off because of rounding


@dataclass(frozen=True)
class JointModel:
    """The model that a certificate of a joint machine is about.

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

    weights: WeightRows
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
class CrammerSingerCertificate(GapClaims):
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
        The objective of the model, or a little more: an upper bound that includes rounding errors.
    dual : float
        A lower bound on the objective of all models, which follows from ``model.duals`` in spite of rounding errors.
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
    ``verify`` compares the costs with C times ``sample_weight``, if it is given; otherwise it takes them on trust. A
    claim holds if it is true whatever the rounding errors of the check are. With ``exact``, and for small data where
    rounding would leave a claim open, both bounds are computed as fractions, which takes some microseconds per nonzero
    value and class.

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

    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        if unfit := self._misfit_of_model():
            return Verification((unfit,))
        X, model = as_table(X), self.model
        if unfit := misfit(X, y, sample_weight, model.weights.shape[1], check_values=False):
            return Verification((unfit,))
        X, weights = compact(X, model.weights)
        model = replace(model, weights=weights)
        rows = Rows(X)
        if not rows.is_finite:
            return Verification((Check("data", "fails", "NaN or infinity among the values"),))
        costs, stated = check_costs(model.costs, self.C, X.shape[0], self.examples, sample_weight)
        if costs is None:
            return Verification((stated,))
        codes = model.codes(y)
        if len(unknown := np.flatnonzero((codes < 0) & (costs > 0))):
            label = np.ravel(y)[unknown[:1]].tolist()[0]
            detail = f"row {unknown[0]} has the label {label!r}, which the model does not know"
            return Verification((Check("data", "fails", detail, int(unknown[0])),))
        feasible = allowed(model.duals, codes, X.shape[0], len(model.classes), balanced=self.intercept == "free")
        checks = [
            Check(
                "data", "holds", f"{counted(X.shape[0], 'row')} of {counted(self.model.weights.shape[1], 'feature')}"
            ),
            stated,
            feasible,
        ]
        if feasible.status == "fails":
            return Verification(tuple(checks))
        problem = JointMargin(X, codes, costs, self.intercept, len(model.classes))
        point = JointPoint(model.weights, model.biases, model.duals)
        return Verification((*checks, *check_bounds(self, problem, point, rows, exact)))

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
        if not (
            0 <= self.C < math.inf and np.all(np.isfinite(stored(model.weights))) and np.all(np.isfinite(model.biases))
        ):
            return Check("model", "fails", "NaN or infinity among the weights, or C is negative or not finite")
        if self.intercept == "none" and np.any(model.biases != 0):
            return Check("model", "fails", "some biases are not 0 where there is no intercept")
        return None

    def explain(self) -> str:
        reach = (
            f"The weights of all {counted(len(self.model.classes), 'class')} together minimise one objective, and reach"
        )
        return self._explained(reach, len(np.unique(self.model.duals.rows)))

    def planes(self) -> tuple[Floats, Floats]:
        return self.model.weights, self.model.biases

    def labels(self) -> tuple[Any, ...]:
        return tuple(self.model.classes)

    def stated(self) -> dict[str, Any]:
        return {"intercept": self.intercept, "tol": self.tol, "C": self.C, "loss": "hinge"}

    def fitted(self) -> dict[str, Any]:
        return {"objective_": self.primal, "n_iter_": self.iterations, "C_": self.C}

    def row_coefficients(self, y: Any) -> tuple[NDArray[np.int64], Floats]:
        codes, rows = self.model.codes(y), np.unique(self.model.duals.rows)
        found = self.model.duals.coefficients(codes, len(self.model.classes))[rows]
        return rows, np.ascontiguousarray(found.toarray().T)

    def fitted_from_rows(self, X: Any, y: Any) -> dict[str, Floats]:
        model = self.model
        costs = np.ones(X.shape[0]) if model.costs is None else model.costs
        X, weights = compact(X, model.weights)
        found = joint_slack(X, model.codes(y), weights, model.biases)
        return {"slack_": np.where(costs > 0, found, 0.0)}

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
        X, w = compact(X, model.weights)
        v = np.asarray(X[rows].T @ a.toarray()).T
        if self.intercept == "penalized":
            v, w = np.column_stack([v, a.sum(axis=0)]), np.column_stack([w, model.biases])
        slack = SUPPORT_TOLERANCE * float(np.linalg.norm(v) + np.linalg.norm(w))
        is_sum = float(np.linalg.norm(v - w)) <= math.sqrt(2 * max(0.0, self.primal - self.dual)) + slack
        return Support(rows) if is_sum else Support()

    def claims(self) -> list[tuple[str, str]]:
        costs = "" if self.model.costs is None else f", total cost of the rows {self.model.costs.sum():.6g}"
        problem = f"Crammer-Singer, {counted(len(self.model.classes), 'class')}, {self._penalty_shown()}"
        problem += f", intercept {self.intercept}{costs}"
        return self._claimed(problem, len(np.unique(self.model.duals.rows)))
