"""Rows hashed into 2^20 columns against the same rows cut to the columns that occur: the width must be free of cost.

The rows are a table of mixed columns, 6 numbers and 8 categories. The peer is novikoff itself on the cut rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import novikoff as nk

from .harness import Session, Suite

BITS = 20
CATEGORIES = (8, 16, 7, 14, 6, 5, 2, 41)


def table(rows: int) -> tuple[Any, Any]:
    """Return a hashed table of mixed columns, and labels that depend on it."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(rows, 6))
    codes = [rng.choice(count, size=rows, p=rng.dirichlet(np.full(count, 0.7))) for count in CATEGORIES]
    score = numbers @ rng.normal(size=6) + sum(
        rng.normal(size=count)[code] for count, code in zip(CATEGORIES, codes, strict=True)
    )
    y = np.where(score + 2 * rng.logistic(size=rows) > np.quantile(score, 0.76), "yes", "no")
    examples = [
        {f"n{j}": float(value) for j, value in enumerate(numbers[i])}
        | {f"c{j}": f"v{code[i]}" for j, code in enumerate(codes)}
        for i in range(rows)
    ]
    return nk.Hashing(n_bits=BITS).transform(examples), y


def cut(X: Any) -> Any:
    """Return the rows without the columns that do not occur."""
    used, places = np.unique(X.indices, return_inverse=True)
    return sp.csr_array((X.data, places.astype(np.int32), X.indptr), shape=(X.shape[0], len(used)))


def tasks(X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    """Return what is measured."""
    model, perceptron, verdict = nk.LinearSVM().fit(X, y), nk.Perceptron(max_iter=5).fit(X, y), nk.separability(X, y)
    return {
        "LinearSVM": lambda: nk.LinearSVM().fit(X, y),
        "LinearSVMPath": lambda: nk.LinearSVMPath(Cs=10).fit(X, y),
        "LinearSVMCV": lambda: nk.LinearSVMCV(Cs=[0.01, 0.1, 1.0], cv=3).fit(X, y),
        "Perceptron": lambda: nk.Perceptron(max_iter=5).fit(X, y),
        "separability": lambda: nk.separability(X, y),
        "verify LinearSVM": lambda: nk.verify(model, X, y),
        "verify Perceptron": lambda: nk.verify(perceptron, X, y),
        "verify separability": lambda: verdict.verify(X, y),
        "predict": lambda: model.predict(X),
    }


def run(session: Session) -> None:
    """Measure all."""
    X, y = table(session.size["rows"])
    narrow = tasks(cut(X), y)
    for name, work in tasks(X, y).items():
        session.compare(
            f"{name}, 2^{BITS} columns",
            {"wide": work},
            {"novikoff, the columns that occur": narrow[name]},
            rounds=session.size["rounds"],
        )


SUITE = Suite(
    name="wide",
    measures="fits, checks and predictions of rows hashed into 2^20 columns",
    contestants=("novikoff on the columns that occur",),
    answers="both fits are proven to the same gap",
    limit="the time for the columns that occur, which is the peer: a ratio of 1",
    run=run,
    quick={"rows": 4_000, "rounds": 3},
    full={"rows": 32_000, "rounds": 9},
)
