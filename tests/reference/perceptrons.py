"""The perceptron with both ties, its average and its vote."""

import numpy as np


def perceptron(U, y, tie="mistake"):
    """Return all vectors v_0 = 0, v_1, ..., one after each example, and the number of mistakes."""
    v, mistakes, path = np.zeros(U.shape[1]), 0, [np.zeros(U.shape[1])]
    for u, label in zip(U, y, strict=True):
        score = v @ u
        opinion = np.sign(score) if tie == "mistake" or score else 1.0
        if opinion != label:
            v, mistakes = v + label * u, mistakes + 1
        path.append(v)
    return np.array(path), mistakes


def averaged(U, y, tie="mistake"):
    """The mean of the vectors held after each example."""
    path, _ = perceptron(U, y, tie)
    return path[1:].mean(axis=0)


def voted(U, y, new, tie="mistake"):
    """The mean vote of the vectors held after each example, on new examples."""
    path, _ = perceptron(U, y, tie)
    votes = np.sign(new @ path[1:].T)
    votes[votes == 0] = 0.0 if tie == "mistake" else 1.0
    return votes.mean(axis=1)


def subgradient_descent(U, y, at_zero):
    """SGD with step 1 on max(0, -y v.u); ``at_zero(label)`` says whether the subgradient at the kink is -y u or 0."""
    v, path = np.zeros(U.shape[1]), [np.zeros(U.shape[1])]
    for u, label in zip(U, y, strict=True):
        slope = -label * (v @ u)
        gradient = -label * u if slope > 0 or (slope == 0 and at_zero(label)) else np.zeros_like(u)
        v = v - gradient
        path.append(v)
    return np.array(path)


def private_features(U, delta):
    """One more column for each example: delta in its own row, 0 elsewhere."""
    return np.hstack([U, delta * np.eye(len(U))])
