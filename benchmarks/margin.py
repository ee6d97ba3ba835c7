"""HardMarginSVM against SVC(kernel="linear", C=1e10) and Clarabel's quadratic program, on data that can be separated.

All fits of a set are made in turn, round after round, in one process, each to its own measure: ours until the margin is
within 1e-6 of the best, the others as they come. The margin of each, min y f / |w| over all rows, is reported by what
it lacks to the upper bound. Some fits are stopped; ratios to them are lower bounds.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC

import novikoff as nk

from .data.sets import at_hand, read
from .harness import Session, Suite, Worker
from .harness.session import show

SETS = ("mushrooms", "pcmac", "basehock", "colon", "leukemia", "digits")
LONG = 60.0  # seconds of all fits of one contestant after which no more are made
Data = tuple[Any, np.ndarray]


def prepare(name: str) -> Data:
    """Rows as one would keep them: dense where most values are not 0."""
    X, y = read(name)
    return (X.toarray() if sp.issparse(X) and X.nnz > 0.3 * X.shape[0] * X.shape[1] else X), y


def ours(X: Any, y: np.ndarray) -> tuple[np.ndarray, float]:
    model = nk.HardMarginSVM(tol=1e-6).fit(X, y)
    return model.coef_[0], model.intercept_[0]


def svc(X: Any, y: np.ndarray) -> tuple[np.ndarray, float]:
    model = SVC(kernel="linear", C=1e10).fit(X, y)
    return sp.csr_matrix(model.coef_).toarray()[0], model.intercept_[0]


def quadratic_program(X: Any, y: np.ndarray) -> tuple[np.ndarray, float]:
    """The least 1/2 |w|^2 with y (w.x + b) >= 1, for values of at most 1: Clarabel needs that where they are large."""
    import clarabel  # here, so that the suite can be described without it

    rows, columns = X.shape
    unit = abs(X).max()
    X = X / unit
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sp.csc_matrix(sp.diags(np.append(np.ones(columns), 0.0))),
        np.zeros(columns + 1),
        sp.csc_matrix(-sp.hstack([sp.diags(y.astype(float)) @ sp.csr_matrix(X), sp.csr_matrix(y[:, None])])),
        -np.ones(rows),
        [clarabel.NonnegativeConeT(rows)],
        settings,
    )
    v = np.array(solver.solve().x)
    return v[:-1] / unit, float(v[-1])


CONTESTANTS = {"ours": ours, "SVC": svc, "Clarabel": quadratic_program}


def fit(data: Data, who: str) -> dict[str, float]:
    """Seconds, and the margin that was reached."""
    X, y = data
    start = time.perf_counter()
    w, b = CONTESTANTS[who](X, y)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "margin": float((y * (X @ w + b)).min() / np.linalg.norm(w))}


def upper_bound(data: Data) -> tuple[float, bool]:
    """What no margin exceeds, and whether the certificate that says so is verified."""
    certificate = nk.HardMarginSVM(tol=1e-6).fit(*data).certificate_
    return certificate.margin_upper_bound, bool(certificate.verify(*data))


def measure(name: str, rounds: int, cap: float) -> dict[str, Any]:
    worker = Worker(prepare, name)
    upper, proven = worker(cap, upper_bound)
    runs: dict[str, list[dict[str, float] | None]] = {who: [] for who in CONTESTANTS}
    for _ in range(rounds):
        for who, done in runs.items():
            if None not in done and sum(run["seconds"] for run in done) < LONG:
                done.append(worker(cap, fit, who))
    worker.close()
    seconds = {who: statistics.median(run["seconds"] if run else cap for run in done) for who, done in runs.items()}
    return {
        "set": name,
        "proven": proven,
        "seconds": seconds,
        "share of the best margin": {who: done[0] and done[0]["margin"] / upper for who, done in runs.items()},
        "reached": {who: None not in done for who, done in runs.items()},
        "times faster": {who: seconds[who] / seconds["ours"] for who in seconds if who != "ours"},
    }


def summary(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """A table to print, and the geometric means of its ratios."""
    table = []
    for row in rows:
        cells: dict[str, Any] = {"set": row["set"]}
        for who, seconds in row["seconds"].items():
            share = row["share of the best margin"][who]
            cells[f"{who}, s"] = f"{'' if row['reached'][who] else '>='}{seconds:.4g}"
            cells[f"{who}, missing"] = "-" if share is None else f"{1 - share:.1e}"
        table.append({**cells, **{f"faster than {who}": ratio for who, ratio in row["times faster"].items()}})
    means = {
        f"geometric mean, {who}": statistics.geometric_mean(row["times faster"][who] for row in rows)
        for who in CONTESTANTS
        if who != "ours"
    }
    return table, means


def run(session: Session) -> None:
    """Measure all."""
    for name in at_hand(session.chosen(session.size["sets"])):
        session.merge("hard margin", ("set",), [measure(name, session.size["rounds"], session.size["cap"])])
    session.keep(cap=session.size["cap"])
    table, means = summary(session.content["hard margin"])
    show(table)
    show([means])


SUITE = Suite(
    name="margin",
    measures="the hard margin of data that can be separated",
    contestants=("SVC with C = 1e10", "Clarabel"),
    answers="the margin of each is compared with the proven upper bound, and what it lacks is reported",
    limit="one pass over the values",
    run=run,
    quick={"sets": ("mushrooms", "colon", "leukemia"), "rounds": 1, "cap": 20.0},
    full={"sets": SETS, "rounds": 5, "cap": 120.0},
    packages=("clarabel",),
)
