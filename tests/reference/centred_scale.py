"""Columns that are centred and scaled while rows come, in plain NumPy, one column after the other."""

import math

import numpy as np


def centred(X, weights=None):
    """Return dense rows as a learner with ``scale="centred"`` learns them."""
    seen, weights = np.zeros(X.shape), np.ones(len(X)) if weights is None else weights
    for j, column in enumerate(X.T.tolist()):
        n = total = s = q = first = shift = factor = 0.0
        is_centred = False
        for i, (x, w) in enumerate(zip(column, weights, strict=True)):
            before, total = n, total + w
            u = (x - shift) * factor
            fits = factor > 0 and abs(u) <= 8
            if x:
                first = x if n == 0 else first
                n, s, q = n + w, s + w * (x - first), q + w * ((x - first) * (x - first))
            is_due = not fits or (math.frexp(before)[1] != math.frexp(n)[1] if x else 2 * n < total)
            if (x or is_centred) and is_due:
                is_centred = 2 * n >= total
                mean, spread = first + s / n, max(0.0, q - s * (s / n))
                shift = mean * (n / total) if is_centred else 0.0
                squares = spread + n * ((mean - shift) * (mean - shift))
                squares += (total - n) * (shift * shift) if is_centred else 0.0
                factor = math.sqrt((total if is_centred else n) / squares) if squares >= 1e-240 else 0.0
                shift = shift if factor else 0.0
                u = u if fits else (x - shift) * factor
            seen[i, j] = u
    return seen
