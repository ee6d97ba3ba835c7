"""The contract of all certificates, and the registry of their kinds."""

from __future__ import annotations

import dataclasses
import json
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._counts import count, counted
from novikoff._html import table
from novikoff._json import plain
from novikoff._registry import Registry

from .generalization import Generalization
from .geometry import Floats, blocks
from .verification import Check, Verification

MAX_PERCENT_DIGITS = 5  # after the point
OTHER_DATA = "these are not the data, or not the order of the rows, that the model was trained on"


@dataclass(frozen=True, eq=False)
class Support:
    """The rows that the weights of a model are a weighted sum of.

    Parameters
    ----------
    rows : ndarray of int64, default=empty
        Their row numbers.
    name : str, default="support vectors"
        What to call them in a plot or a report.

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> support = LinearSVM(C=100).fit(X, y).certificate_.support(X, y)
    >>> support.rows, support.name
    (array([1, 2]), 'support vectors')
    """

    rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    name: str = "support vectors"


class Certificate(ABC):
    """What is proven about one problem, binary or joint, in a form that anyone can check against the data.

    ``verify``, the model file, the plots, the report, the exports and the command line use a certificate only through
    the methods below. A new kind of certificate is a subclass that is a frozen dataclass (``repr=False, eq=False``),
    implements ``claims`` and ``verify``, overrides those of the other methods that apply, and is entered in the
    registry ``CERTIFICATES`` under its class name.

    A certificate must not depend on the code that produced it: ``verify`` uses NumPy only and never calls a solver
    or a learner. All fields are numbers, strings, arrays or dataclasses of these, so that it can be written to a file.

    See Also
    --------
    novikoff.testing.check_certificate : Run the checks that every certificate has to pass.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> certificate = Perceptron().partial_fit([[1.0], [-1.0], [2.0], [-3.0]], [1, 0, 1, 0]).certificate_
    >>> certificate.claims()[0]
    ('mistakes', '2 in 4 examples')
    """

    @abstractmethod
    def claims(self) -> list[tuple[str, str]]:
        """Return the claims in words, for tables.

        Returns
        -------
        list of (str, str)
            Name and text of each claim, the most important one first.
        """

    @abstractmethod
    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        """Recompute every claim that the data can show, without the learner.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows that the model was learned from, in the same order.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row, with class weights multiplied in.
        exact : bool, default=False
            Whether to decide in integer arithmetic what rounding would leave open.

        Returns
        -------
        Verification
            One check per claim. Data that do not fit the certificate make a check fail; they do not raise an error.
        """

    def explain(self) -> str:
        """Explain what is proven.

        Returns
        -------
        str
            A paragraph for a reader who has not met this kind of certificate.
        """
        return "The model claims: " + "; ".join(f"{name}: {text}" for name, text in self.claims()) + "."

    def plane(self) -> tuple[Floats, float] | None:
        """Return the plane that the certificate is about.

        Returns
        -------
        tuple of (ndarray of shape (n_features,), float), or None
            Weights and intercept; None if the certificate is not about a plane. It then proves nothing of a model
            that predicts with one.
        """
        return None

    def planes(self) -> tuple[Floats, Floats] | None:
        """Return all weight vectors, if the certificate is about several together.

        Returns
        -------
        tuple of (ndarray of shape (n_classes, n_features), ndarray of shape (n_classes,)), or None
            Weights and intercepts; None for a certificate of one binary problem.
        """
        return None

    def labels(self) -> tuple[Any, ...] | None:
        """Return the labels that the certificate is about.

        Returns
        -------
        tuple or None
            Of a binary problem, the positive label, and the negative one or None for all others; of a joint problem,
            all labels in the order of ``planes``. None if the certificate does not say, which is allowed only for one
            class against all others.
        """
        return None

    def stated(self) -> dict[str, Any]:
        """Return the parameters of the problem that the certificate is about.

        Returns
        -------
        dict of str to object
            Names as in ``ProblemRecord.parameters``, with which ``novikoff.verify`` compares them.
        """
        return {}

    def fitted(self) -> dict[str, Any]:
        """Return the fitted attributes of a learner that follow from the certificate.

        Returns
        -------
        dict of str to float
            Values for this problem, by the name of the attribute, such as ``objective_``. ``novikoff.verify`` compares
            the attributes with the values of all problems; ``n_iter_`` is the largest of them.
        """
        return {}

    def row_coefficients(self, y: Any) -> tuple[NDArray[np.int64], Floats] | None:
        """Return the coefficients of rows in the weights, which ``support_`` and ``dual_coef_`` of a learner show.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels of all rows.

        Returns
        -------
        tuple of (ndarray of int64, ndarray of shape (n_planes, n_rows)), or None
            The numbers of the rows whose coefficients are not 0, and their coefficients in each weight vector; None if
            the certificate does not state them.
        """
        return None

    def fitted_from_rows(self, X: Any, y: Any) -> dict[str, Floats]:
        """Return the fitted attributes of a learner that follow from the certificate and its rows.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_samples, n_features)
            The rows that the certificate is about.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        dict of str to ndarray
            Values for this problem, by the name of the attribute, such as ``slack_``.
        """
        return {}

    def support(self, X: Any, y: Any) -> Support:
        """Return the rows that the weights are a sum of.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        Support
            Without rows if X and y are not the data of the certificate, or if the rows are not known.
        """
        return Support()

    def band(self) -> float | None:
        """Return the score at the edge of the margin.

        Returns
        -------
        float or None
            None if the certificate does not define a margin.
        """
        return None

    def bound_curves(
        self, X: Any, y: Any, weights: Floats, intercept: float, counts: NDArray[np.int64]
    ) -> dict[str, Floats]:
        """Return upper bounds on the number of mistakes in the first rows of a stream.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_samples, n_features)
            The rows of the stream, each of weight 1.
        y : array-like of shape (n_samples,)
            Their labels.
        weights : ndarray of shape (n_features,)
            Weights of the comparator that the bounds are based on.
        intercept : float
            Intercept of the comparator.
        counts : ndarray of int64
            Numbers of rows, ascending; the last is ``n_samples``.

        Returns
        -------
        dict of str to ndarray
            For each theorem that applies, its name and its bound for the first ``counts[i]`` rows. Empty if the
            certificate is not one of mistakes.
        """
        return {}

    @property
    def generalization(self) -> Generalization | None:
        """What is known about new examples, and under which hypothesis; None if nothing is."""
        return None

    @property
    def needs_replay(self) -> bool:
        """Whether the data alone do not show the weights, so that ``novikoff.verify`` has to repeat the run."""
        return False

    def check_learned(self, run: Any) -> list[Check]:
        """Compare the claims with how the problem was learned, as far as the record of the run says it.

        Parameters
        ----------
        run : OnlineRun or tuple of RunRecord
            How an online learner learned the problem; of a mixture, the records of its members.

        Returns
        -------
        list of Check
            One for each claim that the record shows.
        """
        return []

    def check_replay(self, run: Any) -> list[Check]:
        """Compare the claims with a run that was repeated row by row.

        Parameters
        ----------
        run : Replay
            The outcome of the repeated run.

        Returns
        -------
        list of Check
            One for each claim that the run shows.
        """
        return []

    def to_json(self) -> str:
        """Return all fields as a JSON object.

        Returns
        -------
        str
            Arrays are lists and infinities are null. An array of at least 256 entries, of which at most a quarter are
            not 0, is an object with the fields ``length``, ``indices`` and ``values``; so is each row of a matrix with
            far more columns than occur in the data. ``kind`` is the name of the class, unless there is a field of that
            name.
        """
        fields: dict[str, Any] = dataclasses.asdict(self)  # type: ignore[call-overload]  # every subclass is a dataclass
        return json.dumps(plain({"kind": type(self).__name__, **fields}))

    def _repr_html_(self) -> str:
        return table(type(self).__name__, self.claims())

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        return f"{type(self).__name__}: " + "; ".join(f"{name} {text}" for name, text in self.claims())


CERTIFICATES: Registry[type[Certificate]] = Registry(
    "certificate",
    {
        "CrammerSingerCertificate": "novikoff.theory.crammer_singer:CrammerSingerCertificate",
        "GapCertificate": "novikoff.theory.gap:GapCertificate",
        "HullCertificate": "novikoff.theory.hulls:HullCertificate",
        "KeslerCertificate": "novikoff.theory.kesler:KeslerCertificate",
        "KeslerSumCertificate": "novikoff.theory.kesler_sum:KeslerSumCertificate",
        "MistakeCertificate": "novikoff.theory.mistakes:MistakeCertificate",
        "MixingCertificate": "novikoff.theory.mixing_certificate:MixingCertificate",
        "MovingTargetCertificate": "novikoff.theory.moving_target:MovingTargetCertificate",
        "PerceptronMarginCertificate": "novikoff.theory.margin:PerceptronMarginCertificate",
        "SecondOrderCertificate": "novikoff.theory.second_order:SecondOrderCertificate",
        "Separability": "novikoff.theory.separability:Separability",
        "TrackerCertificate": "novikoff.theory.tracker_certificate:TrackerCertificate",
    },
)


@dataclass(frozen=True)
class Duals:
    """The weights a_i >= 0 of a combination v = sum a_i y_i u_i.

    Parameters
    ----------
    rows : ndarray of int64
        Numbers of the rows whose weight is not 0, in ascending order.
    weights : ndarray of float64
        Their weights.
    """

    rows: NDArray[np.int64]
    weights: Floats

    @classmethod
    def of(cls, dense: Floats) -> Duals:
        """Return the nonzero entries of an array with one weight per row."""
        rows = np.flatnonzero(dense)
        return cls(rows, dense[rows])

    def dense(self, rows: int) -> Floats:
        """Return an array with one weight per row; rows beyond the last one are left out."""
        full = np.zeros(rows)
        within = self.rows < rows
        full[self.rows[within]] = self.weights[within]
        return full


def below(number: float) -> str:
    """Return a number with six digits, rounded down: a lower bound that is shown so remains valid."""
    return _shown(number, ROUND_FLOOR)


def above(number: float) -> str:
    """Return a number with six digits, rounded up: an upper bound that is shown so remains valid."""
    return _shown(number, ROUND_CEILING)


def percent_below(fraction: Fraction) -> str:
    """Return a fraction in percent, rounded down, so that only 0 and 1 are shown as 0 % and 100 %."""
    if fraction <= 0 or fraction >= 1:
        return "0 %" if fraction <= 0 else "100 %"
    if fraction * 10 ** (MAX_PERCENT_DIGITS + 2) < 1:
        return f"{below(float(100 * fraction))} %"
    digits = 1
    while digits < MAX_PERCENT_DIGITS and not min(fraction, 1 - fraction) * 10 ** (digits + 2) >= 1:
        digits += 1
    return f"{Decimal(math.floor(fraction * 10 ** (digits + 2))).scaleb(-digits):f} %"


def _shown(number: float, rounding: str) -> str:
    if not math.isfinite(number):
        return f"{number:g}"
    return f"{float(Context(prec=6, rounding=rounding).create_decimal(Decimal(number))):.6g}"


def misfit(X: Any, y: Any, sample_weight: Any, columns: int, check_values: bool = True) -> Check | None:
    """Return a failed check if the data do not have the shape or the values that a model of this many columns needs.

    A caller that reads the values anyway may find out itself whether they are finite, without ``check_values``.
    """
    if X.ndim != 2:
        return Check("data", "fails", f"X must have two dimensions, but its shape is {X.shape}")
    rows = X.shape[0]
    if rows == 0:
        return Check("data", "fails", "there are no rows")
    if sample_weight is not None and np.shape(sample_weight) not in ((), (rows,)):
        return Check("data", "fails", f"{counted(rows, 'row')}, but weights of shape {np.shape(sample_weight)}")
    if sample_weight is not None:
        weights = np.asarray(sample_weight, dtype=np.float64)
        if not np.all((weights >= 0) & (weights < np.inf)):
            return Check("data", "fails", "some weights are negative or not finite")
    if np.size(y) != rows:
        return Check("data", "fails", f"{counted(rows, 'row')}, but {counted(np.size(y), 'label')}")
    if X.shape[1] != columns:
        return Check("data", "fails", f"the model has {counted(columns, 'feature')}, the data {count(X.shape[1])}")
    if not check_values:
        return None
    if not all(np.all(np.isfinite(block.data if sp.issparse(block) else block)) for _, block in blocks(X)):
        return Check("data", "fails", "NaN or infinity among the values")
    return None
