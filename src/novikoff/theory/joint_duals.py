"""The dual variables of a joint machine of several classes, and which of them bound its optimum. docs/theory.md J."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .certificate import OTHER_DATA, ROUNDING
from .gap_checks import exact_sum
from .geometry import Floats
from .verification import Check


@dataclass(frozen=True)
class JointDuals:
    """The dual variables beta_ik > 0 of rows i and classes k other than their own.

    The coefficient of row i in the weights of class k is a_ik = -beta_ik, and in those of its own class it is the sum
    of these, so that the coefficients of a row add up to 0 by construction.

    Parameters
    ----------
    rows : ndarray of int64
        The number of the row of each variable, in ascending order.
    classes : ndarray of int32
        The index of its class, in ascending order within a row.
    values : ndarray of float64
        The variables that are not 0.
    """

    rows: NDArray[np.int64]
    classes: NDArray[np.int32]
    values: Floats

    @classmethod
    def of(cls, dense: Floats) -> JointDuals:
        """Return the nonzero entries of an array with one value per row and class."""
        rows, classes = np.nonzero(dense)
        return cls(rows.astype(np.int64), classes.astype(np.int32), dense[rows, classes])

    def dense(self, rows: int, classes: int) -> Floats:
        """Return an array with one value per row and class."""
        full = np.zeros((rows, classes))
        full[self.rows, self.classes] = self.values
        return full

    def coefficients(self, codes: NDArray[np.intp], classes: int) -> sp.csr_array:
        """Return the matrix of all a_ik, of shape (rows, classes), for the rows of these classes."""
        rows = np.concatenate([self.rows, self.rows])
        columns = np.concatenate([self.classes, codes[self.rows]])
        entries = np.concatenate([-self.values, self.values])
        return sp.csr_array((entries, (rows, columns)), shape=(len(codes), classes))

    def class_sums(self, codes: NDArray[np.intp], classes: int) -> Floats:
        """Return sum_i a_ik of each class k, correctly rounded: it is 0 if and only if the exact sum is 0."""
        sums = np.zeros(classes)
        own = codes[self.rows]
        by_class, by_own = np.argsort(self.classes, kind="stable"), np.argsort(own, kind="stable")
        limits = np.arange(classes + 1)
        out, back = np.searchsorted(own[by_own], limits), np.searchsorted(self.classes[by_class], limits)
        for k in range(classes):
            gained, given = self.values[by_own[out[k] : out[k + 1]]], self.values[by_class[back[k] : back[k + 1]]]
            sums[k] = exact_sum(np.concatenate([gained, -given]))
        return sums


@np.errstate(over="ignore")  # limits near the largest float become infinite
def allowed(duals: JointDuals, codes: NDArray[np.intp], costs: Floats, classes: int, *, balanced: bool) -> Check:
    """Check beta >= 0, that no row has a sum above its cost, and with ``balanced`` that the classes add up to 0.

    The sum of a row may exceed its cost by rounding: `excess` says by how much.
    """
    claim, rows = "feasible duals", len(codes)
    if not duals.rows.shape == duals.classes.shape == duals.values.shape or duals.rows.ndim != 1:
        return Check(claim, "fails", "the numbers of rows, classes and values differ")
    outside = duals.rows[(duals.rows < 0) | (duals.rows >= rows)]
    if len(outside):
        return Check(claim, "fails", f"row {outside[0]} is not among the {rows} rows: {OTHER_DATA}")
    if np.any((duals.classes < 0) | (duals.classes >= classes)):
        return Check(claim, "fails", f"a class is not among the {classes} classes of the model")
    unknown = duals.rows[codes[duals.rows] < 0]
    if len(unknown):
        row = int(unknown[0])
        return Check(claim, "fails", f"row {row} has a variable, but a label that the model does not know", row)
    places = duals.rows * np.int64(classes) + duals.classes
    if len(np.unique(places)) != len(places):
        return Check(claim, "fails", "a row has two variables for the same class")
    wrong = np.flatnonzero((duals.classes == codes[duals.rows]) | ~((duals.values >= 0) & (duals.values < np.inf)))
    if len(wrong):
        row = int(duals.rows[wrong[0]])
        return Check(claim, "fails", f"row {row} has a negative variable, or one for its own class: {OTHER_DATA}", row)
    sums = np.bincount(duals.rows, duals.values, minlength=rows)
    wrong = np.flatnonzero(~((sums <= costs * (1 + ROUNDING)) & (sums < np.inf)))
    if len(wrong):
        row = int(wrong[0])
        return Check(claim, "fails", f"row {row} has the sum {sums[row]:.6g}, above its cost {costs[row]:.6g}", row)
    found = f"{np.count_nonzero(sums)} rows, all within their limits"
    if balanced:
        apart = duals.class_sums(codes, classes)
        if np.any(apart != 0):
            k = int(np.argmax(np.abs(apart)))
            return Check(
                claim, "fails", f"the coefficients of class {k} add up to {apart[k]:.3g}, not to 0: {OTHER_DATA}"
            )
        found += "; the coefficients of every class add up to 0"
    return Check(claim, "holds", found)


def excess(duals: JointDuals, costs: Floats) -> float:
    """Return the factor <= 1 that scales the duals down so that no row is above its cost, in spite of rounding."""
    sums = np.bincount(duals.rows, duals.values, minlength=len(costs))
    over = sums > costs
    return float(np.min(costs[over] / sums[over], initial=1.0))
