"""LinearSVM against scikit-learn's LinearSVC on dense float32 rows of ten classes, such as embeddings.

The sets are 20,000 x 512 generated rows that can be separated, and the 60,000 x 784 digits of MNIST, if their files are
there. For each C and each loss all fits are made in turn, round after round, in one process. LinearSVM is fitted
one-vs-rest with a penalised intercept, which is LinearSVC's problem, and with its defaults, which are pairs of
classes; both until the relative gap of every binary problem is at most 1e-4. LinearSVC is fitted with its defaults and
dual="auto", True and False, whether it converges or not. Its sum of objectives is compared with that of one-vs-rest;
where it is larger by more than 1e-4, LinearSVC is marked as less exact. Some fits are stopped; then the ratios are
lower bounds.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import novikoff as nk

from .data.sets import DATA, mnist
from .harness import Session, Suite, Timed, Worker

SETS = ("generated", "mnist")
LOSSES = ("hinge", "squared_hinge")
OURS, PAIRS = "LinearSVM, ovr", "novikoff, pairs of classes"
PEERS: dict[str, Any] = {"auto": "auto", "True": True, "False": False}
ROUNDS, TOLERANCE = 3, 1e-4  # rounds, and the relative gap to which ours are proven
Data = tuple[np.ndarray, np.ndarray]


def prepare(name: str, is_quick: bool) -> Data:
    """Rows and labels of a set."""
    if name == "mnist":
        images, labels = mnist()
        return images / np.float32(255), labels
    rows, columns = (2_000, 128) if is_quick else (20_000, 512)
    random = np.random.default_rng(0)
    centres, y = 0.25 * random.normal(size=(10, columns)), random.integers(0, 10, rows)
    return (centres[y] + random.normal(size=(rows, columns))).astype(np.float32), y


def peers_of(loss: str) -> list[str]:
    """Return the peers that can minimise a loss; pairs of classes are another problem."""
    solvers = [name for name, dual in PEERS.items() if loss == "squared_hinge" or dual is not False]
    return [*(f"LinearSVC, dual={name}" for name in solvers), PAIRS]


def fit(data: Data, who: str, C: float, loss: str) -> Timed:
    """Return seconds, and the sum of the objectives of all classes; None for pairs."""
    X, y = data
    if who == OURS:
        model: Any = nk.LinearSVM(C=C, loss=loss, multi_class="ovr", penalized_intercept=True, tol=TOLERANCE)
    elif who == PAIRS:
        model = nk.LinearSVM(C=C, loss=loss, tol=TOLERANCE)
    else:
        model = LinearSVC(C=C, loss=loss, dual=PEERS[who.split("=")[1]])
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    seconds = time.perf_counter() - start
    return Timed(seconds, None if who == PAIRS else objective(X, y, model, C, loss))


def objective(X: np.ndarray, y: np.ndarray, model: Any, C: float, loss: str) -> float:
    """The sum over the classes of 1/2 (|w|^2 + b^2) + C times the loss."""
    signs = np.where(y[:, None] == model.classes_, 1.0, -1.0)
    slack = np.maximum(0, 1 - signs * (X @ model.coef_.T + model.intercept_))
    total = np.sum(slack if loss == "hinge" else slack * slack)
    return float(0.5 * (np.sum(model.coef_**2) + np.sum(model.intercept_**2)) + C * total)


def compare(session: Session, worker: Worker, name: str, C: float, loss: str) -> None:
    """Compare the fits of one set, C and loss."""
    cap = session.size["cap"]
    session.compare(
        f"{name}, {loss.replace('_', ' ')}, C = {C:g}",
        {OURS: worker.contestant(cap, fit, OURS, C, loss)},
        {who: worker.contestant(cap, fit, who, C, loss) for who in peers_of(loss)},
        rounds=ROUNDS,
        cost=lambda value: value,
        tolerance=TOLERANCE,
        less_exact_peers=True,
        set=name,
        C=C,
        loss=loss,
        cap=cap,
    )


def run(session: Session) -> None:
    """Measure all."""
    for name in session.chosen(session.size["sets"]):
        if name == "mnist" and not (DATA / "mnist-train-images.idx.gz").exists():
            print(f"mnist is left out: its files are not in {DATA} (set NOVIKOFF_DATA)")
            continue
        worker = Worker(prepare, name, session.quick)
        for C in session.size["costs"]:
            for loss in LOSSES:
                compare(session, worker, name, C, loss)
        worker.close()
    session.show_means()


SUITE = Suite(
    name="embeddings",
    measures="fits of ten classes on dense float32 rows, to a proven gap of 1e-4",
    contestants=("LinearSVC, its three solvers",),
    answers="objectives differ by at most 1e-4; a LinearSVC with a larger one is timed as less exact, which favours it",
    limit="one pass over the values for each class",
    run=run,
    quick={"sets": SETS[:1], "costs": (0.1,), "cap": 20.0},
    full={"sets": SETS, "costs": (0.001, 0.1, 10.0, 1000.0), "cap": 120.0},
)
