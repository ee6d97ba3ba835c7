"""The soft-margin support vector machine with C chosen by cross-validation."""

from __future__ import annotations

import inspect
import numbers
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._classifier import fit_to_scan
from novikoff._draft import Draft
from novikoff._multiclass import MulticlassStrategy
from novikoff._one_core import one_core
from novikoff._validation import check_choice, check_integer, check_labels, check_weights
from novikoff.data.stream import Scan
from novikoff.errors import input_error, quote
from novikoff.record import RunRecord
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.geometry import Floats

from ._certify import warn_if_wide
from ._classifier import BatchClassifier
from ._experiment import Experiment
from ._folds import Split, stratified_folds
from ._grid import FLAT, cost_grid, extension
from ._multiclass_choice import check_multi_class, choose_strategy
from ._settings import Settings, role_of_intercept, stated_number
from ._slack import Slack, kept_slack
from ._state import SelectedState, Selection, SoftMarginState, as_list
from .soft_margin import LinearSVM

Weights = NDArray[np.float64] | None
MAX_EXTENSIONS = 2  # how often a computed grid is continued


class LinearSVMCV(BatchClassifier):
    """Linear support vector machine with C chosen by cross-validation.

    The rows are divided into ``cv`` folds. For each fold, the path of all C (see `LinearSVMPath`) is solved on the
    other folds and scored on the rows held out, which are used for nothing else; "balanced" class weights are computed
    without them. The grid of C is computed once from all rows. If its best score is at an end, or if all scores are
    equal, it is continued there by half as many values, at most twice: above the largest C unless ``C_max`` is given,
    below the smallest C only if it is better than all others. The C with the best mean score is chosen. The final
    model is a `LinearSVM` with this C, fitted to all rows.

    Parameters
    ----------
    Cs : int or array-like, default=20
        Number of values of C, or the values themselves.
    C_max : float, default=None
        Largest C of a computed grid; None means 10,000 times the smallest.
    cv : int, splitter or iterable, default=5
        Number of stratified, shuffled folds; or a splitter of scikit-learn; or pairs of row indices to learn from and
        to score.
    scoring : str or callable, default=None
        None for accuracy, the name of a scorer of scikit-learn, or a function (model, X, y) of which larger values are
        better. Scorers that accept ``sample_weight`` receive it. If a class is rare, a C that ranks the rows well
        ("roc_auc") may predict one label for all of them; "balanced_accuracy" does not choose it.
    selection : {"best", "one_standard_error"}, default="best"
        How C is chosen from the scores. "one_standard_error" takes the smallest C whose mean score is at most one
        standard error below the best [1]_.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        Loss of a margin violation.
    fit_intercept : bool, default=True
        Whether to fit an intercept. If False, it is 0.
    penalized_intercept : bool, default=False
        Whether to add 1/2 b^2 to the objective.
    tol : float, default=1e-4
        Relative duality gap at which the solver stops, for every C.
    max_iter : int, default=100_000
        Maximum number of steps of the solver, for every C.
    max_time : float, default=None
        Maximum number of seconds for each binary problem and each C. None means no limit. It is checked after every
        step. If it is reached, a ConvergenceWarning is raised and the certificate states the gap; the result then
        depends on the speed of the machine.
    multi_class : {"auto", "ovr", "ovo", "crammer_singer"}, default="auto"
        How more than two classes are handled, as in `LinearSVM`.
    class_weight : dict or "balanced", default=None
        Weights of the classes. They multiply ``sample_weight``.
    n_jobs : int, default=-1
        Number of threads, one per fold; None means 1 and -1 all cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds and of the row order of coordinate descent.

    Attributes
    ----------
    C_ : float
        The chosen C.
    best_C_ : float
        The C with the best mean score; the smallest if there are several.
    Cs_ : ndarray of shape (n_Cs,)
        The values of C, increasing.
    scores_ : ndarray of shape (n_folds, n_Cs)
        The score of every fold for every C.
    mean_scores_ : ndarray of shape (n_Cs,)
        The mean score over the folds.
    standard_errors_ : ndarray of shape (n_Cs,)
        The standard error of the mean score.
    coef_ : ndarray of shape (n_problems, n_features)
        Weights of the final model. There is one binary problem for two classes; for more, one per class or per pair of
        classes, as in `LinearSVM`.
    intercept_ : ndarray of shape (n_problems,)
        Intercepts of the final model.
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    multi_class_, class_count_, support_, dual_coef_, slack_, objective_, n_iter_, history_
        Those of `LinearSVM` with C = ``C_``, fitted to all rows.
    certificate_ : GapCertificate, list of GapCertificate or CrammerSingerCertificate
        The certificate of the final model; for more than two classes, one per binary problem or one joint certificate.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    See Also
    --------
    LinearSVM : The same model for a given C.
    LinearSVMPath : The models of all C.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees, section 3.4.
    .. [2] Stone (1974), Cross-validatory choice and assessment of statistical predictions.

    Examples
    --------
    >>> from novikoff import LinearSVMCV
    >>> X = [[0.0, 1.0], [1.0, 3.0], [0.5, 2.0], [2.0, 1.0], [3.0, 0.0], [2.5, 0.0]]
    >>> y = ["no", "no", "no", "yes", "yes", "yes"]
    >>> model = LinearSVMCV(Cs=[0.01, 0.1, 1.0], cv=3).fit(X, y)
    >>> model.scores_.shape
    (3, 3)
    >>> model.predict([[2.5, 0.5]])
    array(['yes'], dtype='<U3')
    >>> model.certificate_.C == model.C_
    True
    """

    state_type = SelectedState
    slack_ = property(kept_slack)
    _slack: Slack | None = None

    def __init__(
        self,
        *,
        Cs: Any = 20,
        C_max: float | None = None,
        cv: Any = 5,
        scoring: Any = None,
        selection: str = "best",
        loss: str = "squared_hinge",
        fit_intercept: bool = True,
        penalized_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 100_000,
        max_time: float | None = None,
        multi_class: str = "auto",
        class_weight: Any = None,
        n_jobs: int | None = -1,
        random_state: Any = 0,
    ) -> None:
        self.Cs = Cs
        self.C_max = C_max
        self.cv = cv
        self.scoring = scoring
        self.selection = selection
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.penalized_intercept = penalized_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Choose C by cross-validation, and fit the model to all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or Scan
            Training rows. Or a stream that ``novikoff.scan`` opened, with labels: a table is encoded by a
            ``TableEncoder``, and the result is a pipeline.
        y : array-like of shape (n_samples,), default=None
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C for each row, which also weight the score. Rows of weight 0 are ignored.

        Returns
        -------
        self : object
            The fitted model. For a stream of a table, a pipeline of the encoder and the learner.
        """
        if isinstance(X, Scan):
            return fit_to_scan(self, X, y, sample_weight)
        where = type(self).__name__
        draft = Draft(self)
        with one_core:
            model = draft.model
            experiment = model._fit(where, X, y, sample_weight)
            draft.publish()
        warn_if_wide(where, as_list(model.certificate_), model.max_iter, model.max_time)
        model._warn_if_largest(where)
        if model.scoring is None and model.class_weight is None:
            model._warn_if_useless(where, experiment)
        return self

    def _fit(self, where: str, X: Any, y: Any, sample_weight: Any) -> Experiment:
        """Fit a draft, and return the cross-validation."""
        self._forget_reading()
        settings = Settings.of(where, self, 1.0)
        check_choice(where, "selection", self.selection, ("best", "one_standard_error"))
        check_multi_class(where, self)
        data = validate_training_set(self, where, X, y, sample_weight, self.class_weight)
        strategy = choose_strategy(self.multi_class, data)
        Cs = cost_grid(where, self.Cs, self.C_max, data, strategy, settings)
        experiment = self._experiment(where, data, strategy, y, sample_weight, settings)
        self._search(experiment, Cs)
        self._refit(where, X, y, sample_weight)
        return experiment

    def _search(self, experiment: Experiment, Cs: Floats) -> None:
        """Score the values of C, continue a computed grid where the scores ask for it, and choose one."""
        scores, added = experiment.score(Cs), (len(Cs) + 1) // 2
        for _ in range(MAX_EXTENSIONS if np.ndim(self.Cs) == 0 else 0):
            more = extension(Cs, scores.mean(axis=0), added, may_rise=self.C_max is None)
            if more is None:
                break
            Cs, scores = np.concatenate([Cs, more]), np.hstack([scores, experiment.score(more)])
            order = np.argsort(Cs)
            Cs, scores = Cs[order], scores[:, order]
        experiment.warn_if_wide()
        self._choose(Cs, scores)

    def _warn_if_useless(self, where: str, experiment: Experiment) -> None:
        """Warn the caller of ``fit`` if no C is better than predicting the most frequent label."""
        label, accuracy = experiment.baseline()
        if self.mean_scores_.max() <= accuracy + FLAT:
            warnings.warn(
                f"{where}: no C is better than always predicting {quote(label)} ({accuracy:.1%} of the rows that were "
                "held out). The columns may say nothing about the labels; other columns or class_weight may help.",
                UserWarning,
                stacklevel=3,
            )

    def _warn_if_largest(self, where: str) -> None:
        """Warn the caller of ``fit`` if the best C is the largest of a computed grid."""
        if np.ndim(self.Cs) == 0 and self.C_max is None and self.best_C_ == self.Cs_[-1] > self.Cs_[0]:
            warnings.warn(
                f"{where}: the best C, {self.best_C_:.3g}, is the largest of the grid. A larger one may be better: "
                "set C_max, or scale the columns of X.",
                UserWarning,
                stacklevel=3,
            )

    def _experiment(
        self,
        where: str,
        data: TrainingSet,
        strategy: MulticlassStrategy,
        y: Any,
        sample_weight: Any,
        settings: Settings,
    ) -> Experiment:
        rows = data.X.shape[0]
        labels, weights = check_labels(where, y, rows), check_weights(where, sample_weight, rows)
        splits = self._splits(where, data, labels, weights, settings.seed)
        return Experiment(where, data, strategy, labels, weights, splits, self.class_weight, self.scoring, settings)

    def _splits(self, where: str, data: TrainingSet, labels: NDArray[Any], weights: Weights, seed: int) -> list[Split]:
        if isinstance(self.cv, numbers.Integral):
            return stratified_folds(where, data.codes, weights, check_integer(where, "cv", self.cv, at_least=2), seed)
        from sklearn.model_selection import check_cv  # slow to import, and rarely needed

        try:
            X = data.in_full_width(data.X)
            splits = list(check_cv(self.cv, labels, classifier=True).split(X, labels))
        except (TypeError, ValueError, AttributeError) as error:
            raise input_error(
                where, f"cv must be a number of folds, a splitter or a list of splits. scikit-learn refused it: {error}"
            ) from error
        if len(splits) < 2:
            raise input_error(where, f"cv must make at least two folds, but it makes {len(splits)}.")
        return splits

    def _choose(self, Cs: Floats, scores: Floats) -> None:
        """Set the attributes of the selection."""
        self.Cs_, self.scores_ = Cs, scores
        self.mean_scores_ = scores.mean(axis=0)
        self.standard_errors_ = scores.std(axis=0, ddof=1) / np.sqrt(len(scores))
        best = int(np.argmax(self.mean_scores_))
        self.best_C_ = float(Cs[best])
        sufficient = self.mean_scores_[best]
        if self.selection == "one_standard_error":
            sufficient = sufficient - self.standard_errors_[best]
        self.C_ = float(Cs[int(np.argmax(self.mean_scores_ >= sufficient))])

    def _refit(self, where: str, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit a LinearSVM with the chosen C to all rows, and copy its fitted attributes."""
        shared = set(inspect.signature(LinearSVM).parameters) & set(self.get_params(deep=False))
        final = LinearSVM(C=self.C_, **{name: getattr(self, name) for name in shared})
        final.fit_for(where, X, y, sample_weight)
        self.__dict__.update({name: value for name, value in vars(final).items() if name.endswith("_")})
        self._slack = final._slack

    def _stated(self) -> dict[str, Any]:
        return {"intercept": role_of_intercept(self), "tol": stated_number(self.tol), "C": self.C_, "loss": self.loss}

    def _state(self) -> SelectedState:
        return SelectedState(SoftMarginState.of(self), Selection.of(self))

    @classmethod
    def _check(cls, record: RunRecord) -> None:
        state: SelectedState = record.state
        state.machine.check("state.machine", record)
        state.selection.check([state.machine.joint] if state.machine.joint else state.machine.certificates)

    def _restore(self, record: RunRecord) -> None:
        state: SelectedState = record.state
        state.machine.restore(self, record)
        state.selection.restore(self)
