"""Whole fits on real clusters on this machine: the bits of threads, failures in the middle, and little memory."""

import os
import signal
import sys
from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import WORKER_PATH
from threadpoolctl import threadpool_limits

import novikoff as nk
from novikoff.distributed.soft_margin import plan

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(600, 6))
Y = np.array(["a", "b", "c"])[np.argmax(X[:, :3] + 0.5 * RANDOM.normal(size=(600, 3)), axis=1)]
IS_A = Y == "a"
ENDS = [100, 100, 350, 351]  # partitions of unequal sizes, one of them empty and one with a single row

MODELS = {
    "hinge": lambda: (nk.LinearSVM(loss="hinge", tol=1e-6), IS_A),
    "squared hinge": lambda: (nk.LinearSVM(class_weight="balanced"), IS_A),
    "pairs": lambda: (nk.LinearSVM(C=2.0, multi_class="ovo"), Y),
    "perceptron": lambda: (nk.AveragedPerceptron(max_iter=5, n_iter_no_change=None), IS_A),
}


@contextmanager
def on_dask(workers=2, **options):
    # "distributed" alone would be the folder of these tests.
    pytest.importorskip("distributed.deploy", reason="Dask is not installed (make clusters)")
    import distributed

    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"} | options
    with (
        distributed.LocalCluster(n_workers=workers, env={"PYTHONPATH": WORKER_PATH}, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextmanager
def on_spark(workers=2):
    sql = pytest.importorskip("pyspark.sql", reason="Spark is not installed (make clusters)")
    if os.system("java -version 2> /dev/null") != 0:
        pytest.skip("Java is not installed (apt-get install default-jre-headless)")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false")
    session = builder.config("spark.executorEnv.PYTHONPATH", WORKER_PATH).getOrCreate()
    try:
        yield session
    finally:
        session.stop()


CLUSTERS = {"dask": on_dask, "spark": on_spark}


def fitted(name, on, **options):
    model, y = MODELS[name]()
    return nk.distributed.fit(model, np.split(X, ENDS), np.split(y, ENDS), on=on, **options)


def claims(model):
    certificates = model.certificate_ if isinstance(model.certificate_, list) else [model.certificate_]
    return [model.coef_.tobytes(), model.intercept_.tobytes(), *(certificate.to_json() for certificate in certificates)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.parametrize("cluster", CLUSTERS)
def test_fits_have_the_bits_of_threads_for_any_number_of_workers(cluster):
    expected = {name: claims(fitted(name, "local:3")) for name in MODELS}
    for workers in (1, 2) if cluster == "dask" else (2,):  # the tests of the engines have one worker, too
        with CLUSTERS[cluster](workers) as on:
            for name in MODELS:
                assert claims(fitted(name, on)) == expected[name], (name, workers)


def wide_fit(kind, on, folder, monkeypatch):
    """A fit of wide sparse rows, gathered or not, of text files of them, or of so many rows that BLAS divides sums."""
    random = np.random.default_rng(7)
    if kind == "many rows":
        rows = random.normal(size=(36_000, 4))
        labels = rows[:, 0] + random.normal(size=len(rows)) > 0
        return nk.distributed.fit(nk.LinearSVM(loss="hinge"), np.split(rows, 3), np.split(labels, 3), on=on)
    rows = sp.random(240, 20_000, 2e-3, random_state=0, format="csr")
    labels = np.where(rows.sum(axis=1).A1 + random.normal(size=240) > rows.sum() / 240, 1, -1)
    model = nk.LinearSVM(loss="squared_hinge" if kind == "files" else "hinge", tol=1e-4)
    if kind == "files":
        for number, part in enumerate(np.split(np.arange(240), [*ENDS[:2], 200])):
            nk.write_svmlight(rows[part], labels[part], folder / f"{number}.svm")
        return nk.distributed.fit(model, str(folder / "*.svm"), n_features=20_000, slice_bytes=10_000, on=on)
    with monkeypatch.context() as patch:
        if kind == "descent":
            patch.setattr(plan, "MAX_HELD", 0)
        fitted = nk.distributed.fit(model, [rows[:100], rows[100:101], rows[101:]], np.split(labels, [100, 101]), on=on)
    assert fitted.history_["method"][-1] == {"descent": "coordinate descent"}.get(kind, "disaggregation")
    return fitted


WIDE = ["gathering", "descent", "files", "many rows"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", WIDE)
def test_fits_of_wide_and_of_many_rows_do_not_depend_on_the_number_of_threads(kind, tmp_path, monkeypatch):
    with threadpool_limits(2, "blas"):
        one, two = (claims(wide_fit(kind, f"local:{threads}", tmp_path, monkeypatch)) for threads in (1, 2))
    assert one == two


@pytest.mark.slow
def test_fits_of_wide_and_of_many_rows_have_the_same_bits_on_processes(tmp_path, monkeypatch):
    with on_dask() as client:
        for kind in WIDE:
            with threadpool_limits(2, "blas"):
                expected = claims(wide_fit(kind, "local:2", tmp_path, monkeypatch))
            assert claims(wide_fit(kind, client, tmp_path, monkeypatch)) == expected, kind


@pytest.mark.slow
def test_a_worker_that_is_killed_in_a_fit_changes_nothing():
    expected, killed = claims(fitted("hinge", "local:2")), []
    with on_dask() as client:

        def kill_one(message, fraction):
            if len(killed) == 0 and message.startswith("round 4"):
                workers = client.scheduler_info()["workers"]
                killed.append(client.run(os.getpid, workers=[next(iter(workers))]).popitem()[1])
                os.kill(killed[0], signal.SIGKILL)

        assert claims(fitted("hinge", client, progress=kill_one)) == expected
    assert len(killed) == 1


@pytest.mark.slow
def test_an_interrupted_fit_leaves_no_task_and_goes_on_from_its_checkpoint(tmp_path):
    expected, messages = claims(fitted("hinge", "local:2")), []
    with on_dask() as client:

        def interrupt(message, fraction):
            messages.append(message)
            if message.startswith("round 5"):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fitted("hinge", client, progress=interrupt, checkpoint=tmp_path / "c", checkpoint_every=2)
        assert not any(client.processing().values())
        assert list((tmp_path / "c").iterdir())
        assert claims(fitted("hinge", client, checkpoint=tmp_path / "c")) == expected
    assert messages
    assert not list((tmp_path / "c").iterdir())


@pytest.mark.slow
def test_files_larger_than_the_memory_of_the_workers(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    weights, columns = RANDOM.normal(size=40), [f"f{k:02}" for k in range(40)]
    for number in range(20):
        rows = RANDOM.normal(size=(125_000, 40))  # 40 MB
        labels = (rows @ weights + RANDOM.normal(size=len(rows)) > 0).astype(np.int64)
        arrays = {name: rows[:, k] for k, name in enumerate(columns)} | {"y": labels}
        pq.write_table(pa.table(arrays), tmp_path / f"{number:02}.parquet", row_group_size=62_500, compression="none")
    with on_dask(2, memory_limit="600MB") as client:  # the rows take 800 MB
        model = nk.distributed.fit(nk.LinearSVM(C=1e-3), str(tmp_path / "*.parquet"), "y", on=client)
        assert model.certificate_.converged
        assert model.certificate_.examples == 2_500_000
        verified = nk.distributed.verify(model, str(tmp_path / "*.parquet"), "y", on=client)
    assert verified, verified
