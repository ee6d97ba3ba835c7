"""The vector v* that the weights of a perceptron are compared with."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from novikoff._estimators import ConvergenceWarning
from novikoff._wide_array import WideArray, changed, compact_attribute
from novikoff.errors import NotSeparableError, input_error
from novikoff.svm import HardMarginSVM
from novikoff.theory.geometry import Floats


def largest_margin_vector(U: Any, signs: Floats) -> Floats | None:
    """Return the vector with the largest margin on given rows, or None if no vector has all of them on its right side.

    Parameters
    ----------
    U : ndarray or CSR array of shape (n_samples, n_weights)
        The vectors u. They include the constant feature and all scaling, so the margin has the learner's own geometry.
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # any separator serves; its margin is measured
            return np.asarray(HardMarginSVM(fit_intercept=False).fit(U, signs).coef_[0], dtype=np.float64)
    except NotSeparableError:
        return None


def given_vector(where: str, comparator: Any, columns: int, fit_intercept: bool, positive: Any) -> Floats:
    """Return a comparator of the user as weights, followed by the intercept if the learner has one.

    Parameters
    ----------
    where : str
        Who asks, for error messages.
    comparator : array-like or estimator
        A vector of weights, with the intercept as its last entry or without one; or a fitted linear classifier.
    columns : int
        Number of features.
    fit_intercept : bool
        Whether the learner has an intercept.
    positive : object
        The label of the positive class.
    """
    if compact_attribute(comparator, "coef_") is not None:
        weights, intercept = _plane(where, comparator, positive)
    else:
        try:
            vector = np.ravel(np.asarray(comparator, dtype=np.float64))
        except (TypeError, ValueError):
            raise input_error(where, "comparator must be a vector of weights or a fitted linear classifier.") from None
        has_intercept = fit_intercept and len(vector) == columns + 1
        weights, intercept = (vector[:-1], float(vector[-1])) if has_intercept else (vector, 0.0)
    if len(weights) != columns:
        also = f" or {columns + 1}, the intercept last" if fit_intercept else ""
        raise input_error(where, f"comparator must have {columns} weights{also}, but it has {len(weights)}.")
    if not fit_intercept and intercept != 0:
        message = "comparator has an intercept, but the learner has none. Use a comparator with fit_intercept=False."
        raise input_error(where, message)
    found = np.append(weights, intercept) if fit_intercept else np.asarray(weights)
    if not (np.all(np.isfinite(found)) and np.any(found)):
        raise input_error(where, "comparator must have finite weights that are not all 0.")
    return found


def _plane(where: str, model: Any, positive: Any) -> tuple[Floats, float]:
    """Return the weights and the intercept of a classifier of two classes."""
    coef = compact_attribute(model, "coef_")  # it may be wider than the rows, and is refused then
    coef = coef if isinstance(coef, WideArray) else np.atleast_2d(np.asarray(coef, dtype=np.float64))
    classes = np.asarray(getattr(model, "classes_", [])).tolist()
    if len(coef) != 1 or positive not in classes:
        raise input_error(where, "comparator must be a classifier of the same two classes as y.")
    sign = 1.0 if classes[-1] == positive else -1.0
    return changed(coef[0], lambda values: sign * values), sign * float(np.ravel(model.intercept_)[0])
