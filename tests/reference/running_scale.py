"""Examples that are scaled by what came before: standardised, or divided by root mean squares."""

import numpy as np


def seen(X):
    """Return (x_t - mean_t) / deviation_t for every row; a column that is constant so far is 0."""
    rows = []
    for t in range(1, len(X) + 1):
        moved = X[:t] - X[0]  # so that a column that is constant so far is exactly 0
        centred, deviation = moved[-1] - moved.mean(axis=0), moved.std(axis=0)
        rows.append(np.divide(centred, deviation, out=np.zeros_like(centred), where=deviation > 0))
    return np.array(rows)


def divided(X, weights=None):
    """Return x_t / r_t for every row, where r_t is the root mean square of the values other than 0 in each column."""
    weights = np.ones(len(X)) if weights is None else weights
    total, squares, rows = np.zeros(X.shape[1]), np.zeros(X.shape[1]), []
    for x, weight in zip(X, weights, strict=True):
        total, squares = total + weight * (x != 0), squares + weight * (x * x)
        rows.append(x * np.sqrt(np.divide(total, squares, out=np.zeros_like(x), where=squares > 0)))
    return np.array(rows)
