"""Small streams on which the bounds of online learners are tried: random ones, and labels that an adversary chooses."""

import numpy as np
import pytest

from share import share_of

SLACK = 1 + 1e-9  # for the rounding errors of both sides of an inequality


def few_and_many(few, many):
    """Run a test with ``few`` streams of 40 rows, and in the slow suite with ``many`` of 10 rows.

    The tests of a section of docs/theory.md together have 1e5 streams of 10 rows.
    """
    many = pytest.param(share_of(many), 10, marks=pytest.mark.slow, id="many")
    return pytest.mark.parametrize(("count", "rows_each"), [pytest.param(few, 40, id="few"), many])


def rows_of(rng, rows=40, columns=3):
    """Rows of one of four kinds: normal, small integers with ties, nearly parallel, and of very different columns."""
    X = rng.normal(size=(rows, columns))
    kind = int(rng.integers(4))
    if kind == 1:
        X = rng.integers(-2, 3, size=X.shape) * 1.0
    elif kind == 2:
        X = 0.1 * X + rng.choice([-3.0, 3.0], size=(rows, 1))
    elif kind == 3:
        X = X * 10.0 ** np.arange(columns)
    return X


def labels_of(rng, X):
    """Labels of a plane with some noise, random labels, or an adversary that contradicts every score."""
    kind = int(rng.integers(3))
    if kind == 2:
        return contradict
    y = np.where(X @ rng.normal(size=X.shape[1]) >= 0, 1.0, -1.0)
    flipped = rng.random(len(X)) < (0.1 if kind == 0 else 0.5)
    return np.where(flipped, -y, y)


def contradict(score):
    return 1.0 if score <= 0 else -1.0


def comparators(rng, columns):
    """Planes of several lengths, 0 among them."""
    return [np.zeros(columns)] + [rng.normal(size=columns) * 10.0**power for power in (-2, -1, 0, 1)]


def streams(count, seed, rows=40):
    """Random generators, rows and labels of ``count`` streams."""
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        X = rows_of(rng, rows)
        yield rng, X, labels_of(rng, X)
