"""The joint machine of several classes (Crammer and Singer 2001), as its solver sees it.

In the units of the user the problem is

    min over w_k, b_k:  1/2 sum_k |w_k|^2 [+ 1/2 sum_k b_k^2] + C sum_i c_i max_k ([k != y_i] + f_k(x_i) - f_{y_i}(x_i))

with f_k(x) = w_k.x + b_k, where b_k^2 counts if the intercepts are penalised. It is scaled as in ``problem.py``. Each
row distributes the mass 1 over the classes: alpha_ik = beta_ik / (C c_i) for the dual variable of another class,
and the rest for its own class. ``cpp/include/novikoff/crammer_singer.hpp`` states the dual problem.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from novikoff.theory.geometry import Floats
from novikoff.theory.joint_duals import JointDuals

from .bounds import relative_gap
from .problem import Objective, Table, computable_scale
from .solver import HistoryEntry


class JointStart(NamedTuple):
    """Where a solver may start: the end of an earlier solution, of this problem or of a similar one.

    It does not depend on C or on the columns of X.

    Parameters
    ----------
    fractions : JointDuals
        Dual variables divided by the costs, beta_ik / C_i.
    intercepts : ndarray of shape (classes,)
        The intercepts.
    """

    fractions: JointDuals
    intercepts: Floats


@dataclass
class JointSolution:
    """What a solver of the joint machine returns, in the units of the user.

    Parameters
    ----------
    weights : ndarray of shape (classes, columns)
        The weights w_k, in the columns of the training set.
    intercepts : ndarray of shape (classes,)
        The intercepts b_k.
    duals : JointDuals
        The dual variables beta_ik. They are feasible, and their dual objective is ``dual``.
    primal, dual : float
        The objectives. They must hold in spite of rounding: a certificate is made of them.
    steps : int
        The number of steps.
    history : list of HistoryEntry
        One entry each time the bounds were computed. The last one is that of the result.
    end : JointStart
        Where a later call may start.
    """

    weights: Floats
    intercepts: Floats
    duals: JointDuals
    primal: float
    dual: float
    steps: int
    history: list[HistoryEntry]
    end: JointStart = field(repr=False)

    @property
    def relative_gap(self) -> float:
        """The duality gap divided by the primal objective."""
        return relative_gap(self.primal, self.dual)


@dataclass(frozen=True)
class JointProblem:
    """The joint machine of all classes: immutable, and independent of the solver.

    Parameters
    ----------
    table : Table
        Rows, classes and costs.
    classes : int
        The number of classes.
    objective : Objective
        What is minimised; its loss is the hinge.

    Attributes
    ----------
    scale : float
        The power of two s by which the rows are scaled.
    lam, kappa : float
        The regularisation of the weights and of the intercepts.
    """

    table: Table
    classes: int
    objective: Objective
    scale: float = field(init=False)
    lam: float = field(init=False)
    kappa: float = field(init=False)

    def __post_init__(self) -> None:
        C = self.objective.C
        scale = computable_scale(self.table, C)
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "lam", scale * scale / C)
        object.__setattr__(self, "kappa", 1 / C if self.objective.intercept == "penalized" else 0.0)

    def with_cost(self, C: float) -> JointProblem:
        """Return the same problem with another C."""
        return dataclasses.replace(self, objective=dataclasses.replace(self.objective, C=C))

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.table.rows.count

    @property
    def columns(self) -> int:
        """The number of columns."""
        return self.table.rows.columns

    @property
    def has_free_intercept(self) -> bool:
        """Whether the intercepts are not penalised."""
        return self.objective.intercept == "free"

    @property
    def has_intercept(self) -> bool:
        """Whether there are intercepts."""
        return self.objective.intercept != "none"

    def costs(self) -> Floats:
        """Return the costs of all rows; not to be modified."""
        return np.ones(self.rows) if self.table.costs is None else self.table.costs

    def regularization(self, v: Floats) -> float:
        """Return lam/2 |w|^2 + kappa/2 b^2 of all classes, for v = (w, b) of shape (columns + 1, classes)."""
        return 0.5 * self.lam * float(np.vdot(v[:-1], v[:-1])) + 0.5 * self.kappa * float(v[-1] @ v[-1])

    def best_without_weights(self) -> tuple[Floats, float]:
        """Return a good point with w = 0 and free intercepts, and its objective.

        If b is 1 for the most frequent class and 0 for the others, its rows have the loss 0 and all others 2.
        """
        totals = np.bincount(self.table.codes, self.costs(), minlength=self.classes)
        v = np.zeros((self.columns + 1, self.classes))
        largest, total = float(totals.max()), float(totals.sum())
        if 2 * (total - largest) < total:
            v[-1, int(np.argmax(totals))] = 1.0
            return v, 2 * (total - largest)
        return v, total
