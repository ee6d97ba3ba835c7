"""The online learners against scikit-learn and River: ratios from one interleaved run.

python benchmarks/online.py            # the sizes of the published table
python benchmarks/online.py --quick    # a tenth of them
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import river.linear_model
import scipy.sparse as sp
import sklearn.linear_model
from harness import interleave, read_bandwidth, report, share_of_rows, text_like

import novikoff as nk


def passes(X: sp.csr_matrix, y: np.ndarray, epochs: int, rounds: int) -> list[dict[str, Any]]:
    """``fit`` over rows in memory."""
    X32 = X.astype(np.float32)
    times = interleave(
        {
            "scikit-learn": lambda: sklearn.linear_model.Perceptron(max_iter=epochs, tol=None, shuffle=False).fit(X, y),
            "float64": lambda: nk.Perceptron(max_iter=epochs, shuffle=False).fit(X, y),
            "float32": lambda: nk.Perceptron(max_iter=epochs, shuffle=False).fit(X32, y),
        },
        rounds,
    )
    return [
        {
            "work": f"fit, {epochs} epoch{'s' * (epochs > 1)}, {dtype}",
            "ours": f"{1e3 * times[dtype]:.1f} ms",
            "peer": f"{1e3 * times['scikit-learn']:.1f} ms (scikit-learn, float64)",
            "ratio": times["scikit-learn"] / times[dtype],
            "ns a nonzero": 1e9 * times[dtype] / (epochs * X.nnz),
        }
        for dtype in ("float64", "float32")
    ]


def second_order(X: sp.csr_matrix, y: np.ndarray, rounds: int) -> list[dict[str, Any]]:
    """One pass of the learners with steps of their own for each column, against one of our perceptron."""
    learners = {"AROW": nk.AROW, "NormalizedAdaptive": nk.NormalizedAdaptive}
    makers = {"Perceptron": nk.Perceptron, **learners}
    times = interleave({name: lambda make=make: make().partial_fit(X, y) for name, make in makers.items()}, rounds)
    return [
        {
            "work": f"partial_fit, {name}",
            "ours": f"{1e3 * times[name]:.1f} ms",
            "peer": f"{1e3 * times['Perceptron']:.1f} ms (our Perceptron)",
            "ratio": times["Perceptron"] / times[name],
            "ns a nonzero": 1e9 * times[name] / X.nnz,
        }
        for name in learners
    ]


def tracker(X: sp.csr_matrix, y: np.ndarray, rounds: int) -> list[dict[str, Any]]:
    """One pass of the default tracker, which predicts every row, against one of our perceptron; sparse and dense."""
    dense = np.ascontiguousarray(X[: X.shape[0] // 10].toarray()[:, :200] + 1.0)
    table = []
    for kind, rows in (("sparse", X), ("dense", dense)):
        labels = y[: rows.shape[0]]
        makers = {"Perceptron": nk.Perceptron, "Tracker": nk.Tracker}
        times = interleave(
            {
                name: lambda make=make, rows=rows, labels=labels: make().predict_then_learn(rows, labels)
                for name, make in makers.items()
            },
            rounds,
        )
        table.append(
            {
                "work": f"predict_then_learn, Tracker, {kind}",
                "ours": f"{1e3 * times['Tracker']:.1f} ms",
                "peer": f"{1e3 * times['Perceptron']:.1f} ms (our Perceptron)",
                "ratio": times["Perceptron"] / times["Tracker"],
                "ns a nonzero": 1e9 * times["Tracker"] / (X.nnz if kind == "sparse" else dense.size),
            }
        )
    return table


def full_matrix(widths: tuple[int, ...], rounds: int) -> list[dict[str, Any]]:
    """Updates with a full matrix of so many columns, against those with its diagonal. Labels are random."""
    random, found = np.random.default_rng(0), []
    for width in widths:
        rows = max(50, 2_000_000 // width**2)
        X, y = random.normal(size=(rows, width)), random.random(rows) < 0.5
        works = {full: lambda full=full, X=X, y=y: nk.AROW(full=full).partial_fit(X, y) for full in (True, False)}
        times = interleave(works, rounds)
        updates = nk.AROW(full=True).partial_fit(X, y).certificate_.updates
        found.append(
            {
                "work": f"an update of AROW(full=True), {width} columns",
                "ours": f"{1e6 * times[True] / updates:.1f} us",
                "peer": f"{1e6 * times[False] / updates:.1f} us (diagonal)",
                "ratio": times[False] / times[True],
                "ns a pair of columns": 1e9 * times[True] / updates / width**2,
            }
        )
    return found


def events(
    ours: Callable[[], Any], peer: Callable[[], Any], stream: list[tuple[Any, Any]], block: int
) -> tuple[float, float]:
    """Microseconds an event of the two models, each in its turn for a block of events.

    Events are copied just before their block, as if they had just been parsed: an event that arrives is in the cache.
    """
    models, times = (ours(), peer()), ([], [])
    for start in range(0, len(stream), block):
        for model, seconds in zip(models, times, strict=True):
            fresh = [(x.copy(), y) for x, y in stream[start : start + block]]
            begin = time.perf_counter()
            for x, y in fresh:
                model.predict_one(x)
                model.learn_one(x, y)
            seconds.append((time.perf_counter() - begin) / len(fresh))
    return 1e6 * statistics.median(times[0]), 1e6 * statistics.median(times[1])


class PartialFit:
    """scikit-learn's way of learning one row: no prediction is asked of it."""

    def __init__(self) -> None:
        self.model = sklearn.linear_model.Perceptron()

    def predict_one(self, x: Any) -> None:
        pass

    def learn_one(self, x: Any, y: bool) -> None:
        self.model.partial_fit(x, [y], classes=[False, True])


def streams(X: sp.csr_matrix, y: np.ndarray, count: int) -> list[dict[str, Any]]:
    """One event at a time, as dicts of names and as sparse rows."""
    names = [f"feature{j}" for j in range(X.shape[1])]
    rows = [X[[i]] for i in range(count)]
    labels = (y[:count] > 0).tolist()
    dicts = [{names[j]: v for j, v in zip(row.indices.tolist(), row.data.tolist(), strict=True)} for row in rows]
    dict_ours, dict_peer = events(
        nk.Perceptron, river.linear_model.Perceptron, list(zip(dicts, labels, strict=True)), 100
    )
    some = list(zip(rows, labels, strict=True))[: count // 10]
    row_ours, row_peer = events(nk.Perceptron, PartialFit, some, 50)
    return [
        {
            "work": "predict_one + learn_one, dict",
            "ours": f"{dict_ours:.2f} us",
            "peer": f"{dict_peer:.1f} us (River)",
            "ratio": dict_peer / dict_ours,
            "ns a nonzero": 1e3 * dict_ours / (X.nnz / X.shape[0]),
        },
        {
            "work": "predict_one + learn_one, sparse row",
            "ours": f"{row_ours:.2f} us",
            "peer": f"{row_peer:.0f} us (scikit-learn, partial_fit only)",
            "ratio": row_peer / row_ours,
            "ns a nonzero": 1e3 * row_ours / (X.nnz / X.shape[0]),
        },
    ]


def import_seconds() -> float:
    """How much longer ``import novikoff`` takes than scikit-learn's own import of its linear models."""
    peer = "import sklearn.linear_model, sklearn.utils.validation"
    commands = {"peer": peer, "ours": f"{peer}; import novikoff"}
    times = interleave(
        {k: lambda c=c: subprocess.run([sys.executable, "-c", c], check=True) for k, c in commands.items()}, 5
    )
    return times["ours"] - times["peer"]


def main() -> None:
    share = share_of_rows(__doc__)
    X, y = text_like(200_000 // share, 50_000, 57)
    table = (
        passes(X, y, 1, rounds=9)
        + passes(X, y, 5, rounds=5)
        + second_order(X, y, rounds=9)
        + tracker(X, y, rounds=5)
        + full_matrix((54, 500, 2000), rounds=5)
        + streams(X, y, 20_000 // share)
    )
    bandwidth = read_bandwidth()
    limit = (X.data.itemsize + X.indices.itemsize) / bandwidth * 1e9
    report(
        "online",
        share,
        table,
        rows=X.shape[0],
        nonzeros_a_row=X.nnz / X.shape[0],
        read_bandwidth_GB_s=bandwidth / 1e9,
        limit_ns_a_nonzero_float64=limit,
        import_seconds_beyond_scikit_learn=import_seconds(),
    )


if __name__ == "__main__":
    main()
