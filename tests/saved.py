"""Fitted models of every kind, for tests of their files."""

import warnings
from functools import partial

import numpy as np
import scipy.sparse as sp

import novikoff as nk
from learners import LEARNERS
from novikoff.data.reading import HashingSettings, Reading
from novikoff.persistence.frame import pack, unpack

rng = np.random.default_rng(5)
X = rng.normal(size=(40, 3))
WEIGHTS = rng.integers(0, 4, size=40) + 0.5
TWO = np.where(X @ [1.0, -0.5, 0.25] + 0.1 > 0, "yes", "no")
THREE = np.array(["one", "three", "two"])[np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.6, 0.6])]

MACHINES = {
    "svm": partial(nk.LinearSVM),
    "svm, rest": partial(nk.LinearSVM, multi_class="ovr"),
    "svm, joint": partial(nk.LinearSVM, multi_class="crammer_singer", loss="hinge"),
    "svm, squared": partial(nk.LinearSVM, loss="squared_hinge", penalized_intercept=True, C=0.1),
    "svm, probability": partial(nk.LinearSVM, probability=True),
    "svm, warm": partial(nk.LinearSVM, warm_start=True),
    "svm, balanced": partial(nk.LinearSVM, class_weight="balanced", fit_intercept=False),
    "cross-validated": partial(nk.LinearSVMCV, Cs=(0.01, 0.1), cv=3, class_weight={"yes": 2.0}),
    "path": partial(nk.LinearSVMPath, Cs=[0.01, 0.1, 1.0]),
    "hard margin": partial(nk.HardMarginSVM),
}
ALL = {**LEARNERS, **MACHINES}
LABELS = {
    "text": lambda y: y,
    "objects": lambda y: y.astype(object),
    "booleans": lambda y: y == y[0],
    "integers": lambda y: np.unique(y, return_inverse=True)[1].astype(np.int32) - 1,
    "floats": lambda y: np.unique(y, return_inverse=True)[1] * 2.0,
}
READING = Reading(target="label", features=("a", "b"), text=("body",), hashing=HashingSettings(n_bits=8, norm="l2"))


def separable(y):
    """Rows that some plane separates, class from class, in the place of X."""
    values, codes = np.unique(y, return_inverse=True)
    return np.eye(max(3, len(values)))[codes][:, :3] * 5 + 0.1 * X


def fitted(name, y, rows=None, sample_weight=None, **parameters):
    """A model, the rows and the labels that it was fitted to."""
    model = ALL[name](**parameters)
    rows = separable(y) if rows is None else rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of how good a fit is: files keep bad ones, too
        model.fit(rows, y, sample_weight=sample_weight)
    return model


def sparse(rows):
    return sp.csr_array(np.where(np.abs(rows) < 0.3, 0.0, rows))


def again(model, path):
    """The model as its file has it."""
    model.save(path)
    return nk.load(path)


def rewritten(data, change):
    """The bytes of a model file after a change of its header."""
    tree, tensors = unpack("model.nvk", data)
    change(tree)
    return pack(tree, tensors)
