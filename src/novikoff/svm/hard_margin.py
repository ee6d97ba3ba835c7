"""The hard-margin support vector machine, solved until its margin is proven to be the largest."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np

from novikoff._classifier import fit_to_scan
from novikoff._counts import counted
from novikoff._draft import Draft
from novikoff._estimators import ConvergenceWarning
from novikoff._one_core import one_core
from novikoff._progress import Progress
from novikoff._validation import check_integer, check_number, thread_count
from novikoff._wide_array import stacked
from novikoff.data.stream import Scan
from novikoff.errors import input_error
from novikoff.record import RunRecord
from novikoff.solvers.solver import SolverOptions
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.geometry import Floats
from novikoff.theory.hulls import HullCertificate

from ._classifier import BatchClassifier, DenseOnRequest
from ._hard_margin_state import HardMarginState, margin_of, nearest_points, one_or_all, why_no_nearest_points
from ._largest_margin import HardMarginProblem, Separator, largest_margin
from ._settings import (
    check_max_time,
    check_verbose,
    intercept_of,
    role_of_intercept,
    run_parallel,
    seed_of,
    stated_number,
)
from ._state import (
    CHANGED,
    Support,
    as_list,
    certificates_as_fitted,
    check_machines,
    check_support,
    set_machines,
)


class HardMarginSVM(BatchClassifier):
    """Linear support vector machine with a hard margin, for separable data.

    It minimises 1/2 |w|^2 subject to y_i (w.x_i + b) >= 1 for all rows, which maximises the margin 1 / |w|. The solver
    stops when the margin is proven to be within ``tol`` of the largest one: the weights prove a lower bound, and two
    points in the convex hulls of the classes prove an upper bound, half their distance. ``certificate_`` lets anyone
    check both. Data that are not separable raise a NotSeparableError with rows that prove it. More than two classes are
    handled one-vs-rest, and each must be separable from the rest.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit an intercept. If False, it is 0.
    penalized_intercept : bool, default=False
        Whether to add 1/2 b^2 to the objective. The intercept is then the weight of a constant feature, and the margin
        is that of the rows (x, 1).
    tol : float, default=1e-6
        Relative distance of the margin from the largest one at which the solver stops.
    max_iter : int, default=100_000
        Maximum number of steps of the solver, which are passes of coordinate descent or Newton steps. If it is reached,
        a ConvergenceWarning is raised and the certificate states both bounds.
    max_time : float, default=None
        Maximum number of seconds for each binary problem. None means no limit. It is checked after every step. If it is
        reached, a ConvergenceWarning is raised and the certificate states both bounds; the result then depends on the
        speed of the machine.
    n_jobs : int, default=-1
        Number of threads; None means 1 and -1 all cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of the row order. Only coordinate descent depends on it.
    verbose : int, default=0
        Whether to print a line each time the bounds are computed.

    Attributes
    ----------
    coef_ : ndarray of shape (n_problems, n_features)
        Weights, scaled so that the smallest y_i f(x_i) is 1. There is one binary problem for two classes, and one per
        class for more.
    intercept_ : ndarray of shape (n_problems,)
        Intercepts.
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    margin_ : Margin or tuple of Margin
        The distance of the nearest row from the hyperplane, rounded down; for more than two classes, a tuple with one
        per class. It is a float that knows whether the intercept is free, penalised or absent.
    support_ : ndarray of shape (n_support,)
        Indices of the rows with a dual variable above 0.
    dual_coef_ : ndarray of shape (n_problems, n_support)
        y_i a_i of these rows, where a_i are the dual variables.
    nearest_points_ : ndarray of shape (2, n_features) or (n_problems, 2, n_features)
        The nearest points x_+ and x_- of the convex hulls of the positive rows and of the others. Both are combinations
        of support vectors, so they lie on the two margin boundaries, and (x_+ - x_-).w / (2 abs(w)) is the margin, up
        to ``tol``. Half of their distance is the upper bound of the certificate. Only if the intercept is free.
    n_iter_ : int
        Number of steps; the maximum over the binary problems.
    certificate_ : HullCertificate or list of HullCertificate
        The certificate; for more than two classes, one per class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    See Also
    --------
    LinearSVM : The soft margin, for data that are not separable.
    separability : Decides whether two classes are separable.

    References
    ----------
    .. [1] Boser, Guyon and Vapnik (1992), A training algorithm for optimal margin classifiers.
    .. [2] Bennett and Bredensteiner (2000), Duality and geometry in SVM classifiers.

    Examples
    --------
    >>> from novikoff import HardMarginSVM
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [3.0, 1.0]], ["no", "no", "yes", "yes"]
    >>> model = HardMarginSVM().fit(X, y)
    >>> round(model.margin_, 3), model.margin_.intercept
    (1.0, 'free')
    >>> bool(model.certificate_.verify(X, y))
    True
    """

    state_type = HardMarginState
    nearest_points_ = DenseOnRequest(why_no_nearest_points)

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        penalized_intercept: bool = False,
        tol: float = 1e-6,
        max_iter: int = 100_000,
        max_time: float | None = None,
        n_jobs: int | None = -1,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.penalized_intercept = penalized_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or Scan
            Training rows. Or a stream that ``novikoff.scan`` opened, with labels: a table is encoded by a
            ``TableEncoder``, and the result is a pipeline.
        y : array-like of shape (n_samples,), default=None
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Rows of weight 0 are ignored; other weights make no difference.

        Returns
        -------
        self : object
            The fitted model. For a stream of a table, a pipeline of the encoder and the learner.

        Raises
        ------
        NotSeparableError
            If no hyperplane separates a class from the rest. Its ``witness`` has the rows that prove it.
        """
        if isinstance(X, Scan):
            return fit_to_scan(self, X, y, sample_weight)
        where = type(self).__name__
        draft = Draft(self)
        with one_core:
            draft.model._fit(where, X, y, sample_weight)
            draft.publish()
        limits = "max_iter" if self.max_time is None else "max_time, max_iter"
        _warn_if_wide(where, as_list(self.certificate_), limits)
        return self

    def _fit(self, where: str, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit a draft."""
        self._forget_reading()
        intercept = intercept_of(where, self)
        tol = check_number(where, "tol", self.tol, above=0, at_most=1)
        max_iter = check_integer(where, "max_iter", self.max_iter, at_least=1)
        threads, seed = thread_count(where, self.n_jobs), _seed(where, self.random_state)
        max_time = check_max_time(where, self.max_time)
        check_verbose(where, self.verbose)
        data = _with_unit_weights(validate_training_set(self, where, X, y, sample_weight, None))
        problems = [HardMarginProblem(data, code, intercept, tol) for code in data.strategy.positive_codes]
        options = SolverOptions(max_iter, threads, seed, keep_margins=True, max_time=max_time)
        self._set_attributes(data, self._solve(where, problems, options))

    def _solve(self, where: str, problems: list[HardMarginProblem], options: SolverOptions) -> list[Separator]:
        """Solve all binary problems, in parallel if there are threads."""
        threads = options.threads // min(options.threads, len(problems))
        progress = Progress(self._progress(), [f"class {problem.label}" for problem in problems])

        def solve_one(place: int) -> Separator:
            with progress.problem(place) as say:
                return largest_margin(where, problems[place], dataclasses.replace(options, threads=threads, say=say))

        return run_parallel(solve_one, len(problems), options.threads, options.cancelled)

    def _set_attributes(self, data: TrainingSet, separators: list[Separator]) -> None:
        certificates = [separator.certificate for separator in separators]
        set_machines(self, data.strategy, certificates)
        self.margin_ = margin_of(certificates)
        duals = [certificate.scaled_duals() for certificate in certificates]
        support = Support.of(data.codes, data.strategy.pairs, duals)
        self.support_, self.dual_coef_ = support.rows, support.dual_coef
        self.nearest_points_ = one_or_all(nearest_points(data, certificates))

    def _stated(self) -> dict[str, Any]:
        return {"intercept": role_of_intercept(self), "tol": stated_number(self.tol)}

    def _state(self) -> HardMarginState:
        certificates = certificates_as_fitted(self)
        if self.margin_ != margin_of(certificates):
            raise input_error("margin_", CHANGED)
        return HardMarginState(certificates, Support(self.support_, self.dual_coef_), self._points())

    def _points(self) -> Floats | None:
        """Return the nearest points of all problems, of shape (n_problems, 2, n_features)."""
        held = vars(self).get("nearest_points_")
        return stacked([held]) if held is not None and held.ndim == 2 else held

    @classmethod
    def _check(cls, record: RunRecord) -> None:
        state: HardMarginState = record.state
        check_machines(state.certificates, "state.certificates", record)
        check_support(state.support, "state.support", record)
        state.support.with_sizes([certificate.model.duals for certificate in state.certificates])
        state.check_points(record.n_features)

    def _restore(self, record: RunRecord) -> None:
        state: HardMarginState = record.state
        set_machines(self, record.strategy, state.certificates)
        self.margin_ = margin_of(state.certificates)
        scaled = [certificate.scaled_duals() for certificate in state.certificates]
        support = state.support.with_sizes(scaled)
        self.support_, self.dual_coef_ = support.rows, support.dual_coef
        self.nearest_points_ = one_or_all(state.nearest_points)


def _with_unit_weights(data: TrainingSet) -> TrainingSet:
    """Return the data with weights of 0 and 1, or None if all rows count."""
    if data.weights is None:
        return data
    is_present = data.weights > 0
    return dataclasses.replace(data, weights=None if is_present.all() else is_present.astype(np.float64))


def _seed(where: str, random_state: Any) -> int:
    """Return a seed for the kernels. A small integer is used as it is, which saves creating a generator."""
    is_seed = isinstance(random_state, int) and not isinstance(random_state, bool) and 0 <= random_state < 2**31
    return random_state if is_seed else seed_of(where, random_state)


def _warn_if_wide(where: str, certificates: list[HullCertificate], limits: str) -> None:
    """Warn the caller of ``fit`` about the bounds that are farthest apart, if they are farther apart than ``tol``."""
    if not all(certificate.converged for certificate in certificates):
        widest = max(certificates, key=lambda certificate: certificate.relative_gap)
        warnings.warn(
            f"{where}: after {counted(widest.iterations, 'step')} the margin is at least "
            f"{widest.margin_lower_bound:.8g} and the largest margin at most {widest.margin_upper_bound:.8g}, which is "
            f"farther apart than tol={widest.tol:g}. "
            f"Increase {limits} or tol, or scale the columns of X.",
            ConvergenceWarning,
            stacklevel=3,
        )
