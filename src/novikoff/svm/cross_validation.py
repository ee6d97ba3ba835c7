"""The soft margin with its C chosen by cross-validation."""

from __future__ import annotations

import inspect
import math
import numbers
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from novikoff._all_or_nothing import AllOrNothing
from novikoff._threads import in_threads
from novikoff._validation import check_choice, check_integer, check_labels, check_weights
from novikoff.errors import input_error, quote
from novikoff.record import RunRecord
from novikoff.solvers.one_core import one_core
from novikoff.solvers.path import solve_path
from novikoff.solvers.problem import Objective
from novikoff.solvers.solver import SolverOptions
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.geometry import Floats

from ._classifier import BatchClassifier
from ._folds import Split, rows_to_learn, stratified_folds
from ._state import SelectedState, Selection, SoftMarginState
from .path import grid_of
from .soft_margin import LinearSVM, Settings, settings_of, warn_if_wide

Weights = NDArray[np.float64] | None


@dataclass(frozen=True)
class Trial:
    """What all folds share."""

    data: TrainingSet
    labels: NDArray[Any]
    weights: Weights  # of rows, without those of classes
    splits: list[Split]
    Cs: Floats
    score: Callable[..., float]


class LinearSVMCV(BatchClassifier):
    """The soft-margin support vector machine with the C that is best on held-out rows, or the smallest nearly as good.

    The rows are dealt to ``cv`` folds. For each fold, the path of all C (see ``LinearSVMPath``) is solved on the other
    folds and scored on the rows held out, which have no other part in it: weights of classes, too, are counted without
    them. The grid of C is a range to search in, and is computed once from all rows. With m_k the mean score at C_k over
    the folds and s_k its standard error, ``selection="one_standard_error"`` takes the smallest C with m_k >= m_best -
    s_best (Breiman et al. 1984): differences below that are noise, and a smaller C is a wider margin. The machine is
    then solved for that C on all rows, and is a ``LinearSVM`` in all that it can do.

    Parameters
    ----------
    Cs : how many values of C, or the values themselves
    C_max : the largest C of a computed grid; None is 10,000 times the smallest
    cv : the number of folds, stratified and shuffled; or a splitter of scikit-learn; or a list of (rows to learn from,
        rows to score)
    scoring : None for accuracy, a name that scikit-learn knows, or a function (model, X, y) of which more is better.
        Rows count by ``sample_weight`` where it takes weights.
    selection : "one_standard_error" or "best"
    loss : "hinge" or "squared_hinge"
    fit_intercept : learn b; otherwise it is 0
    penalized_intercept : add 1/2 b^2 to the objective
    tol : the relative duality gap to reach at every C
    max_iter : most steps of the solver at every C
    class_weight : None, "balanced", or a dict of class to weight, which multiplies ``sample_weight``
    n_jobs : threads, one a fold; None is 1, -1 is one for each core. The result does not depend on it.
    random_state : seed of the folds, and of the order in which coordinate descent visits the rows

    Attributes
    ----------
    C_ : the C that was chosen
    best_C_ : the C of the best mean score, the smallest if there are several
    Cs_ : the values of C, rising
    scores_ : the score of every fold at every C, of shape (folds, Cs)
    mean_scores_, standard_errors_ : their mean over the folds and its standard error
    coef_, intercept_, classes_, certificate_, ... : those of ``LinearSVM`` for C_ on all rows

    Examples
    --------
    >>> from novikoff import LinearSVMCV
    >>> X = [[0.0, 1.0], [1.0, 3.0], [0.5, 2.0], [2.0, 1.0], [3.0, 0.0], [2.5, 0.0]]
    >>> y = ["no", "no", "no", "yes", "yes", "yes"]
    >>> model = LinearSVMCV(Cs=5, cv=3).fit(X, y)
    >>> model.scores_.shape
    (3, 5)
    >>> model.predict([[2.5, 0.5]])
    array(['yes'], dtype='<U3')
    >>> model.certificate_.C == model.C_
    True

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees, section 3.4. Stone (1974),
    Cross-validatory choice and assessment of statistical predictions.
    """

    state_type = SelectedState

    def __init__(
        self,
        *,
        Cs: Any = 20,
        C_max: float | None = None,
        cv: Any = 5,
        scoring: Any = None,
        selection: str = "one_standard_error",
        loss: str = "hinge",
        fit_intercept: bool = True,
        penalized_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 100_000,
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
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Score every C on held-out rows, choose one, and solve for it on all rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (rows, features)
        y : labels, any two or more values
        sample_weight : what multiplies C for each row, and how much it counts in the score; 0 equals absence
        """
        where = type(self).__name__
        with AllOrNothing(self), one_core:
            settings = settings_of(where, self, 1.0)
            check_choice(where, "selection", self.selection, ("one_standard_error", "best"))
            data = validate_training_set(self, where, X, y, sample_weight, self.class_weight)
            trial = self._trial(where, data, y, sample_weight, settings)
            scores = self._score_folds(where, trial, settings)
            self._choose(trial.Cs, scores)
            self._refit(where, X, y, sample_weight)
        warn_if_wide(where, self.certificate_, stacklevel=3)
        self._warn_at_the_edge(where)
        return self

    def _warn_at_the_edge(self, where: str) -> None:
        """Warn if a grid that was computed ends where scores may still rise."""
        if np.ndim(self.Cs) == 0 and self.C_max is None and self.best_C_ == self.Cs_[-1] > self.Cs_[0]:
            warnings.warn(
                f"{where}: the best C, {self.best_C_:.3g}, is the largest of the grid. A larger one may be better: "
                "set C_max, or scale the columns of X.",
                UserWarning,
                stacklevel=3,
            )

    def _trial(self, where: str, data: TrainingSet, y: Any, sample_weight: Any, settings: Settings) -> Trial:
        rows = data.X.shape[0]
        labels, weights = check_labels(where, y, rows), check_weights(where, sample_weight, rows)
        Cs = grid_of(where, self.Cs, self.C_max, data, settings)
        splits = self._splits(where, data, labels, weights, settings.seed)
        return Trial(data, labels, weights, splits, Cs, _scorer(where, self.scoring))

    def _splits(self, where: str, data: TrainingSet, labels: NDArray[Any], weights: Weights, seed: int) -> list[Split]:
        if isinstance(self.cv, numbers.Integral):
            return stratified_folds(where, data.codes, weights, check_integer(where, "cv", self.cv, at_least=2), seed)
        from sklearn.model_selection import check_cv  # slow to import, and rarely needed

        try:
            splits = list(check_cv(self.cv, labels, classifier=True).split(data.X, labels))
        except (TypeError, ValueError, AttributeError) as error:
            raise input_error(
                where, f"cv must be a number of folds, a splitter or a list of splits. scikit-learn refused it: {error}"
            ) from error
        if len(splits) < 2:
            raise input_error(where, f"cv must make at least two folds, but it makes {len(splits)}.")
        return splits

    def _score_folds(self, where: str, trial: Trial, settings: Settings) -> Floats:
        """Scores of shape (folds, Cs); the folds side by side where there are threads for it."""
        at_once = min(settings.threads, len(trial.splits))
        options = SolverOptions(settings.max_iter, settings.threads // at_once, settings.seed)
        gaps = []

        def one(place: int) -> list[float]:
            learned, held_out = trial.splits[place]
            part = rows_to_learn(where, trial.data, np.asarray(learned), trial.weights, self.class_weight)
            models, gap = _models(part, settings.objective, trial.Cs, options)
            gaps.append(gap)
            weights = None if trial.weights is None else trial.weights[held_out]
            X, y = trial.data.X[held_out], trial.labels[held_out]
            return [trial.score(model, X, y, weights) for model in models]

        with in_threads(at_once) as each:
            try:
                scores = np.array(each(one, len(trial.splits)), dtype=np.float64)
            except BaseException:
                options.cancelled.set()
                raise
        if not np.all(np.isfinite(scores)):
            raise input_error(
                where, f"the score of a fold is {scores[~np.isfinite(scores)][0]}. Use other folds or scoring."
            )
        if max(gaps) > settings.objective.tol:
            warnings.warn(
                f"{where}: in a fold the relative gap is {max(gaps):.2g} after max_iter steps, above "
                f"tol={settings.objective.tol:g}. The scores of this fold are less reliable. Increase max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return scores

    def _choose(self, Cs: Floats, scores: Floats) -> None:
        self.Cs_, self.scores_ = Cs, scores
        self.mean_scores_ = scores.mean(axis=0)
        self.standard_errors_ = scores.std(axis=0, ddof=1) / np.sqrt(len(scores))
        best = int(np.argmax(self.mean_scores_))
        self.best_C_ = float(Cs[best])
        enough = self.mean_scores_[best]
        if self.selection == "one_standard_error":
            enough = enough - self.standard_errors_[best]
        self.C_ = float(Cs[int(np.argmax(self.mean_scores_ >= enough))])

    def _state(self) -> SelectedState:
        return SelectedState(SoftMarginState.of(self), Selection.of(self))

    def _stated(self) -> dict[str, Any]:
        return super()._stated() | {"C": self.C_, "loss": self.loss}

    def _restore(self, record: RunRecord) -> None:
        state: SelectedState = record.state
        state.machine.check("state.machine", record)
        state.selection.check(state.machine.certificates)
        state.machine.give(self, record)
        state.selection.give(self)

    def _refit(self, where: str, X: Any, y: Any, sample_weight: Any) -> None:
        """Become the machine of the chosen C."""
        shared = set(inspect.signature(LinearSVM).parameters) & set(self.get_params(deep=False))
        final = LinearSVM(C=self.C_, **{name: getattr(self, name) for name in shared})
        final.fit_for(where, X, y, sample_weight)
        self.__dict__.update({name: value for name, value in vars(final).items() if name.endswith("_")})


def _models(
    part: TrainingSet, objective: Objective, Cs: Floats, options: SolverOptions
) -> tuple[list[LinearSVM], float]:
    """The machines of a path, as estimators that predict, and the widest of their gaps."""
    gap, codes = 0.0, part.strategy.positive_codes
    weights = np.empty((len(Cs), len(codes), part.X.shape[1]))
    biases = np.empty(weights.shape[:2])
    for column, positive in enumerate(codes):
        for place, (_, solution, _) in enumerate(solve_path(part, positive, objective, Cs, options)):
            weights[place, column], biases[place, column] = solution.weights, solution.bias
            gap = max(gap, solution.relative_gap)
    models = []
    for place, C in enumerate(Cs.tolist()):
        model = LinearSVM(C=C)
        model.classes_, model.n_features_in_ = part.classes, part.X.shape[1]
        model.coef_, model.intercept_ = weights[place], biases[place]
        models.append(model)
    return models, gap


def _accuracy(model: LinearSVM, X: Any, y: NDArray[Any], weights: Weights) -> float:
    right = model.predict(X) == y
    if weights is None:
        return float(np.mean(right))
    return float(weights @ right / weights.sum()) if weights.any() else math.nan


def _scorer(where: str, scoring: Any) -> Callable[..., float]:
    """A function of model, rows, labels and weights, which may be None."""
    if scoring is None:
        return _accuracy
    from sklearn.metrics import check_scoring  # slow to import, and rarely needed

    try:
        scorer = check_scoring(LinearSVM(), scoring)
    except (TypeError, ValueError) as error:
        need = "scoring must be None, the name of a scorer of scikit-learn, or a function (model, X, y)"
        raise input_error(where, f"{need}, but it is {quote(scoring)}.") from error
    takes_weights = "sample_weight" in inspect.signature(scorer).parameters

    def score(model: LinearSVM, X: Any, y: NDArray[Any], weights: Weights) -> float:
        if weights is None or not takes_weights:
            return float(scorer(model, X, y))
        return float(scorer(model, X, y, sample_weight=weights))

    return score
