"""CSV to encoded rows, against pandas with scikit-learn's ColumnTransformer; and CSV to a certified model.

Each program reads and encodes in a new process, so that its peak of memory is known; its time begins after its imports.
Missing numbers are imputed by the mean with an indicator, numbers are standardised, and categories have a column each.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

from .harness import Session, Suite, Timed, Worker, interleave
from .harness.memory import peak_bytes

ROUNDS, CAP = 3, 600.0
ADULT_ROWS, ADULT_CATEGORIES = 32_000, (9, 16, 7, 15, 6, 5, 2, 42)
MEGABYTE = 2**20


def write_mixed(path: Path, rows: int) -> None:
    """Write 20 numbers, some of them missing, 20 categories of 2 to 400 values, and a label."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {}
    for j in range(20):
        values = (
            np.round(rng.normal(j * 10, 1 + j, size=rows), 4) if j % 2 else rng.integers(0, 1000 * (j + 1), size=rows)
        )
        columns[f"number{j}"] = pa.array(values, mask=rng.random(rows) < 0.03 if j % 3 == 0 else None)
    for j in range(20):
        count = (2, 5, 10, 30, 100, 400)[j % 6]
        names = np.array([f"value{j}_{i}" for i in range(count)])
        columns[f"category{j}"] = pa.array(names[np.minimum(rng.pareto(1.2, size=rows).astype(int), count - 1)])
    columns["label"] = pa.array(np.where(rng.random(rows) < 0.3, "yes", "no"))
    pc.write_csv(pa.table(columns), path)


def write_adult_like(path: Path) -> None:
    """Write 6 numbers of several scales, 8 categories, and a label that depends on them."""
    rng = np.random.default_rng(1)
    scales = np.array([13, 1e5, 2.5, 7000, 400, 12])
    numbers = rng.normal(size=(ADULT_ROWS, 6))
    score = numbers @ rng.normal(size=6)
    columns: dict[str, Any] = {f"number{j}": np.round(numbers[:, j] * scales[j] + 3 * scales[j], 1) for j in range(6)}
    for j, count in enumerate(ADULT_CATEGORIES):
        codes = rng.choice(count, size=ADULT_ROWS, p=rng.dirichlet(np.full(count, 0.7)))
        score += rng.normal(size=count)[codes]
        columns[f"category{j}"] = np.array([f"v{i}" for i in range(count)])[codes]
    noisy = score + 2 * rng.logistic(size=ADULT_ROWS)
    columns["label"] = np.where(noisy > np.quantile(noisy, 0.76), "yes", "no")
    pc.write_csv(pa.table(columns), path)


def imported_ours() -> None:
    """Import novikoff and its table reader."""
    import novikoff as nk

    nk.fit(b"a,b,y\n1,x,no\n2,y,yes\n", format="csv", model=nk.Perceptron())


def imported_peer() -> None:
    """Import pandas and scikit-learn."""
    import pandas  # noqa: F401
    import sklearn.compose  # noqa: F401


def ours(_: None, path: str) -> dict[str, Any]:
    """Read and encode by novikoff."""
    from novikoff.data.encoding.encoder import TableEncoder
    from novikoff.data.reading import Reading

    before, start, cpu = peak_bytes(), time.perf_counter(), time.process_time()
    batch = Reading(target="label").read("read", path, encoder=TableEncoder())
    return measured(before, start, cpu, batch.X)


def peer(_: None, path: str) -> dict[str, Any]:
    """Read by pandas, and encode by a ColumnTransformer."""
    import pandas as pd
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    before, start, cpu = peak_bytes(), time.perf_counter(), time.process_time()
    frame = pd.read_csv(path)
    frame.pop("label")
    numbers = list(frame.select_dtypes("number").columns)
    others = [name for name in frame.columns if name not in numbers]
    encoder = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), numbers),
            ("categories", OneHotEncoder(handle_unknown="ignore"), others),
        ]
    )
    return measured(before, start, cpu, encoder.fit_transform(frame))


def measured(before: float, start: float, cpu: float, X: Any) -> dict[str, Any]:
    """Return seconds, and memory in MB."""
    seconds, busy = time.perf_counter() - start, time.process_time() - cpu
    result = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    return {
        "seconds": seconds,
        "cpu": busy,
        "result_MB": result / MEGABYTE,
        "beyond_MB": (peak_bytes() - before - result) / MEGABYTE,
        "rows": X.shape[0],
        "nonzeros": int(X.nnz),
    }


def run(session: Session) -> None:
    """Measure all."""
    rows = session.size["rows"]
    found: dict[str, dict[str, Any]] = {}

    def contestant(name: str, prepare: Any, job: Any, path: str) -> Callable[[], Timed]:
        def measure() -> Timed:
            worker = Worker(prepare)  # a new process: the peak of memory of an earlier round must not count
            found[name] = worker(CAP, job, path)
            worker.close()
            return Timed(found[name]["seconds"], found[name])

        return measure

    with tempfile.TemporaryDirectory() as folder:
        mixed, adult = Path(folder, "mixed.csv"), Path(folder, "adult.csv")
        write_mixed(mixed, rows)
        write_adult_like(adult)
        size = mixed.stat().st_size
        session.compare(
            f"read and encode {size / 1e6:.0f} MB of CSV, {rows:,} rows of 40 columns",
            {"novikoff": contestant("novikoff", imported_ours, ours, str(mixed))},
            {"pandas, ColumnTransformer": contestant("pandas, ColumnTransformer", imported_peer, peer, str(mixed))},
            rounds=ROUNDS,
            cost=lambda found: abs(found["rows"] - rows),
            limit=session.reading(size),
            bytes=size,
        )
        command = [sys.executable, "-m", "novikoff", "fit", str(adult), "--holdout", "0", "--json"]
        command += ["-o", str(Path(folder, "m.nvk"))]
        whole = interleave({"fit": lambda: subprocess.run(command, check=True, capture_output=True)}, ROUNDS)["fit"]
    session.keep(memory=found, adult_like_command_s=whole)


SUITE = Suite(
    name="tables",
    measures="reading and encoding a CSV file of 20 numbers, some missing, and 20 categories; time and peak memory",
    contestants=("pandas with scikit-learn",),
    answers="both return all rows",
    limit="reading the bytes of the file from memory once",
    run=run,
    quick={"rows": 30_000},
    full={"rows": 1_000_000},
    packages=("pandas",),
)
