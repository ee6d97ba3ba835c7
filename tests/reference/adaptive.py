"""Diagonal AROW with a floor, SCW and normalised adaptive updates, with the intercept as a column of U."""

import numpy as np


def arow(U, y, r=1.0, floor=0.0):
    """1/s_j += u_j^2 / r at margins below 1; returns the weights and variances."""
    w, s = np.zeros(U.shape[1]), np.ones(U.shape[1])
    for u, label in zip(U, y, strict=True):
        loss = 1 - label * (w @ u)
        if loss > 0:
            w = w + loss / (u @ (s * u) + r) * label * s * u
            s = np.maximum(floor, 1 / (1 / s + u**2 / r))
    return w, s


def scw_multiplier(m, V, phi, C, variant):
    """Alpha of propositions 1 and 2 of Wang, Zhao and Hoi (2012)."""
    if variant == "I":
        psi, zeta = 1 + phi**2 / 2, 1 + phi**2
        return min(C, max(0.0, (-m * psi + np.sqrt(m**2 * phi**4 / 4 + V * phi**2 * zeta)) / (V * zeta)))
    n = V + 1 / (2 * C)
    gamma = phi * np.sqrt(phi**2 * m**2 * V**2 + 4 * n * V * (n + V * phi**2))
    return max(0.0, (-(2 * m * n + phi**2 * m * V) + gamma) / (2 * (n**2 + n * V * phi**2)))


def soft_confidence_weighted(U, y, phi, C, variant):
    """1/s_j += alpha phi u_j^2 / sigma; returns the weights and variances."""
    w, s = np.zeros(U.shape[1]), np.ones(U.shape[1])
    for u, label in zip(U, y, strict=True):
        V = u @ (s * u)
        alpha = scw_multiplier(label * (w @ u), V, phi, C, variant)
        sigma = (np.sqrt((alpha * phi * V) ** 2 + 4 * V) - alpha * phi * V) / 2
        w, s = w + alpha * label * s * u, 1 / (1 / s + alpha * phi * u**2 / sigma)
    return w, s


SLOPES = {
    "logistic": lambda y, score: -y / (1 + np.exp(y * score)),
    "hinge": lambda y, score: -y * (y * score < 1),
    "squared": lambda y, score: 2 * (score - y),
}


def normalized_adaptive(U, y, learning_rate=0.5, loss="logistic"):
    """NAG; returns the weights and the scale of each column."""
    w, scale, squares = np.zeros((3, U.shape[1]))
    norms = 0.0
    for t, (u, label) in enumerate(zip(U, y, strict=True), start=1):
        larger = np.abs(u) > scale
        w[larger] *= scale[larger] / np.abs(u[larger])
        scale[larger] = np.abs(u[larger])
        used = u != 0
        norms += np.sum((u[used] / scale[used]) ** 2)
        gradient = SLOPES[loss](label, w @ u) * u
        squares += gradient**2
        used &= squares > 0
        w[used] -= learning_rate * np.sqrt(t / norms) * gradient[used] / (scale[used] * np.sqrt(squares[used]))
    return w, scale
