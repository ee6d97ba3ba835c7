"""The joint machine of several classes against LinearSVC(multi_class="crammer_singer"), to an equal objective.

Both minimise the same objective, without intercepts or with penalised ones. Ours is solved to a relative duality gap.
LinearSVC has no gap, so its tolerance falls until its objective is not above ours; runs with that tolerance
alone are compared. Seconds are those of the processor, all threads together, because the machine may do other work,
too. If LinearSVC is stopped, the ratio is a lower bound, and both are timed by the clock, because a run that was
stopped has no seconds of the processor.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC

import novikoff as nk

from .data.sets import DATA, mnist
from .harness import Session, Suite, Timed, Worker

SETS = ("news20", "mnist")
TOLERANCES = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
Clock = Callable[[], float]


def read(name: str, step: int) -> tuple[Any, Any]:
    """Return every so many rows and labels of a set; pixels are divided by 255."""
    if name == "news20":
        X, y = load_svmlight_file(DATA / "news20.svm.gz")
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        return X[::step], y[::step]
    images, labels = mnist()
    return images[::step] / 255.0, labels[::step].astype(int)


def objective(data: tuple[Any, Any], W: Any, b: Any, C: float, has_intercept: bool) -> float:
    """Return the objective that both minimise."""
    X, y = data
    codes = np.unique(y, return_inverse=True)[1]
    scores = X @ W.T + b
    own = scores[np.arange(len(codes)), codes].copy()
    scores += 1.0
    scores[np.arange(len(codes)), codes] -= 1.0
    return float(0.5 * np.sum(W**2) + 0.5 * has_intercept * np.sum(b**2) + C * np.sum(scores.max(axis=1) - own))


def ours(data: tuple[Any, Any], clock: Clock, C: float, has_intercept: bool, gap: float) -> Timed:
    """Return the seconds of a fit, and its objective."""
    settings = {"loss": "hinge", "tol": gap, "C": C}
    settings |= {"fit_intercept": has_intercept, "penalized_intercept": has_intercept}
    start = clock()
    model = nk.LinearSVM(multi_class="crammer_singer", **settings).fit(*data)
    return Timed(clock() - start, objective(data, model.coef_, model.intercept_, C, has_intercept))


def theirs(data: tuple[Any, Any], clock: Clock, C: float, has_intercept: bool, tol: float) -> Timed:
    """Return the seconds of a fit, and its objective."""
    model = LinearSVC(
        multi_class="crammer_singer", C=C, tol=tol, fit_intercept=has_intercept, intercept_scaling=1, random_state=0
    )
    warnings.simplefilter("ignore")  # multi_class is deprecated
    start = clock()
    model.fit(*data)
    return Timed(clock() - start, objective(data, model.coef_, model.intercept_, C, has_intercept))


def tolerance_of(worker: Worker, cap: float, C: float, has_intercept: bool, most: float) -> tuple[float, bool]:
    """Return the largest tolerance with which LinearSVC is not above our objective, and whether it was stopped."""
    for tol in TOLERANCES:
        found = worker(cap, theirs, time.process_time, C, has_intercept, tol)
        if found is None or found.answer <= most * (1 + 1e-9):
            break
    return tol, found is None


def compare(session: Session, name: str, has_intercept: bool) -> None:
    """Compare both solvers on one set."""
    C, gap, cap = 1.0, session.size["gap"], session.size["cap"]
    worker = Worker(read, name, session.size["step"])
    first = worker(cap, ours, time.process_time, C, has_intercept, gap)
    tol, stopped = tolerance_of(worker, cap, C, has_intercept, first.answer)
    clock: Clock = time.perf_counter if stopped else time.process_time
    intercept = "penalized" if has_intercept else "none"
    session.compare(
        f"{name}, intercept: {intercept}",
        {"novikoff": worker.contestant(cap, ours, clock, C, has_intercept, gap)},
        {f"LinearSVC, tol={tol:g}": worker.contestant(cap, theirs, clock, C, has_intercept, tol)},
        rounds=3,
        cost=lambda value: value,
        tolerance=gap,
        set=name,
        C=C,
        intercept=intercept,
        gap=gap,
        cap=cap,
        seconds_of="the clock" if stopped else "the processor",
    )
    worker.close()


def run(session: Session) -> None:
    """Measure all."""
    for name in session.chosen(session.size["sets"]):
        if not list(DATA.glob(f"{name}*.gz")):
            print(f"{name} is left out: its files are not in {DATA} (set NOVIKOFF_DATA)")
            continue
        for has_intercept in session.size["intercepts"]:
            compare(session, name, has_intercept)


SUITE = Suite(
    name="crammer_singer",
    measures="the joint machine of several classes, in seconds of the processor",
    contestants=("LinearSVC(multi_class='crammer_singer')",),
    answers="the tolerance of LinearSVC falls until its objective is not above ours, which is proven to a gap",
    limit="one pass over the values for each class",
    run=run,
    quick={"sets": ("news20",), "intercepts": (False,), "gap": 1e-2, "cap": 60.0, "step": 10},
    full={"sets": SETS, "intercepts": (False, True), "gap": 1e-3, "cap": 600.0, "step": 1},
)
