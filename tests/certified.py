"""Data with a certificate of them, other data that it must be refused on, and a way to change its claims."""

import dataclasses
from types import SimpleNamespace

import numpy as np

from strategies import make_separable


def separable_data(seed=0, rows=50, columns=4, gap=0.1):
    data = make_separable(np.random.default_rng(seed), rows, columns, gap, intercept=True)
    return data.X, data.y


def overlapping_data(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(50, 4)), rng.choice([-1.0, 1.0], size=50)


def change(certificate, **fields):
    """The certificate with other claims; those of its evidence, or its model, are named by a leading underscore."""
    inner = {name[1:]: value for name, value in fields.items() if name.startswith("_")}
    own = {name: value for name, value in fields.items() if not name.startswith("_")}
    part = "model" if hasattr(certificate, "model") else "evidence"
    if inner:
        own[part] = dataclasses.replace(getattr(certificate, part), **inner)
    return dataclasses.replace(certificate, **own)


def with_certificate(model, certificate):
    """A model whose last problem, or whose joint one, has another certificate."""
    record = model.record_
    if record.joint is not None:
        return SimpleNamespace(record_=dataclasses.replace(record, joint=certificate))
    *others, last = record.problems
    problems = (*others, dataclasses.replace(last, certificate=certificate))
    return SimpleNamespace(record_=dataclasses.replace(record, problems=problems))


def failed(verification):
    """The names of the claims that fail."""
    return {check.claim for check in verification.failures}


def rows_of(X, y, weights, rows):
    return X[rows], y[rows], None if weights is None else weights[rows]


def with_labels(y, rows):
    """The labels, of which those of some rows are the first one instead of the last, or the other way round."""
    labels, codes = np.unique(y, return_inverse=True)
    turned = y.copy()
    turned[rows] = labels[::-1][codes][rows]
    return turned


OTHER_DATA = {
    "other rows": lambda X, y, weights: (np.random.default_rng(8).normal(size=X.shape), y, weights),
    "permuted rows": lambda X, y, weights: rows_of(X, y, weights, np.random.default_rng(9).permutation(len(y))),
    "a row less": lambda X, y, weights: rows_of(X, y, weights, np.arange(len(y) - 1)),
    "a row more": lambda X, y, weights: rows_of(X, y, weights, np.r_[: len(y), 0]),
    "one label turned": lambda X, y, weights: (X, with_labels(y, [0]), weights),
    "all labels turned": lambda X, y, weights: (X, with_labels(y, np.arange(len(y))), weights),
    "scaled": lambda X, y, weights: (1.001 * X, y, weights),
    "a column more": lambda X, y, weights: (np.hstack([X, X[:, :1]]), y, weights),
    "a column less": lambda X, y, weights: (X[:, 1:], y, weights),
    "fewer labels": lambda X, y, weights: (X, y[:-1], weights),
    "other weights": lambda X, y, weights: (X, y, np.full(len(y), 2.0)),
}
