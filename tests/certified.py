"""Data with a certificate of them, other data that it must be refused on, and a way to change its claims."""

import dataclasses

import numpy as np

from strategies import make_separable


def separable_data(seed=0, rows=50, columns=4, gap=0.1):
    data = make_separable(np.random.default_rng(seed), rows, columns, gap, intercept=True)
    return data.X, data.y


def overlapping_data(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(50, 4)), rng.choice([-1.0, 1.0], size=50)


DATA = {"separable": separable_data, "overlapping": overlapping_data}


def change(certificate, **fields):
    """The certificate with other claims; those of its evidence are named by a leading underscore."""
    evidence = {name[1:]: value for name, value in fields.items() if name.startswith("_")}
    own = {name: value for name, value in fields.items() if not name.startswith("_")}
    return dataclasses.replace(certificate, evidence=dataclasses.replace(certificate.evidence, **evidence), **own)


def permuted(X, y):
    order = np.random.default_rng(9).permutation(len(y))
    return X[order], y[order]


def one_label_turned(X, y):
    y = y.copy()
    y[5] = -y[5]
    return X, y


OTHER_DATA = {
    "other rows": lambda X, y: (np.random.default_rng(8).normal(size=X.shape), y),
    "permuted rows": permuted,
    "a row less": lambda X, y: (X[:-1], y[:-1]),
    "a row more": lambda X, y: (np.vstack([X, X[:1]]), np.append(y, y[0])),
    "one label turned": one_label_turned,
    "all labels turned": lambda X, y: (X, -y),
    "scaled": lambda X, y: (1.001 * X, y),
    "a column more": lambda X, y: (np.hstack([X, X[:, :1]]), y),
    "a column less": lambda X, y: (X[:, 1:], y),
    "fewer labels": lambda X, y: (X, y[:-1]),
}
