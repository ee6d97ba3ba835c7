"""The hard-margin support vector machine: the widest street between two classes, with proof from both sides."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from novikoff._all_or_nothing import AllOrNothing
from novikoff._progress import in_the_name_of
from novikoff._threads import in_threads
from novikoff._validation import check_integer, check_number, thread_count
from novikoff.record import RunRecord
from novikoff.solvers.one_core import one_core
from novikoff.solvers.solver import SolverOptions
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.certificate import Duals, listed
from novikoff.theory.hulls import HullCertificate

from ._classifier import BatchClassifier
from ._largest_margin import HardMarginProblem, Separator, largest_margin
from ._state import HardMarginState, Support, certificates_as_fitted, check_machines, check_support, stand_on
from .soft_margin import intercept_of, seed_of


class HardMarginSVM(BatchClassifier):
    """The hard-margin support vector machine: the separator whose nearest row is as far away as can be.

    It minimises 1/2 |w|^2 subject to y_i (w.x_i + b) >= 1 for all rows; the margin is then 1 / |w|. It is solved until
    the margin is proved to be within ``tol`` of the largest there is: the weights prove the margin they have, and two
    points in the convex hulls of the classes that no margin is more than half their distance. ``certificate_`` lets
    anyone check both. Data that cannot be separated are refused with ``NotSeparableError``, which names rows that show
    it. Several classes are told each from the rest, and each must be separable from it.

    Parameters
    ----------
    fit_intercept : learn b; otherwise it is 0
    penalized_intercept : minimise 1/2 |w|^2 + 1/2 b^2, which makes b one more feature, and the margin that of (x, 1)
    tol : how far the margin may be from the largest, in proportion
    max_iter : most steps of the solver; if they are used up, a warning and the certificate say how far it came
    n_jobs : threads to use where they pay; None is 1, -1 is one for each core. The result does not depend on it.
    random_state : seed of the order in which coordinate descent visits the rows
    verbose : print a line each time the bounds are measured

    Attributes
    ----------
    coef_, intercept_ : weights and intercepts, one row a question, scaled so that the smallest y f(x) is 1
    classes_ : the labels
    margin_ : the margin of every question, rounded down: how far the nearest row is from the plane
    support_ : the rows with a dual weight above 0
    dual_coef_ : y_i a_i of those rows, one row a question
    n_iter_ : steps of the solver, the most of any question
    certificate_ : a ``HullCertificate``, which is a ``MarginCertificate``; for more than two classes a list of one a
        class

    Examples
    --------
    >>> from novikoff import HardMarginSVM
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [3.0, 1.0]], ["no", "no", "yes", "yes"]
    >>> model = HardMarginSVM().fit(X, y)
    >>> float(model.margin_[0].round(3))
    1.0
    >>> bool(model.certificate_.verify(X, y))
    True

    References
    ----------
    Boser, Guyon and Vapnik (1992), A training algorithm for optimal margin classifiers. Bennett and Bredensteiner
    (2000), Duality and geometry in SVM classifiers.
    """

    state_type = HardMarginState

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        penalized_intercept: bool = False,
        tol: float = 1e-6,
        max_iter: int = 100_000,
        n_jobs: int | None = -1,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.penalized_intercept = penalized_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the separator of largest margin.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (rows, features)
        y : labels, any two or more values
        sample_weight : a row of weight 0 counts for nothing; other weights make no difference
        """
        where = type(self).__name__
        with AllOrNothing(self), one_core:
            intercept = intercept_of(where, self)
            tol = check_number(where, "tol", self.tol, above=0, at_most=1)
            max_iter = check_integer(where, "max_iter", self.max_iter, at_least=1)
            threads, seed = thread_count(where, self.n_jobs), _seed(where, self.random_state)
            check_integer(
                where, "verbose", int(self.verbose) if self.verbose in (True, False) else self.verbose, at_least=0
            )
            data = _present_or_not(validate_training_set(self, where, X, y, sample_weight, None))
            problems = [HardMarginProblem(data, code, intercept, tol) for code in data.strategy.positive_codes]
            separators = self._solve(where, problems, SolverOptions(max_iter, threads, seed, keep_margins=True))
            self._keep(data, separators)
        _warn_if_wide(where, listed(self.certificate_), stacklevel=3)
        return self

    def _solve(self, where: str, problems: list[HardMarginProblem], options: SolverOptions) -> list[Separator]:
        """Solve all questions, side by side where there are threads for it."""
        at_once = min(options.threads, len(problems))

        def one(place: int) -> Separator:
            problem = problems[place]
            say = in_the_name_of(problem.label, self._heard())
            own = dataclasses.replace(options, threads=options.threads // at_once, say=say)
            return largest_margin(where, problem, own)

        with in_threads(at_once) as each:
            try:
                return each(one, len(problems))
            except BaseException:
                options.cancelled.set()
                raise

    def _keep(self, data: TrainingSet, separators: list[Separator]) -> None:
        """Turn separators into the attributes of a fitted estimator."""
        certificates = [separator.certificate for separator in separators]
        stand_on(self, data.classes, certificates)
        self.margin_ = np.array([certificate.margin_lower_bound for certificate in certificates])
        support = Support.of(
            data.codes, data.strategy.positive_codes, [Duals.of(separator.duals) for separator in separators]
        )
        self.support_, self.dual_coef_ = support.rows, support.dual_coef

    def _state(self) -> HardMarginState:
        certificates = certificates_as_fitted(self, margin_="margin_lower_bound")
        return HardMarginState(certificates, Support(self.support_, self.dual_coef_))

    def _restore(self, record: RunRecord) -> None:
        state: HardMarginState = record.state
        check_machines(state.certificates, "state.certificates", record)
        check_support(state.support, "state.support", record)
        stand_on(self, record.strategy.classes, state.certificates)
        self.margin_ = np.array([certificate.margin_lower_bound for certificate in state.certificates])
        self.support_, self.dual_coef_ = state.support.rows, state.support.dual_coef


def _present_or_not(data: TrainingSet) -> TrainingSet:
    """The data with weights of 0 and 1, or none where all rows count."""
    if data.weights is None:
        return data
    present = data.weights > 0
    return dataclasses.replace(data, weights=None if present.all() else present.astype(np.float64))


def _seed(where: str, random_state: Any) -> int:
    """A seed for the kernels; a small whole number is its own, without a generator made for it."""
    is_one = isinstance(random_state, int) and not isinstance(random_state, bool) and 0 <= random_state < 2**31
    return random_state if is_one else seed_of(where, random_state)


def _warn_if_wide(where: str, certificates: list[HullCertificate], stacklevel: int) -> None:
    """Warn once, of the bounds that are farthest apart, if they are farther than was asked for."""
    wide = [certificate for certificate in certificates if not certificate.converged]
    if wide:
        widest = max(wide, key=lambda certificate: certificate.relative_gap)
        warnings.warn(
            f"{where}: after {widest.iterations} steps the margin is {widest.margin_lower_bound:.8g} and the largest "
            f"margin at most {widest.margin_upper_bound:.8g}, which is farther apart than tol={widest.tol:g}. "
            "Increase max_iter or tol, or scale the columns of X.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )
