"""What all partitions know of the binary problems that are solved, and the state that each partition has.

The problems are those of ``novikoff.solvers.problem``, with the same scaling for all partitions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._labels import Codes
from novikoff.data.rows import as_rows
from novikoff.solvers.losses import LOSSES, Loss
from novikoff.theory.geometry import Floats

from ..block import Block
from ..survey import codes_of, in_width


@dataclass(frozen=True)
class Setup:
    """The binary problems.

    Parameters
    ----------
    classes : tuple
        The labels in ascending order.
    factors : ndarray of shape (n_classes,) or None
        The weights of the classes; None if all are 1.
    pairs : tuple of tuple of int
        The codes of the positive and the negative class of each problem; -1 for all other classes.
    columns : ndarray of int64 or None
        The columns that occur, if the rows are sparse and have others; None if all occur.
    total_columns : int
        The number of columns of the user.
    firsts : tuple of int
        The number of the first row of each partition.
    C : float
        The cost of a row of weight 1.
    loss : str
        The name of the loss.
    intercept : {"free", "penalized", "none"}
        The role of the intercept.
    scale : float
        The power of two by which the rows are scaled.
    largest : float
        The largest absolute value of all rows.
    """

    classes: tuple[Any, ...]
    factors: Floats | None
    pairs: tuple[tuple[int, int], ...]
    columns: NDArray[np.int64] | None
    total_columns: int
    firsts: tuple[int, ...]
    C: float
    loss: str
    intercept: str
    scale: float
    largest: float

    @property
    def width(self) -> int:
        """The number of columns that occur."""
        return self.total_columns if self.columns is None else len(self.columns)

    @property
    def lam(self) -> float:
        """The regularisation of the weights in the scaled problem."""
        return self.scale * self.scale / self.C

    @property
    def kappa(self) -> float:
        """The regularisation of the intercept in the scaled problem."""
        return 1 / self.C if self.intercept == "penalized" else 0.0

    @property
    def penalty(self) -> Floats:
        """``lam`` for every weight, then ``kappa``."""
        penalty = np.full(self.width + 1, self.lam)
        penalty[-1] = self.kappa
        return penalty

    @property
    def loss_function(self) -> Loss:
        """The loss."""
        return LOSSES[self.loss]

    @property
    def has_free_intercept(self) -> bool:
        """Whether the intercept is not penalised."""
        return self.intercept == "free"

    def cut(self, X: Any) -> Any:
        """Return rows in the columns that occur."""
        if self.columns is None or not sp.issparse(X):  # rows beside sparse ones are dense only if there are none
            return in_width(X, self.width)
        X = in_width(X, self.total_columns)
        places = np.zeros(self.total_columns, dtype=X.indices.dtype)
        places[self.columns] = np.arange(len(self.columns), dtype=X.indices.dtype)
        return sp.csr_matrix((X.data, places[X.indices], X.indptr), shape=(X.shape[0], len(self.columns)))


@dataclass(frozen=True)
class State:
    """The state of one partition.

    Parameters
    ----------
    setup : Setup
        The problems.
    first : int
        The number of the first row of the partition.
    codes : ndarray of int32
        The class of each row; -1 for a label that only rows of weight 0 have.
    costs : ndarray or None
        The cost of each row, divided by C; None if all are 1.
    problems : dict
        What each problem keeps, by its place among the problems.
    """

    setup: Setup
    first: int
    codes: Codes
    costs: Floats | None
    problems: dict[int, Any] = field(default_factory=dict)


def begin(block: Block, state: Any, setup: Setup) -> tuple[State, None]:
    """Give a partition its first state: a step, whose command is the setup."""
    codes = codes_of(block, setup.classes)
    costs = block.weights
    if setup.factors is not None:
        own = np.where(codes >= 0, setup.factors[codes], 0.0)
        costs = own if costs is None else costs * own
    return State(setup, setup.firsts[state], codes, costs), None


class LocalProblem:
    """One binary problem on one partition, and the kernel that passes over its rows.

    Parameters
    ----------
    block : Block
        The rows.
    state : State
        The state of the partition.
    place : int
        The place of the problem.

    Attributes
    ----------
    rows : ndarray of int64 or None
        The rows of the partition that belong to the problem; None if all do.
    X : ndarray or CSR matrix
        These rows, in the columns that occur.
    is_positive : ndarray of bool
        Which of them belong to the positive class.
    costs : ndarray or None
        Their costs; None if all are 1.
    kernel : SoftMargin
        The passes over them.
    """

    def __init__(self, block: Block, state: State, place: int) -> None:
        setup = self.setup = state.setup
        positive, negative = setup.pairs[place]
        X, codes, costs = block.X, state.codes, state.costs
        self.rows: NDArray[np.int64] | None = None
        if negative >= 0:
            self.rows = np.flatnonzero((codes == positive) | (codes == negative))
            X, codes = X[self.rows], np.ascontiguousarray(codes[self.rows])
            costs = None if costs is None else costs[self.rows]
        self.X, self.is_positive, self.costs = setup.cut(X), codes == positive, costs
        self.count = len(codes)
        self.first = state.first
        elements = int(self.X.nnz if sp.issparse(self.X) else self.X.size)
        has_intercept = setup.intercept != "none"
        rows = as_rows(block.name, self.X)
        self.kernel = _core.SoftMargin(
            rows, codes, positive, costs, setup.scale, has_intercept, setup.loss, elements, 1
        )

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The numbers of the rows among those of all partitions."""
        return self.first + (np.arange(self.count) if self.rows is None else self.rows)

    def margins(self, v: Floats) -> Floats:
        """Return the margins of v = (w, b)."""
        found = np.empty(self.count)
        if self.count:
            self.kernel.margins(np.ascontiguousarray(v), found)
        return found

    def all_costs(self) -> Floats:
        """Return the cost of each row."""
        return np.ones(self.count) if self.costs is None else self.costs

    def dual_sums(self, alpha: Floats, margins: Floats, response: _core.Response) -> tuple[Floats, Floats]:
        """Return sums over the rows: those of `DualSums`, and the vectors sum a y (s x, 1) of both classes."""
        vectors = np.zeros(2 * (self.setup.width + 1))
        if not self.count:
            return np.zeros(7), vectors
        sums = self.kernel.dual_sums(alpha, margins, response, vectors)
        return np.array([*sums["a"], *sums["a_slack"], *sums["a_alpha"], sums["loss"]]), vectors
