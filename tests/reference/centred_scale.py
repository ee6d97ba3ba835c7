"""Columns that are centred and scaled while rows come, in plain NumPy, one column after the other."""

import math

import numpy as np


def step(n):
    """Return the power of two and the quarter of it that a weight is in."""
    mantissa, exponent = math.frexp(n)
    return exponent, int(mantissa * 8)


def centred(X, weights=None):
    """Return dense rows as a learner with ``scale="centred"`` sees them."""
    seen, weights = np.zeros(X.shape), np.ones(len(X)) if weights is None else weights
    for j, column in enumerate(X.T.tolist()):
        n = total = s = q = first = shift = factor = 0.0
        was_centred = False
        for i, (x, w) in enumerate(zip(column, weights, strict=True)):
            before, total = n, total + w
            if x:
                first = x if n == 0 else first
                n, s, q = n + w, s + w * (x - first), q + w * ((x - first) * (x - first))
            is_centred = n > 0 and 2 * n >= total
            is_large = x and abs((x - shift) * factor) > 4
            if n > 0 and (is_centred != was_centred or is_large or (x and (before == 0 or step(before) != step(n)))):
                mean, spread = first + s / n, max(0.0, q - s * (s / n))
                shift = mean * (n / total) if is_centred else 0.0
                squares = spread + n * ((mean - shift) * (mean - shift))
                squares += (total - n) * (shift * shift) if is_centred else 0.0
                factor = math.sqrt((total if is_centred else n) / squares) if squares >= 1e-240 else 0.0
                shift = shift if factor else 0.0
            was_centred = is_centred
            seen[i, j] = (x - shift) * factor
    return seen
