"""The soft-margin support vector machine, solved until its duality gap proves it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._classifier import fit_to_scan
from novikoff._draft import Draft
from novikoff._estimators import NotFittedError, available_if
from novikoff._multiclass import MulticlassStrategy
from novikoff._one_core import one_core
from novikoff._validation import check_flag, check_number
from novikoff._wide_array import stored
from novikoff.data.stream import Scan
from novikoff.errors import input_error, quote
from novikoff.record import RunRecord
from novikoff.solvers.joint_problem import JointStart
from novikoff.solvers.solver import Start
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.geometry import Floats
from novikoff.theory.verification import Check

from ._certify import warn_if_wide
from ._classifier import BatchClassifier
from ._joint import joint_support, solve_joint_machine
from ._machines import solve_machines
from ._multiclass_choice import check_multi_class, choose_strategy
from ._probabilities import class_probabilities, fit_sigmoids
from ._settings import Settings, check_verbose, role_of_intercept, scale_cost, stated_number
from ._slack import MAX_ROWS, Slack, kept_slack
from ._state import HISTORY_DTYPE, SoftMarginState, Support, as_list, one_or_list, set_machines


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
    classes are handled as ``multi_class`` says. Exact ties go to the class with the larger training weight.

    Parameters
    ----------
    C : float or "scale", default="scale"
        Penalty on margin violations; "scale" is 1 divided by the sum of the variances of the columns. Larger values fit
        the training data more closely. "scale" (without an intercept, 1 divided by the mean of |x|^2) is at least 1
        divided by the number of columns, and rounded to three digits. It is 1 for rows of about unit length, and
        1 / n_features for standardised columns.
    lam : float, default=None
        The penalty in the convention lam |w|^2 + the sum of the losses, that is, C = 1 / (2 lam). Only one of ``C`` and
        ``lam`` may be set. The certificate then states this objective, whose value is ``objective_ / C_``;
        ``certificate_.primal_lam`` and ``certificate_.dual_lam`` are the bounds on it.
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
    max_time : float, default=None
        Maximum number of seconds for each binary problem. None means no limit. It is checked after every step. If it is
        reached, a ConvergenceWarning is raised and the certificate states the gap; the result then depends on the speed
        of the machine.
    multi_class : {"auto", "ovr", "ovo", "crammer_singer"}, default="auto"
        How more than two classes are handled. "ovo" solves one problem for each pair of classes, on the rows of these
        two, and lets them vote; "ovr" solves one problem for each class against all others; "crammer_singer" solves one
        joint problem of all classes, and needs the loss "hinge". "auto" is "ovo" up to 50 classes and 50 million
        weights, unless the rows are sparse and have more columns than there are rows; else "ovr".
    class_weight : dict or "balanced", default=None
        Weights of the classes. They multiply ``sample_weight``.
    probability : bool, default=False
        Whether to enable ``predict_proba``, by Platt scaling. It takes five more fits, each on four fifths of the rows,
        and changes neither the weights nor the predictions. Those of pairs of classes are coupled.
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
        Weights. There is one binary problem for two classes. For more, there is one per class, or with one-vs-one one
        per pair of classes, (1, 0), (2, 0), ..., (2, 1), ..., whose first class has the positive scores. A joint
        problem has one weight vector per class, also for two classes: then the difference of their scores decides.
    intercept_ : ndarray of shape (n_problems,)
        Intercepts.
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    multi_class_ : {"ovr", "ovo", "crammer_singer"}
        How the classes were handled; "ovr" if there are two, unless ``multi_class`` is "crammer_singer".
    class_count_ : ndarray of shape (n_classes,)
        The sum of the sample weights of each class, which decides exact ties.
    support_ : ndarray of shape (n_support,)
        Indices of the rows with a dual variable above 0.
    dual_coef_ : ndarray of shape (n_problems, n_support) or (n_classes - 1, n_support)
        y_i a_i of these rows, where a_i are the dual variables. With one-vs-one, as in scikit-learn's SVC, a row takes
        part in n_classes - 1 problems, and there is one value for each of the other classes, in their order. Those of a
        joint problem are the coefficients of the rows in the weights of each class.
    slack_ : ndarray of shape (n_samples,), or sparse array of shape (n_samples, n_problems)
        The slacks of the training rows, xi_i = max(0, 1 - y_i (w.x_i + b)), or of a joint problem the largest of
        1 + f_k(x_i) - f_y(x_i) over the other classes k, at least 0. For more than two classes, one column per binary
        problem. Rows of weight 0 and rows that are not part of a problem have 0. It is kept for at most 100,000 rows;
        ``max(0, 1 - y * decision_function(X))``, with y of -1 and +1, has the slacks of any rows.
    C_ : float
        The value of C.
    objective_ : ndarray of shape (n_problems,)
        The objective of each binary problem.
    n_iter_ : int
        Number of steps; the maximum over the binary problems.
    certificate_ : GapCertificate, list of GapCertificate or CrammerSingerCertificate
        The certificate; for more than two classes, one per binary problem, or the one of the joint problem.
    history_ : recarray or list of recarray
        Records (time, step, primal, dual, gap, method), one each time the gap was computed; for more than two classes,
        one array per binary problem.
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
    solved by Newton's method [3]_. Probabilities are those of Platt [4]_; for pairs of classes, they are coupled [6]_.
    The joint problem of all classes is that of Crammer and Singer [5]_. The docs page on support vector machines
    describes them.

    References
    ----------
    .. [1] Cortes and Vapnik (1995), Support-vector networks.
    .. [2] Hsieh et al. (2008), A dual coordinate descent method for large-scale linear SVM.
    .. [3] Rockafellar (1976), Augmented Lagrangians and applications of the proximal point algorithm.
    .. [4] Platt (1999), Probabilistic outputs for support vector machines.
    .. [5] Crammer and Singer (2001), On the algorithmic implementation of multiclass kernel-based vector machines.
    .. [6] Wu, Lin and Weng (2004), Probability estimates for multi-class classification by pairwise coupling.

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
    slack_ = property(kept_slack)
    _slack: Slack | None = None
    _ends: Any = None  # for warm starts: a list with one end per binary problem, or a tuple, the end of a joint problem

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
        max_time: float | None = None,
        multi_class: str = "auto",
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
        self.max_time = max_time
        self.multi_class = multi_class
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
        warn_if_wide(where, as_list(self.certificate_), self.max_iter, self.max_time)
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
        draft = Draft(self)
        with one_core:
            draft.model._fit(where, X, y, sample_weight)
            draft.publish()

    def _fit(self, where: str, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit a draft."""
        self._forget_reading()
        settings = Settings.of(where, self, self._cost(where) or 1.0)
        probability = check_flag(where, "probability", self.probability)
        check_flag(where, "warm_start", self.warm_start)
        check_verbose(where, self.verbose)
        multi_class = check_multi_class(where, self)
        data = validate_training_set(self, where, X, y, sample_weight, self.class_weight)
        settings = settings.with_cost(self._cost(where) or scale_cost(data, settings.objective.intercept))
        strategy = choose_strategy(multi_class, data)
        sigmoids = []
        if probability:
            sigmoids = fit_sigmoids(where, data, strategy, sample_weight, self.class_weight, settings)
        (self._solve_joint if strategy.is_joint else self._solve)(data, strategy, settings)
        self._sigmoids = sigmoids

    def _cost(self, where: str) -> float | None:
        """Return C, from ``C`` or from ``lam``; None if it depends on the data."""
        is_number = not isinstance(self.C, str)
        if not is_number and self.C != "scale":
            check_number(where, "C", self.C, above=0, other='"scale"')
        if self.lam is None:
            return check_number(where, "C", self.C, above=0) if is_number else None
        if is_number:
            raise input_error(where, f"C={quote(self.C)} and lam={quote(self.lam)} are both set. Use only one.")
        return 1 / (2 * check_number(where, "lam", self.lam, above=0))

    def _solve(self, data: TrainingSet, strategy: MulticlassStrategy, settings: Settings) -> None:
        """Solve all binary problems, and set the fitted attributes."""
        starts = self._starts(data, strategy)
        machines = solve_machines(
            data,
            strategy,
            settings,
            starts,
            self._progress(),
            keep_ends=self.warm_start,
            keep_slack=data.rows.count <= MAX_ROWS,
        )
        certificates = [machine.certificate for machine in machines]
        support = Support.of(data.codes, strategy.pairs, [certificate.model.duals for certificate in certificates])
        self._set_attributes(strategy, certificates, support, [machine.history for machine in machines])
        self._slack = Slack.of(data.rows.count, [machine.slack for machine in machines])
        self._ends = [machine.end[:2] for machine in machines if machine.end is not None] or None

    def _solve_joint(self, data: TrainingSet, strategy: MulticlassStrategy, settings: Settings) -> None:
        """Solve the joint problem, and set the fitted attributes."""
        end = vars(self).get("_ends") if self.warm_start else None
        start = JointStart(*end) if isinstance(end, tuple) and len(end[1]) == len(data.classes) else None
        machine = solve_joint_machine(data, settings, start, self._progress())
        support = joint_support(data, machine.certificate.model.duals)
        self._set_attributes(strategy, [machine.certificate], support, [machine.history])
        self._slack = Slack.of(data.rows.count, [machine.slack])
        self._ends = tuple(machine.end) if self.warm_start else None

    def _starts(self, data: TrainingSet, strategy: MulticlassStrategy) -> list[Start] | None:
        """Return where the last fit ended, if this one may start there."""
        ends = vars(self).get("_ends") if self.warm_start else None
        if not isinstance(ends, list):  # a tuple is the end of a joint problem
            return None
        counts = np.bincount(data.codes + 1, minlength=len(data.classes) + 1)[1:]
        every = [data.X.shape[0] if low is None else int(counts[high] + counts[low]) for high, low in strategy.pairs]
        fits = [len(alpha) for alpha, _ in ends] == every and all(len(v) == data.width + 1 for _, v in ends)
        return [Start(*end) for end in ends] if fits and np.isfinite(stored(ends[0][1])).all() else None

    def _worded(self, certificates: Sequence[Any]) -> list[Any]:
        """Return certificates whose words name ``lam`` if that was set instead of ``C``."""
        return [certificate if self.lam is None else certificate.in_lambda() for certificate in certificates]

    def _set_attributes(
        self, strategy: MulticlassStrategy, certificates: list[Any], support: Support, histories: list[Any]
    ) -> None:
        set_machines(self, strategy, self._worded(certificates))
        self.C_ = certificates[0].C
        self.objective_ = np.array([certificate.primal for certificate in certificates])
        self.support_, self.dual_coef_ = support.rows, support.dual_coef
        self.history_ = one_or_list([np.rec.array(history, dtype=HISTORY_DTYPE) for history in histories])

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
        scores = self._scores(X)
        if not self._sigmoids:
            raise NotFittedError("LinearSVM was fitted with probability=False. Call fit again.")
        return class_probabilities(self._strategy, self._sigmoids, scores)

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
        return {"intercept": role_of_intercept(self), "tol": stated_number(self.tol), "C": cost, "loss": self.loss}

    def _sigmoid(self, place: int) -> tuple[float, float] | None:
        sigmoids = getattr(self, "_sigmoids", []) if self.probability else []
        return (sigmoids[place].slope, sigmoids[place].offset) if place < len(sigmoids) else None

    def _on_trust(self) -> tuple[Check, ...]:
        if not getattr(self, "_sigmoids", None):
            return ()
        return (Check("probabilities", "on trust", "they depend on fits to parts of the rows"),)

    def _state(self) -> SoftMarginState:
        return SoftMarginState.of(self)

    @classmethod
    def _check(cls, record: RunRecord) -> None:
        record.state.check("state", record)

    def _restore(self, record: RunRecord) -> None:
        state: SoftMarginState = record.state
        state.restore(self, record)
        self.certificate_: Any = one_or_list(self._worded(as_list(vars(self)["certificate_"])))
        self.C_ = state.stated_cost
        self._sigmoids = list(state.sigmoids)
        self._ends = None if state.ends is None else [(end.duals, end.point) for end in state.ends]
        if state.joint_end is not None:
            self._ends = (state.joint_end.fractions, state.joint_end.intercepts)
