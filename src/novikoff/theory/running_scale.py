"""The rows of a stream as a learner with a running scale saw them, computed in NumPy, independently of the kernels.

For column j, let n_j be the weight of the examples so far in which it is not 0, and q_j the sum of their weights times
x_j^2, both with the present example. The learner sees u_j = x_j sqrt(n_j / q_j). All sums have the order of the rows,
and square roots and quotients are rounded correctly everywhere, so the rows have the same bits here as in the kernels.
docs/theory.md S.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._wide_array import narrowed, occurring, product, quotient, stored

from .centred_scale import LEAST_SQUARES, centred_rows
from .columns import Columns
from .enclosed_sums import EPS
from .geometry import Floats, Weights, copies_apart, each_row
from .verification import Check

RUNNING, CENTRED = ON_STREAMS = ("running", "centred")  # also the names that the parameter `scale` takes
FIXED, MIXED = "fixed", "mixed"
KINDS = (*ON_STREAMS, FIXED, MIXED)
LEAST_VALUE = 1e-120  # scaled values that are smaller are seen as 0
CLAIM = "scale"


@dataclass(frozen=True)
class ColumnScale:
    """What is subtracted from the values of each column, and what they are multiplied by then, at the end of a run.

    Parameters
    ----------
    kind : {"running", "centred", "fixed", "mixed"}
        How the rows were scaled when they were learned: each by the rows up to itself, as on a stream, without or with
        centring; all by all rows, as in one ``fit``; or by both, which only the learner knows.
    factors : ndarray of shape (n_features,)
        The factor of each column; 0 for a column that was always 0.
    shifts : ndarray of shape (n_features,) or None, default=None
        What is subtracted first; None unless the kind is "centred".
    """

    kind: str
    factors: Weights
    shifts: Weights | None = None

    def plane(self, weights: Floats, intercept: float) -> tuple[Floats, float]:
        """Return the weights and the intercept of rows as they are given, from those of the rows as they are seen."""
        own = product(weights, self.factors)
        return own, intercept if self.shifts is None else intercept - math.fsum(stored(product(own, self.shifts)))

    def seen_plane(self, weights: Floats, intercept: float) -> tuple[Floats, float, float]:
        """Return the inverse, and a bound on the rounding errors of this intercept and of the one that was given."""
        own, error = quotient(weights, self.factors), 0.0
        if self.shifts is not None:
            terms = stored(product(weights, self.shifts))
            intercept += math.fsum(terms)
            error = 4 * EPS * (abs(intercept) + 2 * math.fsum(np.abs(terms)))
        return own, intercept, error

    def misfit(self, width: int) -> Check | None:
        """Return a failed check if these cannot be the factors of so many columns."""
        if self.kind not in KINDS:
            return Check(CLAIM, "fails", f"{self.kind!r} is not one of {', '.join(KINDS)}")
        if len(self.factors) != width:
            return Check(CLAIM, "fails", f"there are {len(self.factors)} factors for {width} columns")
        numbers = stored(self.factors)
        if not np.all((numbers >= 0) & (numbers < np.inf)):
            return Check(CLAIM, "fails", "a factor is negative or not finite")
        if (self.shifts is not None) != (self.kind == CENTRED):
            return Check(CLAIM, "fails", "shifts belong to a centred scale, and only to that")
        if self.shifts is not None and (len(self.shifts) != width or not np.all(np.isfinite(stored(self.shifts)))):
            return Check(CLAIM, "fails", f"there must be {width} shifts, and all must be finite")
        return None


@dataclass(frozen=True)
class SeenRows:
    """Rows as a learner saw them.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_seen, n_features)
        The scaled rows.
    index : ndarray of int64 of shape (n_seen,)
        The row that each of them was: on a stream, a row of weight k is seen k times.
    copies : ndarray of shape (n_seen,)
        The weight of each.
    factors : ndarray of shape (n_features,)
        What the columns are multiplied by at the end.
    shifts : ndarray of shape (n_features,) or None, default=None
        What is subtracted from them before; None for 0.
    """

    X: Any
    index: NDArray[np.int64]
    copies: Floats
    factors: Floats
    shifts: Floats | None = None

    def check(self, claimed: Weights, shifts: Weights | None = None) -> Check:
        """Check stated factors and shifts against those of the rows, up to the rounding errors of their sums."""
        if self.shifts is not None and shifts is not None:
            return self._check_both(("factor", claimed, self.factors), ("shift", shifts, self.shifts))
        columns = np.union1d(occurring(claimed), occurring(self.factors))
        stated, found = narrowed(claimed, columns), narrowed(self.factors, columns)
        wrong = np.flatnonzero(~(np.abs(stated - found) <= (len(self.copies) + 8) * EPS * found))
        if len(wrong):
            words = f"claimed {stated[wrong[0]]:.6g} for column {columns[wrong[0]]}, found {found[wrong[0]]:.6g}"
            return Check(CLAIM, "fails", words)
        return Check(CLAIM, "holds", "the columns are divided by the root mean squares of their values other than 0")

    @staticmethod
    def _check_both(*claims: tuple[str, Weights, Weights]) -> Check:
        """Check factors and shifts, which are computed here by the same operations in the same order."""
        for name, stated, found in claims:
            columns = np.union1d(occurring(stated), occurring(found))
            pairs = np.column_stack([narrowed(stated, columns), narrowed(found, columns)])
            wrong = np.flatnonzero(pairs[:, 0] != pairs[:, 1])
            if len(wrong):
                words = (
                    f"claimed {pairs[wrong[0], 0]:.6g} for column {columns[wrong[0]]}, found {pairs[wrong[0], 1]:.6g}"
                )
                return Check(CLAIM, "fails", f"{name}: {words}")
        words = "frequent columns are centred, and all are divided by the root mean squares of what remains"
        return Check(CLAIM, "holds", words)


class _Columns:
    """The weight and the sum of squares of each column."""

    def __init__(self, width: int) -> None:
        self.weights, self.squares = np.zeros(width), np.zeros(width)

    def count(self, columns: Any, values: Floats, weight: float) -> None:
        self.weights[columns] += weight * (values != 0)
        self.squares[columns] += weight * (values * values)

    def factors(self, columns: Any) -> Floats:
        weights, squares = self.weights[columns], self.squares[columns]
        found: Floats = np.zeros_like(squares)
        np.divide(weights, squares, out=found, where=squares >= LEAST_SQUARES)
        np.sqrt(found, out=found)
        return found


def as_seen(X: Any, copies: Floats, kind: str, *, before: bool = False) -> SeenRows:
    """Return rows as a learner with a running scale saw them.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows without repeated entries, in the order of the stream.
    copies : ndarray of shape (n_samples,)
        Their weights. A row of weight 0 is not counted.
    kind : {"running", "centred", "fixed"}
        Whether each row was scaled by the rows up to itself, without or with centring, or all by all rows.
    before : bool, default=False
        Whether rows of a stream are wanted as they were predicted: scaled by the rows before each.

    Returns
    -------
    SeenRows
        The scaled rows.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.theory.running_scale import as_seen
    >>> as_seen(np.array([[3.0], [0.0], [4.0]]), np.ones(3), "fixed").X.ravel().round(3)
    array([0.849, 0.   , 1.131])
    """
    index = np.arange(X.shape[0])
    if kind in ON_STREAMS and copies.max(initial=0) > 1:
        index, copies = copies_apart(copies)
        X = X[index]
    cut = Columns.occurring(X)
    rows = list(each_row(X if cut is None else cut.cut(X)))
    width = X.shape[1] if cut is None else len(cut.indices)
    if kind == CENTRED:
        return _centred(X, cut, rows, width, index, copies, before)
    state, scaled = _Columns(width), []
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for (columns, values), weight in zip(rows, copies.tolist(), strict=True):
            if before:
                scaled.append(values * state.factors(columns))
            for _ in range(int(weight)):
                state.count(columns, values, 1.0)
            if weight % 1 > 0:
                state.count(columns, values, weight % 1)
            if kind == RUNNING and not before:
                scaled.append(values * state.factors(columns))
        factors = state.factors(slice(None))
        if kind != RUNNING:
            scaled = [values * factors[columns] for columns, values in rows]
    seen = np.concatenate(scaled) if scaled else np.zeros(0)
    seen[np.abs(seen) < LEAST_VALUE] = 0.0
    factors = factors if cut is None else cut.widen(factors)
    return SeenRows(_with_values(X, seen), index, copies, factors)


def _centred(
    X: Any, cut: Columns | None, rows: Any, width: int, index: NDArray[np.int64], copies: Floats, before: bool
) -> SeenRows:
    """Return rows as a learner with a centred scale saw them; sparse ones have more entries then."""
    seen, state = centred_rows(rows, copies.tolist(), width, before)
    columns = np.concatenate([places for places, _ in seen]) if seen else np.zeros(0, dtype=np.int64)
    values = np.concatenate([own for _, own in seen]) if seen else np.zeros(0)
    values[np.abs(values) < LEAST_VALUE] = 0.0
    offsets = np.cumsum([0, *(len(places) for places, _ in seen)])
    columns = columns if cut is None else cut.indices[columns]
    table: Any = sp.csr_array((values, columns, offsets), shape=X.shape)
    factors, shifts = (own if cut is None else cut.widen(own) for own in (state.factors, state.shifts))
    return SeenRows(table if sp.issparse(X) else table.toarray(), index, copies, factors, shifts)


def _with_values(X: Any, values: Floats) -> Any:
    if not sp.issparse(X):
        return values.reshape(X.shape)
    return sp.csr_array((values, X.indices[: X.nnz], X.indptr), shape=X.shape)
