"""One cell of the soft-margin benchmark: how long LinearSVM and LinearSVC take for one set, C and loss.

Both solve LinearSVC's problem, 1/2 |w|^2 + 1/2 b^2 + C sum_i max(0, 1 - y_i (w.x_i + b)), or with the squares of the
losses, and both objectives are computed here, from the weights alone.
"""

from __future__ import annotations

import math
import statistics
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

import novikoff as nk

from .harness import Timed, Worker
from .harness.race import MIN_ROUNDS, rounds_of
from .harness.ratio import Times, compared

Data = tuple[Any, np.ndarray]
NEAR = 1e-6  # the relative distance from the optimum at which LinearSVC has the same objective
QUICK = 1.0  # seconds under which a fit is repeated more often than three times
MOST_ITERATIONS = 4**15  # LIBLINEAR counts them in 32 bits
MOST_DIGITS = 16  # of LinearSVC's tolerance
POINTS = 60  # of a history that are kept


@dataclass(frozen=True)
class Cell:
    set: str
    C: float
    loss: str

    def __str__(self) -> str:
        return f"{self.set}, C = {self.C:g}, {self.loss}"


@dataclass(frozen=True)
class Ours:
    """A LinearSVM to be fitted."""

    C: float
    loss: str
    tol: float
    penalized: bool = True
    n_jobs: int = -1

    def model(self) -> Any:
        return nk.LinearSVM(
            C=self.C, loss=self.loss, penalized_intercept=self.penalized, tol=self.tol, n_jobs=self.n_jobs
        )


@dataclass(frozen=True)
class Theirs:
    """A LinearSVC to be fitted; it chooses between its primal and its dual solver by itself."""

    C: float
    loss: str
    tol: float = 1e-4
    max_iter: int = 1000
    penalized: bool = True

    def model(self) -> Any:
        return LinearSVC(C=self.C, loss=self.loss, tol=self.tol, max_iter=self.max_iter, random_state=0)


@dataclass(frozen=True)
class Kernel:
    """An SVC with the linear kernel to be fitted: the hinge with a free intercept."""

    C: float
    loss: str = "hinge"
    penalized: bool = False

    def model(self) -> Any:
        return SVC(kernel="linear", C=self.C)


Contestant = Ours | Theirs | Kernel


def objective(data: Data, model: Any, contestant: Contestant) -> float:
    """What the weights of a fitted model are worth."""
    X, y = data
    w = np.ravel(model.coef_.toarray() if sp.issparse(model.coef_) else model.coef_)
    b = float(np.ravel(model.intercept_)[0])
    lack = np.maximum(0.0, 1 - y * (X @ w + b))
    losses = lack @ lack if contestant.loss == "squared_hinge" else lack.sum()
    return float(0.5 * w @ w + 0.5 * b * b * contestant.penalized + contestant.C * losses)


def fit(data: Data, contestant: Contestant) -> dict[str, Any]:
    """Fit once: seconds, the objective, whether there was a warning, and what the model says of itself."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ConvergenceWarning)
        cpu, start = time.process_time(), time.perf_counter()
        model = contestant.model().fit(*data)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    found = {
        "seconds": seconds,
        "cores": cpu / seconds,
        "objective": objective(data, model, contestant),
        "warned": any(issubclass(w.category, ConvergenceWarning) for w in warned),
        "iterations": int(np.max(model.n_iter_)),
    }
    if isinstance(contestant, Ours):
        history, bounds = model.history_, model.certificate_
        found["gap"] = bounds.relative_gap
        found["bound"] = max(bounds.dual, float(np.max(history.dual)))
        late = seconds - history.time[-1]  # what came before the first step, and after the last, counts as before
        found["history"] = (history.time + late, history.primal, history.gap)
    return found


def timed_fit(data: Data, contestant: Contestant) -> Timed:
    """Fit once, and return the seconds with the facts that ``fit`` returns, less the long history."""
    found = fit(data, contestant)
    found.pop("history", None)
    return Timed(found["seconds"], found)


def rounds_for(seconds: float) -> int:
    """Return how many rounds are made if the slowest fit takes so long."""
    return 15 if seconds <= 0.1 else 5 if seconds < QUICK else MIN_ROUNDS


def timed_rounds(
    worker: Worker, cap: float, contestants: dict[str, Contestant], seconds: dict[str, float]
) -> dict[str, Times]:
    """Return the seconds of all in interleaved rounds. Those without a contestant were stopped after ``seconds``."""
    quick = max((seconds[name] for name in contestants), default=0.0)
    work = {name: worker.contestant(cap, timed_fit, one) for name, one in contestants.items()}
    work |= {
        name: (lambda least=least: Timed(least, stopped=True))
        for name, least in seconds.items()
        if name not in contestants
    }
    return rounds_of(work, rounds_for(quick))


def steady(worker: Worker, cap: float, contestant: Contestant) -> dict[str, Any] | None:
    """One fit; of a quick one, the middle one of three."""
    first = worker(cap, fit, contestant)
    if first is None or first["seconds"] >= QUICK:
        return first
    runs = [first, *(run for run in (worker(cap, fit, contestant) for _ in range(2)) if run)]
    return sorted(runs, key=lambda run: run["seconds"])[len(runs) // 2]


def measure(cell: Cell, worker: Worker, cap: float) -> dict[str, Any]:
    """All that is to be known of one cell. A fit that was stopped has taken ``cap`` seconds."""
    contestants: dict[str, Contestant] = {
        "1e-4": Ours(cell.C, cell.loss, 1e-4),
        "1e-6": Ours(cell.C, cell.loss, NEAR),
        "defaults": Theirs(cell.C, cell.loss),
    }
    exact = steady(worker, cap, Ours(cell.C, cell.loss, 1e-9))
    runs = {name: worker(cap, fit, one) for name, one in contestants.items()}
    seconds = {name: run["seconds"] if run else cap for name, run in runs.items()}
    mine = [run for run in (exact, runs["1e-6"], runs["1e-4"]) if run]
    known = [run["objective"] for run in [*mine, runs["defaults"]] if run]
    search = Search(cell, worker, cap, min(known, default=math.inf))
    search.take(contestants["defaults"], runs["defaults"])
    search.run()
    contestants = {name: one for name, one in contestants.items() if runs[name]}
    if search.winner:
        contestants["same objective"] = search.winner
    seconds["same objective"] = search.seconds
    times = timed_rounds(worker, cap, contestants, seconds)
    for name in ("1e-4", "1e-6"):
        times[name].stopped |= _warned(runs[name])  # the gap was not reached
    return {
        **vars(cell),
        "best_primal": search.best,
        "dual_bound": max((run["bound"] for run in mine), default=0.0),
        "seconds": {name: statistics.median(own.seconds) for name, own in times.items()},
        "ratios": {  # LinearSVC over ours to 1e-6, and ours to 1e-4 over LinearSVC
            "same objective": compared(times["1e-6"], times["same objective"]),
            "defaults": compared(times["defaults"], times["1e-4"]),
        },
        "ours": {name: _claim(runs[name], search.best) for name in ("1e-4", "1e-6")},
        "exact": _claim(exact, search.best),
        "defaults": {"distance": _distance(runs["defaults"], search.best), "warned": _warned(runs["defaults"])},
        "reached": search.winner is not None,
        "attempts": {
            "tol": [attempt.tol for attempt, _ in search.attempts],
            "max_iter": [attempt.max_iter for attempt, _ in search.attempts],
            "seconds": [_short(run["seconds"]) for _, run in search.attempts],
            "distance": [_distance(run, search.best) for _, run in search.attempts],
        },
        "history": _thin(mine[0] if mine else None, search.best),
    }


class Search:
    """LinearSVC with growing effort, until its objective is within ``NEAR`` of the best that is known."""

    def __init__(self, cell: Cell, worker: Worker, cap: float, best: float) -> None:
        self.cell, self.worker, self.cap, self.best = cell, worker, cap, best
        self.attempts: list[tuple[Theirs, dict[str, Any]]] = []
        self.stopped = False

    def take(self, attempt: Theirs, run: dict[str, Any] | None) -> bool:
        """Take note of a run, and say whether it got there."""
        if run is None:
            self.stopped = True
            return False
        self.best = min(self.best, run["objective"])
        self.attempts.append((attempt, run))
        return self._is_near(run)

    def _is_near(self, run: dict[str, Any]) -> bool:
        return run["objective"] - self.best <= NEAR * self.best

    def run(self) -> None:
        """Make more and more iterations, to smaller and smaller tolerances; then see if half of them were enough."""
        before = 0
        for attempt in self._efforts():
            run = self.worker(self.cap, fit, attempt)
            if run is None:
                self.stopped = True
                return
            if self.take(attempt, run):
                half = run["iterations"] // 2
                if half > before:
                    fewer = Theirs(self.cell.C, self.cell.loss, attempt.tol, half)
                    self.take(fewer, self.worker(self.cap, fit, fewer))
                return
            before = attempt.max_iter

    def _efforts(self) -> Iterator[Theirs]:
        """Four times the iterations that were made, each time, and a digit more, but no more than the cap allows.

        Without a bound on the iterations, a tolerance that it cannot meet would keep it busy to the cap, even where its
        objective is long good enough.
        """
        iterations, digits = 1, 1
        while True:
            yield Theirs(self.cell.C, self.cell.loss, 10.0**-digits, iterations)
            run = self.attempts[-1][1]
            growth = min(4.0, 0.9 * self.cap / run["seconds"]) if run["warned"] else 4.0
            if growth < 1.2 or (digits == MOST_DIGITS and not run["warned"]) or iterations == MOST_ITERATIONS:
                return  # there is no time for more, or it is content and more would change nothing
            digits = min(digits + (not run["warned"] or iterations >= 256), MOST_DIGITS)
            iterations = min(math.ceil(growth * max(1, run["iterations"])), MOST_ITERATIONS)

    @property
    def winner(self) -> Theirs | None:
        """The quickest attempt that got there."""
        there = [(run["seconds"], k) for k, (_, run) in enumerate(self.attempts) if self._is_near(run)]
        return self.attempts[min(there)[1]][0] if there else None

    @property
    def seconds(self) -> float:
        """What the quickest took, or what was not enough."""
        there = [run["seconds"] for _, run in self.attempts if self._is_near(run)]
        return min(there) if there else max([run["seconds"] for _, run in self.attempts] + [self.cap] * self.stopped)


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _distance(run: dict[str, Any] | None, best: float) -> float | None:
    return None if run is None else _short(max(0.0, run["objective"] / best - 1))


def _warned(run: dict[str, Any] | None) -> bool:
    return run is None or run["warned"]


def _claim(run: dict[str, Any] | None, best: float) -> dict[str, Any]:
    """How good a fit of ours is, and what it proved; nothing, if it was stopped."""
    if run is None:
        return {"distance": None, "gap": None, "proven": False, "steps": None}
    return {
        "distance": _distance(run, best),
        "gap": _short(run["gap"]),
        "proven": not run["warned"],
        "steps": run["iterations"],
    }


def _thin(run: dict[str, Any] | None, best: float) -> dict[str, list[float]]:
    """Some points of a history, evenly spread over the logarithm of time."""
    if run is None:
        return {"seconds": [], "distance": [], "gap": []}
    times, primal, gap = run["history"]
    marks = np.geomspace(times[0], times[-1], POINTS)
    kept = np.unique(np.minimum(np.searchsorted(times, marks), len(times) - 1))
    distance = np.maximum(0.0, primal[kept] / best - 1)
    return {
        "seconds": [_short(t) for t in times[kept]],
        "distance": [_short(d) for d in distance],
        "gap": [_short(g) for g in gap[kept]],
    }
