"""The folds of a cross-validation, solved and scored for values of C."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._estimators import ConvergenceWarning
from novikoff._multiclass import STRATEGIES, MulticlassStrategy
from novikoff._wide_array import stacked
from novikoff.errors import input_error, quote
from novikoff.solvers.path import solve_path
from novikoff.solvers.problem import Objective
from novikoff.solvers.solver import SolverOptions
from novikoff.solvers.training_set import TrainingSet
from novikoff.theory.geometry import Floats

from ._fold_products import FoldProducts
from ._folds import Indices, Split, subset
from ._joint import solve_joint_path
from ._machines import rows_of_pair
from ._settings import Settings, run_parallel
from ._state import set_strategy
from .soft_margin import LinearSVM

Weights = NDArray[np.float64] | None


class Experiment:
    """The data, folds and score of a cross-validation.

    Parameters
    ----------
    where : str
        The name of the estimator, for messages.
    data : TrainingSet
        All rows.
    strategy : MulticlassStrategy
        How the classes are handled.
    labels : ndarray
        The labels of all rows.
    weights : ndarray or None
        The sample weights, without class weights.
    splits : list of (ndarray, ndarray)
        The rows to learn from and to score.
    class_weight, scoring : object
        As in `LinearSVMCV`.
    settings : Settings
        What is minimised, and on how many threads.
    """

    def __init__(
        self,
        where: str,
        data: TrainingSet,
        strategy: MulticlassStrategy,
        labels: NDArray[Any],
        weights: Weights,
        splits: list[Split],
        class_weight: Any,
        scoring: Any,
        settings: Settings,
    ) -> None:
        self.where, self.data, self.strategy, self.labels, self.weights = where, data, strategy, labels, weights
        self.splits, self.class_weight, self.scoring, self.settings = splits, class_weight, scoring, settings
        self.scorer = _scorer(where, scoring)
        self.widest_gap = 0.0

    def score(self, Cs: Floats) -> Floats:
        """Return the scores, of shape (folds, Cs). Folds are solved in parallel if there are threads."""
        count, settings = len(self.splits), self.settings
        self.data.sharing_products(count * len(self.strategy.pairs) * len(Cs))
        options = settings.options(settings.threads // min(settings.threads, count))

        def score_fold(place: int) -> tuple[list[float], float]:
            learned, held_out = self.splits[place]
            learned, held_out = np.asarray(learned), np.asarray(held_out)
            part = subset(self.where, self.data, learned, self.weights, self.class_weight)
            fold = FoldProducts.solve(self.data, part, learned, self.strategy, settings.objective, Cs, options)
            if fold is not None:
                return self._score_over_products(fold, held_out, Cs, options.threads), fold.gap
            weights, biases, gap = _weights(part, self.strategy, settings.objective, Cs, options)
            return self._score_models(part, _models(part, self.strategy, Cs, weights, biases), held_out), gap

        folds = run_parallel(score_fold, count, settings.threads, settings.cancelled)
        self.widest_gap = max(self.widest_gap, *(gap for _, gap in folds))
        scores = np.array([of_fold for of_fold, _ in folds], dtype=np.float64)
        if not np.all(np.isfinite(scores)):
            raise input_error(
                self.where, f"the score of a fold is {scores[~np.isfinite(scores)][0]}. Use other folds or scoring."
            )
        return scores

    def _score_over_products(self, fold: FoldProducts, held_out: Indices, Cs: Floats, threads: int) -> list[float]:
        """Return the scores of the models of a fold; the weights are made only of those that need them."""
        predicted = fold.predict(held_out, threads) if self.scoring is None else [None] * len(Cs)
        rest = [place for place, labels in enumerate(predicted) if labels is None]
        models = _models(fold.part, self.strategy, Cs[rest], *fold.weights(rest)) if rest else []
        scores = dict(zip(rest, self._score_models(fold.part, models, held_out), strict=True))
        y, weights = self.labels[held_out], None if self.weights is None else self.weights[held_out]
        for place, labels in enumerate(predicted):
            if labels is not None:
                scores[place] = _share_right(labels == y, weights)
        return [scores[place] for place in range(len(Cs))]

    def _score_models(self, part: TrainingSet, models: list[LinearSVM], held_out: Indices) -> list[float]:
        """Return the score of each model, which were learned from ``part``, on the rows held out."""
        if not models:
            return []
        weights = None if self.weights is None else self.weights[held_out]
        X, y = self.data.X[held_out], self.labels[held_out]
        if self.scoring is None:
            return [self.scorer(model, X, y, weights) for model in models]
        X = part.in_full_width(X)  # the scorers of others see all columns
        return [self.scorer(_in_full_width(part, model), X, y, weights) for model in models]

    def baseline(self) -> tuple[Any, float]:
        """Return the most frequent label, and the mean accuracy over the folds of always predicting it."""
        counts = self.data.counts if self.data.counts is not None else np.bincount(self.data.codes).astype(np.float64)
        label = self.data.classes.tolist()[int(np.argmax(counts))]
        shares = []
        for _, held_out in self.splits:
            weights = np.ones(len(held_out)) if self.weights is None else self.weights[held_out]
            shares.append(float(weights @ (self.labels[held_out] == label) / weights.sum()))
        return label, float(np.mean(shares))

    def warn_if_wide(self) -> None:
        """Warn the caller of ``fit`` about the widest gap in a fold, if it exceeds ``tol``."""
        tol, has_max_time = self.settings.objective.tol, self.settings.max_time < math.inf
        limit, limits = ("the time", "max_time, max_iter") if has_max_time else ("max_iter steps", "max_iter")
        if self.widest_gap > tol:
            warnings.warn(
                f"{self.where}: in a fold the relative gap is {self.widest_gap:.2g} after {limit}, above "
                f"tol={tol:g}. The scores of this fold are less reliable. Increase {limits} or tol.",
                ConvergenceWarning,
                stacklevel=5,
            )


def _weights(
    part: TrainingSet, strategy: MulticlassStrategy, objective: Objective, Cs: Floats, options: SolverOptions
) -> tuple[Floats, Floats, float]:
    """Return the weights of the models of a path, their intercepts, and the widest of their gaps."""
    gap, pairs = 0.0, strategy.pairs
    weights = np.zeros((len(Cs), len(pairs), part.X.shape[1]))
    biases = np.empty(weights.shape[:2])
    if strategy.is_joint:
        for place, (_, joint) in enumerate(solve_joint_path(part, objective, Cs, options)):
            weights[place], biases[place] = joint.weights, joint.intercepts
            gap = max(gap, joint.relative_gap)
    for column, pair in enumerate(() if strategy.is_joint else pairs):
        own, _ = rows_of_pair(part, pair)
        for place, (_, solution, _) in enumerate(solve_path(own, pair[0], objective, Cs, options)):
            weights[place, column] = part.narrow(own.widen(solution.weights))
            biases[place, column] = solution.bias
            gap = max(gap, solution.relative_gap)
    return weights, biases, gap


def _models(
    part: TrainingSet, strategy: MulticlassStrategy, Cs: Floats, weights: Floats, biases: Floats
) -> list[LinearSVM]:
    """Return the models of a path as estimators of the columns of X that predict."""
    models = []
    for place, C in enumerate(Cs.tolist()):
        model = LinearSVM(C=C)
        set_strategy(model, STRATEGIES[strategy.name](part.classes, part.counts))
        model.n_features_in_ = part.X.shape[1]
        model.coef_, model.intercept_ = weights[place], biases[place]
        models.append(model)
    return models


def _in_full_width(part: TrainingSet, model: LinearSVM) -> LinearSVM:
    """Return a model of the columns that occur as one of all columns."""
    full = LinearSVM(C=model.C)
    full.classes_, full.multi_class_, full.class_count_ = model.classes_, model.multi_class_, model.class_count_
    full.n_features_in_, full.intercept_ = part.width, model.intercept_
    full.coef_ = stacked([part.widen(weights) for weights in model.coef_])
    return full


def _accuracy(model: LinearSVM, X: Any, y: NDArray[Any], weights: Weights) -> float:
    return _share_right(model.predict(X) == y, weights)


def _share_right(right: NDArray[np.bool_], weights: Weights) -> float:
    """Return the weighted share of the predictions that are right."""
    if weights is None:
        return float(np.mean(right))
    return float(weights @ right / weights.sum()) if weights.any() else math.nan


def _scorer(where: str, scoring: Any) -> Callable[..., float]:
    """Return a function of a model, rows, labels and weights; the weights may be None."""
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
        given = {} if weights is None or not takes_weights else {"sample_weight": weights}
        try:
            return float(scorer(model, X, y, **given))
        except ValueError as error:
            if callable(scoring):
                raise
            why = f"scoring={quote(scoring)} cannot be computed for these labels: {str(error).rstrip('.')}"
            raise input_error(where, f"{why}. Choose another one, such as balanced_accuracy.") from error

    return score
