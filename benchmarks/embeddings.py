"""LinearSVM against scikit-learn's LinearSVC on dense float32 rows of ten classes, such as embeddings.

The sets are 20,000 x 512 generated rows that can be separated, and the 60,000 x 784 digits of MNIST, if their files are
there. For each C and each loss all fits are made in turn, round after round, in one process. LinearSVM is fitted
one-vs-rest with a penalised intercept, which is LinearSVC's problem, and with its defaults, which are pairs of
classes; both until the relative gap of every binary problem is at most 1e-4. LinearSVC is fitted with its defaults and
dual="auto", True and False, whether it converges or not. "excess" is how far the sum of its objectives is above the
lower bound that LinearSVM's certificates prove. Some fits are stopped; then the ratios are lower bounds.
"""

from __future__ import annotations

import statistics
import time
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import novikoff as nk

from .data.sets import DATA, mnist
from .harness import Session, Suite, Worker
from .harness.session import show

SETS = ("generated", "mnist")
LOSSES = ("hinge", "squared_hinge")
OURS, DEFAULTS = "LinearSVM, ovr", "LinearSVM, defaults"
PEERS: dict[str, Any] = {"auto": "auto", "True": True, "False": False}
ROUNDS, LONG = 3, 60.0  # rounds, and the seconds of all fits of one after which no more are made
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


def contestants(loss: str) -> list[str]:
    """Those that can minimise a loss."""
    peers = [name for name, dual in PEERS.items() if loss == "squared_hinge" or dual is not False]
    return [OURS, DEFAULTS, *(f"LinearSVC, dual={name}" for name in peers)]


def fit(data: Data, who: str, C: float, loss: str) -> dict[str, float]:
    """Seconds, and the sum of the objectives of all classes; for LinearSVM, one-vs-rest, also its lower bound."""
    X, y = data
    if who == OURS:
        model: Any = nk.LinearSVM(C=C, loss=loss, multi_class="ovr", penalized_intercept=True, tol=1e-4)
    elif who == DEFAULTS:
        model = nk.LinearSVM(C=C, loss=loss, tol=1e-4)
    else:
        model = LinearSVC(C=C, loss=loss, dual=PEERS[who.split("=")[1]])
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    seconds = time.perf_counter() - start
    if who == DEFAULTS:
        return {"seconds": seconds}
    found = {"seconds": seconds, "objective": objective(X, y, model, C, loss)}
    return found | ({"bound": sum(part.dual for part in model.certificate_)} if who == OURS else {})


def objective(X: np.ndarray, y: np.ndarray, model: Any, C: float, loss: str) -> float:
    """The sum over the classes of 1/2 (|w|^2 + b^2) + C times the loss."""
    signs = np.where(y[:, None] == model.classes_, 1.0, -1.0)
    slack = np.maximum(0, 1 - signs * (X @ model.coef_.T + model.intercept_))
    total = np.sum(slack if loss == "hinge" else slack * slack)
    return float(0.5 * (np.sum(model.coef_**2) + np.sum(model.intercept_**2)) + C * total)


def measure(worker: Worker, name: str, C: float, loss: str, session: Session) -> dict[str, Any]:
    runs: dict[str, list[dict[str, float] | None]] = {who: [] for who in contestants(loss)}
    cap = session.size["cap"]
    for _ in range(1 if session.quick else ROUNDS):
        for who, done in runs.items():
            if None not in done and sum(run["seconds"] for run in done) < LONG:
                done.append(worker(cap, fit, who, C, loss))
    seconds = {who: statistics.median(run["seconds"] if run else cap for run in done) for who, done in runs.items()}
    first = {who: done[0] or {} for who, done in runs.items()}
    bound, peers = first[OURS].get("bound"), [who for who in seconds if who not in (OURS, DEFAULTS)]
    return {
        "set": name,
        "C": C,
        "loss": loss,
        "seconds": seconds,
        "reached": {who: None not in done for who, done in runs.items()},
        "excess": {who: run["objective"] / bound - 1 for who, run in first.items() if bound and "objective" in run},
        "times faster": min(seconds[who] for who in peers) / seconds[OURS],
    }


def summary(cells: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """A table to print, and the ratios in short."""
    table = []
    for cell in cells:
        row: dict[str, Any] = {name: cell[name] for name in ("set", "C", "loss")}
        for who in contestants("squared_hinge"):
            seconds, excess = cell["seconds"].get(who), cell["excess"].get(who)
            row[f"{who}, s"] = "-" if seconds is None else f"{'' if cell['reached'][who] else '>='}{seconds:.3g}"
            if who != DEFAULTS:  # another problem
                row[f"{who}, excess"] = "-" if excess is None else f"{excess:.1e}"
        table.append({**row, "faster than the best": cell["times faster"]})
    ratios = [cell["times faster"] for cell in cells]
    return table, {"geometric mean": statistics.geometric_mean(ratios), "least": min(ratios)}


def run(session: Session) -> None:
    """Measure all."""
    for name in session.chosen(session.size["sets"]):
        if name == "mnist" and not (DATA / "mnist-train-images.idx.gz").exists():
            print(f"mnist is left out: its files are not in {DATA} (set NOVIKOFF_DATA)")
            continue
        worker = Worker(prepare, name, session.quick)
        for C in session.size["costs"]:
            for loss in LOSSES:
                session.merge("cells", ("set", "C", "loss"), [measure(worker, name, C, loss, session)])
        worker.close()
    session.keep(cap=session.size["cap"])
    table, means = summary(session.content["cells"])
    show(table)
    show([means])


SUITE = Suite(
    name="embeddings",
    measures="fits of ten classes on dense float32 rows, to a proven gap of 1e-4",
    contestants=("LinearSVC, its three solvers",),
    answers="objectives are compared with the proven lower bound, and the excess is reported",
    limit="one pass over the values for each class",
    run=run,
    quick={"sets": SETS[:1], "costs": (0.1,), "cap": 20.0},
    full={"sets": SETS, "costs": (0.001, 0.1, 10.0, 1000.0), "cap": 120.0},
)
