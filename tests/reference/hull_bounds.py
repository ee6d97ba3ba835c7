"""The margin of a plane and the distance of hulls, in fractions; and numbers of all magnitudes to try them on."""

from fractions import Fraction

import numpy as np


def values(rng, *shape):
    """Numbers of one magnitude, of a few, or of all, with zeros and subnormal numbers among them."""
    kind = rng.integers(5)
    if kind == 4:
        return rng.integers(-3, 4, size=shape).astype(float)
    spread = (0, 3, 40, 300)[kind]
    middle = rng.choice([0, -300, 300]) if spread < 40 else 0
    if rng.random() < 0.5 and len(shape) == 2:  # columns of mixed scales
        powers = np.tile(middle + rng.uniform(-spread, spread, size=shape[1]), (shape[0], 1))
    else:
        powers = middle + rng.uniform(-spread, spread, size=shape)
    found = rng.normal(size=shape) * 10.0 ** np.clip(powers, -323, 307)
    return np.where(rng.random(shape) < 0.2, 0.0, found)


def fractions(vector):
    return [Fraction(entry) for entry in np.ravel(vector).tolist()]


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def truth(solution):
    """The smallest y f(x), |v|^2, the largest |u|^2, and the squared distance or None, as fractions."""
    w, b, extra = fractions(solution.weights), Fraction(solution.bias), int(solution.intercept == "penalized")
    rows = [(fractions(x), int(s), a) for x, s, a in zip(solution.X, solution.signs, solution.duals, strict=True)]
    rows = [row for row, counts in zip(rows, solution.counted, strict=True) if counts]
    smallest = min(s * (dot(x, w) + b) for x, s, _ in rows)
    radius = max(dot(x, x) + extra for x, _, _ in rows)
    sums = {side: sum((Fraction(a) for _, s, a in rows if s == side), Fraction(0)) for side in (1, -1)}
    if (min if solution.intercept == "free" else max)(sums.values()) == 0:
        return smallest, dot(w, w) + extra * b * b, radius, None
    scale = {side: min(sums.values()) / sums[side] if solution.intercept == "free" else Fraction(1) for side in sums}
    balanced = [([*x, Fraction(extra)], s * Fraction(a) * scale[s]) for x, s, a in rows if a]
    combined = [sum(a * u[j] for u, a in balanced) for j in range(len(w) + 1)]
    return smallest, dot(w, w) + extra * b * b, radius, dot(combined, combined) / sum(abs(a) for _, a in balanced) ** 2
