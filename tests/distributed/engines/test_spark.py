"""Spark: a session on two cores, and a cluster of two executors of its own."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import clusters
import numpy as np
import pytest
import scipy.sparse as sp
from clusters import (
    HASHING,
    SIZES,
    WORKER_PATH,
    column_sums,
    data_of,
    divide_by_zero,
    expected,
    hashable_frame,
    hashed_sums,
    killed_walk,
    local_directory,
    noted_block,
    pieces,
    run,
    same_bits,
    sleep,
    walk,
)
from engine_contract import EngineContract, assert_same_data

from novikoff.distributed.block import checked_block
from novikoff.distributed.engine import choose_engine
from novikoff.distributed.engines.local import LocalEngine
from novikoff.distributed.engines.spark import SETTINGS, SparkEngine, quiet
from novikoff.distributed.engines.tables import HashedTable
from novikoff.distributed.rounds import Data
from novikoff.distributed.survey import survey
from novikoff.errors import InvalidInputError

pytest.importorskip("pyspark", reason="Spark is not installed (make clusters)")
pytestmark = [
    pytest.mark.slow,  # it starts a session
    pytest.mark.skipif(
        shutil.which("java") is None, reason="Java is not installed (apt-get install default-jre-headless)"
    ),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]


@pytest.fixture(scope="module")
def session():
    yield from sessions("local[2]")


def sessions(master):
    """Start a session, and stop it in the end, with the process of Java."""
    with quiet():
        from pyspark import SparkContext
        from pyspark.sql import SparkSession
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", WORKER_PATH)
        builder = SparkSession.builder.master(master).config("spark.executorEnv.PYTHONPATH", WORKER_PATH)
        for name, value in {**SETTINGS, "spark.log.level": "FATAL", "spark.driver.host": "127.0.0.1"}.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        gateway = SparkContext._gateway
        yield session
        session.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(30)
        SparkContext._gateway = SparkContext._jvm = None


@pytest.fixture
def engine(session):
    return SparkEngine.of("t", session)


def test_rounds_on_a_dataframe(session, engine):
    """The only test of Spark that is not marked as slow."""
    from pyspark.sql import Row

    lists = pieces([5, 0, 1, 4])
    frame = frame_of(session, lists, lambda x, y, w: Row(a=x[0], b=x[1], c=x[2], label=y, weight=w))
    assert isinstance(choose_engine("t", None, frame), SparkEngine)
    data = engine.data("t", frame, "label", "weight")
    assert data.feature_names == ("a", "b", "c")
    assert_same_data(engine, data, *lists)
    with pytest.raises(InvalidInputError, match="y='lable' is not a column"):
        engine.data("t", frame, "lable", None)


@pytest.mark.parametrize("step", ["killed_walk", "walk_without_executor"])
def test_a_killed_process_of_a_cluster_changes_nothing(step, tmp_path):
    """Python workers and executors are processes of their own there, and Spark tries tasks again."""
    script = Path(clusters.__file__).with_name("spark_cluster.py")
    environment = {**os.environ, "PYTHONPATH": WORKER_PATH}
    command = [sys.executable, "-W", "ignore", str(script), step, str(tmp_path / "killed")]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500)
    assert found.returncode == 0, found.stderr
    assert found.stdout.split("\n")[-2] == "same bits"


class TestSpark(EngineContract):
    def test_a_killed_python_worker_is_an_error_that_leaves_the_states(self, engine, tmp_path):
        """On one machine, Spark tries each task once."""
        with engine.open(data_of(SIZES[3])) as rounds:
            found = [rounds.run(walk, 1.0), rounds.run(walk, 1.0 / 2)]
            with pytest.raises(Exception, match="crashed"):
                rounds.run(killed_walk, (str(tmp_path / "killed"), 1.0))
            found += [rounds.run(walk, 1.0 / 3), rounds.run(walk, 1.0 / 4)]
            assert same_bits((found, rounds.states()), expected(SIZES[3]))

    def test_lost_files_are_made_again(self, engine):
        with engine.open(data_of(SIZES[3])) as rounds:
            found = []
            for k in range(4):
                found.append(rounds.run(walk, 1.0 / (1 + k)))
                shutil.rmtree(folders(engine)[0])
            assert same_bits((found, rounds.states()), expected(SIZES[3]))

    def test_closing_removes_the_files(self, engine):
        with engine.open(data_of(SIZES[3])) as rounds:
            run(rounds)
            assert len(folders(engine)) == 1
        assert folders(engine) == []

    @pytest.mark.parametrize("has_failed", [False, True])
    def test_closing_before_the_first_round_is_done_makes_no_block(self, engine, tmp_path, has_failed):
        parts = [(str(tmp_path), *part) for part in data_of(SIZES[3]).parts]
        rounds = engine.open(Data(noted_block, parts))
        if has_failed:
            with pytest.raises(ZeroDivisionError):
                rounds.run(divide_by_zero)
        made = len(list(tmp_path.iterdir()))
        assert made == (3 if has_failed else 0)
        rounds.close()
        assert len(list(tmp_path.iterdir())) == made
        assert folders(engine) == []

    def test_an_interrupt_cancels_the_job(self, engine, session):
        with engine.open(data_of(SIZES[8])) as rounds:
            first = rounds.run(walk, 1.0)
            threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                rounds.run(sleep, 60)
            for _ in range(100):
                if not session.sparkContext.statusTracker().getActiveJobsIds():
                    break
                time.sleep(0.1)
            assert list(session.sparkContext.statusTracker().getActiveJobsIds()) == []
            assert same_bits([first, rounds.run(walk, 0.5)], expected(SIZES[8], 2)[0])


def folders(engine):
    """The folders of our files in the local directories of the workers."""
    with engine.open(data_of([1])) as rounds:
        (own,) = rounds.run(local_directory)
    return [path for path in (os.path.join(own, name) for name in os.listdir(own)) if holds_states(path)]


def holds_states(path):
    return os.path.basename(path).startswith("novikoff-") and any(n.startswith("state") for n in os.listdir(path))


# ---- DataFrames -----------------------------------------------------------------------------------------------------


def frame_of(session, lists, make):
    """A DataFrame with these partitions, of rows that are made from x, label and weight."""
    parts = [
        [make(*row) for row in zip(X.tolist(), y.tolist(), weights.tolist(), strict=True)]
        for X, y, weights in zip(*lists, strict=True)
    ]
    rdd = session.sparkContext.parallelize(list(range(len(parts))), len(parts)).flatMap(parts.__getitem__)
    return session.createDataFrame(rdd)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_vectors_are_rows(session, engine, kind):
    from pyspark.ml.linalg import Vectors
    from pyspark.sql import Row

    lists = pieces([5, 1])
    of = {"dense": Vectors.dense, "sparse": lambda x: Vectors.sparse(3, [0, 1, 2], x)}[kind]
    as_rows = {"dense": np.asarray, "sparse": sp.csr_matrix}[kind]  # dense products may round differently
    frame = frame_of(session, lists, lambda x, y, w: Row(features=of(x), label="ab"[(1 + y) // 2]))
    with engine.open(engine.data("t", frame, "label", None)) as rounds:
        found = survey("t", rounds)
        assert (found.rows, found.columns, found.is_sparse) == ([5, 1], 3, kind == "sparse")
        assert found.classes("t")[0].tolist() == ["a", "b"]
        parts = [(f"t: partition {k}", as_rows(x), *rest) for k, (x, *rest) in enumerate(zip(*lists, strict=True))]
        with LocalEngine(2).open(Data(checked_block, parts)) as threads:
            assert same_bits(rounds.run(walk, 1.0), threads.run(walk, 1.0))


def test_text_columns_are_refused(session, engine):
    frame = session.createDataFrame([(1.0, "clerk", 1), (2.0, "smith", 0)], ["a", "job", "y"])
    with pytest.raises(InvalidInputError, match="column 'job' holds values of type string, not numbers"):
        engine.data("t", frame, "y", None)


def test_missing_values_are_refused_with_the_partition(session, engine):
    frame = session.createDataFrame([(1.0, 1), (None, 0)], ["a", "y"]).coalesce(1)
    with (
        engine.open(engine.data("t", frame, "y", None)) as rounds,
        pytest.raises(InvalidInputError, match=r"t: partition 0.*row 1"),
    ):
        rounds.run(walk, 1.0)


def test_rows_that_change_are_noticed(session, engine):
    from pyspark.sql import Row

    rdd = session.sparkContext.parallelize([0], 1).map(lambda _: Row(a=float(time.time_ns()), y=1))
    frame = session.createDataFrame(rdd, "a double, y int")
    with engine.open(engine.data("t", frame, "y", None)) as rounds:
        rounds.run(sleep, 0)
        shutil.rmtree(folders(engine)[0])
        with pytest.raises(InvalidInputError, match="t: partition 0: the partition has other rows"):
            rounds.run(sleep, 0)


def test_addresses(session, engine):
    assert SparkEngine.of("t", "spark") is not None
    assert SparkEngine.of("t", "dask") is None
    assert SparkEngine.of("t", object()) is None
    assert engine.workers() == 2
    with pytest.raises(InvalidInputError, match="is active"):
        SparkEngine.of("t", "spark://nowhere:7077")


def test_hashed_tables_have_the_columns_of_scan(session, engine):
    frame = hashable_frame()
    table = session.createDataFrame(frame.to_dict("records")).repartition(2)
    data = engine.data("t", HashedTable(table, HASHING, text=("note",)), "y", None)
    with engine.open(data) as rounds:
        assert np.array_equal(rounds.run(column_sums), hashed_sums(frame))
