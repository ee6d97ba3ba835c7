"""Certificates of second-order learners with a full matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff._counts import count
from novikoff.errors import input_error

from .certificate import above
from .columns import Columns
from .enclosed_sums import EPS
from .enclosure import Enclosure, at_most
from .exact_lifted import ExactCombination
from .factored_matrix import FactoredMatrix
from .geometry import Extended, Floats
from .lifted import Combined
from .sum_certificate import SUM, SumCertificate
from .verification import Check

SQUARE, RESIDUAL, LOG_DET, CLOSED = (
    "w'Aw",
    "length of v - Aw",
    "log det(A/a)",
    "w'Aw is at most log det(A/a) + U",
)  # claims


@dataclass(frozen=True, repr=False, eq=False)
class FullMatrixCertificate(SumCertificate):
    """How many mistakes a learner with a full matrix made, and what its examples say about every other plane.

    Let N be the weight of the examples that caused an update, v the sum of their y u, w the weights and A the matrix of
    the learner: a on the diagonal plus the sum of u u'. If a plane u has the hinge loss D on these examples,

        N <= D + sqrt(u'Au) sqrt(w'Aw) + |u| |v - Aw|

    by docs/theory.md L1, for any w and any positive definite A. The last term is only rounding, because w solves
    Aw = v, and w'Aw is v'A^-1 v. It is at most log det(A/a) + U, where U is the weight of the updates that did not
    follow a mistake, which gives the bounds of Cesa-Bianchi, Conconi and Gentile (2005), with U = 0, and of Crammer,
    Kulesza and Dredze (2009): L2 and L3.

    Parameters
    ----------
    rule : str
        The rule of the learner.
    parameter : float
        The parameter of the rule, which is a.
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
        The weights w. They are not a sum of examples.
    added : float
        The weight N of the examples in the sum v.
    sum : Evidence
        The sum v, and the examples that it is the sum of, where these are known.
    sum_square : float
        An upper bound on w'Aw.
    residual : float
        An upper bound on |v - Aw|.
    log_det : float
        An upper bound on log det(A/a); infinity if ``sum_square`` is not known to be at most this plus N - mistakes.
    gains : ndarray of shape (n_features,)
        Of the columns: the pivots D of A = U D U' minus a. U is upper triangular with 1 on its diagonal.
    intercept_gain : float
        The same of the intercept, which is the first row and column of A.
    factor : ndarray of shape (n_features * (n_features + 1) / 2,)
        The entries of U above its diagonal, column after column.

    See Also
    --------
    novikoff.AROW : With ``full=True``, a learner that has this certificate.
    novikoff.SecondOrderPerceptron : The same.

    Examples
    --------
    >>> from novikoff import AROW
    >>> certificate = AROW(full=True).partial_fit([[1.0], [-1.0], [2.0], [-3.0]], [1, 0, 1, 0]).certificate_
    >>> certificate.mistakes, certificate.added
    (1.0, 2.0)
    """

    residual: Extended
    log_det: Extended
    gains: Floats
    intercept_gain: float
    factor: Floats

    @property
    def corrections(self) -> float:
        """The weight U of the updates that did not follow a mistake."""
        return max(0.0, self.added - self.mistakes)

    def closed_bound(self, X: Any, y: Any, coef: Any, intercept: float = 0.0, sample_weight: Any = None) -> float:
        """Return the bound of the learner's paper on the number of mistakes, for any plane (docs/theory.md, L2 and L3).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows that the model was learned from.
        y : array-like of shape (n_samples,)
            Their labels.
        coef : array-like of shape (n_features,)
            Weights of the plane, as for ``comparator_bound``.
        intercept : float, default=0.0
            Its intercept. Ignored if the learner has none.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            D - U + sqrt(u'Au) sqrt(log det(A/a) + U), with D over all examples of all passes, and what rounding adds.
            ``comparator_bound``, which has w'Aw, is about the mistakes and the U other updates together.
        """
        loss, square = self._hinge_loss(X, y, coef, intercept, sample_weight), self.log_det + self.corrections
        return loss - self.corrections + self._product_with(square, coef, intercept)

    def _matrix(self) -> FactoredMatrix:
        gains = np.append(self.intercept_gain, np.asarray(self.gains))
        return FactoredMatrix(self.parameter, gains, np.asarray(self.factor))

    def _plane(self, coef: Any, intercept: float) -> Floats:
        """Return a plane with its intercept first."""
        weights = np.asarray(coef, dtype=np.float64).ravel()
        if len(weights) != len(self.gains):
            message = f"coef must have {len(self.gains)} weights, but it has {len(weights)}."
            raise input_error(type(self).__name__, message)
        return np.append(float(intercept) if self.evidence.geometry.fit_intercept else 0.0, weights)

    def _product(self, coef: Any, intercept: float) -> float:
        return self._product_with(self.sum_square, coef, intercept)

    def _product_with(self, square: float, coef: Any, intercept: float) -> float:
        """Return an upper bound on sqrt(u'Au) times the root of a number, plus |u| times the residual."""
        u = self._plane(coef, intercept)
        product = math.sqrt(self._matrix().square(u).outer_high()) * math.sqrt(square)
        return (product + math.sqrt(float(u @ u)) * self.residual) * (1 + (len(u) + 16) * EPS)

    def _has_valid_matrix(self) -> bool:
        fits = len(self.gains) == len(self.sum.weights) == len(self.evidence.weights)
        return bool(fits and self._matrix().is_valid())

    def _check_matrix(self, exact: bool) -> list[Check]:
        """Check w'Aw and log det(A/a), which do not depend on the rows."""
        matrix, most, weights = self._matrix(), self.log_det + self.corrections, self._weights()
        checks = [at_most(SQUARE, self.sum_square, matrix.square(weights))]
        if exact and checks[0].status == "open" and np.all(np.isfinite(weights)):
            products = zip(weights.tolist(), matrix.exact_product(weights), strict=True)
            square = sum((Fraction(weight) * product for weight, product in products), Fraction(0))
            checks = [at_most(SQUARE, self.sum_square, Enclosure.exactly(square))]
        if self.log_det == math.inf:
            return [*checks, Check(LOG_DET, "on trust", "no bound is claimed")]
        closed = Check(CLOSED, "holds" if self.sum_square <= most else "fails", f"U is {count(self.corrections)}")
        return [*checks, at_most(LOG_DET, self.log_det, matrix.log_determinant()), closed]

    def _check_square(self, total: Combined, columns: Columns | None) -> Check:
        """Check |v - Aw|, given v as an enclosed sum of rows with these columns."""
        low, high = total.weights.ends()
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            low, high = (np.ldexp(end, total.weights.exponent) for end in (low, high))
            low, high = (end if columns is None else columns.widen(end) for end in (low, high))
            ends = np.append(total.intercept.outer_low(), low), np.append(total.intercept.outer_high(), high)
            middle = ends[0] / 2 + ends[1] / 2
            radius = np.maximum(ends[1] - middle, middle - ends[0]) * (1 + 4 * EPS) + np.abs(middle) * EPS + 1e-300
        if not (np.all(np.isfinite(middle)) and np.all(np.isfinite(radius))):
            return Check(RESIDUAL, "open", "the sum of the examples overflows")
        return at_most(RESIDUAL, self.residual, self._matrix().residual(middle, radius, self._weights()).enclosure())

    def _check_square_exactly(self, total: ExactCombination) -> Check | None:
        weights = self._weights()
        if not np.all(np.isfinite(weights)):
            return None
        unit, low, high = Fraction(2) ** total.exponent, Fraction(0), Fraction(0)
        for place, product in enumerate(self._matrix().exact_product(weights)):
            column = (place or len(weights)) - 1  # the intercept is the last one there
            gap, error = abs(total.sums.get(column, 0) * unit - product), total.errors.get(column, 0) * unit
            low, high = low + max(Fraction(0), gap - error) ** 2, high + (gap + error) ** 2
        return at_most(RESIDUAL, self.residual, Enclosure(low, high), squared=True)

    def _weights(self) -> Floats:
        """Return the weights w with the intercept first."""
        return np.append(self.evidence.intercept, np.asarray(self.evidence.weights))

    def _bounds_on_trust(self) -> dict[str, float]:
        return {RESIDUAL: self.residual}

    def explain(self) -> str:
        closed = (
            f" It is at most log det(A/a) + U = {above(self.log_det + self.corrections)}, where U = "
            f"{count(self.corrections)} is the weight of the updates that did not follow a mistake."
        )
        return (
            self._words()
            + "A plane u has a hinge loss on the added examples of at least their weight minus sqrt(u'Au) "
            "sqrt(w'Aw), where A is the matrix of the learner, w are its weights and w'Aw is at most "
            f"{above(self.sum_square)}, and minus {above(self.residual)} |u| for rounding."
            + (closed if self.log_det < math.inf else "")
            + " "
            + self._ending()
        )

    def claims(self) -> list[tuple[str, str]]:
        own = (SUM, f"{count(self.added)} added, w'Aw at most {above(self.sum_square)}")
        return [*super().claims(), own]
