"""Random designs as statisticians build them: factors, small integers, interactions, repeated and aliased columns."""

import numpy as np


def random_design(seed):
    """X, labels 0 and 1, and whether there is an intercept."""
    rng = np.random.default_rng([16, seed])
    rows = int(rng.integers(5, 40))
    parts = [_main_effect(rng, rows) for _ in range(int(rng.integers(1, 4)))]
    if len(parts) > 1 and rng.random() < 0.6:
        a, b = rng.choice(len(parts), 2, replace=False)
        parts.append((parts[a][:, :, None] * parts[b][:, None, :]).reshape(rows, -1))
    X = np.hstack(parts)
    if rng.random() < 0.25:
        X = np.column_stack([X, X @ rng.integers(-1, 2, X.shape[1])])
    if rng.random() < 0.15:
        X = np.column_stack([X, np.full(rows, rng.integers(0, 3))])
    X = X[:, rng.permutation(X.shape[1])[:9]]
    if rng.random() < 0.3:
        X = X[rng.integers(0, rows, rows)]
    return X.astype(float), _labels(rng, X), bool(rng.random() < 0.8)


def _main_effect(rng, rows):
    """The columns of a numeric variable or of a factor."""
    if rng.random() < 0.5:
        return rng.integers(-2, 3, (rows, 1)) if rng.random() < 0.5 else rng.integers(0, 2, (rows, 1))
    levels = int(rng.integers(2, 5))
    return np.eye(levels, dtype=int)[rng.integers(0, levels, rows)][:, int(rng.random() < 0.7) :]


def _labels(rng, X):
    scores = X @ rng.integers(-2, 3, X.shape[1]) + rng.integers(-1, 2)
    y = np.where(scores == 0, rng.integers(0, 2, len(X)), scores > 0)
    if rng.random() < 0.5:  # labels overlap, except where some column is not 0
        column = X[:, rng.integers(X.shape[1])]
        y = np.where(column > 0, y, rng.integers(0, 2, len(X)))
    elif rng.random() < 0.3:
        y = rng.integers(0, 2, len(X))
    if len(set(y.tolist())) < 2:
        y[0] = 1 - y[0]
    return y.astype(int)


def dummies(kind, rows=20_000, levels=(60, 50, 40, 30, 20, 10, 6, 4, 2)):
    """Indicators of the levels of factors, without the first of each. With rare levels they separate rows."""
    rng = np.random.default_rng(0)
    parts, scores = [], np.zeros(rows)
    for count in levels:
        shares = 1.0 / np.arange(1, count + 1) ** (2.2 if kind == "quasi-complete" else 1.0)
        drawn = rng.choice(count, size=rows, p=shares / shares.sum())
        drawn[:count] = np.arange(count)
        parts.append(np.eye(count)[drawn][:, 1:])
        scores += rng.normal(size=count)[drawn]
    return np.hstack(parts), (rng.random(rows) < 1 / (1 + np.exp(-scores))).astype(int)
