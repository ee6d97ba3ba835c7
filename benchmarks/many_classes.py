"""Online learners of many classes against scikit-learn, with equal numbers of passes and without intercepts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.linear_model

import novikoff as nk

from .data.text import text_like
from .harness import Session, Suite

PASSES, ROUNDS = 5, 3


def labels_of(X: sp.csr_matrix, classes: int, seed: int = 1) -> np.ndarray:
    """Return the largest of as many random linear functions, with noise."""
    random = np.random.default_rng(seed)
    scores = X @ random.standard_normal((X.shape[1], classes))
    return np.argmax(scores + 0.3 * random.standard_normal(scores.shape), axis=1)


def fits(session: Session, X: sp.csr_matrix, classes: int, threads: int, shuffle: bool) -> None:
    """Compare ``fit`` of the perceptron and of PA-I with so many threads."""
    y = labels_of(X, classes)
    pairs: dict[str, tuple[Any, Any]] = {
        "perceptron": (nk.Perceptron(), sklearn.linear_model.Perceptron()),
        "PA-I": (nk.PassiveAggressiveI(C=1.0), sklearn.linear_model.PassiveAggressiveClassifier(C=1.0)),
    }
    for name, (model, peer) in pairs.items():
        options = {"max_iter": PASSES, "shuffle": shuffle, "n_jobs": threads, "fit_intercept": False}
        model.set_params(**options)
        peer.set_params(tol=None, **options)
        session.compare(
            f"{name}, {classes} classes, {'shuffled' if shuffle else 'in sequence'}, threads: {threads}",
            {"novikoff": lambda m=model: m.fit(X, y)},
            {"scikit-learn": lambda m=peer: m.fit(X, y)},
            rounds=ROUNDS,
            cost=lambda model: 0.1 + np.mean(model.predict(X) != y),
            tolerance=0.25 if shuffle else 0.0,  # random orders differ
            limit=session.reading(PASSES * X.nnz * (X.data.itemsize + X.indices.itemsize)),
            products=PASSES * classes * int(X.nnz),
        )


def run(session: Session) -> None:
    """Measure all."""
    warnings.simplefilter("ignore")  # five passes do not converge, nor are they meant to
    X, _ = text_like(session.size["rows"], 50_000, 57)
    for classes in session.size["classes"]:
        for threads in (1, 2):
            for shuffle in (False, True):
                fits(session, X, classes, threads, shuffle)


SUITE = Suite(
    name="many_classes",
    measures="five passes of online learners over text-like rows of many classes",
    contestants=("scikit-learn",),
    answers="the weights misclassify as many rows; if rows are shuffled, at most 2.5 points more",
    limit="reading all values and columns from memory once in each pass, for all classes together",
    run=run,
    quick={"rows": 2_000, "classes": (20,)},
    full={"rows": 20_000, "classes": (20, 100)},
)
