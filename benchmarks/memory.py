"""Peaks of memory beyond the data, of novikoff and of its peers, each in a new process.

A peak does not depend on what else the machine does. What a program allocates once for all calls is not counted: a call
with few rows comes first.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron
from sklearn.svm import LinearSVC

import novikoff as nk

from .data.text import text_like
from .harness import Session, Suite, Worker
from .harness.memory import bytes_beyond
from .harness.session import show
from .parse import write_files
from .scaling import dense

CAP = 600.0
FITS: dict[str, Callable[[Any, np.ndarray], Any]] = {
    "novikoff.LinearSVM": lambda X, y: nk.LinearSVM(n_jobs=1).fit(X, y),
    "novikoff.Perceptron": lambda X, y: nk.Perceptron(max_iter=5).fit(X, y),
    "novikoff.separability": lambda X, y: nk.separability(X, y),
    "LinearSVC": lambda X, y: LinearSVC().fit(X, y),
    "scikit-learn's Perceptron": lambda X, y: Perceptron(max_iter=5, tol=None).fit(X, y),
}
WORKS = {  # ours, and the peers that do the same
    "novikoff.LinearSVM": ("LinearSVC",),
    "novikoff.Perceptron": ("scikit-learn's Perceptron",),
    "novikoff.separability": (),
}


def prepare(kind: str, rows: int) -> tuple[Any, np.ndarray]:
    """Return rows of one kind."""
    return text_like(rows, 50_000, 57) if kind == "sparse" else dense(rows, 100)


def fit_bytes(data: tuple[Any, np.ndarray], who: str) -> int:
    """Return the most bytes that a fit holds beyond the data."""
    warnings.simplefilter("ignore")  # five passes do not converge, nor are they meant to
    X, y = data
    FITS[who](X[:200], y[:200])
    return bytes_beyond(lambda: FITS[who](X, y))


def read_bytes(_: None, who: str, path: str, few: str) -> int:
    """Return the most bytes that reading a file holds, its result included."""
    read: dict[str, Callable[[str], Any]] = {
        "novikoff.read_svmlight": nk.read_svmlight,
        "scikit-learn": load_svmlight_file,
    }
    read[who](few)
    return bytes_beyond(lambda: read[who](path))


def nothing() -> None:
    """Prepare nothing."""


def measured(prepare: Callable[..., Any], arguments: tuple[Any, ...], job: Callable[..., int], *given: Any) -> float:
    """Return MB at the peak of a job in a new process."""
    worker = Worker(prepare, *arguments)
    found = worker(CAP, job, *given)
    worker.close()
    return float(found) / 1e6


def reading(rows: int) -> dict[str, Any]:
    """Return the peaks of reading an svmlight file."""
    text, few = write_files(rows)[0], write_files(200)[0]
    X, y = nk.read_svmlight(text)
    result = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + y.nbytes) / 1e6
    peaks = {
        who: measured(nothing, (), read_bytes, who, str(text), str(few))
        for who in ("novikoff.read_svmlight", "scikit-learn")
    }
    ours, peer = peaks.values()
    return {
        "work": "novikoff.read_svmlight",
        "rows": f"{rows:,} rows of text, {Path(text).stat().st_size / 1e6:.0f} MB",
        "data_MB": 0.0,
        "ours_MB": ours,
        "peers_MB": {"scikit-learn": peer},
        "limit": "the arrays that are returned",
        "limit_MB": result,
    }


def fitting(work: str, kind: str, rows: int) -> dict[str, Any]:
    """Return the peaks of a fit and of its peers."""
    X, _ = prepare(kind, rows)
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if kind == "sparse" else X.nbytes
    peaks = {who: measured(prepare, (kind, rows), fit_bytes, who) for who in (work, *WORKS[work])}
    return {
        "work": work,
        "rows": f"{rows:,} x {X.shape[1]:,}, {kind}",
        "data_MB": size / 1e6,
        "ours_MB": peaks.pop(work),
        "peers_MB": peaks,
        "limit": "a vector of the rows and one of the columns",
        "limit_MB": 8 * sum(X.shape) / 1e6,
    }


def run(session: Session) -> None:
    """Measure all."""
    session.merge("peaks", ("work", "rows"), [reading(session.size["text_rows"])])
    for work in WORKS:
        for kind in ("sparse", "dense"):
            session.merge("peaks", ("work", "rows"), [fitting(work, kind, session.size[kind])])
    show(
        {**row, **{who: f"{size:.1f} MB" for who, size in row["peers_MB"].items()}} for row in session.content["peaks"]
    )


SUITE = Suite(
    name="memory",
    measures="peaks of memory beyond the data",
    contestants=("scikit-learn",),
    answers="the other suites compare the answers of the same calls",
    limit="the arrays that are returned, and a vector of the rows and one of the columns",
    run=run,
    quick={"text_rows": 5_000, "sparse": 5_000, "dense": 5_000},
    full={"text_rows": 50_000, "sparse": 20_000, "dense": 20_000},
)
