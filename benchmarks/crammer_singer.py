"""The joint machine of several classes against LinearSVC(multi_class="crammer_singer"), to an equal objective.

Both minimise the same objective, without intercepts or with penalised ones. Ours is solved to a relative duality gap.
LinearSVC has no gap, so its tolerance falls until its objective is not above ours; the time of that run
alone is compared. Some runs are stopped; their ratios are lower bounds.
Seconds are those of the processor, all threads together, because the machine may do other work, too.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC

import novikoff as nk

from .data.sets import DATA, mnist
from .harness import Session, Suite, Worker
from .harness.race import WORSE
from .harness.session import show

SETS = ("news20", "mnist")
TOLERANCES = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)


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


def ours(data: tuple[Any, Any], C: float, has_intercept: bool, gap: float) -> tuple[float, float, float, float]:
    """Return seconds of the processor, the objective, the proven gap, and seconds on the clock."""
    settings = {
        "loss": "hinge",
        "fit_intercept": has_intercept,
        "penalized_intercept": has_intercept,
        "tol": gap,
        "C": C,
    }
    start, began = time.process_time(), time.perf_counter()
    model = nk.LinearSVM(multi_class="crammer_singer", **settings).fit(*data)
    seconds, elapsed = time.process_time() - start, time.perf_counter() - began
    found = objective(data, model.coef_, model.intercept_, C, has_intercept)
    return seconds, found, model.certificate_.relative_gap, elapsed


def theirs(data: tuple[Any, Any], C: float, has_intercept: bool, tol: float) -> tuple[float, float]:
    """Return seconds of the processor and the objective."""
    model = LinearSVC(
        multi_class="crammer_singer", C=C, tol=tol, fit_intercept=has_intercept, intercept_scaling=1, random_state=0
    )
    warnings.simplefilter("ignore")  # multi_class is deprecated
    start = time.process_time()
    model.fit(*data)
    seconds = time.process_time() - start
    return seconds, objective(data, model.coef_, model.intercept_, C, has_intercept)


def compare(name: str, has_intercept: bool, size: Mapping[str, Any]) -> dict[str, Any]:
    """Return one row of the table: both solvers on one set."""
    C, gap, cap = 1.0, size["gap"], size["cap"]
    worker = Worker(read, name, size["step"])
    first = worker(cap, ours, C, has_intercept, gap)
    row = {"set": name, "C": C, "intercept": "penalized" if has_intercept else "none", "gap": first[2]}
    for tol in TOLERANCES:
        found = worker(cap, theirs, C, has_intercept, tol)
        if found is None or found[1] <= first[1] * (1 + 1e-9):
            break
        print(
            f"{name}: LinearSVC(tol={tol:g}) {found[0]:.1f} s, objective {found[1]:.6g}, ours {first[1]:.6g}",
            flush=True,
        )
    second = worker(cap, ours, C, has_intercept, gap)  # before and after, as the machine may have changed
    seconds = 0.5 * (first[0] + second[0])
    worker.close()
    row |= {"ours": seconds, "objective": first[1], "tol of LinearSVC": tol}
    if found is None:  # a run that was stopped has no seconds of the processor, so both are taken from the clock
        least = cap / (0.5 * (first[3] + second[3]))
        return row | {"LinearSVC": f"more than {cap:g}", "its objective": "", "times": f"more than {least:.1f}"}
    equal = found[1] <= first[1] * (1 + 1e-9)
    return row | {"LinearSVC": found[0], "its objective": found[1], "times": found[0] / seconds if equal else WORSE}


def run(session: Session) -> None:
    """Measure all."""
    for name in session.chosen(session.size["sets"]):
        if not list(DATA.glob(f"{name}*.gz")):
            print(f"{name} is left out: its files are not in {DATA} (set NOVIKOFF_DATA)")
            continue
        for has_intercept in session.size["intercepts"]:
            session.merge("cells", ("set", "intercept"), [compare(name, has_intercept, session.size)])
    show(session.content.get("cells", []))


SUITE = Suite(
    name="crammer_singer",
    measures="the joint machine of several classes, in seconds of the processor",
    contestants=("LinearSVC(multi_class='crammer_singer')",),
    answers="the tolerance of LinearSVC falls until its objective is not above ours",
    limit="one pass over the values for each class",
    run=run,
    quick={"sets": ("news20",), "intercepts": (False,), "gap": 1e-2, "cap": 60.0, "step": 10},
    full={"sets": SETS, "intercepts": (False, True), "gap": 1e-3, "cap": 600.0, "step": 1},
)
