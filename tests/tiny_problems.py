"""Tiny data sets with columns and rows of very different scales, from a random generator."""

import numpy as np

from machines import INTERCEPTS, LOSSES

SPANS = (1, 3, 6, 12)  # columns are multiplied by powers of ten up to this one, and down to its inverse


def tiny_set(rng, span):
    """3 to 12 rows of 1 to 5 columns, and labels 0 and 1; about two thirds of the sets are separable."""
    rows, columns = rng.integers(3, 13), rng.integers(1, 6)
    X = rng.integers(-3, 4, (rows, columns)).astype(float) if rng.random() < 0.5 else rng.normal(size=(rows, columns))
    y = rng.integers(0, 2, rows)
    if rng.random() < 0.4:
        scores = X @ rng.normal(size=columns)
        y = (scores > np.median(scores)).astype(int)
    if y.min() == y.max():
        y[0] = 1 - y[0]
    X *= 10.0 ** rng.integers(-span, span + 1, columns)
    return X * 10.0 ** rng.integers(-3, 4, rows)[:, None] if rng.random() < 0.3 else X, y


def tiny_machine(rng):
    """A tiny set, the parameters of a LinearSVM with any C, and sample weights or None."""
    X, y = tiny_set(rng, int(rng.choice(SPANS)))
    parameters = {
        "C": float(10.0 ** rng.uniform(-9, 12)),
        "tol": float(rng.choice([1e-10, 1e-4])),
        "loss": str(rng.choice(LOSSES)),
        **INTERCEPTS[str(rng.choice(list(INTERCEPTS)))],
    }
    return X, y, parameters, rng.uniform(0.1, 5, len(y)) if rng.random() < 0.3 else None
