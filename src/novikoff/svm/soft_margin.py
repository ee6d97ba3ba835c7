"""The soft-margin support vector machine, solved until its duality gap proves it."""

from __future__ import annotations

import dataclasses
import threading
import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from novikoff._all_or_nothing import AllOrNothing
from novikoff._progress import in_the_name_of
from novikoff._threads import in_threads
from novikoff._validation import check_choice, check_flag, check_integer, check_number, check_weights, thread_count
from novikoff.errors import input_error, quote
from novikoff.record import RunRecord
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.one_core import one_core
from novikoff.solvers.problem import Objective, Problem
from novikoff.solvers.solver import HistoryEntry, Solution, SolverOptions, Start, solve
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.certificate import Duals, listed
from novikoff.theory.gap import GapCertificate, SvmModel
from novikoff.theory.geometry import Floats
from novikoff.theory.verification import Check

from ._classifier import BatchClassifier
from ._folds import rows_to_learn, stratified_folds
from ._state import RECORD, SoftMarginState, Support, stand_on
from .platt import FOLDS, Sigmoid, probabilities


@dataclass(frozen=True)
class Settings:
    """The parameters of a fit, checked."""

    objective: Objective
    max_iter: int
    threads: int
    seed: int


@dataclass(frozen=True)
class Machine:
    """The answer to one question: what is claimed of it, how it was found, and where the next fit may begin."""

    certificate: GapCertificate
    history: list[HistoryEntry]
    end: Start | None  # only for warm_start


def _gives_probabilities(model: LinearSVM) -> bool:
    if not model.probability:
        raise AttributeError("predict_proba needs LinearSVM(probability=True), which takes five more fits.")
    return True


class LinearSVM(BatchClassifier):
    """The soft-margin support vector machine: the separator that weighs a wide margin against rows on its wrong side.

    It minimises 1/2 |w|^2 + C sum_i xi_i with xi_i = max(0, 1 - y_i (w.x_i + b)), or with xi_i^2 for
    ``loss="squared_hinge"``, until the relative duality gap is at most ``tol``: the objective is then within that
    fraction of the least there is, and ``certificate_`` lets anyone check it. The intercept b is free, as in the
    textbooks; LIBLINEAR and scikit-learn's LinearSVC penalise it, which is ``penalized_intercept=True`` here. Several
    classes are told each from the rest.

    Parameters
    ----------
    C : what a row on the wrong side of the margin costs
    lam : the same in the other convention, sum_i xi_i + lam |w|^2: C = 1 / (2 lam). At most one of the two may be set.
    loss : "hinge" or "squared_hinge"
    fit_intercept : learn b; otherwise it is 0
    penalized_intercept : add 1/2 b^2 to the objective
    tol : the relative duality gap to reach
    max_iter : most steps of the solver, passes of coordinate descent or steps of Newton's method; if they are used up,
        a warning and the certificate say how far it came
    class_weight : None, "balanced", or a dict of class to weight, which multiplies ``sample_weight``
    probability : give ``predict_proba``, by Platt scaling of scores that are predicted for held-out rows. That takes
        five more fits, each on four fifths of the rows. It changes neither the machine nor its predictions.
    warm_start : begin the next ``fit`` where the last one ended, if the shape of the data is the same
    n_jobs : threads to use where they pay; None is 1, -1 is one for each core. The result does not depend on it.
    random_state : seed of the order in which coordinate descent visits the rows
    verbose : print a line each time the gap is measured

    Attributes
    ----------
    coef_, intercept_ : weights and intercepts, one row a question
    classes_ : the labels
    support_ : the rows with a dual weight above 0
    dual_coef_ : y_i a_i of those rows, one row a question
    objective_ : the objective of every question
    n_iter_ : steps of the solver, the most of any question
    certificate_ : a ``GapCertificate``; for more than two classes a list of one a class
    history_ : what was known each time the gap was measured: an array of records (time, step, primal, dual, gap); for
        more than two classes a list of one a class

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], ["no", "no", "yes", "yes"]
    >>> model = LinearSVM(C=10.0).fit(X, y)
    >>> model.predict([[2.5, 0.5]])
    array(['yes'], dtype='<U3')
    >>> bool(model.certificate_.verify(X, y))
    True

    References
    ----------
    Cortes and Vapnik (1995), Support-vector networks. Hsieh et al. (2008), A dual coordinate descent method for
    large-scale linear SVM. Rockafellar (1976), Augmented Lagrangians and applications of the proximal point algorithm.
    Platt (1999), Probabilistic outputs for support vector machines.
    """

    state_type = SoftMarginState

    def __init__(
        self,
        *,
        C: float = 1.0,
        lam: float | None = None,
        loss: str = "hinge",
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solve to the gap ``tol``.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (rows, features)
        y : labels, any two or more values
        sample_weight : what multiplies C for each row; an integer k equals k copies of it, 0 equals absence
        """
        where = type(self).__name__
        self.fit_for(where, X, y, sample_weight)
        warn_if_wide(where, self.certificate_, stacklevel=3)
        return self

    def fit_for(self, where: str, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit in the name of an estimator, without a warning if the gap is too wide."""
        with AllOrNothing(self), one_core:
            settings = self._settings(where)
            probability = check_flag(where, "probability", self.probability)
            check_flag(where, "warm_start", self.warm_start)
            check_integer(
                where, "verbose", int(self.verbose) if self.verbose in (True, False) else self.verbose, at_least=0
            )
            data = validate_training_set(self, where, X, y, sample_weight, self.class_weight)
            cancelled = threading.Event()
            sigmoids = self._sigmoids(where, data, sample_weight, settings, cancelled) if probability else []
            machines = self._solve(data, settings, cancelled)
            self._sigmoids_of_classes = sigmoids
            self._keep(data, machines)

    def _stated(self) -> dict[str, Any]:
        cost = self.C if self.lam is None else 1 / (2 * self.lam)
        return super()._stated() | {"C": float(cost), "loss": self.loss}

    def _sigmoid(self, place: int) -> tuple[float, float] | None:
        sigmoids = getattr(self, "_sigmoids_of_classes", []) if self.probability else []
        return (sigmoids[place].slope, sigmoids[place].offset) if sigmoids else None

    def _on_trust(self) -> tuple[Check, ...]:
        if not getattr(self, "_sigmoids_of_classes", None):
            return ()
        return (Check("probabilities", "on trust", "they rest on fits to parts of the rows"),)

    def _settings(self, where: str) -> Settings:
        cost = check_number(where, "C", self.C, above=0)
        if self.lam is not None:
            if self.C != 1.0:
                raise input_error(
                    where, f"C={quote(self.C)} and lam={quote(self.lam)} are both set. Use only one of them."
                )
            cost = 1 / (2 * check_number(where, "lam", self.lam, above=0))
        return settings_of(where, self, cost)

    def _sigmoids(
        self, where: str, data: TrainingSet, sample_weight: Any, settings: Settings, cancelled: threading.Event
    ) -> list[Sigmoid]:
        """One sigmoid a question, from scores of rows that were held out."""
        weights = check_weights(where, sample_weight, data.X.shape[0])
        splits = stratified_folds(where, data.codes, weights, FOLDS, settings.seed)
        scores = np.zeros((data.X.shape[0], len(data.strategy.positives)))

        def one(place: int) -> None:
            learned, held_out = splits[place]
            part = rows_to_learn(where, data, learned, weights, self.class_weight)
            single = dataclasses.replace(settings, threads=1)
            for question, machine in enumerate(self._solve(part, single, cancelled, warm=False)):
                found = machine.certificate.model
                scores[held_out, question] = data.X[held_out] @ found.weights + found.bias

        with in_threads(min(settings.threads, len(splits))) as each:
            try:
                each(one, len(splits))
            except BaseException:
                cancelled.set()
                raise
        counted = np.arange(len(scores)) if weights is None else np.flatnonzero(weights > 0)
        costs = None if weights is None else weights[counted]
        return [
            Sigmoid.fit(scores[counted, question], data.codes[counted] == positive, costs)
            for question, positive in enumerate(data.strategy.positive_codes)
        ]

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn is untyped
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities, one column for each of ``classes_``; only with ``probability=True``.

        They need not favour the class that ``predict`` says: the sigmoid is 1/2 where the held-out rows put it, which
        need not be at the score 0.
        """
        scores = self.decision_function(X)
        if not self._sigmoids_of_classes:
            raise NotFittedError("LinearSVM was fitted with probability=False: fit it again.")
        return probabilities(self._sigmoids_of_classes, scores)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn is untyped
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of ``predict_proba``; only with ``probability=True``."""
        with np.errstate(divide="ignore"):
            logarithms: Floats = np.log(self.predict_proba(X))
        return logarithms

    def _solve(
        self, data: TrainingSet, settings: Settings, cancelled: threading.Event, warm: bool = True
    ) -> list[Machine]:
        """Solve all questions, side by side where there are threads for it."""
        table, objective, strategy = data.table, settings.objective, data.strategy
        starts = self._starts(data) if warm else [None] * len(strategy.positives)
        at_once = min(settings.threads, len(strategy.positives))

        def one(place: int) -> Machine:
            positive = strategy.positive_codes[place]
            options = SolverOptions(
                settings.max_iter,
                settings.threads // at_once,
                settings.seed,
                in_the_name_of(strategy.positives[place], self._heard()),
                cancelled,
            )
            solution = solve(Problem(table, positive, objective), options, starts[place])
            certificate = certify(data, objective, positive, solution)
            return Machine(certificate, solution.history, solution.end if self.warm_start else None)

        with in_threads(at_once) as each:
            try:
                return each(one, len(strategy.positives))
            except BaseException:
                cancelled.set()
                raise

    def _starts(self, data: TrainingSet) -> list[Start | None]:
        """Where the last fit ended, if this one may begin there."""
        last = self.__dict__.get("_ends") if self.warm_start else None
        problems = len(data.strategy.positives)
        shape = (problems, data.X.shape[0], data.X.shape[1] + 1)
        if last is None or (len(last), len(last[0][0]), len(last[0][1])) != shape or not np.isfinite(last[0][1]).all():
            return [None] * problems
        return [Start(alpha, v) for alpha, v in last]

    def _keep(self, data: TrainingSet, machines: list[Machine]) -> None:
        """Turn answers into the attributes of a fitted estimator."""
        certificates = [machine.certificate for machine in machines]
        stand_on(self, data.classes, certificates)
        self.objective_ = np.array([certificate.primal for certificate in certificates])
        support = Support.of(
            data.codes, data.strategy.positive_codes, [certificate.model.duals for certificate in certificates]
        )
        self.support_, self.dual_coef_ = support.rows.copy(), support.dual_coef  # the rows are the certificate's
        histories = [_records(machine.history) for machine in machines]
        self.history_ = histories[0] if len(histories) == 1 else histories
        self._ends = [machine.end[:2] for machine in machines if machine.end is not None] or None

    def _state(self) -> SoftMarginState:
        return SoftMarginState.of(self)

    def _restore(self, record: RunRecord) -> None:
        state: SoftMarginState = record.state
        state.check("state", record)
        state.give(self, record)
        self._sigmoids_of_classes = list(state.sigmoids)
        self._ends = None if state.ends is None else [(end.duals, end.point) for end in state.ends]


def settings_of(where: str, estimator: Any, C: float) -> Settings:
    """Check the parameters that all soft-margin estimators share."""
    loss = LOSSES[check_choice(where, "loss", estimator.loss, tuple(LOSSES))]
    intercept = intercept_of(where, estimator)
    tol = check_number(where, "tol", estimator.tol, above=0, at_most=1)
    return Settings(
        Objective(C, loss, intercept, tol),
        check_integer(where, "max_iter", estimator.max_iter, at_least=1),
        thread_count(where, estimator.n_jobs),
        seed_of(where, estimator.random_state),
    )


def intercept_of(where: str, estimator: Any) -> str:
    """The kind of intercept that the parameters ask for."""
    penalized = check_flag(where, "penalized_intercept", estimator.penalized_intercept)
    if not check_flag(where, "fit_intercept", estimator.fit_intercept):
        return "none"
    return "penalized" if penalized else "free"


def seed_of(where: str, random_state: Any) -> int:
    """A seed for the kernels from whatever scikit-learn takes for one."""
    try:
        return int(check_random_state(random_state).randint(2**31))
    except ValueError as error:
        raise input_error(
            where, f"random_state must be None, an integer or a RandomState, but it is {quote(random_state)}."
        ) from error


def warn_if_wide(where: str, found: GapCertificate | list[GapCertificate], stacklevel: int) -> None:
    """Warn once, of the widest gap, if it is wider than was asked for."""
    wide = [certificate for certificate in listed(found) if not certificate.converged]
    if wide:
        widest = max(wide, key=lambda certificate: certificate.relative_gap)
        warnings.warn(
            f"{where}: after {widest.iterations} steps the relative gap is {widest.relative_gap:.2g}, above "
            f"tol={widest.tol:g}. The objective may be that much above the optimum. "
            "Increase max_iter or tol, decrease C, or scale the columns of X.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )


def certify(data: TrainingSet, objective: Objective, positive: int, solution: Solution) -> GapCertificate:
    """The claim that a solution makes, with all that is needed to check it."""
    costs = None if data.weights is None else objective.C * data.weights
    return GapCertificate(
        loss=objective.loss.name,
        intercept=objective.intercept,
        C=objective.C,
        tol=objective.tol,
        primal=solution.primal,
        dual=solution.dual,
        iterations=solution.steps,
        examples=data.rows.count if data.weights is None else int(np.count_nonzero(data.weights)),
        model=SvmModel(
            weights=solution.weights,
            bias=solution.bias,
            positive=data.classes.tolist()[positive],
            duals=Duals.of(solution.duals),
            costs=costs,
        ),
    )


def _records(history: list[HistoryEntry]) -> Any:
    """The history as an array of records."""
    return np.rec.array(history, dtype=RECORD)
