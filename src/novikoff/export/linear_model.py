"""The weights of a linear model, whichever learner found them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._json import plain
from novikoff._multiclass import STRATEGIES, MulticlassStrategy, OneVsRest, tie_order
from novikoff._wide_array import WideArray, changed, narrowed, stacked, stored
from novikoff.errors import input_error, quote_first
from novikoff.record import RunRecord
from novikoff.theory.geometry import Floats

MIN_COLUMNS_TO_CUT = 256  # models of fewer columns are exported with all of them


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A classifier with the scores ``X @ coef.T + intercept``.

    Parameters
    ----------
    coef : ndarray of shape (n_problems, n_features)
        Weights; one row for two classes; for more, one per class, or one per pair of classes.
    intercept : ndarray of shape (n_problems,)
        Intercepts.
    strategy : MulticlassStrategy
        How the scores become decisions and labels. Its classes are of bool, int64, float64 or str, two or more.
    """

    coef: Floats
    intercept: Floats
    strategy: MulticlassStrategy

    @property
    def classes(self) -> NDArray[Any]:
        """The labels in ascending order."""
        return self.strategy.classes

    @property
    def has_pairs(self) -> bool:
        """Whether each problem is about two of several classes."""
        return self.strategy.pairs[0][1] is not None

    def tie_order(self) -> NDArray[np.intp]:
        """Return the codes of the classes in the order in which exact ties are decided.

        Of two classes without known frequencies, it is the last one that has a score of 0.
        """
        counts = self.strategy.counts
        if len(self.classes) == 2:
            return np.array([1, 0] if counts is None or counts[1] >= counts[0] else [0, 1], dtype=np.intp)
        return tie_order(len(self.classes), counts)

    def written_columns(self) -> NDArray[np.int64]:
        """Return the columns that have a weight other than +0."""
        kept = stored(self.coef)
        found = np.flatnonzero(((kept != 0) | np.signbit(kept)).any(axis=0))
        return self.coef.columns[found] if isinstance(self.coef, WideArray) else found

    def without_zeros(self) -> tuple[LinearModel, NDArray[np.int64] | None]:
        """Return a wide model without the columns that have no weight, and the numbers of the others.

        If half of the columns or more have a weight, or if there are few columns, return this model and None. At least
        one column is kept.
        """
        columns = self.written_columns()
        columns = columns if len(columns) else np.zeros(1, dtype=np.int64)
        if not is_worth_cutting(len(columns), self.coef.shape[1]):
            return self, None
        return replace(self, coef=np.ascontiguousarray(narrowed(self.coef, columns))), columns


def is_worth_cutting(kept: int, columns: int) -> bool:
    """Whether an export leaves out the other columns: if they are more than half of many."""
    return columns >= MIN_COLUMNS_TO_CUT and 2 * kept < columns


def linear_model(record: RunRecord) -> LinearModel:
    """Return the weights of a model, or refuse a model that has other scores than ``w.x + b``.

    Parameters
    ----------
    record : RunRecord
        The record of a fitted model.

    Returns
    -------
    LinearModel
        Its finite weights and its labels. Two classes of a joint problem have one score, the difference of both.
    """
    where, problems = record.learner, record.problems
    if not all(problem.has_linear_score for problem in problems):
        message = "the model predicts by votes and cannot be exported as one weight per feature"
        raise input_error(where, f"{message}. AveragedPerceptron is the most similar linear model.")
    classes = _typed_classes(where, record.strategy.classes)
    if len(classes) < 2:
        raise input_error(where, f"the model must have seen at least two classes, but it has seen {classes.tolist()}.")
    strategy = record.strategy
    if len(problems) != len(strategy.pairs):
        raise input_error(where, "only one classifier can be exported, but this holds several.")
    coef, intercept = stacked([p.weights for p in problems]), np.array([p.intercept for p in problems])
    if not (np.all(np.isfinite(stored(coef))) and np.all(np.isfinite(intercept))):
        raise input_error(where, "the weights must be finite, but there is NaN or infinity among them.")
    if strategy.is_joint and len(classes) == 2:  # the difference of both scores decides
        difference = changed(coef, lambda values: values[1:] - values[:1])
        return LinearModel(difference, intercept[1:] - intercept[:1], OneVsRest(classes, strategy.counts))
    return LinearModel(coef, intercept, STRATEGIES[strategy.name](classes, strategy.counts))


def _typed_classes(where: str, classes: NDArray[Any]) -> NDArray[Any]:
    """Return the classes as an array of integers, floats, booleans or text that any program can read."""
    typed = np.array(classes.tolist()) if classes.dtype.kind == "O" else classes
    if typed.dtype.kind == "u" and typed.max(initial=0) <= np.iinfo(np.int64).max:
        typed = typed.astype(np.int64)
    is_text = typed.dtype.kind == "U" and all(map(_is_unicode_text, classes.tolist()))
    if typed.ndim != 1 or not (typed.dtype.kind in "bif" or is_text):
        found = quote_first(classes.tolist())
        raise input_error(where, f"classes must be integers, floats, booleans or strings, and these ({found}) are not.")
    return typed


def _is_unicode_text(label: Any) -> bool:
    """Whether a label is a string without lone surrogates, which have no bytes in UTF-8."""
    return isinstance(label, str) and not any("\ud800" <= letter <= "\udfff" for letter in label)


def column_names(record: RunRecord, columns: NDArray[np.int64] | None = None) -> list[Any] | None:
    """Return the names of some columns, or of all, as JSON can hold them; None if they have no names."""
    names = record.column_names
    if names is None:
        return None
    found: list[Any] = plain(list(names) if columns is None else [names[j] for j in columns.tolist()], unknown=repr)
    return found


def parameters_of(record: RunRecord) -> dict[str, Any]:
    """Return the parameters of a model as JSON can hold them."""
    parameters: dict[str, Any] = plain(record.parameters, unknown=repr)
    return parameters
