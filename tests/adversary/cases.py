"""Tiny data sets of every scale, and the honest certificates of all learners about them.

A case is determined by its number, so that a failure can be repeated: ``honest(number)``.
"""

import warnings
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

import novikoff as nk
from mixed import Mixed
from separable_cases import small_case

SEED = 15
LARGEST_EXPONENT = 300  # of ten, by which data are scaled
FEW_STEPS = {"max_iter": 200}  # a certificate must be true wherever a solver stops

BINARY = {
    "hinge": lambda: nk.LinearSVM(loss="hinge", **FEW_STEPS),
    "squared hinge": lambda: nk.LinearSVM(**FEW_STEPS),
    "large C": lambda: nk.LinearSVM(C=1e6, loss="hinge", tol=1e-10, **FEW_STEPS),
    "small C": lambda: nk.LinearSVM(C=1e-6, tol=1e-8, **FEW_STEPS),
    "penalized": lambda: nk.LinearSVM(C=3.0, penalized_intercept=True, **FEW_STEPS),
    "without intercept": lambda: nk.LinearSVM(loss="hinge", fit_intercept=False, **FEW_STEPS),
    "path": lambda: nk.LinearSVMPath(Cs=2, **FEW_STEPS),
    "hard margin": lambda: nk.HardMarginSVM(**FEW_STEPS),
    "hard margin, penalized": lambda: nk.HardMarginSVM(penalized_intercept=True, **FEW_STEPS),
    "hard margin without intercept": lambda: nk.HardMarginSVM(fit_intercept=False, **FEW_STEPS),
    "perceptron": lambda: nk.Perceptron(max_iter=20),
    "balanced perceptron": lambda: nk.Perceptron(class_weight="balanced", max_iter=5),
    "private features": lambda: nk.Perceptron(slack_feature=0.5, max_iter=20),
    "averaged perceptron": lambda: nk.AveragedPerceptron(max_iter=3),
    "voted perceptron": lambda: nk.VotedPerceptron(max_iter=3, fit_intercept=False),
    "margin perceptron": lambda: nk.MarginPerceptron(max_iter=20),
    "margin perceptron, unit length": lambda: nk.MarginPerceptron(normalize=True, max_iter=20),
    "passive-aggressive": lambda: nk.PassiveAggressive(max_iter=3),
    "passive-aggressive I": lambda: nk.PassiveAggressiveI(C=0.25, max_iter=3),
    "passive-aggressive II": lambda: nk.PassiveAggressiveII(C=0.25, max_iter=3),
    "AROW": lambda: nk.AROW(max_iter=3),
    "AROW, floor": lambda: nk.AROW(r=0.1, floor=0.1, max_iter=3, fit_intercept=False),
    "normalized adaptive": lambda: nk.NormalizedAdaptive(max_iter=2),
    "soft confidence": lambda: nk.SoftConfidenceWeighted(max_iter=2),
    "mixed perceptron": lambda: Mixed(nk.Perceptron(max_iter=20)),
    "mixed perceptron, unit length": lambda: Mixed(nk.Perceptron(normalize=True, max_iter=5), 3),
    "mixed passive-aggressive": lambda: Mixed(nk.PassiveAggressive(max_iter=3), (3, 0, 2)),
    "mixed passive-aggressive I": lambda: Mixed(nk.PassiveAggressiveI(C=0.25, max_iter=3, shuffle=False), 3),
    "mixed passive-aggressive II": lambda: Mixed(nk.PassiveAggressiveII(C=0.25, max_iter=3)),
    "separability": lambda: _Separability(True),
    "separability without intercept": lambda: _Separability(False),
}
SEVERAL = {
    "pairs": lambda: nk.LinearSVM(C=1.0, **FEW_STEPS),
    "one-vs-rest": lambda: nk.LinearSVM(multi_class="ovr", loss="hinge", **FEW_STEPS),
    "joint": lambda: nk.LinearSVM(multi_class="crammer_singer", loss="hinge", **FEW_STEPS),
    "joint, penalized": lambda: nk.LinearSVM(
        multi_class="crammer_singer", loss="hinge", C=1.0, penalized_intercept=True, **FEW_STEPS
    ),
    "joint without intercept": lambda: nk.LinearSVM(
        multi_class="crammer_singer", loss="hinge", C=1.0, fit_intercept=False, **FEW_STEPS
    ),
    "perceptrons": lambda: nk.Perceptron(max_iter=5),
    "mixed perceptrons": lambda: Mixed(nk.Perceptron(max_iter=5)),
    "multiclass perceptron": lambda: nk.MulticlassPerceptron(max_iter=5),
    "multiclass AROW": lambda: nk.MulticlassAROW(r=0.25, max_iter=3),
    "multiclass AROW, scaled": lambda: nk.MulticlassAROW(scale="running", max_iter=2),
    "multiclass passive-aggressive II": lambda: nk.MulticlassPassiveAggressiveII(C=0.25, max_iter=3),
}
MAKERS = {**BINARY, **SEVERAL}
QUICK = {  # one of each kind of certificate; the others are slow
    *("hinge", "squared hinge", "path", "hard margin", "separability", "perceptron", "private features"),
    *("voted perceptron", "margin perceptron, unit length", "passive-aggressive I", "AROW, floor"),
    *(
        "normalized adaptive",
        "mixed perceptron",
        "pairs",
        "joint, penalized",
        "multiclass perceptron",
    ),
}


class _Separability:
    """The verdict on separability, in the form of a learner."""

    def __init__(self, fit_intercept):
        self.fit_intercept = fit_intercept

    def fit(self, X, y, sample_weight=None):
        self.certificate_ = nk.separability(X, y, fit_intercept=self.fit_intercept)
        return self


@dataclass(frozen=True)
class Case:
    """One certificate with its data, and the learner it is from."""

    name: str
    certificate: Any
    X: Any
    y: Any
    weights: Any

    def verify(self, exact):
        return self.certificate.verify(self.X, self.y, self.weights, exact=exact)


def generator(*numbers):
    return np.random.default_rng([SEED, *numbers])


def power_of_ten(rng):
    return 10.0 ** rng.integers(-LARGEST_EXPONENT, LARGEST_EXPONENT + 1)


def data_set(rng, classes):
    """3 to 8 rows of 1 to 3 columns with labels, and weights or None."""
    rows, columns = int(rng.integers(max(3, classes), 9)), int(rng.integers(1, 4))
    kind = rng.choice(["integers", "normal", "apart", "columns", "far", "equal"])
    X = rng.normal(size=(rows, columns))
    y = rng.permutation(np.arange(rows) % classes)
    if kind == "integers":
        X = rng.integers(-3, 4, size=(rows, columns)).astype(float)
    elif kind == "apart":
        X[:, 0] += 5.0 * y
    elif kind == "columns":
        X = X * 10.0 ** rng.integers(-8, 9, size=columns) + (10.0 ** rng.integers(-8, 9)) * y[:, None]
    elif kind == "far":
        X[:, 0] += 1.7e9
    elif kind == "equal":
        X = X[rng.integers(0, 2, size=rows)] + y[:, None]
    if rng.random() < 0.5:
        with np.errstate(over="ignore", under="ignore"):
            X = X * power_of_ten(rng)
    weights = None
    if rng.random() < 0.3:
        weights = rng.choice([0.0, 0.5, 1.0, 1.0, 2.0, 1 / 3, 7.25], size=rows)
        weights[[int(np.argmax(y == label)) for label in range(classes)]] = 1.0
    return sp.csr_array(X) if rng.random() < 0.2 else X, y, weights


def honest(number, name=None):
    """The certificates of one learner on one data set, without those that the learner refuses to make."""
    name = name or str(generator(number).choice(list(MAKERS)))
    rng = generator(number, zlib.crc32(name.encode()))
    X, y, weights = data_set(rng, 3 if name in SEVERAL else 2)
    if name.startswith("separability"):
        weights = None
        if number % 2:  # rows that rounding makes hard to separate
            X, y, _ = small_case(number)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = MAKERS[name]().fit(X, y, weights)
    except (nk.InvalidInputError, nk.NotSeparableError):
        return []
    found = model.certificates_ if hasattr(model, "certificates_") else model.certificate_
    if name == "balanced perceptron":
        weights = balanced(y, weights)
    return [Case(name, each, X, y, weights) for each in (found if isinstance(found, list) else [found])]


def balanced(y, weights):
    """The weights of rows that class_weight="balanced" stands for, as ``fit`` computes them."""
    from novikoff._class_weights import row_weights

    return row_weights("test", "balanced", [0, 1], y.astype(np.int32), weights)
