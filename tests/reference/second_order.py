"""The second-order perceptron and AROW, with the full matrix or its diagonal."""

import numpy as np


def outer(x, diagonal):
    return np.diag(x * x) if diagonal else np.outer(x, x)


def second_order_perceptron(X, y, a, *, diagonal=False, after=True):
    """Return the rows of the mistakes. The matrix of the score includes the present example if ``after``.

    Labels may be a function of the score: an adversary.
    """
    A, v, rows, signs = a * np.eye(X.shape[1]), np.zeros(X.shape[1]), [], []
    for t, x in enumerate(X):
        score = x @ np.linalg.solve(A + outer(x, diagonal) * after, v)
        sign = y(score) if callable(y) else y[t]
        if sign * score <= 0:
            A, v = A + outer(x, diagonal), v + sign * x
            rows, signs = [*rows, t], [*signs, sign]
    return np.array(rows, dtype=int), np.array(signs)


def arow(X, y, r, *, diagonal=False):
    """Return the rows of the updates, their signs, which of them were mistakes, and the mean and covariance."""
    covariance, mean, rows, signs, wrong = np.eye(X.shape[1]), np.zeros(X.shape[1]), [], [], []
    for t, x in enumerate(X):
        score = mean @ x
        sign = y(score) if callable(y) else y[t]
        if sign * score < 1:
            direction = covariance @ x
            beta = 1 / (x @ direction + r)
            mean = mean + (1 - sign * score) * beta * sign * direction
            if diagonal:
                covariance = np.diag(1 / (1 / np.diag(covariance) + x * x / r))
            else:
                covariance = covariance - beta * np.outer(direction, direction)
            rows, signs, wrong = [*rows, t], [*signs, sign], [*wrong, sign * score <= 0]
    return np.array(rows, dtype=int), np.array(signs), np.array(wrong, dtype=bool), mean, covariance
