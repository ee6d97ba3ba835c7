"""The claims of online certificates in fractions, written out for small data sets."""

from fractions import Fraction

import numpy as np

UNIT, SMALLEST = Fraction(1, 2**52), Fraction(1, 2**1074)


def around(number, steps=30):
    """Doubles around a number: some next to it, and some near those that rounding explains."""
    near = [float(number)]
    for _ in range(steps):
        near = [np.nextafter(near[0], -np.inf), *near, np.nextafter(near[-1], np.inf)]
    return [float(value) for value in near]


def agreeing(claimed, value, roundings):
    """Whether a claim differs from a value of at least 0 by so many roundings at most."""
    return abs(Fraction(claimed) - value) <= roundings * (UNIT * value + SMALLEST)


def vectors(X, geometry):
    """Rows u as lists of fractions; not for ``normalize``, which needs roots."""
    one = [Fraction(1)] if geometry.fit_intercept else []
    return [[*map(Fraction, row), *one] for row in np.asarray(X, dtype=float).tolist()]


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def model_of(evidence):
    one = [Fraction(evidence.intercept)] if evidence.geometry.fit_intercept else []
    return [*map(Fraction, evidence.weights.tolist()), *one]


def margins(X, signs, evidence):
    """y v.u of every row, with its private feature; with ``normalize``, times |u|, which has the same sign."""
    delta = Fraction(evidence.geometry.slack_feature)
    a = np.zeros(len(signs)) if evidence.duals is None else evidence.duals.dense(len(signs))
    v = model_of(evidence)
    scores = [int(y) * dot(v, u) for y, u in zip(signs, vectors(X, evidence.geometry), strict=True)]
    return [score + delta * delta * Fraction(float(own)) for score, own in zip(scores, a, strict=True)]


def squared_ratio(X, signs, evidence, rows=None, amounts=None):
    """(|sum a y u| / sum a)^2."""
    rows, amounts = (evidence.duals.rows, evidence.duals.weights) if rows is None else (rows, amounts)
    a, delta = [Fraction(float(value)) for value in amounts], Fraction(evidence.geometry.slack_feature)
    u = vectors(X, evidence.geometry)
    total = [
        sum((w * int(signs[i]) * u[i][j] for w, i in zip(a, rows, strict=True)), Fraction(0)) for j in range(len(u[0]))
    ]
    return (dot(total, total) + delta * delta * dot(a, a)) / sum(a) ** 2
