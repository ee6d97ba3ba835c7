"""A linear classifier whose weights were learned elsewhere."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from novikoff._labels import declared_classes
from novikoff._multiclass import OneVsRest
from novikoff.errors import input_error, quote

from ._classifier import BatchClassifier


class LinearClassifier(BatchClassifier):
    """Linear classifier with given weights, learned elsewhere.

    The score is w.x + b. It predicts as the learners do, but nothing is known about how the weights were found: there
    is no ``certificate_``, and ``fit`` raises an error. Create it with `LinearClassifier.of`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_problems, n_features)
        Weights. There is one binary problem for two classes, and one per class for more.
    intercept_ : ndarray of shape (n_problems,)
        Intercepts.
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    LinearSVM : A learner of such weights.
    novikoff.export.from_liblinear : Reads the weights from a model file of LIBLINEAR.

    References
    ----------
    .. [1] Fan et al. (2008), LIBLINEAR: a library for large linear classification.

    Examples
    --------
    >>> from novikoff import LinearClassifier
    >>> model = LinearClassifier.of(coef=[[1.0, -2.0]], intercept=[0.5], classes=["no", "yes"])
    >>> model.predict([[3.0, 1.0], [0.0, 1.0]])
    array(['yes', 'no'], dtype='<U3')
    """

    n_features_in_: int

    def __init__(self) -> None:
        pass

    @classmethod
    def of(cls, coef: Any, intercept: Any, classes: Any) -> Self:
        """Create a classifier from its weights.

        Parameters
        ----------
        coef : array-like of shape (n_problems, n_features)
            Weights: one row for two classes, whose positive scores mean the last class; one row per class for more.
        intercept : array-like of shape (n_problems,)
            Intercepts.
        classes : array-like of shape (n_classes,)
            Two or more labels in ascending order.

        Returns
        -------
        LinearClassifier
            The classifier.
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
        """Raise an error, since the weights are not learned here.

        Parameters
        ----------
        X, y, sample_weight : object
            Not used.

        Raises
        ------
        InvalidInputError
            Always.
        """
        raise input_error(type(self).__name__, "it cannot be fitted. Use a learner, such as LinearSVM.")

    @property
    def certificate_(self) -> Any:
        """Not available: nothing is known about how the weights were found."""
        raise AttributeError(f"{type(self).__name__} has no certificate_, since its weights were learned elsewhere.")


def _numbers(where: str, name: str, values: Any, dimensions: int) -> Any:
    """Return a copy as float64, with finite values only."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(())
    if array.ndim != dimensions:
        raise input_error(where, f"{name} must be an array of numbers with {dimensions} dimensions.")
    if not np.all(np.isfinite(array)):
        raise input_error(where, f"{name} contains NaN or infinity.")
    return array
