"""A linear classifier that was learned elsewhere."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from novikoff._labels import declared_classes
from novikoff._multiclass import OneVsRest
from novikoff.errors import input_error, quote

from ._classifier import BatchClassifier


class LinearClassifier(BatchClassifier):
    """A linear classifier whose weights come from elsewhere. It predicts, and it claims nothing.

    The score is w.x + b; a score of exactly 0 goes to the positive class, the last of ``classes_``. For more than two
    classes there is a score for each, and the first of the largest wins. Nothing is known of how good the weights are:
    there is no ``certificate_``, and ``fit`` is refused.

    Parameters
    ----------
    There are none: ``of`` takes the weights.

    Attributes
    ----------
    coef_, intercept_ : weights and intercepts, one row for two classes, one a class for more
    classes_ : the labels, in order
    n_features_in_ : the number of features

    Examples
    --------
    >>> from novikoff import LinearClassifier
    >>> model = LinearClassifier.of(coef=[[1.0, -2.0]], intercept=[0.5], classes=["no", "yes"])
    >>> model.predict([[3.0, 1.0], [0.0, 1.0]])
    array(['yes', 'no'], dtype='<U3')

    References
    ----------
    Fan et al. (2008), LIBLINEAR: a library for large linear classification (``export.from_liblinear`` reads its files).
    """

    n_features_in_: int

    def __init__(self) -> None:
        pass

    @classmethod
    def of(cls, coef: Any, intercept: Any, classes: Any) -> Self:
        """Make a classifier of its weights.

        Parameters
        ----------
        coef : one row of weights for two classes, whose positive scores mean the last class; for more, one a class
        intercept : one number for each row of ``coef``
        classes : the labels, two or more, in order
        """
        where = cls.__name__
        model = cls()
        model.classes_ = declared_classes(where, classes)
        if model.classes_.tolist() != np.asarray(classes).tolist():
            raise input_error(where, f"classes must be in ascending order, {quote(model.classes_.tolist())}.")
        problems = len(OneVsRest(model.classes_).positives)
        model.coef_ = _numbers(where, "coef", coef, 2)
        model.intercept_ = _numbers(where, "intercept", intercept, 1)
        rows, model.n_features_in_ = model.coef_.shape
        if rows != problems or model.n_features_in_ == 0:
            need = f"coef must have {problems} rows, for {len(model.classes_)} classes, and at least one column"
            raise input_error(where, f"{need}, but its shape is {model.coef_.shape}.")
        if len(model.intercept_) != problems:
            raise input_error(where, f"intercept must have {problems} numbers, but it has {len(model.intercept_)}.")
        return model

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Refuse: these weights are not learned here."""
        raise input_error(type(self).__name__, "it cannot be fitted. Use a learner, such as LinearSVM.")

    @property
    def certificate_(self) -> Any:
        """There is none: nothing is known of how these weights were found."""
        raise AttributeError(
            f"{type(self).__name__} has no certificate_: its weights come from elsewhere, without proof."
        )


def _numbers(where: str, name: str, values: Any, dimensions: int) -> Any:
    """A copy as float64, finite throughout."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(())
    if array.ndim != dimensions:
        raise input_error(where, f"{name} must be an array of numbers with {dimensions} dimensions.")
    if not np.all(np.isfinite(array)):
        raise input_error(where, f"{name} contains NaN or infinity.")
    return array
