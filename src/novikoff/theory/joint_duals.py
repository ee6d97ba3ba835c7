"""The dual variables of a joint machine of several classes, and which of them bound its optimum. docs/theory.md J."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._counts import count, counted

from .certificate import OTHER_DATA
from .enclosed_sums import EPS, exact_total
from .enclosure import Enclosure
from .geometry import Floats
from .verification import Check

TINY = 2.0**-1074  # the largest error of a quotient that underflows


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

    def class_sums(self, codes: NDArray[np.intp], classes: int) -> list[Fraction]:
        """Return sum_i a_ik of each class k, without rounding."""
        sums, own = [], codes[self.rows]
        by_class, by_own = np.argsort(self.classes, kind="stable"), np.argsort(own, kind="stable")
        limits = np.arange(classes + 1)
        out, back = np.searchsorted(own[by_own], limits), np.searchsorted(self.classes[by_class], limits)
        for k in range(classes):
            gained, given = self.values[by_own[out[k] : out[k + 1]]], self.values[by_class[back[k] : back[k + 1]]]
            sums.append(exact_total(gained) - exact_total(given))
        return sums


def allowed(duals: JointDuals, codes: NDArray[np.intp], rows: int, classes: int, *, balanced: bool) -> Check:
    """Check that beta >= 0 belongs to rows and classes of the model, and with ``balanced`` that classes add up to 0.

    The sum of a row may exceed its cost: `excess` says by which factor all variables are then scaled down.
    """
    claim = "feasible duals"
    if not duals.rows.shape == duals.classes.shape == duals.values.shape or duals.rows.ndim != 1:
        return Check(claim, "fails", "the numbers of rows, classes and values differ")
    outside = duals.rows[(duals.rows < 0) | (duals.rows >= rows)]
    if len(outside):
        return Check(claim, "fails", f"there is no row {outside[0]} among {counted(rows, 'row')}: {OTHER_DATA}")
    if np.any((duals.classes < 0) | (duals.classes >= classes)):
        return Check(claim, "fails", f"a class is not among the {count(classes)} of the model")
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
    found = f"{counted(len(np.unique(duals.rows)), 'row')}, none of them negative"
    if balanced:
        for k, apart in enumerate(duals.class_sums(codes, classes)):
            if apart != 0:
                shown = Enclosure.exactly(apart).outer_high()
                detail = f"the coefficients of class {k} add up to {shown:.3g}, not to 0: {OTHER_DATA}"
                return Check(claim, "fails", detail)
        found += "; the coefficients of every class add up to 0"
    return Check(claim, "holds", found)


@np.errstate(over="ignore", divide="ignore", under="ignore")
def excess(duals: JointDuals, costs: Floats, classes: int) -> Enclosure:
    """Return the enclosure of the largest factor t <= 1 for which no row of t beta has a sum above its cost."""
    sums = np.bincount(duals.rows, duals.values, minlength=len(costs))
    used = np.flatnonzero(sums)
    if len(used) == 0:
        return Enclosure.exactly(1)
    if not np.all(np.isfinite(sums)):
        return Enclosure(Fraction(0), Fraction(1))
    # A sum of K numbers has a relative error below K eps, and the quotient one more rounding, or it underflows.
    error, quotients = (classes + 4) * EPS, costs[used] / sums[used]
    least = float(quotients.min())
    low = max(0.0, least * (1 - error) - TINY)
    return Enclosure.between(min(1.0, low), min(1.0, least * (1 + error) + TINY))
