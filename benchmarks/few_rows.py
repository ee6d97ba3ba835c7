"""LinearSVM and LinearSVMCV on data with fewer rows than columns, against SVC(kernel="linear") and LinearSVC.

All fits of a cell are made in turn, round after round, in one process: ours to a proven gap of 1e-4, the peers with
their defaults. SVC has the hinge only, and the same problem as ours; it is marked as less exact where its objective is
larger by more than 1e-4. LinearSVC penalises the intercept, so its objective is not compared. Ratios to a fit that was
stopped are lower bounds. The generated set has 500 rows of 20,000 columns that depend on ten common factors, as
measurements of genes do; its CSR has a tenth of them. A cross-validation of 20 values of C in 5 folds is compared with
ten single fits of LinearSVC.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import novikoff as nk

from .data.sets import at_hand, read
from .harness import Session, Suite, Timed, Worker
from .svm_cells import Kernel, Ours, Theirs, objective

TOLERANCE = 1e-4
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
        X, y = generated(*((150, 3000) if quick else (500, 20_000)))
        return (sp.csr_array(np.where(np.abs(X) > np.quantile(np.abs(X[:20]), 0.9), X, 0.0)) if is_sparse else X), y
    X, y = read(name)
    return (sp.csr_array(X) if is_sparse else X.toarray()), y


def fit(data: Data, who: str, C: float, loss: str) -> Timed:
    """Return the seconds of one fit, and its objective; None for LinearSVC."""
    problem = Ours(C, loss, TOLERANCE, penalized=False)
    models = {"novikoff": problem.model, "SVC": Kernel(C).model, "LinearSVC": Theirs(C, loss).model}
    model = models[who]()
    seconds = timed(model, data)
    return Timed(seconds, None if who == "LinearSVC" else objective(data, model, problem))


def validate(data: Data, who: str) -> Timed:
    """Return the seconds of a cross-validation, or of ten single fits of LinearSVC."""
    if who == "novikoff":
        return Timed(timed(nk.LinearSVMCV(Cs=20, cv=5), data))
    return Timed(sum(timed(LinearSVC(), data) for _ in range(10)))


def timed(model: Any, data: Data) -> float:
    """Return the seconds of a fit."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", (ConvergenceWarning, UserWarning))
        model.fit(*data)
    return time.perf_counter() - start


def compare(session: Session, worker: Worker, work: str, jobs: dict[str, tuple[Any, ...]], **options: Any) -> None:
    """Compare a job of ours with those of the peers; all are done in one process."""
    cap = options["cap"]
    contestants = {who: worker.contestant(cap, *job) for who, job in jobs.items()}
    ours = {"novikoff": contestants.pop("novikoff")}
    answers = {"cost": lambda value: value, "tolerance": TOLERANCE, "less_exact_peers": True}
    session.compare(work, ours, contestants, **answers, **options)


def measure(session: Session, name: str, is_sparse: bool) -> None:
    """Compare the single fits and the cross-validation of one set."""
    worker, rounds, cap = Worker(prepare, name, is_sparse, session.quick), session.size["rounds"], session.size["cap"]
    where = {"set": name, "is_sparse": is_sparse}
    what = f"{name}, {'CSR' if is_sparse else 'dense'}"
    for loss in ("hinge", "squared_hinge"):
        for C in session.size["costs"]:
            peers = ("SVC", "LinearSVC") if loss == "hinge" else ("LinearSVC",)
            jobs = {who: (fit, who, C, loss) for who in ("novikoff", *peers)}
            work = f"{what}, {loss.replace('_', ' ')}, C = {C:g}"
            compare(session, worker, work, jobs, rounds=rounds, cap=cap, loss=loss, C=C, **where)
    jobs = {who: (validate, who) for who in ("novikoff", "ten LinearSVC")}
    compare(session, worker, f"{what}, cross-validation", jobs, rounds=3, cap=10 * cap, **where)
    worker.close()


def run(session: Session) -> None:
    """Measure all."""
    for name in (*at_hand(session.size["sets"]), "generated"):
        for is_sparse in (False, True):
            measure(session, name, is_sparse)


SUITE = Suite(
    name="few_rows",
    measures="fits and cross-validations on data with fewer rows than columns",
    contestants=("SVC", "LinearSVC"),
    answers="ours are proven to a gap of 1e-4 and never worse than SVC; less exact peers are timed, which favours them",
    limit="products of all pairs of rows, once",
    run=run,
    quick={"sets": ("colon",), "costs": (1.0,), "rounds": 3, "cap": 5.0},
    full={"sets": ("colon", "leukemia"), "costs": (0.01, 1.0, 100.0), "rounds": 5, "cap": 60.0},
)
