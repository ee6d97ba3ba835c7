"""The soft margin with more and more rows, columns, classes and threads, against LinearSVC.

Both minimise 1/2 (|w|^2 + b^2) + C times the hinge losses for C = 1: novikoff to a proven gap of 1e-4, LinearSVC to its
default tolerance.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import novikoff as nk

from .data.text import text_like
from .harness import Session, Suite
from .many_classes import labels_of

ROUNDS, TOLERANCE = 5, 0.01


def objective(X: Any, y: np.ndarray, model: Any) -> float:
    """Return the sum of the objectives of all binary problems."""
    classes = model.classes_ if len(model.classes_) > 2 else model.classes_[1:]
    signs = np.where(y[:, None] == classes, 1.0, -1.0)
    slack = np.maximum(0, 1 - signs * (X @ model.coef_.T + model.intercept_))
    return float(0.5 * (np.sum(model.coef_**2) + np.sum(model.intercept_**2)) + slack.sum())


def ours(X: Any, y: np.ndarray, threads: int = 1) -> Callable[[], Any]:
    """Return our fit."""
    options = {"loss": "hinge", "penalized_intercept": True, "tol": 1e-4, "multi_class": "ovr", "n_jobs": threads}
    return lambda: nk.LinearSVM(C=1.0, **options).fit(X, y)


def compare(session: Session, axis: str, value: int, X: Any, y: np.ndarray) -> None:
    """Compare fits in one thread at one place of an axis."""
    size = X.nnz * (X.data.itemsize + X.indices.itemsize) if hasattr(X, "nnz") else X.nbytes
    session.compare(
        f"{axis}: {value:,}",
        {"novikoff": ours(X, y)},
        {"LinearSVC": lambda: LinearSVC(C=1.0, loss="hinge", random_state=0).fit(X, y)},
        rounds=ROUNDS,
        cost=lambda model: objective(X, y, model),
        tolerance=TOLERANCE,
        limit=session.reading(size),
        axis=axis,
        value=value,
    )


def dense(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return normal rows whose label is the sign of a linear function with noise."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, columns)) / np.sqrt(columns)
    return X, np.where(X @ random.normal(size=columns) + 0.3 * random.normal(size=rows) > 0, 1, -1)


def more_rows(session: Session) -> None:
    """Compare on sparse rows."""
    for rows in session.size["rows"]:
        compare(session, "rows", rows, *text_like(rows, 50_000, 57))


def more_columns(session: Session) -> None:
    """Compare on dense rows."""
    for columns in session.size["columns"]:
        compare(session, "columns", columns, *dense(session.size["dense_rows"], columns))


def more_classes(session: Session) -> None:
    """Compare one-vs-rest fits."""
    X, _ = text_like(session.size["class_rows"], 50_000, 57)
    for classes in session.size["classes"]:
        compare(session, "classes", classes, X, labels_of(X, classes))


def more_threads(session: Session) -> None:
    """Compare fits of many classes in several threads with those in one."""
    X, _ = text_like(session.size["class_rows"], 50_000, 57)
    y = labels_of(X, max(session.size["classes"]))
    threads = [n for n in (2, 4, 8, 16, 32) if n <= (os.cpu_count() or 1)]
    for count in threads:
        session.compare(
            f"threads: {count}",
            {"novikoff": ours(X, y, count)},
            {"novikoff, one thread": ours(X, y)},
            rounds=ROUNDS,
            cost=lambda model: objective(X, y, model),
            tolerance=TOLERANCE,
            axis="threads",
            value=count,
        )


AXES = {"rows": more_rows, "columns": more_columns, "classes": more_classes, "threads": more_threads}


def run(session: Session) -> None:
    """Measure the four axes."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    for axis in session.chosen(AXES):
        AXES[axis](session)


SUITE = Suite(
    name="scaling",
    measures="fits of the soft margin with more and more rows, columns, classes and threads",
    contestants=("LinearSVC",),
    answers="objectives differ by at most 1 percent; ours are proven to a gap of 1e-4",
    limit="reading the values from memory once; for threads, a ratio of their number",
    run=run,
    quick={
        "rows": (1_000, 4_000, 16_000),
        "columns": (20, 100, 500),
        "dense_rows": 2_000,
        "class_rows": 2_000,
        "classes": (2, 5, 20),
    },
    full={
        "rows": (10_000, 30_000, 100_000, 300_000, 1_000_000),
        "columns": (20, 100, 500, 2_000, 8_000),
        "dense_rows": 10_000,
        "class_rows": 20_000,
        "classes": (2, 5, 20, 100),
    },
)
