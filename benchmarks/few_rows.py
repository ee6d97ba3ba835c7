"""LinearSVM and LinearSVMCV on data with fewer rows than columns, against SVC(kernel="linear") and LinearSVC.

All fits of a cell are made in turn, round after round, in one process: ours to a proven gap of 1e-4, the peers with
their defaults. SVC has the hinge only. Ratios to a fit that was stopped are lower bounds. The generated set has 500
rows of 20,000 columns that depend on ten common factors, as measurements of genes do; its CSR has a tenth of them.
A cross-validation of 20 values of C in 5 folds is compared with ten single fits of LinearSVC.
"""

from __future__ import annotations

import statistics
import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

import novikoff as nk

from .data.sets import at_hand, read
from .harness import Session, Suite, Worker
from .harness.session import show

COSTS = (0.01, 1.0, 100.0)
ROUNDS = 5
Data = tuple[Any, np.ndarray]


def generated(rows: int, columns: int) -> Data:
    """Return rows that depend on ten factors, of which the first decides the label but for noise."""
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(rows, 10))
    X = factors @ rng.normal(size=(10, columns)) + rng.normal(size=(rows, columns))
    return X, np.where(factors[:, 0] + 0.5 * rng.normal(size=rows) > 0, 1, -1)


def prepare(name: str, is_sparse: bool, quick: bool) -> Data:
    """Return the rows, dense or as CSR. A fit before them loads what is imported on first use."""
    nk.LinearSVM().fit(*generated(10, 20))
    if name == "generated":
        X, y = generated(*((200, 4000) if quick else (500, 20_000)))
        return (sp.csr_array(np.where(np.abs(X) > np.quantile(np.abs(X[:20]), 0.9), X, 0.0)) if is_sparse else X), y
    X, y = read(name)
    return (sp.csr_array(X) if is_sparse else X.toarray()), y


def fit(data: Data, who: str, C: float, loss: str) -> float:
    """Return the seconds of one fit."""
    models = {"ours": nk.LinearSVM, "LinearSVC": LinearSVC}
    model = SVC(kernel="linear", C=C) if who == "SVC" else models[who](C=C, loss=loss)
    return timed(model, data)


def validate(data: Data, who: str) -> float:
    """Return the seconds of a cross-validation, or of ten single fits of LinearSVC."""
    if who == "ours":
        return timed(nk.LinearSVMCV(Cs=20, cv=5), data)
    return sum(timed(LinearSVC(), data) for _ in range(10))


def timed(model: Any, data: Data) -> float:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", (ConvergenceWarning, UserWarning))
        model.fit(*data)
    return time.perf_counter() - start


def race(worker: Worker, rounds: int, cap: float, jobs: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Return the median seconds of each contestant, and how many times faster ours is than each other."""
    runs: dict[str, list[float | None]] = {who: [] for who in jobs}
    for _ in range(rounds):
        for who, job in jobs.items():
            if None not in runs[who]:
                runs[who].append(worker(cap, *job))
    seconds = {who: statistics.median(cap if run is None else run for run in done) for who, done in runs.items()}
    ratios = {f"times faster than {who}": value / seconds["ours"] for who, value in seconds.items() if who != "ours"}
    return {**{f"{who}, s": value for who, value in seconds.items()}, **ratios}


def measure(name: str, is_sparse: bool, quick: bool, cap: float) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the single fits and the cross-validation of one set."""
    worker, rounds = Worker(prepare, name, is_sparse, quick), 1 if quick else ROUNDS
    where = {"set": name, "rows": "CSR" if is_sparse else "dense"}
    fits = []
    for loss in ("hinge", "squared_hinge"):
        for C in COSTS:
            peers = ("SVC", "LinearSVC") if loss == "hinge" else ("LinearSVC",)
            jobs = {who: (fit, who, C, loss) for who in ("ours", *peers)}
            fits.append({**where, "loss": loss, "C": C, **race(worker, rounds, cap, jobs)})
    jobs = {who: (validate, who) for who in ("ours", "ten LinearSVC")}
    cross_validation = {**where, **race(worker, min(rounds, 3), 10 * cap, jobs)}
    worker.close()
    return fits, [cross_validation]


def run(session: Session) -> None:
    """Measure all."""
    fits: list[dict[str, Any]] = []
    cross_validations: list[dict[str, Any]] = []
    for name in (*at_hand(session.size["sets"]), "generated"):
        for is_sparse in (False, True):
            some, validated = measure(name, is_sparse, session.quick, session.size["cap"])
            fits, cross_validations = fits + some, cross_validations + validated
            session.keep(fits=fits, **{"cross-validation": cross_validations}, cap=session.size["cap"])
    show(fits)
    show(cross_validations)


SUITE = Suite(
    name="few_rows",
    measures="fits and cross-validations on data with fewer rows than columns",
    contestants=("SVC", "LinearSVC"),
    answers="ours are proven to a gap of 1e-4; the peers stop by their defaults, which can only favour them",
    limit="products of all pairs of rows, once",
    run=run,
    quick={"sets": ("colon",), "cap": 5.0},
    full={"sets": ("colon", "leukemia"), "cap": 60.0},
)
