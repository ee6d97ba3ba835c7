"""Certificates of second-order learners with a diagonal matrix, which follow from a sum of examples."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from novikoff._counts import count, counted
from novikoff._wide_array import stored
from novikoff.errors import input_error

from .certificate import Support, above
from .columns import Columns
from .enclosed_sums import EPS, exact_total, weighted_squares
from .enclosure import Enclosure, agrees, at_most
from .evidence import Evidence
from .geometry import Extended, Floats, Lifted, Weights, as_table
from .lifted import Combined, LiftedRows, lies_near
from .margin_value import margin_number
from .mistakes import MistakeCertificate
from .online_checks import MAX_ROUNDINGS, OnlineChecks, nearness
from .replayed_run import Replay
from .running_scale import as_seen
from .verification import Check, Status

MARGIN, SUM, WEIGHT, SQUARE = (
    "no separator has a larger margin",
    "sum of examples",
    "weight of the sum",
    "v'A^-1 v",
)  # claims


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


def compare_sum(weights: Weights, intercept: float, total: Combined, columns: Columns | None, updates: int) -> Status:
    """Return whether a stored sum is, up to rounding, the enclosed sum of the rows that a repeated run added.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
        The stored sum.
    intercept : float
        Its entry of the intercept.
    total : Combined
        The sum of the repeated run.
    columns : Columns or None
        The columns that ``total`` has, if these are not all.
    updates : int
        Number of examples in the sum.

    Returns
    -------
    {"holds", "open", "fails"}
        Whether they are the same.
    """
    narrow = np.asarray(weights) if columns is None else columns.narrow(weights)
    roundings = min(2 * updates + len(weights) + 16, MAX_ROUNDINGS)
    near, may_be = lies_near(narrow, total.weights, total.sizes, roundings)
    of_bias = nearness(intercept, total.intercept, total.intercept_size, roundings)
    has_others = np.count_nonzero(narrow) < np.count_nonzero(stored(weights))
    if not np.all(may_be) or of_bias == "fails" or has_others:
        return "fails"
    return "holds" if np.all(near) and of_bias == "holds" else "open"


def sum_check(status: Status, updates: int) -> Check:
    """Return the check that says whether a stored sum is that of a repeated run.

    Parameters
    ----------
    status : {"holds", "open", "fails"}
        The outcome of ``compare_sum``.
    updates : int
        Number of examples in the sum.

    Returns
    -------
    Check
        The check.
    """
    words = f"{counted(updates, 'example')} of the repeated run, up to rounding"
    if status == "fails":
        words = "it is not the sum of the examples that a repeated run adds"
    return Check(f"{SUM} of the run", status, words)


@dataclass(frozen=True, repr=False, eq=False)
class SecondOrderCertificate(MistakeCertificate):
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

    added: float
    sum: Evidence
    sum_square: Extended
    variances: Weights
    intercept_variance: float

    def bound(self, margin: float) -> float:
        """Return the largest possible number of mistakes if a plane separates the data with this margin.

        Parameters
        ----------
        margin : float or Margin
            The margin of a plane, measured with the vectors u that the learner saw.

        Returns
        -------
        float
            |v| divided by the margin, because all mistakes are in the sum v; infinity if the margin is not positive.
        """
        number = margin_number(f"{type(self).__name__}.bound", margin, self.evidence.geometry)
        return self.margin_upper_bound * self.added / number if number > 0 else math.inf

    def hinge_loss_bound(self, coef: Any, intercept: float = 0.0) -> float:
        """Return the least hinge loss that a plane can have on the examples in the sum v.

        Parameters
        ----------
        coef : array-like of shape (n_features,)
            Weights of the plane.
        intercept : float, default=0.0
            Its intercept. Ignored if the learner has none.

        Returns
        -------
        float
            N - sqrt(u'Au) sqrt(v'A^-1 v), or 0 if that is negative.
        """
        return max(0.0, self.added - self._product(coef, intercept))

    def comparator_bound(self, X: Any, y: Any, coef: Any, intercept: float = 0.0, sample_weight: Any = None) -> float:
        """Return the bound on the mistakes that follows from any plane.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows that the model was learned from.
        y : array-like of shape (n_samples,)
            Their labels.
        coef : array-like of shape (n_features,)
            Weights of the plane, which need not separate the rows. Their length matters: the hinge loss asks for
            scores of 1. With a running scale, it is a plane of the rows as they were seen.
        intercept : float, default=0.0
            Its intercept. Ignored if the learner has none.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The hinge loss on all examples of all passes, plus sqrt(u'Au) sqrt(v'A^-1 v).
        """
        return self._hinge_loss(X, y, coef, intercept, sample_weight) + self._product(coef, intercept)

    def _hinge_loss(self, X: Any, y: Any, coef: Any, intercept: float, sample_weight: Any) -> float:
        """Return the hinge loss of a plane on all examples of all passes."""
        if self.passes == 0:
            message = "the model was learned by several fits, so the number of passes is not known. Fit it once."
            raise input_error("comparator_bound", message)
        geometry = self.evidence.geometry
        X, signs, copies = self.evidence.examples(as_table(X), y, sample_weight)
        if self.evidence.scale is not None:
            X = as_seen(X, copies, self.evidence.scale.kind).X
        bias = intercept if geometry.fit_intercept else 0.0
        scores = Lifted(X, geometry).scores(np.asarray(coef, dtype=np.float64).ravel(), bias)
        return self.passes * float(copies @ np.maximum(0.0, 1 - signs * scores))

    def check_claims(self, checks: OnlineChecks) -> list[Check]:
        return [*super().check_claims(checks), *self._check_sum(checks)]

    def check_upper_bound(self, claim: str, checks: OnlineChecks) -> list[Check]:
        """Return nothing: the weights are not a sum of rows, and the bound follows from another vector."""
        return []

    def _check_sum(self, of_model: OnlineChecks) -> list[Check]:
        """Check the sum v and the bounds that follow from it, where the rows behind it are known."""
        own = (self.evidence.geometry, self.evidence.positive, self.evidence.scale is None)
        if (self.sum.geometry, self.sum.positive, self.sum.scale is None) != own:
            return [Check(SUM, "fails", "its geometry or its positive class is not that of the weights")]
        if not self._has_valid_matrix():
            return [Check("matrix", "fails", "it is not positive and finite, or of another size than the weights")]
        if self.sum.duals is None:
            bounds = {MARGIN: self.margin_upper_bound, SQUARE: self.sum_square}
            trusted = [Check(name, "on trust", f"at most {above(bound)}, of the run") for name, bound in bounds.items()]
            return [Check(SUM, "on trust", "only a repeated run shows it"), *trusted]
        X, signs, copies = of_model.given, of_model.signs, of_model.copies
        if unfit := self.sum.misfit(copies):
            return [unfit]
        checks = OnlineChecks(self.sum, X, signs, copies, of_model.exact, of_model.count)
        found = [
            replace(checks.weights(self.updates), claim=SUM),
            agrees(WEIGHT, self.added, Enclosure.exactly(checks.combined.steps), self.updates + 4),
        ]
        if self.updates == 0:
            return found
        columns, rows = Columns.occurring(X), self.sum.duals.rows
        lifted = LiftedRows(X if columns is None else columns.cut(X), self.sum.geometry)
        total = lifted.combine(rows, self.sum.duals.weights, signs[rows])
        square = self._check_square(total, columns)
        return [*found, checks.margin_upper_bound(MARGIN, self.margin_upper_bound), square]

    def check_replay(self, run: Replay) -> list[Check]:
        gap = run.distance(self.evidence.weights, self.evidence.intercept)
        mistaken = Enclosure.exactly(exact_total(np.array(run.mistaken)))
        same = self.updates == run.updates
        words = f"claimed {count(self.updates)}, found {count(run.updates)}"
        checks = [
            at_most("run", run.rounding, gap, squared=True),
            agrees("mistakes of the run", self.mistakes, mistaken, 2 * run.visits + 4),
            Check("updates of the run", "holds" if same else "fails", words),
        ]
        checks[0] = replace(checks[0], detail=f"repeated, its weights differ by {gap.root().outer_high():.3g}")
        if self.sum.duals is not None or not self._has_valid_matrix():
            return checks
        if not run.updates:
            is_zero = not (stored(self.sum.weights).any() or self.sum.intercept)
            return [*checks, Check(f"{SUM} of the run", "holds" if is_zero else "fails", "no example was added")]
        total = run.proof.total()
        same_sum = compare_sum(self.sum.weights, self.sum.intercept, total, run.columns, self.updates)
        checks.append(sum_check(same_sum, self.updates))
        steps = agrees(f"{WEIGHT} of the run", self.added, Enclosure.exactly(total.steps), self.updates + 4)
        square = self._check_square(total, run.columns)
        square = replace(square, claim=f"{square.claim} of the run")
        return [*checks, steps, run.check_bound("bound of the run", self.margin_upper_bound), square]

    def support(self, X: Any, y: Any) -> Support:
        """Return no rows: the weights are not a sum of them."""
        return Support()

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

    def explain(self) -> str:
        ending = "The model was not shown to separate them."
        if self.separates:
            ending = "The last pass made no mistake: the weights it ended with have every example on its side."
        return (
            f"Each of {counted(self.examples, 'example')} was scored by the latest weights before its label was seen. "
            f"The number of scores that were not on the side of the label was {count(self.mistakes)}. Examples with a "
            f"total weight of {count(self.added)}, all mistakes among them, were added to a sum v. It proves that no "
            f"plane separates the examples with a margin above {above(self.margin_upper_bound)}. "
            "A plane u has a hinge loss on the added examples of at least their weight minus sqrt(u'Au) "
            "sqrt(v'A^-1 v), where A is the diagonal matrix of the learner and v'A^-1 v is at most "
            f"{above(self.sum_square)}. Bounds on the mistakes of learners with a full matrix do not hold for a "
            "diagonal one. " + ending
        )

    def claims(self) -> list[tuple[str, str]]:
        own = (SUM, f"{count(self.added)} added, v'A^-1 v at most {above(self.sum_square)}")
        return [*super().claims(), own]
