"""One binary problem of a fitted classifier, as all displays see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from novikoff._estimators import check_is_fitted
from novikoff._multiclass import MulticlassStrategy, OneVsRest, tie_order
from novikoff._validation import check_labels
from novikoff._wide_array import changed, stacked
from novikoff.errors import input_error, quote
from novikoff.record import ProblemRecord, RunRecord
from novikoff.theory.certificate import Certificate, Support
from novikoff.theory.columns import compact
from novikoff.theory.geometry import Floats


@dataclass(frozen=True)
class BinaryProblem:
    """One class of a classifier, the positive one, against another class or all others.

    Parameters
    ----------
    where : str
        The class that error messages name.
    estimator : object
        The fitted classifier.
    column : int
        The index of the problem: the row of ``coef_``, and without ``negative`` the column of ``decision_function``.
    is_flipped : bool
        Whether the classifier has the other of two classes as the positive one.
    positive : object
        The label of the positive class.
    names : tuple of str
        What to call the negative and the positive side.
    record : ProblemRecord or None
        What the classifier's ``record_`` says about the problem; None for classifiers of other packages.
    negative : object or None, default=None
        The label of the negative class, if the rows of other classes are not part of the problem.
    """

    where: str
    estimator: Any
    column: int
    is_flipped: bool
    positive: Any
    names: tuple[str, str]
    record: ProblemRecord | None
    negative: Any = None

    @property
    def is_linear(self) -> bool:
        """Whether the score is w.x + b."""
        return hasattr(self.estimator, "coef_") if self.record is None else self.record.is_linear

    @property
    def weights(self) -> Floats:
        """The weights w, with the positive class on the positive side."""
        if self.record is not None:
            weights = self.record.weights
        elif hasattr(self.estimator, "coef_"):
            weights = np.atleast_2d(np.asarray(self.estimator.coef_, dtype=np.float64))[self.column]
        else:
            kind = type(self.estimator).__name__
            raise input_error(self.where, f"the classifier must be linear, with coef_, but it is a {kind}.")
        return cast("Floats", changed(weights, np.negative)) if self.is_flipped else weights

    @property
    def intercept(self) -> float:
        """The intercept b, with the positive class on the positive side."""
        if self.record is not None:
            intercept = self.record.intercept
        else:
            intercepts = np.ravel(self.estimator.intercept_)  # scikit-learn may have one number for all problems
            intercept = float(intercepts[self.column if len(intercepts) > 1 else 0])
        return -intercept if self.is_flipped else intercept

    @property
    def certificate(self) -> Certificate | None:
        """What is proven about this problem."""
        return None if self.record is None else self.record.certificate

    def signs(self, y: Any, rows: int) -> Floats:
        """Return labels as -1 and +1, and as 0 where they are not part of the problem."""
        labels = check_labels(self.where, y, rows)
        others = -1.0 if self.negative is None else np.where(labels == self.negative, -1.0, 0.0)
        return np.where(labels == self.positive, 1.0, others)

    def scores(self, X: Any) -> Floats:
        """Return the score of each row; positive scores are for the positive class."""
        if self.negative is not None:
            rows, weights = compact(table_of(self.where, X), self.weights)
            return np.asarray(rows @ weights, dtype=np.float64) + self.intercept
        scores = np.asarray(self.estimator.decision_function(X), dtype=np.float64)
        scores = scores if scores.ndim == 1 else scores[:, self.column]
        return -scores if self.is_flipped else scores

    def support(self, X: Any, y: Any) -> Support:
        """Return the rows that the weights are a weighted sum of, if they are known."""
        return Support() if self.certificate is None else self.certificate.support(X, y)

    def band(self, margins: Floats) -> float | None:
        """Return the score at the edge of the margin, or None if there is no margin.

        If the certificate does not define it, it is the smallest y f(x) of the rows, provided that all are positive.
        """
        edge = None if self.certificate is None else self.certificate.band()
        if edge is not None:
            return edge
        least = float(margins.min(initial=np.inf))
        return least if 0 < least < np.inf else None


def binary_problem(where: str, estimator: Any, class_: Any = None) -> BinaryProblem:
    """Return the problem of a class; by default that of the last of two classes, or of the first of more.

    If each weight vector is about two of several classes, or if all are parts of a joint problem, it is the problem of
    the class against the most frequent other one. ``class_`` may also be a pair (positive, negative) then.
    """
    check_is_fitted(estimator)
    record: RunRecord | None = getattr(estimator, "record_", None)
    strategy: MulticlassStrategy
    strategy = OneVsRest(np.asarray(estimator.classes_)) if record is None else record.strategy
    labels = strategy.classes.tolist()
    if len(labels) < 2:
        raise input_error(where, f"the classifier must know at least two classes, but it knows {len(labels)}.")
    if record is not None and (strategy.is_joint or strategy.pairs[0][1] is not None):
        return _problem_of_pair(where, estimator, record, class_)
    positives = strategy.positives
    if class_ is None:
        class_ = positives[0]
    _check_label(where, class_, labels)
    is_flipped = class_ not in positives
    column = 0 if is_flipped else positives.index(class_)
    others = [label for label in labels if label != class_]
    return BinaryProblem(
        where=where,
        estimator=estimator,
        column=column,
        is_flipped=is_flipped,
        positive=labels[labels.index(class_)],
        names=(str(others[0]) if len(others) == 1 else "the rest", str(class_)),
        record=None if record is None else record.problems[column],
    )


def _check_label(where: str, class_: Any, labels: list[Any]) -> None:
    if class_ not in labels:
        raise input_error(where, f"class_ must be one of {quote(labels)}, but it is {quote(class_)}.")


def _problem_of_pair(where: str, estimator: Any, record: RunRecord, class_: Any) -> BinaryProblem:
    """Return the problem of one class against another one."""
    labels, strategy = record.strategy.classes.tolist(), record.strategy
    if isinstance(class_, tuple) and len(class_) == 2:
        pair = [_code(where, label, labels) for label in class_]
    else:
        positive = (len(labels) == 2) * 1 if class_ is None else _code(where, class_, labels)
        order = tie_order(len(labels), strategy.counts).tolist()
        pair = [positive, next(code for code in order if code != positive)]
    if pair[0] == pair[1]:
        raise input_error(where, f"class_ must be a pair of two different classes, but it is {quote(class_)}.")
    is_flipped, column = False, pair[0]
    if strategy.is_joint:
        one, other = (record.problems[code] for code in pair)
        weights = changed(stacked([one.weights, other.weights]), lambda values: values[0] - values[1])
        intercept = one.intercept - other.intercept
        problem = replace(one, weights=weights, intercept=intercept, certificate=record.joint)
    else:
        is_flipped = pair[0] < pair[1]
        column = strategy.pairs.index((max(pair), min(pair)))
        problem = record.problems[column]
    positive, negative = (labels[code] for code in pair)
    names = (str(negative), str(positive))
    return BinaryProblem(where, estimator, column, is_flipped, positive, names, problem, negative)


def _code(where: str, label: Any, labels: list[Any]) -> int:
    _check_label(where, label, labels)
    return labels.index(label)


def table_of(where: str, X: Any) -> Any:
    """Return rows as an array of floats or a CSR matrix."""
    try:
        from sklearn.utils import check_array  # slow to import

        return check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False)
    except ValueError as error:
        raise input_error(where, f"X must be a table of numbers with one row per example: {error}") from error


def column_names(where: str, estimator: Any, feature_names: Any, columns: int, chosen: Iterable[int]) -> list[str]:
    """Return what chosen ones of all columns are called: by the given names, by the classifier, or by number."""
    names = getattr(estimator, "feature_names_in_", None) if feature_names is None else feature_names
    if names is None:
        return [f"column {column}" for column in chosen]
    if len(names) != columns:
        raise input_error(where, f"feature_names must have {columns} entries, one per column, but it has {len(names)}.")
    return [str(names[column]) for column in chosen]
