"""The soft-margin support vector machine, solved until its duality gap proves it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from novikoff._all_or_nothing import AllOrNothing
from novikoff._classifier import fit_to_scan
from novikoff._multiclass import OneVsRest
from novikoff._progress import prefixed
from novikoff._validation import check_choice, check_flag, check_number, check_weights
from novikoff.data.stream import Scan
from novikoff.errors import input_error, quote
from novikoff.record import RunRecord
from novikoff.solvers.one_core import one_core
from novikoff.solvers.problem import Problem
from novikoff.solvers.solver import HistoryEntry, Start, solve
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.gap import GapCertificate
from novikoff.theory.geometry import Floats
from novikoff.theory.verification import Check

from ._certify import certify, warn_if_wide
from ._classifier import BatchClassifier
from ._folds import stratified_folds, subset
from ._settings import Settings, check_verbose, role_of_intercept, run_parallel, scale_cost
from ._state import HISTORY_DTYPE, SoftMarginState, Support, set_machines
from .platt import FOLDS, Sigmoid, probabilities


@dataclass(frozen=True)
class Machine:
    """The solution of one binary problem: its certificate, its history, and where a warm start may begin."""

    certificate: GapCertificate
    history: list[HistoryEntry]
    end: Start | None


def _widened(data: TrainingSet, end: Start) -> Start:
    """Return the end of a solution with the point in all columns of the user."""
    return end._replace(v=np.append(data.widen(end.v[:-1]), end.v[-1]))


def _has_probabilities(model: LinearSVM) -> bool:
    if not model.probability:
        raise AttributeError("predict_proba needs LinearSVM(probability=True), which takes five more fits.")
    return True


class LinearSVM(BatchClassifier):
    """Linear support vector machine with a soft margin and a certified optimum.

    It minimises 1/2 |w|^2 + C sum_i xi_i^2 with the slacks xi_i = max(0, 1 - y_i (w.x_i + b)), or with xi_i for
    ``loss="hinge"``. The solver stops when the relative duality gap is at most ``tol``: the objective is then
    within this fraction of the optimum, and ``certificate_`` lets anyone check it. The intercept b is not penalised, as
    in textbooks; LIBLINEAR and scikit-learn's LinearSVC penalise it (``penalized_intercept=True``). More than two
    classes are handled one-vs-rest.

    Parameters
    ----------
    C : float or "scale", default="scale"
        Penalty on margin violations. Larger values fit the training data more closely. "scale" is 1 divided by the sum
        of the variances of the columns (without an intercept, by the mean of |x|^2), but at least 1 divided by the
        number of columns, and rounded to three digits. It is 1 for rows of about unit length, and 1 / n_features for
        standardised columns.
    lam : float, default=None
        The penalty in the convention sum_i xi_i + lam |w|^2, that is, C = 1 / (2 lam). Only one of ``C`` and ``lam``
        may be set.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        Loss of a margin violation.
    fit_intercept : bool, default=True
        Whether to fit an intercept. If False, it is 0.
    penalized_intercept : bool, default=False
        Whether to add 1/2 b^2 to the objective.
    tol : float, default=1e-4
        Relative duality gap at which the solver stops.
    max_iter : int, default=100_000
        Maximum number of steps of the solver, which are passes of coordinate descent or Newton steps. If it is reached,
        a ConvergenceWarning is raised and the certificate states the gap.
    class_weight : dict or "balanced", default=None
        Weights of the classes. They multiply ``sample_weight``.
    probability : bool, default=False
        Whether to enable ``predict_proba``, by Platt scaling. It takes five more fits, each on four fifths of the rows,
        and changes neither the weights nor the predictions.
    warm_start : bool, default=False
        Whether ``fit`` starts from the last solution, if the data have the same shape.
    n_jobs : int, default=-1
        Number of threads; None means 1 and -1 all cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of the row order. Only coordinate descent depends on it.
    verbose : int, default=0
        Whether to print a line each time the gap is computed.

    Attributes
    ----------
    coef_ : ndarray of shape (n_problems, n_features)
        Weights. There is one binary problem for two classes, and one per class for more.
    intercept_ : ndarray of shape (n_problems,)
        Intercepts.
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    support_ : ndarray of shape (n_support,)
        Indices of the rows with a dual variable above 0.
    dual_coef_ : ndarray of shape (n_problems, n_support)
        y_i a_i of these rows, where a_i are the dual variables.
    C_ : float
        The value of C.
    objective_ : ndarray of shape (n_problems,)
        The objective of each binary problem.
    n_iter_ : int
        Number of steps; the maximum over the binary problems.
    certificate_ : GapCertificate or list of GapCertificate
        The certificate; for more than two classes, one per class.
    history_ : recarray or list of recarray
        Records (time, step, primal, dual, gap), one each time the gap was computed; for more than two classes, one
        array per class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    See Also
    --------
    HardMarginSVM : The limit of large C, for separable data.
    LinearSVMCV : Chooses C by cross-validation.
    LinearSVMPath : Solves for many values of C.

    Notes
    -----
    The solver combines dual coordinate descent [2]_ with a proximal method of multipliers whose inner problems are
    solved by Newton's method [3]_. The docs page on support vector machines describes it.

    References
    ----------
    .. [1] Cortes and Vapnik (1995), Support-vector networks.
    .. [2] Hsieh et al. (2008), A dual coordinate descent method for large-scale linear SVM.
    .. [3] Rockafellar (1976), Augmented Lagrangians and applications of the proximal point algorithm.
    .. [4] Platt (1999), Probabilistic outputs for support vector machines.

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], ["no", "no", "yes", "yes"]
    >>> model = LinearSVM(C=10.0).fit(X, y)
    >>> model.predict([[2.5, 0.5]])
    array(['yes'], dtype='<U3')
    >>> bool(model.certificate_.verify(X, y))
    True
    """

    state_type = SoftMarginState

    def __init__(
        self,
        *,
        C: float | str = "scale",
        lam: float | None = None,
        loss: str = "squared_hinge",
        fit_intercept: bool = True,
        penalized_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 100_000,
        class_weight: Any = None,
        probability: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = -1,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.lam = lam
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.penalized_intercept = penalized_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.probability = probability
        self.warm_start = warm_start
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
            Factors of C for each row. An integer k is equivalent to k copies of the row, 0 to its absence.

        Returns
        -------
        self : object
            The fitted model. For a stream of a table, a pipeline of the encoder and the learner.
        """
        if isinstance(X, Scan):
            return fit_to_scan(self, X, y, sample_weight)
        where = type(self).__name__
        self.fit_for(where, X, y, sample_weight)
        warn_if_wide(where, OneVsRest(self.classes_).as_list(self.certificate_))
        return self

    def fit_for(self, where: str, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit on behalf of another estimator, without a warning about the gap.

        Parameters
        ----------
        where : str
            The name of that estimator, for error messages.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,) or None
            Weights of the rows.
        """
        with AllOrNothing(self), one_core:
            self._forget_reading()
            settings = Settings.of(where, self, self._cost(where) or 1.0)
            probability = check_flag(where, "probability", self.probability)
            check_flag(where, "warm_start", self.warm_start)
            check_verbose(where, self.verbose)
            data = validate_training_set(self, where, X, y, sample_weight, self.class_weight)
            settings = settings.with_cost(self._cost(where) or scale_cost(data, settings.objective.intercept))
            sigmoids = self._fit_sigmoids(where, data, sample_weight, settings) if probability else []
            machines = self._solve(data, settings, self._starts(data))
            self._sigmoids_of_classes = sigmoids
            self._set_attributes(data, machines)

    def _cost(self, where: str) -> float | None:
        """Return C, from ``C`` or from ``lam``; None if it depends on the data."""
        is_number = not isinstance(self.C, str)
        if not is_number:
            check_choice(where, "C", self.C, ("scale",))
        if self.lam is None:
            return check_number(where, "C", self.C, above=0) if is_number else None
        if is_number:
            raise input_error(where, f"C={quote(self.C)} and lam={quote(self.lam)} are both set. Use only one.")
        return 1 / (2 * check_number(where, "lam", self.lam, above=0))

    def _solve(self, data: TrainingSet, settings: Settings, starts: list[Start] | None) -> list[Machine]:
        """Solve all binary problems, in parallel if there are threads."""
        table, objective, strategy = data.table, settings.objective, data.strategy
        count = len(strategy.positives)
        threads = settings.threads // min(settings.threads, count)

        def solve_one(place: int) -> Machine:
            positive = strategy.positive_codes[place]
            options = settings.options(threads, prefixed(strategy.positives[place], self._progress()))
            solution = solve(Problem(table, positive, objective), options, None if starts is None else starts[place])
            certificate = certify(data, objective, positive, solution)
            return Machine(certificate, solution.history, _widened(data, solution.end) if self.warm_start else None)

        return run_parallel(solve_one, count, settings.threads, settings.cancelled)

    def _starts(self, data: TrainingSet) -> list[Start] | None:
        """Return where the last fit ended, if this one may start there."""
        ends = vars(self).get("_ends") if self.warm_start else None
        shape = (len(data.strategy.positives), data.X.shape[0], data.width + 1)
        if ends is None or (len(ends), len(ends[0][0]), len(ends[0][1])) != shape or not np.isfinite(ends[0][1]).all():
            return None
        return [Start(alpha, np.append(data.narrow(v[:-1]), v[-1])) for alpha, v in ends]

    def _set_attributes(self, data: TrainingSet, machines: list[Machine]) -> None:
        certificates, strategy = [machine.certificate for machine in machines], data.strategy
        set_machines(self, data.classes, certificates)
        self.C_ = certificates[0].C
        self.objective_ = np.array([certificate.primal for certificate in certificates])
        duals = [certificate.model.duals for certificate in certificates]
        support = Support.of(data.codes, strategy.positive_codes, duals)
        self.support_, self.dual_coef_ = support.rows.copy(), support.dual_coef  # the certificate keeps its own rows
        self.history_ = strategy.per_problem(
            [np.rec.array(machine.history, dtype=HISTORY_DTYPE) for machine in machines]
        )
        self._ends = [machine.end[:2] for machine in machines if machine.end is not None] or None

    def _fit_sigmoids(self, where: str, data: TrainingSet, sample_weight: Any, settings: Settings) -> list[Sigmoid]:
        """Fit one sigmoid per binary problem, to scores of held-out rows."""
        rows, strategy = data.X.shape[0], data.strategy
        weights = check_weights(where, sample_weight, rows)
        splits = stratified_folds(where, data.codes, weights, FOLDS, settings.seed)
        scores = np.zeros((rows, len(strategy.positives)))

        def score_fold(place: int) -> None:
            learned, held_out = splits[place]
            part = subset(where, data, learned, weights, self.class_weight)
            machines = self._solve(part, dataclasses.replace(settings, threads=1), None)
            for column, machine in enumerate(machines):
                model = machine.certificate.model
                scores[held_out, column] = data.X[held_out] @ data.narrow(model.weights) + model.bias

        run_parallel(score_fold, len(splits), settings.threads, settings.cancelled)
        counted = np.arange(rows) if weights is None else np.flatnonzero(weights > 0)
        costs = None if weights is None else weights[counted]
        return [
            Sigmoid.fit(scores[counted, column], data.codes[counted] == positive, costs)
            for column, positive in enumerate(strategy.positive_codes)
        ]

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn is untyped
    def predict_proba(self, X: Any) -> Floats:
        """Return class probabilities. Only with ``probability=True``.

        The most probable class can differ from the one of ``predict``: the sigmoid need not be 1/2 at the score 0.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        scores = self.decision_function(X)
        if not self._sigmoids_of_classes:
            raise NotFittedError("LinearSVM was fitted with probability=False. Call fit again.")
        return probabilities(self._sigmoids_of_classes, scores)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn is untyped
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of class probabilities. Only with ``probability=True``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of the probabilities, in the order of ``classes_``.
        """
        with np.errstate(divide="ignore"):
            logarithms: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logarithms

    def _stated(self) -> dict[str, Any]:
        cost = self._cost(type(self).__name__) or self.C_
        return {"intercept": role_of_intercept(self), "tol": float(self.tol), "C": cost, "loss": self.loss}

    def _sigmoid(self, place: int) -> tuple[float, float] | None:
        sigmoids = getattr(self, "_sigmoids_of_classes", []) if self.probability else []
        return (sigmoids[place].slope, sigmoids[place].offset) if sigmoids else None

    def _on_trust(self) -> tuple[Check, ...]:
        if not getattr(self, "_sigmoids_of_classes", None):
            return ()
        return (Check("probabilities", "on trust", "they depend on fits to parts of the rows"),)

    def _state(self) -> SoftMarginState:
        return SoftMarginState.of(self)

    def _restore(self, record: RunRecord) -> None:
        state: SoftMarginState = record.state
        state.check("state", record)
        state.restore(self, record)
        self.C_ = state.certificates[0].C
        self._sigmoids_of_classes = list(state.sigmoids)
        self._ends = None if state.ends is None else [(end.duals, end.point) for end in state.ends]
