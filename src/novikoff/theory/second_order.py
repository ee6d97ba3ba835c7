"""Certificates of second-order learners with a diagonal matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff._counts import count
from novikoff._wide_array import stored
from novikoff.errors import input_error

from .certificate import above
from .columns import Columns
from .enclosed_sums import EPS, weighted_squares
from .enclosure import Enclosure, at_most
from .geometry import Floats, Weights
from .lifted import Combined
from .sum_certificate import SUM, SumCertificate
from .verification import Check

SQUARE = "v'A^-1 v"  # claim


def comparator_square(weights: Floats, variances: Floats) -> float:
    """Return the part of u'Au that belongs to columns, given the diagonal of A^-1, where 0 stands for 1.

    Parameters
    ----------
    weights : ndarray
        The weights of u.
    variances : ndarray of the same shape
        The diagonal of A^-1.

    Returns
    -------
    float
        The sum of the squares of the weights, each divided by its variance.
    """
    return float(np.sum(weights * weights / np.where(variances == 0, 1.0, variances)))


def enclosed_square(
    total: Combined, variances: Weights, intercept_variance: float, columns: Columns | None
) -> Enclosure:
    """Return the enclosure of v'A^-1 v.

    Parameters
    ----------
    total : Combined
        The enclosed sum v.
    variances : ndarray of shape (n_features,)
        The diagonal of A^-1, where 0 stands for 1.
    intercept_variance : float
        Its entry of the intercept.
    columns : Columns or None
        The columns that ``total`` has, if these are not all.

    Returns
    -------
    Enclosure
        The square.
    """
    narrow = np.asarray(variances) if columns is None else columns.narrow(variances)
    size, radius = np.abs(total.weights.middle), total.weights.radius
    low = np.maximum(0.0, np.nextafter(size - radius, 0.0))
    high = np.where(size + radius == 0, 0.0, np.nextafter(size + radius, np.inf))
    square = weighted_squares(np.where(narrow == 0, 1.0, narrow), low, high, total.weights.exponent)
    return square + total.intercept.square() * Enclosure.exactly(intercept_variance)


@dataclass(frozen=True, repr=False, eq=False)
class SecondOrderCertificate(SumCertificate):
    """How many mistakes a second-order learner made, and what its examples say about every other plane.

    Let N be the weight of the examples that the learner added to the sum v of y u: those that caused an update, or the
    mistakes. If a plane u has the hinge loss D on them, N is at most D + sqrt(u'Au) sqrt(v'A^-1 v), for any diagonal
    matrix A that is positive (docs/theory.md L1). The certificate has v, the matrix that the learner ended with, and
    the last factor.

    The bounds on mistakes that are known of learners with a full matrix are not claimed: they are false for a diagonal
    one (docs/theory.md L3).

    Parameters
    ----------
    rule : str
        The rule of the learner.
    parameter : float
        The parameter of the rule.
    examples : float
        Number of examples, each predicted before its label was seen, or the sum of their weights.
    positives : float
        The same for the positive examples.
    mistakes : float
        Number of wrong predictions.
    updates : int
        Number of examples in the sum v.
    radius : float
        The largest |u|.
    energy : float
        The sum of |u|^2. Together with ``examples`` and ``positives`` it tells these data from others.
    margin_upper_bound : float
        No plane separates the examples with a larger margin. There may be no plane that separates them at all.
    separates : bool
        Whether the last pass went through all data without an update and without a mistake.
    passes : int
        Number of passes; 0 after several fits.
    evidence : Evidence
        The weights. They are not a sum of examples.
    added : float
        The weight N of the examples in the sum v.
    sum : Evidence
        The sum v, and the examples that it is the sum of, where these are known.
    sum_square : float
        An upper bound on v'A^-1 v.
    variances : ndarray of shape (n_features,)
        The diagonal of A^-1, where 0 stands for 1: that of a column which no update has changed.
    intercept_variance : float
        The entry of A^-1 that belongs to the intercept.

    See Also
    --------
    novikoff.AROW : A learner that has this certificate.

    Examples
    --------
    >>> from novikoff import AROW
    >>> certificate = AROW().partial_fit([[1.0], [-1.0], [2.0], [-3.0]], [1, 0, 1, 0]).certificate_
    >>> certificate.mistakes, certificate.examples
    (2.0, 4.0)
    """

    variances: Weights
    intercept_variance: float

    def _product(self, coef: Any, intercept: float) -> float:
        """Return an upper bound on sqrt(u'Au) sqrt(v'A^-1 v)."""
        weights, variances = np.asarray(coef, dtype=np.float64).ravel(), np.asarray(self.variances)
        if weights.shape != variances.shape:
            message = f"coef must have {len(variances)} weights, but it has {len(weights)}."
            raise input_error(type(self).__name__, message)
        square = comparator_square(weights, variances)
        if self.evidence.geometry.fit_intercept:
            square += float(intercept) ** 2 / self.intercept_variance
        return math.sqrt(square) * math.sqrt(self.sum_square) * (1 + (len(weights) + 16) * EPS)

    def _has_valid_matrix(self) -> bool:
        values = np.append(stored(self.variances), self.intercept_variance)
        fits = len(self.variances) == len(self.sum.weights) == len(self.evidence.weights)
        return bool(fits and np.all((values >= 0) & (values < np.inf)) and self.intercept_variance > 0)

    def _check_square(self, total: Combined, columns: Columns | None) -> Check:
        """Check v'A^-1 v, given v as an enclosed sum of rows with these columns."""
        return at_most(
            SQUARE, self.sum_square, enclosed_square(total, self.variances, self.intercept_variance, columns)
        )

    def _bounds_on_trust(self) -> dict[str, float]:
        return {SQUARE: self.sum_square}

    def explain(self) -> str:
        return (
            self._words()
            + "A plane u has a hinge loss on the added examples of at least their weight minus sqrt(u'Au) "
            "sqrt(v'A^-1 v), where A is the diagonal matrix of the learner and v'A^-1 v is at most "
            f"{above(self.sum_square)}. Bounds on the mistakes of learners with a full matrix do not hold for a "
            "diagonal one. " + self._ending()
        )

    def claims(self) -> list[tuple[str, str]]:
        own = (SUM, f"{count(self.added)} added, v'A^-1 v at most {above(self.sum_square)}")
        return [*super().claims(), own]
