"""Ray: real worker processes on this machine."""

import gc
import os
import signal
import threading
import time
import warnings

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
    rows,
    run,
    same_bits,
    sleep,
    walk,
)
from engine_contract import EngineContract, killed_in_the_middle

from novikoff.distributed.engine import choose_engine
from novikoff.distributed.engines.local import LocalEngine
from novikoff.distributed.engines.ray import RayEngine
from novikoff.distributed.engines.tables import HashedTable
from novikoff.distributed.survey import survey
from novikoff.errors import InvalidInputError

ray = pytest.importorskip("ray", reason="Ray is not installed (make clusters)")
import pandas as pd  # noqa: E402

ray_data = pytest.importorskip("ray.data", reason="Ray is not installed (make clusters)")
pytestmark = pytest.mark.slow  # it starts a cluster


@pytest.fixture(scope="module", autouse=True)
def engine():
    environment = {"env_vars": {"PYTHONPATH": WORKER_PATH}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    yield RayEngine.of("t", None)
    ray.shutdown()
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        gc.collect()  # processes of Ray that have not ended yet


class TestRay(EngineContract):
    def test_subtrees_are_added_in_the_order_of_the_tree(self, engine):
        sizes = [1] * 19
        with engine.open(data_of(sizes)) as rounds:
            assert same_bits(run(rounds, 2), expected(sizes, 2))

    def test_a_killed_worker_changes_nothing(self, engine, tmp_path):
        assert killed_in_the_middle(engine, tmp_path / "killed")

    def test_an_interrupt_cancels_the_tasks(self, engine):
        with engine.open(data_of(SIZES[8])) as rounds:
            first = rounds.run(walk, 1.0)
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                rounds.run(sleep, 30)
            for _ in range(100):
                if ray.available_resources().get("CPU") == 2:
                    break
                time.sleep(0.1)
            assert ray.available_resources().get("CPU") == 2  # no task is running
            found = rounds.run(walk, 0.5)
            assert same_bits([first, found], expected(SIZES[8], 2)[0])

    def test_all_workers_are_used(self, engine):
        with engine.open(data_of(SIZES[8])) as rounds:
            assert len(set(rounds.run(process_id, 0.5))) == 2


# ---- datasets -------------------------------------------------------------------------------------------------------

of_ray_data = pytest.mark.filterwarnings("ignore:`use_:DeprecationWarning")  # of Ray's own use of its settings


def assert_same_data(engine, data, lists):
    """The partitions are those of threads on lists of arrays."""
    found = []
    for kind, each in ((engine, data), (LocalEngine(2), LocalEngine(2).data("t", *lists))):
        with kind.open(each) as rounds:
            found.append((survey("t", rounds), rounds.run(walk, 1.0)))
    assert found[0][0] == found[1][0]
    assert same_bits(found[0][1], found[1][1])


@of_ray_data
def test_blocks_of_a_dataset_are_partitions(engine):
    lists = pieces([5, 1, 4])
    frames = [
        pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "label": y, "weight": weights})
        for X, y, weights in zip(*lists, strict=True)
    ]
    dataset = ray_data.from_pandas(frames)
    assert isinstance(choose_engine("t", None, dataset), RayEngine)
    data = engine.data("t", dataset, "label", "weight")
    assert data.feature_names == ("a", "b", "c")
    assert_same_data(engine, data, lists)
    with pytest.raises(InvalidInputError, match="y='lable' is not a column"):
        engine.data("t", dataset, "lable", None)


@of_ray_data
def test_blocks_are_in_the_order_of_the_dataset(engine):
    """Those of the first file are done last."""

    def slow(batch):
        time.sleep(2.0 if batch["id"][0] == 0 else 0.0)
        return batch

    dataset = ray_data.range(8, override_num_blocks=8).map_batches(slow)
    blocks = ray.get([part[1] for part in engine.data("t", dataset, None, None).parts])
    assert [int(block["id"][0]) for block in blocks] == list(range(8))
    assert not dataset.context.execution_options.preserve_order


@of_ray_data
def test_tensors_are_rows(engine):
    X, y, _ = rows(6)
    dataset = ray_data.from_items([{"x": row, "y": int(label)} for row, label in zip(X, y, strict=True)])
    data = engine.data("t", dataset.repartition(1), "y", None)
    assert_same_data(engine, data, ([X], [y], None))


@of_ray_data
def test_text_columns_are_refused(engine):
    dataset = ray_data.from_items([{"a": 1.0, "job": "clerk", "y": 1}, {"a": 2.0, "job": "smith", "y": 0}])
    with engine.open(engine.data("t", dataset, "y", None)) as rounds, pytest.raises(InvalidInputError) as caught:
        rounds.run(walk, 1.0)
    assert "column 'job' holds text, not numbers." in str(caught.value)


def test_addresses(engine):
    assert isinstance(RayEngine.of("t", "ray"), RayEngine)
    assert RayEngine.of("t", "dask") is None
    assert RayEngine.of("t", object()) is None
    assert engine.workers() == 2
    assert engine.memory() > 0


@of_ray_data
def test_hashed_tables_have_the_columns_of_scan(engine):
    frame = hashable_frame()
    table = ray_data.from_pandas([frame.iloc[:3], frame.iloc[3:]])
    data = engine.data("t", HashedTable(table, HASHING, text=("note",)), "y", None)
    with engine.open(data) as rounds:
        assert np.array_equal(rounds.run(column_sums), hashed_sums(frame))
