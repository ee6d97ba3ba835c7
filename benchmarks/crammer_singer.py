"""The joint machine of several classes against LinearSVC(multi_class="crammer_singer"), to an equal objective.

Both minimise the same objective, without intercepts or with penalised ones. Ours is solved to a relative duality gap of
``--gap``. LinearSVC has no gap, so its tolerance falls until its objective is not above ours; the time of that run
alone is compared. A run that takes longer than ``--cap`` seconds is stopped, and the ratio is then a lower bound.
Seconds are those of the processor, all threads together, because the machine may do other work, too.
"""

from __future__ import annotations

import argparse
import gzip
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from harness import Worker, command_line, report
from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC

import novikoff as nk

DATA = Path(os.environ.get("NOVIKOFF_DATA", Path(__file__).parents[2] / "shared" / "data"))
SETS = ("news20", "mnist")
TOLERANCES = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)


def read(name: str) -> tuple[Any, Any]:
    """Return the rows and labels of a set; pixels are divided by 255."""
    if name == "news20":
        X, y = load_svmlight_file(DATA / "news20.svm.gz")
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        return X, y
    files = (DATA / f"mnist-train-{kind}.idx.gz" for kind in ("images", "labels"))
    images, labels = (gzip.decompress(file.read_bytes()) for file in files)
    X = np.frombuffer(images[16:], np.uint8).reshape(-1, 784) / 255.0
    return X, np.frombuffer(labels[8:], np.uint8).astype(int)


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


def compare(name: str, given: argparse.Namespace) -> dict[str, Any]:
    """Return one row of the table: both solvers on one set."""
    C, has_intercept, gap, cap = given.C, given.intercept, given.gap, given.cap
    worker = Worker(read, name)
    first = worker(cap, ours, C, has_intercept, gap)
    row = {"set": name, "C": C, "intercept": "penalized" if has_intercept else "none", "gap": first[2]}
    for tol in given.tolerances:
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
    return row | {"LinearSVC": found[0], "its objective": found[1], "times": found[0] / seconds}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--C", type=float, default=1.0)
    parser.add_argument("--gap", type=float, default=1e-3)
    parser.add_argument("--cap", type=float, default=600.0)
    parser.add_argument("--tolerances", nargs="*", type=float, default=TOLERANCES)
    parser.add_argument("--intercept", action="store_true", help="penalised intercepts instead of none")
    given = parser.parse_args()
    missing = [name for name in given.sets if not list(DATA.glob(f"{name}*.gz"))]
    for name in missing:
        print(f"{name}: skipped, not in {DATA}")
    rows = [compare(name, given) for name in given.sets if name not in missing]
    if rows:
        report("crammer_singer", 10 if given.quick else 1, rows)


if __name__ == "__main__":
    main()
