"""The spread of rows: the sum of the variances of their columns, by which the default C of a machine is chosen.

If all rows are multiplied by t and C is divided by t^2, the soft-margin problem keeps its solutions, with w divided by
t. So C = 1 / spread does not depend on the unit of the data: it is 1 for rows of about unit length, such as texts, and
1 / (number of columns) for standardised columns. Where columns have different units, the largest would determine the
spread and no column with a small unit could matter; so the spread counts as at most the number of columns.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from .geometry import Floats, blocks

NOISE, NOISE_OF_SPARSE = 1e-28, 1e-13  # rounding errors of the spread, for values of at most 1


def spread(X: Any, weights: Floats | None, centered: bool) -> float:
    """Return the weighted mean of |x - m|^2 over the rows.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows with finite values.
    weights : ndarray of shape (n_samples,) or None
        Weights of the rows, not all 0; None if all are 1.
    centered : bool
        Whether m is the mean row; otherwise it is 0.

    Returns
    -------
    float
        The spread; infinite or 0 if doubles cannot hold it.
    """
    stored = X.data if sp.issparse(X) else X
    largest = float(max(stored.max(initial=0), -stored.min(initial=0)))
    if largest == 0:
        return 0.0
    shares = np.full(X.shape[0], 1 / X.shape[0]) if weights is None else weights / weights.sum()
    mean = np.zeros(X.shape[1])
    if centered:
        for cut, block in blocks(X):
            mean += shares[cut] @ (block * (1 / largest))
    total = 0.0
    for cut, block in blocks(X):
        scaled, own = block * (1 / largest), shares[cut]
        if sp.issparse(scaled):  # |x - m|^2 = |x|^2 - 2 x.m + |m|^2
            squares = scaled.multiply(scaled).sum(axis=1)
            total += float(own @ (np.ravel(squares) - 2 * (scaled @ mean) + mean @ mean))
        else:
            scaled = scaled - mean
            total += float(own @ np.einsum("ij,ij->i", scaled, scaled))
    if total <= (NOISE_OF_SPARSE if sp.issparse(X) else NOISE) * centered:
        return 0.0
    with np.errstate(over="ignore"):
        return total * largest * largest


def cost_for_spread(value: float, columns: int) -> float:
    """Return C = 1 / min(spread, columns), rounded to three digits; 1 if the rows do not differ.

    Rounded, it does not depend on the order in which the spread was summed.
    """
    value = min(value, float(columns))
    return float(f"{1 / value:.3g}") if value > 0 and 1 / value < math.inf else 1.0
