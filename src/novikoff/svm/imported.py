"""A linear classifier that was learned elsewhere."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from novikoff._labels import declared_classes
from novikoff.errors import invalid

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
        where = f"{cls.__name__}.of"
        model = cls()
        model.classes_ = declared_classes(where, classes)
        if model.classes_.tolist() != np.asarray(classes).tolist():
            raise invalid(where, f"Classes in order, {model.classes_.tolist()}.", repr(classes))
        questions = 1 if len(model.classes_) == 2 else len(model.classes_)
        model.coef_ = _numbers(where, "coef", coef, 2)
        model.intercept_ = _numbers(where, "intercept", intercept, 1)
        rows, model.n_features_in_ = model.coef_.shape
        if rows != questions or model.n_features_in_ == 0:
            need = f"coef of {questions} rows, for {len(model.classes_)} classes, and at least one column."
            raise invalid(where, need, f"shape {model.coef_.shape}")
        if len(model.intercept_) != questions:
            raise invalid(where, f"intercept of {questions} numbers.", len(model.intercept_))
        return model

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Refuse: these weights are not learned here."""
        raise invalid(
            self._where("fit"), "A learner, such as LinearSVM: these weights come from elsewhere.", "a call of fit"
        )

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
        raise invalid(where, f"{name} = an array of numbers of {dimensions} dimensions.", f"{type(values).__name__}")
    if not np.all(np.isfinite(array)):
        raise invalid(where, f"{name} of finite numbers.", "NaN or infinity")
    return array
