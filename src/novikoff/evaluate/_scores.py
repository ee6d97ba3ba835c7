"""Scores of a fitted classifier: its predictions compared with known labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._labels import encode
from novikoff._multiclass import MulticlassStrategy, OneVsRest
from novikoff._validation import check_labels, check_weights
from novikoff.errors import input_error, quote


@dataclass(frozen=True)
class Scores:
    """The quality of predictions, as ``scores`` returns it.

    Parameters
    ----------
    rows : int
        Number of rows.
    accuracy : float
        Fraction of the rows' weight that is predicted correctly.
    balanced_accuracy : float
        Mean recall over the labels that occur.
    labels : ndarray of shape (n_labels,)
        All labels that occur, or that are predicted, in ascending order.
    confusion : ndarray of shape (n_labels, n_labels)
        ``confusion[i, j]`` is the weight of the rows of ``labels[i]`` that are predicted as ``labels[j]``.
    roc_auc : float or None
        Area under the ROC curve of the last of two classes; None for more classes, or if only one of them occurs.
    average_precision : float or None
        Average precision of the last of two classes; None in the same cases.
    baseline : float
        Accuracy of predicting ``baseline_label`` for every row.
    baseline_label : object
        The most frequent label of these rows.
    precision : ndarray of shape (n_labels,)
        Of the rows that are predicted as each label, the fraction that has it; 0 if there are none.
    recall : ndarray of shape (n_labels,)
        Of the rows of each label, the fraction that is predicted so; 0 if there are none.
    f1 : ndarray of shape (n_labels,)
        Harmonic mean of precision and recall; 0 if both are 0.
    support : ndarray of shape (n_labels,)
        The weight of the rows of each label.
    unseen : tuple of (label, float)
        Labels of these rows that the model does not know, and the weight of their rows.
    constant : object or None
        The label that is predicted for every row; None if there are several.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> nk.evaluate.scores(nk.LinearSVM().fit(X, y), X, y).confusion
    array([[2., 0.],
           [0., 2.]])
    """

    rows: int
    accuracy: float
    balanced_accuracy: float
    labels: NDArray[Any]
    confusion: NDArray[np.float64]
    roc_auc: float | None
    average_precision: float | None
    baseline: float
    baseline_label: Any
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f1: NDArray[np.float64]
    support: NDArray[np.float64]
    unseen: tuple[tuple[Any, float], ...]
    constant: Any


def scores(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Scores:
    """Compare the predictions of a fitted classifier with known labels.

    Parameters
    ----------
    model : estimator
        A fitted classifier with ``decision_function``.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their labels. A label that the model does not know counts as a mistake.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts.

    Returns
    -------
    Scores
        Accuracy, confusion matrix and areas under the curves.

    Raises
    ------
    InvalidInputError
        If scores overflow, no row has a positive weight, or the labels are of another type than those of the model.

    See Also
    --------
    progressive : Measure an online learner while it learns.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> found = nk.evaluate.scores(nk.LinearSVM().fit(X, y), X, y)
    >>> found.accuracy, found.roc_auc
    (1.0, 1.0)
    """
    where = "scores"
    with np.errstate(over="ignore", invalid="ignore"):  # overflow is refused below
        decisions = model.decision_function(X)
    if not np.isfinite(decisions).all():
        raise input_error(where, "the scores of some rows overflow. Scale the columns of X.")
    predictions = _strategy_of(model).choose(decisions)
    labels = check_labels(where, y, len(predictions))
    weights = check_weights(where, sample_weight, len(labels))
    if weights is not None and not weights.any():
        raise input_error(where, "at least one row must have a weight above 0.")
    confusion, names = confusion_of(where, labels, predictions, weights)
    roc_auc = average_precision = None
    if len(model.classes_) == 2:
        positive = labels == model.classes_[1]
        if positive.any() and not positive.all():
            roc_auc, average_precision = _areas(positive, decisions, weights)
    return _scores_of(confusion, names, np.asarray(model.classes_), len(labels), roc_auc, average_precision)


def _areas(
    positive: NDArray[np.bool_], decisions: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> tuple[float | None, float | None]:
    """Return the areas under the ROC curve and under the steps of precision and recall; None if a class weighs 0.

    Rows with the same score make one point of the curves, as in scikit-learn.
    """
    order = np.argsort(-decisions, kind="stable")
    falling, count = decisions[order], np.ones(len(order)) if weights is None else weights[order]
    last_of_score = np.append(np.flatnonzero(falling[1:] != falling[:-1]), len(order) - 1)
    true = np.cumsum(count * positive[order])[last_of_score]
    false = np.cumsum(count * ~positive[order])[last_of_score]
    if true[-1] == 0 or false[-1] == 0:
        return None, None
    gained = np.diff(true, prepend=0.0)
    under_roc = np.sum(np.diff(false, prepend=0.0) * (true - gained / 2)) / (true[-1] * false[-1])
    precision = np.divide(true, true + false, out=np.zeros(len(true)), where=true + false > 0)
    return float(under_roc), float(gained @ precision / true[-1])


def scores_of_labels(
    where: str,
    labels: NDArray[Any],
    predictions: NDArray[Any],
    known: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
) -> Scores:
    """Return the scores of predicted labels; without decisions there are no areas under curves.

    ``known`` are the labels that the model knows.
    """
    if weights is not None and not np.any(weights):
        raise input_error(where, "the weights of all rows are 0. Give at least one row a weight above 0.")
    confusion, names = confusion_of(where, labels, predictions, weights)
    return _scores_of(confusion, names, known, len(labels), None, None)


def _strategy_of(model: Any) -> MulticlassStrategy:
    """Return how the decisions of a model become labels; one-vs-rest for models of other packages."""
    record = getattr(model, "record_", None)
    return OneVsRest(np.asarray(model.classes_)) if record is None else record.strategy


def _scores_of(
    confusion: NDArray[np.float64],
    names: NDArray[Any],
    known: NDArray[Any],
    rows: int,
    roc_auc: float | None,
    average_precision: float | None,
) -> Scores:
    """Return the scores that follow from a confusion matrix."""
    of_class, predicted, right = confusion.sum(axis=1), confusion.sum(axis=0), np.diag(confusion)
    present = of_class > 0
    recall = np.divide(right, of_class, out=np.zeros(len(names)), where=present)
    precision = np.divide(right, predicted, out=np.zeros(len(names)), where=predicted > 0)
    f1 = np.divide(2 * right, of_class + predicted, out=np.zeros(len(names)), where=of_class + predicted > 0)
    labels, unknown = names.tolist(), present & ~np.isin(names, known)
    most = int(of_class.argmax())
    answers = np.flatnonzero(predicted)
    return Scores(
        rows=rows,
        accuracy=float(right.sum() / confusion.sum()),
        balanced_accuracy=float(np.mean(recall[present])),
        labels=names,
        confusion=confusion,
        roc_auc=roc_auc,
        average_precision=average_precision,
        baseline=float(of_class[most] / of_class.sum()),
        baseline_label=labels[most],
        precision=precision,
        recall=recall,
        f1=f1,
        support=of_class,
        unseen=tuple((labels[code], float(of_class[code])) for code in np.flatnonzero(unknown).tolist()),
        constant=labels[answers[0]] if len(answers) == 1 else None,
    )


def confusion_of(
    where: str, labels: NDArray[Any], predictions: NDArray[Any], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the weight of the rows by true label (row) and predicted label (column), and the labels in order."""
    if labels.dtype.kind != predictions.dtype.kind and "U" in (labels.dtype.kind, predictions.dtype.kind):
        found, known = quote(labels[:1].tolist()[0]), quote(predictions[:1].tolist()[0])
        wrong = f"the labels, such as {found}, are of another type than those of the model ({known})."
        raise input_error(where, f"{wrong} Convert them to the type used in fit.")
    names, codes = encode(where, np.concatenate([labels, predictions]))
    codes = codes.astype(np.intp)
    truth, answer = codes[: len(labels)], codes[len(labels) :]
    counts = np.bincount(truth * len(names) + answer, weights, minlength=len(names) ** 2)
    return counts.reshape(len(names), len(names)).astype(np.float64), names
