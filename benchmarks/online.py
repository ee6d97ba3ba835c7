"""The online learners against scikit-learn and River.

No intercept is learned: scikit-learn multiplies its step by 0.01 if rows are sparse, so that both would compute
different weights. Without it, the weights are the same to the last bit.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.linear_model

import novikoff as nk

from .data.text import text_like
from .harness import Session, Suite, Timed


def passes(session: Session, X: Any, y: np.ndarray, epochs: int, rounds: int) -> None:
    """``fit`` over rows in memory."""
    X32 = X.astype(np.float32)

    options = {"max_iter": epochs, "shuffle": False, "fit_intercept": False}

    def ours(rows: Any) -> Callable[[], Any]:
        return lambda: nk.Perceptron(**options).fit(rows, y)

    session.compare(
        f"Perceptron.fit, {epochs} epoch{'s' * (epochs > 1)}",
        {"float64": ours(X), "float32": ours(X32)},
        {"scikit-learn, float64": lambda: sklearn.linear_model.Perceptron(tol=None, **options).fit(X, y)},
        rounds=rounds,
        cost=lambda model: np.mean(model.predict(X) != y),
        tolerance=0.001,  # values of float32 are rounded
        limit=session.reading(epochs * X.nnz * (X.data.itemsize + X.indices.itemsize)),
        nonzeros=epochs * int(X.nnz),
    )


def second_order(session: Session, X: Any, y: np.ndarray, rounds: int) -> None:
    """One pass of the learners that have a step for each column, against one of our perceptron."""
    makers = {"AROW": nk.AROW, "NormalizedAdaptive": nk.NormalizedAdaptive}
    session.compare(
        "partial_fit",
        {name: lambda make=make: make().partial_fit(X, y) for name, make in makers.items()},
        {"our Perceptron": lambda: nk.Perceptron().partial_fit(X, y)},
        rounds=rounds,
        limit=session.reading(X.nnz * (X.data.itemsize + X.indices.itemsize)),
        nonzeros=int(X.nnz),
    )


def tracker(session: Session, X: Any, y: np.ndarray, rounds: int) -> None:
    """One pass of the default tracker, which predicts every row, against one of our perceptron; sparse and dense."""
    dense = np.ascontiguousarray(X[: X.shape[0] // 10].toarray()[:, :200] + 1.0)
    for kind, rows, count in (("sparse", X, int(X.nnz)), ("dense", dense, dense.size)):
        labels = y[: rows.shape[0]]
        session.compare(
            f"predict_then_learn, Tracker, {kind}",
            {"Tracker": lambda rows=rows, labels=labels: nk.Tracker().predict_then_learn(rows, labels)},
            {"our Perceptron": lambda rows=rows, labels=labels: nk.Perceptron().predict_then_learn(rows, labels)},
            rounds=rounds,
            nonzeros=count,
        )


class PartialFit:
    """scikit-learn's way of learning one row: no prediction is asked of it."""

    def __init__(self) -> None:
        self.model = sklearn.linear_model.Perceptron()

    def predict_one(self, x: Any) -> None:
        pass

    def learn_one(self, x: Any, y: bool) -> None:
        self.model.partial_fit(x, [y], classes=[False, True])


def blocks_of(make: Callable[[], Any], events: list[tuple[Any, Any]], block: int) -> Callable[[], Timed]:
    """Return a contestant that learns the next block of events in each call; the answer is its mistakes so far.

    Events are copied just before their block, as if they had just been parsed: an event that arrives is in the cache.
    """
    model, starts, mistakes = make(), itertools.cycle(range(0, len(events) - block + 1, block)), [0]

    def run() -> Timed:
        start = next(starts)
        fresh = [(x.copy(), y) for x, y in events[start : start + block]]
        begin = time.perf_counter()
        for x, y in fresh:
            mistakes[0] += model.predict_one(x) is (not y)
            model.learn_one(x, y)
        return Timed((time.perf_counter() - begin) / block, mistakes[0])

    return run


def events(session: Session, X: Any, y: np.ndarray, count: int) -> None:
    """One event at a time, as dicts of names and as sparse rows; seconds are those of one event."""
    import river.linear_model

    names = [f"feature{j}" for j in range(X.shape[1])]
    rows = [X[[i]] for i in range(count)]
    labels = (y[:count] > 0).tolist()
    dicts = [{names[j]: v for j, v in zip(row.indices.tolist(), row.data.tolist(), strict=True)} for row in rows]
    width = X.nnz / X.shape[0]
    for kind, found, block, peer, make in (
        ("dict", dicts, 100, "River", river.linear_model.Perceptron),
        ("sparse row", rows[: max(1000, count // 10)], 50, "scikit-learn, partial_fit only", PartialFit),
    ):
        stream = list(zip(found, labels, strict=False))
        session.compare(
            f"predict_one + learn_one, {kind}",
            {"novikoff": blocks_of(nk.Perceptron, stream, block)},
            {peer: blocks_of(make, stream, block)},
            rounds=len(stream) // block - 1,
            nonzeros=width,
        )


def run(session: Session) -> None:
    """Measure all."""
    warnings.simplefilter("ignore")  # five passes do not converge, nor are they meant to
    X, y = text_like(session.size["rows"], 50_000, 57)
    passes(session, X, y, 1, rounds=9)
    passes(session, X, y, 5, rounds=5)
    second_order(session, X, y, rounds=session.size["rounds"])
    tracker(session, X, y, rounds=5)
    events(session, X, y, session.size["events"])


SUITE = Suite(
    name="online",
    measures="passes of online learners over text-like rows with 56 nonzeros in 50,000 columns, and single events",
    contestants=("scikit-learn", "River"),
    answers="weights of fits misclassify the same rows, but for one in a thousand because of float32",
    limit="reading all values and columns from memory once in each epoch",
    run=run,
    quick={"rows": 20_000, "rounds": 5, "events": 2_000},
    full={"rows": 200_000, "rounds": 9, "events": 20_000},
    packages=("river",),
)
