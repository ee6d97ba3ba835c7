"""A perceptron whose labels come ``delay`` examples late, with both ways to decide about an update."""

import numpy as np


def delayed_perceptron(X, y, delay, *, decide="served"):
    """Return the served mistakes, the rows of the updates, and the updates between service and learning of each."""
    v, served, wrong, rows, behind, count = np.zeros(X.shape[1]), [], [], [], [], 0
    labels = np.zeros(len(X))
    for t in range(len(X) + delay):
        if t < len(X):
            served.append((v @ X[t], count))
            labels[t] = y(v @ X[t]) if callable(y) else y[t]
            wrong.append(labels[t] * (v @ X[t]) <= 0)
        if t >= delay:
            x, sign, (score, then) = X[t - delay], labels[t - delay], served[t - delay]
            if sign * (score if decide == "served" else v @ x) <= 0:
                rows, behind = [*rows, t - delay], [*behind, count - then]
                v, count = v + sign * x, count + 1
    return np.array(wrong), np.array(rows, dtype=int), np.array(behind), v, labels
