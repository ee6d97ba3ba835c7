"""The slacks of a soft margin: by how much each score falls short of the margin, computed in blocks of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .geometry import Floats, Matrix, blocks
from .losses import hinge


def hinge_slack(X: Any, signs: Floats, weights: Floats, bias: float) -> Floats:
    """Return xi_i = max(0, 1 - y_i (w.x_i + b)) of each row.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    weights : ndarray of shape (n_features,)
        The weights w.
    bias : float
        The intercept b.

    Returns
    -------
    ndarray of shape (n_samples,)
        The slacks.
    """
    found = np.empty(X.shape[0])
    for cut, block in blocks(X):
        found[cut] = hinge.value(signs[cut] * (np.asarray(block @ weights).ravel() + bias))
    return found


def joint_slack(X: Any, codes: NDArray[Any], weights: Matrix, biases: Floats) -> Floats:
    """Return xi_i, the largest of [k != y_i] + f_k(x_i) - f_{y_i}(x_i) over all classes k, of each row.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    codes : ndarray of shape (n_samples,)
        The class y_i of each row, as an index of ``weights``.
    weights : ndarray of shape (n_classes, n_features)
        The weights w_k.
    biases : ndarray of shape (n_classes,)
        The intercepts b_k.

    Returns
    -------
    ndarray of shape (n_samples,)
        The slacks. They are not negative, because k = y_i gives 0.
    """
    found = np.empty(X.shape[0])
    for cut, block in blocks(X, len(weights)):
        scores = np.asarray(block @ weights.T) + biases
        own = np.take_along_axis(scores, np.maximum(codes[cut], 0)[:, None], axis=1)
        short = 1 + scores - own
        np.put_along_axis(short, np.maximum(codes[cut], 0)[:, None], 0.0, axis=1)
        found[cut] = short.max(axis=1)
    return found
