"""The three passive-aggressive steps, with the weight of an example inside the step."""

import numpy as np


def step(variant, loss, squared_norm, C=1.0, weight=1.0):
    """tau of PA, PA-I, PA-II: the weight multiplies the C of the example's slack."""
    if loss <= 0 or squared_norm == 0:
        return 0.0
    if variant == "PA":
        return loss / squared_norm
    if variant == "PA-I":
        return min(weight * C, loss / squared_norm)
    return loss / (squared_norm + 1 / (2 * weight * C))


def passive_aggressive(U, y, variant, C=1.0, weights=None):
    """v += tau y u; returns the path of v, from 0 on."""
    weights = np.ones(len(U)) if weights is None else weights
    v, path = np.zeros(U.shape[1]), [np.zeros(U.shape[1])]
    for u, label, weight in zip(U, y, weights, strict=True):
        whole = int(weight)
        for copy in [1.0] * whole + [weight - whole] * int(weight > whole):
            v = v + label * step(variant, 1 - label * (v @ u), u @ u, C, copy) * u
        path.append(v)
    return np.array(path)
