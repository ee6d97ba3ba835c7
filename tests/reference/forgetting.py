"""A perceptron that keeps the fraction ``keep`` of its weights at each update, and ``fade`` of them at each example."""

import numpy as np


def forgetting_perceptron(X, y, keep=1.0, fade=1.0):
    """Return the rows and signs of the mistakes, v after each of them, and what each of them kept of v before."""
    v, kept, rows, signs, path, factors = np.zeros(X.shape[1]), 1.0, [], [], [], []
    for t, x in enumerate(X):
        v, kept = fade * v, fade * kept
        score = v @ x
        sign = y(score) if callable(y) else y[t]
        if sign * score <= 0:
            v, factor, kept = keep * v + sign * x, keep * kept, 1.0
            rows, signs, path, factors = [*rows, t], [*signs, sign], [*path, v], [*factors, factor]
    return np.array(rows, dtype=int), np.array(signs), np.array(path), np.array(factors)
