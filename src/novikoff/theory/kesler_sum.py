"""The certificate of a second-order learner whose classes are learned together, and its check in NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from novikoff._counts import count
from novikoff._wide_array import stored

from .certificate import above
from .enclosed_sums import EPS, exact_total
from .enclosure import Enclosure, agrees, at_most
from .geometry import Extended, Floats, WeightRows
from .kesler import KeslerCertificate
from .kesler_replay import KeslerReplay
from .second_order import SQUARE, SUM, WEIGHT, comparator_square, compare_sum, enclosed_square, sum_check
from .verification import Check


@dataclass(frozen=True)
class KeslerSum:
    """The sum v of the vectors z that caused an update, and the diagonal matrix of the learner: docs/theory.md L5.

    Parameters
    ----------
    weights : ndarray of shape (n_classes, n_features)
        The blocks of v.
    biases : ndarray of shape (n_classes,)
        Their entries of the intercepts.
    variances : ndarray of shape (n_classes, n_features)
        The diagonal of A^-1 in these blocks, where 0 stands for 1: that of an entry which no update has changed.
    bias_variances : ndarray of shape (n_classes,)
        Its entries of the intercepts.
    added : float
        The weight N of the examples in the sum.
    square : float
        An upper bound on v'A^-1 v.
    """

    weights: WeightRows
    biases: Floats
    variances: WeightRows
    bias_variances: Floats
    added: float
    square: Extended

    def product(self, weights: Floats, biases: Floats) -> float:
        """Return an upper bound on sqrt(u'Au) sqrt(v'A^-1 v).

        Parameters
        ----------
        weights : ndarray of shape (n_classes, n_features)
            The weights of u.
        biases : ndarray of shape (n_classes,)
            Its intercepts.

        Returns
        -------
        float
            The bound.
        """
        square = comparator_square(weights, np.asarray(self.variances))
        square += comparator_square(biases, self.bias_variances)
        return math.sqrt(square) * math.sqrt(self.square) * (1 + (weights.size + len(biases) + 16) * EPS)

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Return whether the sum has weights of this shape, and the matrix is positive and finite.

        Parameters
        ----------
        shape : tuple of int
            The numbers of classes and of features.

        Returns
        -------
        bool
            Whether a run can have this sum.
        """
        if not np.shape(self.weights) == np.shape(self.variances) == shape:
            return False
        if not np.shape(self.biases) == np.shape(self.bias_variances) == shape[:1]:
            return False
        numbers = np.append(np.append(stored(self.weights), self.biases), self.added)
        matrix = np.append(stored(self.variances), self.bias_variances)
        possible = np.all(np.isfinite(numbers)) and np.all((matrix >= 0) & (matrix < np.inf))
        return bool(possible and np.all(self.bias_variances > 0) and self.added >= 0 and self.square >= 0)


@dataclass(frozen=True, repr=False, eq=False)
class KeslerSumCertificate(KeslerCertificate):
    """How many mistakes a second-order learner of several classes made, and what its examples say about all weights.

    Let z be the vectors of Kesler's construction that caused an update, N their weight and v their sum. If weights u
    of all classes together have the hinge loss D on them, N is at most D + sqrt(u'Au) sqrt(v'A^-1 v), for any diagonal
    matrix A that is positive (docs/theory.md, L5). All mistakes are among them. The certificate has v, the matrix that
    the learner ended with, and the last factor.

    The bound of AROW with a full matrix is not claimed: it is false for a diagonal one.

    Parameters
    ----------
    rule : str
        The rule of the learner.
    parameter : float
        The parameter of the rule.
    examples : float
        Number of examples, each predicted before its label was seen, or the sum of their weights.
    counts : ndarray of shape (n_classes,)
        The same for the examples of each class.
    mistakes : float
        Number of examples whose class did not lead all others that had occurred.
    updates : int
        Number of updates, each of which changes two classes.
    radius : float
        The largest |u|.
    energy : float
        The sum of |u|^2. Together with ``counts`` it tells these data from others.
    margin_upper_bound : float
        The examples have no larger margin. It is an upper bound on |v| / N. They may have no margin at all.
    passes : int
        Number of passes; 0 after several fits.
    model : KeslerModel
        The last weights. They are not a sum of examples.
    sum : KeslerSum
        The sum v, and the matrix.

    See Also
    --------
    novikoff.MulticlassAROW : A learner that has this certificate.
    KeslerCertificate : The same for rules whose weights are a sum of examples.
    SecondOrderCertificate : The same for one binary problem.

    Notes
    -----
    ``verify`` checks the data. That the run ends with these weights, mistakes and updates, and that its examples have
    this sum, is shown by repeating it: ``novikoff.verify(model, X, y)`` does so.

    Examples
    --------
    >>> from novikoff import MulticlassAROW
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], ["a", "b", "c"]
    >>> certificate = MulticlassAROW().partial_fit(X, y).certificate_
    >>> certificate.mistakes, certificate.sum.added
    (2.0, 2.0)
    """

    sum: KeslerSum

    _ratio: ClassVar[str] = "|v|/N of the run"

    def bound(self, margin: float) -> float:
        """Return the largest possible number of mistakes if the examples have this margin.

        Parameters
        ----------
        margin : float
            By how much some weights of length 1, all classes together, let every example lead. A ``Margin``, which is
            that of one binary problem, is refused.

        Returns
        -------
        float
            |v| divided by the margin, because all mistakes are in the sum v; infinity if the margin is not positive.
        """
        number = self._margin_number(margin)
        if not number > 0:
            return math.inf
        return self.margin_upper_bound * self.sum.added / number if self.updates else 0.0

    def hinge_loss_bound(self, coef: Any, intercept: Any = None) -> float:
        """Return the least hinge loss that weights can have on the examples in the sum v.

        Parameters
        ----------
        coef : array-like of shape (n_classes, n_features)
            Weights of the classes, in the order of ``labels()``. With a scale, they are weights of the rows as they
            were seen.
        intercept : array-like of shape (n_classes,), default=None
            Their intercepts; None for 0. Ignored if the learner has none.

        Returns
        -------
        float
            N - sqrt(u'Au) sqrt(v'A^-1 v), or 0 if that is negative.
        """
        return max(0.0, self.sum.added - self.sum.product(*self._planes_of("hinge_loss_bound", coef, intercept)))

    def comparator_bound(self, X: Any, y: Any, coef: Any, intercept: Any = None, sample_weight: Any = None) -> float:
        """Return the bound on the mistakes that follows from any weights (docs/theory.md, L5).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows that the model was learned from.
        y : array-like of shape (n_samples,)
            Their labels.
        coef : array-like of shape (n_classes, n_features)
            Weights of the classes, in the order of ``labels()``. They need not separate the rows. With a scale, they
            are weights of the rows as they were seen.
        intercept : array-like of shape (n_classes,), default=None
            Their intercepts; None for 0. Ignored if the learner has none.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The hinge loss on all examples of all passes, plus sqrt(u'Au) sqrt(v'A^-1 v).
        """
        weights, biases, (loss, _) = self._comparator(X, y, coef, intercept, sample_weight)
        return loss + self.sum.product(weights, biases)

    def _misfit_of_model(self) -> Check | None:
        if unfit := super()._misfit_of_model():
            return unfit
        if not self.sum.fits(np.shape(self.model.weights)):
            return Check("matrix", "fails", "it is not positive and finite, or of another size than the weights")
        return None

    def _check_counts(self, copies: Floats) -> list[Check]:
        checks, added = super()._check_counts(copies), self.sum.added
        roundings = 1 + 4 * (self.updates + 8) * EPS
        if any(check.status == "fails" for check in checks):
            return checks
        if not self.mistakes <= added * roundings or not added <= self.examples * roundings:
            words = f"{count(added)}, which is not between the mistakes and the examples"
            return [Check(WEIGHT, "fails", words)]
        bound = f"at most {above(self.sum.square)}, of the run"
        trusted = {SUM: "only a repeated run shows it", WEIGHT: f"{count(added)}, of the run", SQUARE: bound}
        return [*checks, *(Check(name, "on trust", words) for name, words in trusted.items())]

    def check_replay(self, run: KeslerReplay) -> list[Check]:
        checks, own = super().check_replay(run), self.sum
        blocks, square, statuses = dict(run.blocks(len(run.made))) if run.made else {}, Enclosure.exactly(0), set()
        for k, (weights, variances) in enumerate(zip(own.weights, own.variances, strict=True)):
            if k not in blocks:
                statuses.add("fails" if stored(weights).any() or own.biases[k] else "holds")
                continue
            statuses.add(compare_sum(weights, float(own.biases[k]), blocks[k], run.columns, self.updates))
            square = square + enclosed_square(blocks[k], variances, float(own.bias_variances[k]), run.columns)
        worst = next(status for status in ("fails", "open", "holds") if status in statuses)
        steps = Enclosure.exactly(exact_total(np.array([update.step for update in run.made])))
        return [
            *checks,
            sum_check(worst, self.updates),
            agrees(f"{WEIGHT} of the run", own.added, steps, self.updates + 4),
            at_most(f"{SQUARE} of the run", own.square, square),
        ]

    def explain(self) -> str:
        return (
            f"{super().explain()} Examples with a total weight of {count(self.sum.added)}, all mistakes among them, "
            "caused an update, and their vectors were added to a sum v. Weights u of all classes together have a hinge "
            "loss on them of at least that weight minus sqrt(u'Au) sqrt(v'A^-1 v), where A is the diagonal matrix of "
            f"the learner and v'A^-1 v is at most {above(self.sum.square)}. The bound of AROW with a full matrix does "
            "not hold for a diagonal one."
        )

    def claims(self) -> list[tuple[str, str]]:
        own = (SUM, f"{count(self.sum.added)} added, v'A^-1 v at most {above(self.sum.square)}")
        return [*super().claims(), own]
