"""The weights, the labels and the dual variables that a certificate of a support vector machine is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .certificate import Duals
from .columns import compact
from .geometry import Floats, Weights, as_table


@dataclass(frozen=True)
class SvmModel:
    """The model that a certificate of a support vector machine is about.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
        The weights w.
    bias : float
        The intercept b.
    positive : object
        The label that is +1.
    duals : Duals
        The dual variables a.
    costs : ndarray of shape (n_samples,) or None, default=None
        The cost C_i of each row; None if it is C for all. With ``negative``, of the rows of these two labels only.
    negative : object, default=None
        The label that is -1, if rows of other labels are not part of the problem; None if all other labels are -1.

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> model = LinearSVM().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]).certificate_.model
    >>> model.positive, model.signs(["yes", "no"])
    ('yes', array([ 1., -1.]))
    """

    weights: Weights
    bias: float
    positive: Any
    duals: Duals
    costs: Floats | None = None
    negative: Any = None

    def signs(self, y: Any) -> Floats:
        """Return labels as -1 and +1.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        ndarray of shape (n_samples,)
            +1 for the positive label, -1 for all others.
        """
        return np.where(np.ravel(y) == self.positive, 1.0, -1.0)

    def belongs(self, y: Any) -> NDArray[np.bool_]:
        """Return which rows are part of the problem.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            True for all rows, or for those of the positive and the negative label if there is a negative one.
        """
        labels = np.ravel(y)
        if self.negative is None:
            return np.ones(len(labels), dtype=bool)
        mask: NDArray[np.bool_] = (labels == self.positive) | (labels == self.negative)
        return mask

    def recombined(self, X: Any, y: Any, penalized: bool) -> tuple[Floats, Floats] | None:
        """Return v = sum a_i y_i x_i and w.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels.
        penalized : bool
            Whether to append the intercepts to both.

        Returns
        -------
        tuple of ndarray, or None
            The vectors v and w, without columns of a sparse X in which both are 0; None if X does not have the rows
            and columns that the model needs.
        """
        X, rows = as_table(X), self.duals.rows
        if len(self.weights) != X.shape[1] or int(rows.max(initial=-1)) >= X.shape[0]:
            return None
        signed = self.duals.weights * self.signs(y)[rows]
        X, weights = compact(X, self.weights)
        v: Floats = np.asarray(X[rows].T @ signed, dtype=np.float64).ravel()
        if penalized:
            return np.append(v, signed.sum()), np.append(weights, self.bias)
        return v, weights
