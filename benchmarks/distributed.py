"""The soft margin on partitions: against Spark's LinearSVC, the overhead of Dask, rounds, and bytes.

Two workers on one machine, all programs in turn in one run. Spark: the same cached DataFrame with a vector column, the
same objective, of which ours must not be larger. Dask: the rows are persisted on two worker processes, and the time is
compared with that of the same estimator in one process, with all its threads. Rounds include those of the certificate.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import novikoff as nk
from novikoff.distributed.engines.local import LocalRounds
from novikoff.distributed.fitting import fit_outcome
from novikoff.distributed.protocol import size_of, tree_sum

from .data.sets import DATA
from .data.text import text_like
from .harness import Session, Suite
from .harness.session import show

SPARK_TOLS = {"covtype": 2e-6, "text": 1e-4}  # gaps of ours, whose objective must not be above that of LinearSVC
TEXT = (200_000, 50_000, 57)
ROUNDS = 5


def covtype(share: int) -> tuple[np.ndarray, np.ndarray]:
    """Return covtype, class 2 against the rest, with standardised columns."""
    batch = nk.read(DATA / "covtype.csv.gz", target="last")
    X, labels = np.asarray(batch.X, dtype=np.float64)[::share], np.asarray(batch.y)[::share]
    return (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12), (labels.astype(str) == "2").astype(np.int64)


def text(share: int) -> tuple[Any, np.ndarray]:
    X, y = text_like(TEXT[0] // share, *TEXT[1:])
    return X, (y > 0).astype(np.int64)


def small(name: str) -> tuple[Any, np.ndarray]:
    return nk.read_svmlight(DATA / f"{name}.svm.gz")[:2]


def objective(X: Any, y: np.ndarray, w: np.ndarray, b: float, C: float) -> float:
    """Return 1/2 |w|^2 + C sum of the hinge losses."""
    scores = np.asarray(X @ w).ravel() + b
    return 0.5 * float(w @ w) + C * float(np.maximum(0, 1 - np.where(y > 0, scores, -scores)).sum())


def spark_frame(session: Any, X: Any, y: np.ndarray) -> Any:
    """Return a cached DataFrame with a vector column, made from a Parquet-like Arrow table in pieces."""
    from pyspark.ml.linalg import Vectors, VectorUDT
    from pyspark.sql.types import DoubleType, StructField, StructType

    if not hasattr(X, "indptr"):
        import pyarrow as pa
        from pyspark.ml.functions import array_to_vector

        lists = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), X.shape[1]).cast(pa.list_(pa.float64()))
        frame = session.createDataFrame(pa.table({"values": lists, "label": pa.array(y.astype(np.float64))}))
        frame = frame.select(array_to_vector("values").alias("features"), "label").repartition(2).cache()
        frame.count()
        return frame
    schema = StructType([StructField("features", VectorUDT()), StructField("label", DoubleType())])

    def rows(part: np.ndarray) -> list[tuple[Any, float]]:
        ends = zip(part, X.indptr[part], X.indptr[part + 1], strict=True)
        return [(Vectors.sparse(X.shape[1], X.indices[a:b], X.data[a:b]), float(y[i])) for i, a, b in ends]

    pieces = np.array_split(np.arange(X.shape[0]), 8)
    frames = [session.createDataFrame(rows(piece), schema).coalesce(1) for piece in pieces]
    frame = frames[0]
    for other in frames[1:]:
        frame = frame.union(other)
    frame = frame.coalesce(2).cache()
    frame.count()
    return frame


def spark_session() -> Any:
    """Start Spark with two workers in this process."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.memory", "8g").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.python.unix.domain.socket.enabled", "true")  # 40 ms less for each task in Python
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def against_spark(session: Session, share: int) -> None:
    """Compare with LinearSVC of Spark on the same cached DataFrames."""
    from pyspark.ml.classification import LinearSVC

    spark = spark_session()
    for name, (X, y), C in (("covtype", covtype(share), 1.0), ("text", text(share), 1.0)):
        frame, rows = spark_frame(spark, X, y), X.shape[0]
        sent: dict[str, float] = {}

        def ours(frame: Any = frame, sent: Any = sent, name: str = name, C: float = C) -> tuple[np.ndarray, float]:
            found = fit_outcome(nk.LinearSVM(C=C, loss="hinge", tol=SPARK_TOLS[name]), frame, "label", on=spark)
            sent |= {"rounds": found.rounds, "megabytes": found.bytes_sent / 1e6}
            return found.estimator.coef_[0], float(found.estimator.intercept_[0])

        def theirs(frame: Any = frame, rows: int = rows, C: float = C) -> tuple[np.ndarray, float]:
            found = LinearSVC(regParam=1 / (rows * C), standardization=False, maxIter=100).fit(frame)
            return found.coefficients.toArray(), found.intercept

        (row,) = session.compare(
            f"Spark, {name} {rows} x {X.shape[1]}",
            {"novikoff": ours},
            {"LinearSVC of Spark": theirs},
            rounds=ROUNDS,
            cost=lambda plane, X=X, y=y, C=C: objective(X, y, *plane, C),
            tolerance=1e-9,
            less_exact_peers=True,
        )
        row |= sent
        frame.unpersist()
    spark.stop()
    session.keep(table=session.content["table"])


def over_dask(session: Session, share: int) -> None:
    """Compare two worker processes with one process that has all threads."""
    import dask.array as da

    from distributed import Client, LocalCluster, wait

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster) as client:
        X, y = covtype(share)
        rows = -(-X.shape[0] // 4)
        Xd, yd = (da.from_array(values, chunks=(rows, *values.shape[1:])).persist() for values in (X, y))
        wait([Xd, yd])
        for loss in ("squared_hinge", "hinge"):
            sent: dict[str, float] = {}

            def on_dask(loss: str = loss, sent: Any = sent) -> Any:
                found = fit_outcome(nk.LinearSVM(C=1.0, loss=loss), Xd, yd, on=client)
                sent |= {"rounds": found.rounds, "megabytes": found.bytes_sent / 1e6}
                return found.estimator.certificate_

            (row,) = session.compare(
                f"Dask, covtype, {loss}",
                {"novikoff": on_dask},
                {"novikoff, one process": lambda loss=loss: nk.LinearSVM(C=1.0, loss=loss).fit(X, y).certificate_},
                rounds=ROUNDS,
                cost=lambda certificate: certificate.primal,
                tolerance=nk.LinearSVM().tol,
            )
            row |= sent
    session.keep(table=session.content["table"])


def cut(X: Any, y: np.ndarray, parts: int) -> tuple[list[Any], list[np.ndarray]]:
    places = np.array_split(np.arange(X.shape[0]), parts)
    return [X[place] for place in places], [y[place] for place in places]


def count_rounds(session: Session, share: int) -> None:
    """Count the rounds and bytes until a gap is proven."""
    table = []
    sets: dict[str, Callable[[], Any]] = {name: lambda name=name: small(name) for name in ("a9a", "w8a", "ijcnn1")}
    sets["covtype"] = lambda: covtype(share)
    for name, load in sets.items():
        X, y = load()
        for loss in ("hinge", "squared_hinge"):
            for C in (0.01, 1.0, 100.0):
                table.append(_rounds(f"rounds to 1e-6, {name}, {loss}, C={C:g}", X, y, 4, C, loss, 1e-6))
    X, y = text(share)
    for loss in ("hinge", "squared_hinge"):
        for C in (0.1, 1.0):
            table.append(_rounds(f"rounds to 1e-4, text, {loss}, C={C:g}", X, y, 8, C, loss, 1e-4))
    session.merge("fits", ("what",), table)


def _rounds(what: str, X: Any, y: np.ndarray, parts: int, C: float, loss: str, tol: float) -> dict[str, Any]:
    start = time.perf_counter()
    found = fit_outcome(nk.LinearSVM(C=C, loss=loss, tol=tol), *cut(X, y, parts), on="local:2")
    gap = found.estimator.certificate_.relative_gap
    return {
        "what": what,
        "rounds": found.rounds,
        "gap": gap,
        "ours s": time.perf_counter() - start,
        "megabytes": found.bytes_sent / 1e6,
    }


class Weighed(LocalRounds):
    """Rounds that count the pickled bytes of commands and replies beside those that are needed."""

    pickled = needed = 0

    def _map(self, step: Any, command: Any) -> Any:
        def weighed(block: Any, state: Any, command: Any) -> tuple[Any, Any]:
            state, reply = step(block, state, command)
            return state, [reply]

        replies = super()._map(weighed, command)
        Weighed.pickled += self.count * len(pickle.dumps(command, 5)) + sum(len(pickle.dumps(r, 5)) for r in replies)
        Weighed.needed += self.count * size_of(command) + sum(map(size_of, replies))
        return tree_sum(replies)


def count_bytes(session: Session, share: int) -> None:
    """Count the pickled bytes and those that are needed."""
    from unittest import mock

    from novikoff.distributed.engines import local

    table = []
    for name, (X, y), parts in (("covtype", covtype(10 * share), 4), ("text", text(10 * share), 8)):
        Weighed.pickled = Weighed.needed = 0
        with mock.patch.object(local, "LocalRounds", Weighed):
            found = fit_outcome(nk.LinearSVM(loss="hinge"), *cut(X, y, parts), on="local:2")
        table.append(
            {
                "what": f"bytes, {name}",
                "rounds": found.rounds,
                "megabytes": Weighed.needed / 1e6,
                "pickled bytes over needed ones": Weighed.pickled / Weighed.needed,
            }
        )
    session.merge("fits", ("what",), table)


WORK: dict[str, Callable[[Session, int], None]] = {
    "spark": against_spark,
    "dask": over_dask,
    "rounds": count_rounds,
    "bytes": count_bytes,
}


def run(session: Session) -> None:
    """Measure all."""
    for name in session.chosen(session.size["parts"]):
        WORK[name](session, session.size["share"])
    show(session.content.get("fits", []))


SUITE = Suite(
    name="distributed",
    measures="the soft margin on partitions: seconds, rounds and bytes",
    contestants=("Spark's LinearSVC", "one process"),
    answers="our objective must not be above that of Spark, which may be less exact; all fits are proven to their gaps",
    limit="the bytes that a round must send; one process with all its threads",
    run=run,
    quick={"share": 50, "parts": ("rounds", "bytes")},
    full={"share": 1, "parts": tuple(WORK)},
    files=("covtype.csv.gz", "a9a.svm.gz", "w8a.svm.gz", "ijcnn1.svm.gz"),
)
