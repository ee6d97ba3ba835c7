"""One binary problem of the soft-margin support vector machine, as the solvers see it.

In the units of the user the problem is

    min over w, b:  1/2 |w|^2 [+ 1/2 b^2] + C sum_i c_i l(1 - y_i (w.x_i + b)),

where b^2 counts if the intercept is penalised. The solvers divide it by C and scale the rows by a power of two s to
about unit length:

    min over w, b:  lam/2 |w|^2 + kappa/2 b^2 + sum_i c_i l(1 - y_i (s x_i.w + b)),     lam = s^2 / C,

with kappa = 1 / C for a penalised intercept, else 0. Each row has one dual variable alpha_i in [0, top]; in the units
of the user it is a_i = C c_i alpha_i. ``cpp/include/novikoff/soft_margin.hpp`` states the dual problem.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._labels import Codes
from novikoff.errors import input_error
from novikoff.theory.geometry import Floats

from .losses import Loss
from .row_products import RowProducts
from .shared import Shared

WITHOUT_ZEROS = "rows without zeros"
MIN_COPIED_ELEMENTS = 1_000_000  # of dense rows that may be copied without their zeros
MAX_COPIED_SHARE = 0.3  # of values that are not 0, up to which the copy is faster to read and needs little memory
MAX_SCALE_EXPONENT = 1000  # the largest power of two, up or down, by which rows are scaled
MAX_SQUARABLE_EXPONENT = 506  # the largest power of two, up or down, whose square keeps all its digits
MIN_COST_EXPONENT, MAX_COST_EXPONENT = -1018, 830  # powers of two for C |x|^2; beyond them doubles lose digits


@dataclass(frozen=True)
class Table:
    """The rows of a data set, their classes and their costs, shared by all binary problems.

    Parameters
    ----------
    rows : Rows
        The rows, as the kernels read them.
    codes : ndarray of int32
        The index of the class of each row.
    costs : ndarray or None
        The cost of each row; None if every cost is 1.
    elements : int
        The number of stored values.
    largest : float
        The largest absolute value.
    dense : ndarray or None
        The rows as a NumPy array, unless they are sparse.
    sparse : CSR matrix or None
        The rows as a CSR matrix, unless they are dense.
    shared : Shared
        Vectors of the rows that all problems have in common.
    products : RowProducts or None
        The products of the rows, which all problems of the table share.
    """

    rows: _core.Rows
    codes: Codes
    costs: NDArray[np.float64] | None
    elements: int
    largest: float
    dense: NDArray[Any] | None = None
    sparse: Any = None
    products: RowProducts | None = None
    shared: Shared = field(init=False, default_factory=Shared, repr=False, compare=False)

    @property
    def matrix(self) -> Any:
        """The rows as an array or a CSR matrix; None if neither was given."""
        return self.sparse if self.dense is None else self.dense

    def kernel_rows(self) -> _core.Rows:
        """Return the rows for kernels: those without zeros if there is such a copy."""
        return self.shared.known(WITHOUT_ZEROS, self.rows)

    def rows_without_zeros(self) -> _core.Rows:
        """Return a sparse copy of dense rows if most of their values are 0, else the rows.

        It takes memory, so it is made only where many passes for many classes follow.
        """
        if self.dense is None or self.elements < MIN_COPIED_ELEMENTS:
            return self.rows
        return self.shared.once(WITHOUT_ZEROS, lambda: without_zeros(self.rows, MAX_COPIED_SHARE))


@dataclass(frozen=True)
class Objective:
    """What is minimised, and how accurately.

    Parameters
    ----------
    C : float
        The weight of the loss against the regularisation.
    loss : Loss
        The loss of a row.
    intercept : {"free", "penalized", "none"}
        The role of the intercept.
    tol : float
        The relative duality gap at which a solver stops.
    """

    C: float
    loss: Loss
    intercept: str
    tol: float


@dataclass(frozen=True)
class Problem:
    """One binary problem: immutable, and independent of the solver.

    Parameters
    ----------
    table : Table
        Rows, classes and costs.
    positive : int
        The code of the class that is called +1.
    objective : Objective
        What is minimised.

    Attributes
    ----------
    scale : float
        The power of two s by which the rows are scaled.
    lam, kappa : float
        The regularisation of the weights and of the intercept.
    penalty : ndarray of shape (n_features + 1,)
        ``lam`` for every weight, then ``kappa``. Read-only.
    """

    table: Table
    positive: int
    objective: Objective
    scale: float = field(init=False)
    lam: float = field(init=False)
    kappa: float = field(init=False)
    penalty: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        C = self.objective.C
        scale = computable_scale(self.table, C)
        lam, kappa = scale * scale / C, 1 / C if self.objective.intercept == "penalized" else 0.0
        penalty = np.full(self.columns + 1, lam)
        penalty[-1] = kappa
        penalty.setflags(write=False)
        for name, value in {"scale": scale, "lam": lam, "kappa": kappa, "penalty": penalty}.items():
            object.__setattr__(self, name, value)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.table.rows.count

    @property
    def columns(self) -> int:
        """The number of columns."""
        return self.table.rows.columns

    @property
    def loss(self) -> Loss:
        """The loss of a row."""
        return self.objective.loss

    @property
    def has_free_intercept(self) -> bool:
        """Whether the intercept is not penalised."""
        return self.objective.intercept == "free"

    @property
    def has_intercept(self) -> bool:
        """Whether there is an intercept."""
        return self.objective.intercept != "none"

    def is_positive(self) -> NDArray[np.bool_]:
        """Return which rows belong to the positive class."""
        mask: NDArray[np.bool_] = self.table.codes == self.positive
        return mask

    def signs(self) -> Floats:
        """Return the labels as -1 and +1."""
        return np.where(self.is_positive(), 1.0, -1.0)

    def costs_of(self, rows: NDArray[np.int64]) -> Floats:
        """Return the costs of some rows."""
        return np.ones(len(rows)) if self.table.costs is None else self.table.costs[rows]

    def all_costs(self) -> Floats:
        """Return the costs of all rows; not to be modified."""
        return np.ones(self.rows) if self.table.costs is None else self.table.costs

    def regularization(self, v: Floats) -> float:
        """Return lam/2 |w|^2 + kappa/2 b^2 for v = (w, b)."""
        return 0.5 * float(v @ (self.penalty * v))

    def best_without_weights(self) -> tuple[Floats, float]:
        """Return the best point with w = 0 and a free intercept, and its objective."""
        is_positive, costs = self.is_positive(), self.table.costs
        if costs is None:
            positive = float(np.count_nonzero(is_positive))
            negative = self.rows - positive
        else:
            positive, negative = float(np.sum(costs * is_positive)), float(np.sum(costs * ~is_positive))
        v = np.zeros(self.columns + 1)
        v[-1], value = self.loss.best_constant(positive, negative)
        return v, value


def without_zeros(rows: _core.Rows, max_share: float) -> _core.Rows:
    """Return a sparse copy of dense rows if at most this share of their values is not 0, else the rows."""
    parts: Any = _core.without_zeros(rows, max_share)
    if parts is None:
        return rows
    values, indices, offsets = parts
    return _core.csr(values, indices, offsets, rows.columns)


def unit_scale(table: Table) -> float:
    """Return the power of two that brings the rows to about unit length."""
    return scale_of(table.largest, table.elements / table.rows.count)


def scale_of(largest: float, per_row: float) -> float:
    """Return the power of two that brings rows to about unit length, from their largest and their number of values."""
    length = largest * math.sqrt(max(1.0, per_row))
    exponent = math.frexp(length)[1] if length < math.inf else MAX_SCALE_EXPONENT
    return math.ldexp(1.0, -max(-MAX_SCALE_EXPONENT, min(MAX_SCALE_EXPONENT, exponent))) if length > 0 else 1.0


def computable_scale(table: Table, C: float) -> float:
    """Return the scale, or refuse rows and a C whose products doubles cannot hold."""
    scale = unit_scale(table)
    if table.largest > 0:
        refuse_uncomputable(scale, C)
    return scale


def refuse_uncomputable(scale: float, C: float) -> None:
    """Refuse a scale of rows and a C whose products doubles cannot hold."""
    exponent = -math.log2(scale)
    cost_exponent = math.log2(C) + 2 * exponent
    if abs(exponent) > MAX_SQUARABLE_EXPONENT or not MIN_COST_EXPONENT < cost_exponent < MAX_COST_EXPONENT:
        raise input_error(
            "LinearSVM",
            f"cannot compute with rows of length {1 / scale:.1g} and C={C:g}. Scale X: the length must be between "
            "1e-152 and 1e152, and C times its square between 1e-306 and 1e249.",
        )
