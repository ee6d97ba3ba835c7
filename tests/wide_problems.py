"""Data with fewer rows than columns, for the tests of what is solved over products of rows."""

import numpy as np


def wide(rows=40, columns=90, noise=3.0, seed=0):
    """Rows of three factors and noise, which may or may not be separable."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3)) @ rng.normal(size=(3, columns)) + 0.3 * rng.normal(size=(rows, columns))
    return X, np.where(X[:, 0] + noise * rng.normal(size=rows) > 0, 1, -1)
