"""Dask: real worker processes on this machine."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from clusters import (
    HASHING,
    SIZES,
    WORKER_PATH,
    column_sums,
    data_of,
    expected,
    hashable_frame,
    hashed_sums,
    pieces,
    process_id,
    run,
    same_bits,
    sleep,
    walk,
)
from engine_contract import EngineContract, assert_same_data, killed_in_the_middle

from novikoff.distributed.engine import choose_engine
from novikoff.distributed.engines.dask import DaskEngine
from novikoff.distributed.engines.tables import HashedTable
from novikoff.errors import InvalidInputError

# "distributed" alone would be the folder of these tests.
pytest.importorskip("distributed.deploy", reason="Dask is not installed (make clusters)")
import dask.array as da
import dask.dataframe as dd
import pandas as pd

import distributed


def cluster(workers):
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", env={"PYTHONPATH": WORKER_PATH}
    )


@pytest.fixture(scope="module")
def client():
    with cluster(2) as running, distributed.Client(running) as client:
        yield client


@pytest.fixture
def engine(client):
    return DaskEngine.of("t", client)


def tasks_left(client):
    """Names of the tasks that the scheduler or a worker still has, after some time for those that are about to go."""
    for _ in range(100):
        left = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks))
        for names in client.run(lambda dask_worker: list(dask_worker.state.tasks)).values():
            left += names
        if not left:
            break
        time.sleep(0.1)
    return left


class TestDask(EngineContract):
    def test_subtrees_are_added_in_the_order_of_the_tree(self, engine):
        sizes = [1] * 19
        with engine.open(data_of(sizes)) as rounds:
            assert same_bits(run(rounds, 2), expected(sizes, 2))

    def test_a_killed_worker_changes_nothing(self, engine, tmp_path):
        assert killed_in_the_middle(engine, tmp_path / "killed")

    def test_closing_leaves_no_task_behind(self, engine, client):
        with engine.open(data_of(SIZES[8])) as rounds:
            run(rounds)
        assert tasks_left(client) == []

    @pytest.mark.slow
    def test_an_interrupt_leaves_no_task_behind(self, engine, client):
        with engine.open(data_of(SIZES[8])) as rounds:
            before = rounds.run(walk, 1.0), rounds.states()
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                rounds.run(sleep, 1.5)
            assert same_bits((before[0], rounds.states()), expected(SIZES[8], 1)[0] + [before[1]])
        assert tasks_left(client) == []

    @pytest.mark.slow
    def test_states_stay_on_their_worker(self, engine):
        with engine.open(data_of(SIZES[8])) as rounds:
            assert len(set(rounds.run(process_id))) == 2
            assert rounds.run(process_id) == rounds.run(process_id)


@pytest.mark.slow
def test_one_worker_gives_the_same_bits():
    with cluster(1) as running, distributed.Client(running, set_as_default=False) as client:
        engine = DaskEngine.of("t", client)
        assert engine.workers() == 1
        with engine.open(data_of(SIZES[8])) as rounds:
            assert same_bits(run(rounds), expected(SIZES[8]))


# ---- collections ----------------------------------------------------------------------------------------------------


@pytest.fixture
def lists():
    return pieces([5, 1, 4])


def test_row_chunks_of_an_array_are_partitions(engine, lists):
    X, y, weights = (np.concatenate(values) for values in lists)
    cut = da.from_array(X, chunks=((5, 1, 4), (2, 1)))
    assert isinstance(choose_engine("t", None, cut), DaskEngine)
    for labels in (y, da.from_array(y, chunks=3)):
        assert_same_data(engine, engine.data("t", cut, labels, weights), *lists)
    with pytest.raises(InvalidInputError, match="X has 10 rows, but y has 9"):
        engine.data("t", cut, y[1:], None)


def test_partitions_of_a_dataframe(engine, lists):
    frames = [
        pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "label": y, "weight": weights})
        for X, y, weights in zip(*lists, strict=True)
    ]
    frame = dd.from_map(lambda k: frames[k], range(3), meta=frames[0].iloc[:0])
    data = engine.data("t", frame, "label", "weight")
    assert data.feature_names == ("a", "b", "c")
    assert_same_data(engine, data, *lists)
    features = frame[["a", "b", "c"]]
    assert_same_data(engine, engine.data("t", features, frame["label"], frame["weight"]), *lists)
    with pytest.raises(InvalidInputError, match="y='lable' is not a column"):
        engine.data("t", frame, "lable", None)


def test_text_columns_are_refused(engine):
    frame = dd.from_pandas(pd.DataFrame({"a": [1.0, 2.0], "job": ["clerk", "smith"], "y": [0, 1]}), npartitions=1)
    with engine.open(engine.data("t", frame, "y", None)) as rounds, pytest.raises(InvalidInputError) as caught:
        rounds.run(walk, 1.0)
    assert str(caught.value).startswith("t: partition 0: column 'job' holds text, not numbers.")


# ---- addresses ------------------------------------------------------------------------------------------------------


def test_addresses_and_clients(client):
    address = client.scheduler.address.removeprefix("tcp://")
    assert DaskEngine.of("t", f"dask://{address}").client() is client
    assert DaskEngine.of("t", "dask").client() is client
    assert DaskEngine.of("t", None).client() is client
    assert DaskEngine.of("t", "spark") is None
    assert DaskEngine.of("t", object()) is None


@pytest.mark.slow
def test_an_engine_that_connects_also_disconnects(client):
    with cluster(1) as running:
        engine = DaskEngine.of("t", "dask://" + running.scheduler_address.removeprefix("tcp://"))
        own = engine.client()
        assert own is not client
        assert engine.workers() == 1
        assert engine.memory() > 0
        with engine.open(data_of(SIZES[3])) as rounds:
            assert same_bits(run(rounds), expected(SIZES[3]))
        assert own.status == "closed"


def test_hashed_tables_have_the_columns_of_scan(engine):
    frame = hashable_frame()
    table = dd.from_pandas(frame, npartitions=2)
    data = engine.data("t", HashedTable(table, HASHING, text=("note",)), "y", None)
    with engine.open(data) as rounds:
        assert np.array_equal(rounds.run(column_sums), hashed_sums(frame))
