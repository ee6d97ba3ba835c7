"""HardMarginSVM against SVC(kernel="linear", C=1e10) and Clarabel's quadratic program, on data that can be separated.

Each program stops at its own measure: ours when the margin is proven to be within 1e-6 of the best, the others as they
come. The margin of each, min y f / |w| over all rows, is compared with the proven upper bound: what an answer costs is
the upper bound over its margin. SVC reaches about 0.9995 of the best margin. It is timed nevertheless, as less exact.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC

import novikoff as nk

from .data.sets import at_hand, read
from .harness import Session, Suite, Timed, Worker

SETS = ("mushrooms", "pcmac", "basehock", "colon", "leukemia", "digits")
PATIENCE = 60.0  # seconds of all fits of one contestant after which three rounds must do
TOLERANCE = 1e-6  # of the margin, relative to the best
Data = tuple[Any, np.ndarray]


def prepare(name: str) -> Data:
    """Rows as one would keep them: dense where most values are not 0."""
    X, y = read(name)
    return (X.toarray() if sp.issparse(X) and X.nnz > 0.3 * X.shape[0] * X.shape[1] else X), y


def ours(X: Any, y: np.ndarray) -> tuple[np.ndarray, float]:
    model = nk.HardMarginSVM(tol=TOLERANCE).fit(X, y)
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


CONTESTANTS = {"novikoff": ours, "SVC": svc, "Clarabel": quadratic_program}


def fit(data: Data, who: str) -> Timed:
    """Return seconds, and the margin that was reached."""
    X, y = data
    start = time.perf_counter()
    w, b = CONTESTANTS[who](X, y)
    seconds = time.perf_counter() - start
    return Timed(seconds, float((y * (X @ w + b)).min() / np.linalg.norm(w)))


def upper_bound(data: Data) -> tuple[float, bool]:
    """What no margin exceeds, and whether the certificate that says so is verified."""
    certificate = nk.HardMarginSVM(tol=TOLERANCE).fit(*data).certificate_
    return certificate.margin_upper_bound, bool(certificate.verify(*data))


def compare(session: Session, name: str) -> None:
    """Compare the fits of one set."""
    cap = session.size["cap"]
    worker = Worker(prepare, name)
    upper, proven = worker(cap, upper_bound)
    peers = [who for who in CONTESTANTS if who != "novikoff"]
    session.compare(
        f"hard margin, {name}",
        {"novikoff": worker.contestant(cap, fit, "novikoff")},
        {who: worker.contestant(cap, fit, who) for who in peers},
        rounds=session.size["rounds"],
        cost=lambda margin: upper / margin if margin > 0 else math.inf,
        tolerance=TOLERANCE,
        less_exact_peers=True,
        patience=PATIENCE,
        set=name,
        proven=proven,
        cap=cap,
    )
    worker.close()


def run(session: Session) -> None:
    """Measure all."""
    for name in at_hand(session.chosen(session.size["sets"])):
        compare(session, name)
    session.show_means()


SUITE = Suite(
    name="margin",
    measures="the hard margin of data that can be separated",
    contestants=("SVC with C = 1e10", "Clarabel"),
    answers="margins differ by at most 1e-6; a peer with a smaller one is timed as less exact, which favours it",
    limit="one pass over the values",
    run=run,
    quick={"sets": ("mushrooms", "colon", "leukemia"), "rounds": 3, "cap": 20.0},
    full={"sets": SETS, "rounds": 5, "cap": 120.0},
    packages=("clarabel",),
)
