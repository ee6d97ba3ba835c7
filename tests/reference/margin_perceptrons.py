"""The margin perceptron with a known margin, and the one with a dynamic margin."""

import numpy as np


def fixed_margin(U, y, theta):
    """v += y u while y v.u < theta |v|, and always at v = 0; returns v and the number of updates."""
    v, updates = np.zeros(U.shape[1]), 0
    for u, label in zip(U, y, strict=True):
        if not v.any() or label * (v @ u) < theta * np.sqrt(v @ v):
            v, updates = v + label * u, updates + 1
    return v, updates


def dynamic_margin(U, y, epsilon):
    """The same with theta = (1 - epsilon) |v| / M after M updates."""
    v, updates = np.zeros(U.shape[1]), 0
    for u, label in zip(U, y, strict=True):
        if not v.any() or label * (v @ u) * updates < (1 - epsilon) * (v @ v):
            v, updates = v + label * u, updates + 1
    return v, updates


def normalized(U):
    """Rows of unit length; a row of zeros stays."""
    lengths = np.linalg.norm(U, axis=1, keepdims=True)
    return np.divide(U, lengths, out=np.zeros_like(U), where=lengths > 0)
