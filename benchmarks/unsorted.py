"""The perceptron over CSR rows as SciPy leaves them, against scikit-learn.

A product of SciPy's matrices has unsorted indices, and a matrix that is built from lists of words has repeated ones.
The peer learns from the same arrays. No intercept is learned, as in online.py.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.linear_model

import novikoff as nk

from .data.text import text_like
from .harness import Session, Suite


def unsorted(X: sp.csr_matrix, seed: int = 2) -> sp.csr_matrix:
    """Return the rows with their entries in random order."""
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    order = np.argsort(row + np.random.default_rng(seed).random(X.nnz))
    return sp.csr_matrix((X.data[order], X.indices[order], X.indptr), shape=X.shape)


def repeated(X: sp.csr_matrix) -> sp.csr_matrix:
    """Return the rows with every tenth entry cut into two halves, in random order."""
    times = np.where(np.arange(X.nnz) % 10 == 0, 2, 1)
    offsets = np.concatenate([[0], np.cumsum(times)])[X.indptr].astype(X.indptr.dtype)
    halves = sp.csr_matrix((np.repeat(X.data / times, times), np.repeat(X.indices, times), offsets), shape=X.shape)
    return unsorted(halves)


def run(session: Session) -> None:
    """Measure ``fit`` of each kind of rows with each number of epochs."""
    warnings.simplefilter("ignore")  # ten passes do not converge, nor are they meant to
    X, y = text_like(session.size["rows"], 50_000, 57)
    for kind, rows in {"sorted": X, "unsorted": unsorted(X), "repeated": repeated(X)}.items():
        for epochs in session.size["epochs"]:
            options = {"max_iter": epochs, "shuffle": False, "fit_intercept": False}
            ours, peer = nk.Perceptron(**options), sklearn.linear_model.Perceptron(tol=None, **options)

            def fit(model: Any, rows: Any = rows) -> Any:
                return lambda: model.fit(rows, y)

            session.compare(
                f"{kind}, {epochs} epoch{'s' * (epochs > 1)}",
                {"novikoff": fit(ours)},
                {"scikit-learn": fit(peer)},
                rounds=5,
                cost=lambda model, rows=rows: np.mean(model.predict(rows) != y),
                tolerance=0.001,  # sums in another order
                limit=session.reading(epochs * rows.nnz * (rows.data.itemsize + rows.indices.itemsize)),
                nonzeros=epochs * int(rows.nnz),
            )


SUITE = Suite(
    name="unsorted",
    measures="passes over sparse rows whose indices are sorted, unsorted, or repeated",
    contestants=("scikit-learn",),
    answers="the weights misclassify the same rows, but for one in a thousand because sums have another order",
    limit="reading all values and columns from memory once in each epoch",
    run=run,
    quick={"rows": 20_000, "epochs": (1, 5)},
    full={"rows": 200_000, "epochs": (1, 5, 10)},
)
