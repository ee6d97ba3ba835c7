"""What Spark's workers do, without Spark."""

import gc
import pickle
import sys
import types

import numpy as np
import pytest
from clusters import data_of, expected, refuse_one, same_bits, walk

from novikoff.distributed.block import checked_block
from novikoff.distributed.engines import spark_tasks
from novikoff.distributed.engines.spark_tasks import (
    Work,
    advance,
    describe_part,
    keep_part,
    local_folder,
    portable,
    remove,
    whole_vectors,
)
from novikoff.distributed.engines.tables import table_block
from novikoff.errors import InvalidInputError

SIZES = [3, 0, 1]


class Shared:
    """Stands for a broadcast variable."""

    def __init__(self, value):
        self.value = value


@pytest.fixture(autouse=True)
def _directory(tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path},/elsewhere")


def tokens(is_kept=True):
    parts = data_of(SIZES).parts
    return [next(keep_part("f", checked_block, [part]) if is_kept else describe_part([part])) for part in parts]


def rounds_of(rows, log, known, new, is_complete=False):
    work = Work("f", checked_block, tuple(log), known, is_complete, new)
    return [outcome for number, row in enumerate(rows) for outcome in advance(work, number, [row])]


@pytest.mark.parametrize("is_kept", [True, False])
def test_states_are_kept_from_round_to_round(is_kept):
    rows = tokens(is_kept)
    known = None
    for k in range(3):
        new = (f"r{k}", Shared((walk, 1.0 / (1 + k))))
        assert not any(outcome.is_missing or outcome.error for outcome in rounds_of(rows, [], known, new))
        known = new[0]
    found = [pickle.loads(outcome.reply) for outcome in rounds_of(rows, [], known, None)]
    assert same_bits(found, expected(SIZES, 3)[1])
    assert sorted(path.name for path in local_folder("f").glob("state-0-*")) == ["state-0-r1", "state-0-r2"]


def test_a_lost_state_is_missing_until_the_log_is_complete():
    rows, log = tokens(), [(f"r{k}", Shared((walk, 1.0 / (1 + k)))) for k in range(3)]
    short = rounds_of(rows, [], "r2", None)
    assert all(outcome.is_missing for outcome in short)
    full = rounds_of(rows, log, "r2", None, is_complete=True)
    assert same_bits([pickle.loads(outcome.reply) for outcome in full], expected(SIZES, 3)[1])


def test_a_log_that_begins_with_restored_states():
    states = [pickle.dumps(state) for state in expected(SIZES, 2)[1]]
    log = [("restored", Shared(states)), ("r2", Shared((walk, 1.0 / 3)))]
    full = rounds_of(tokens(), log, "r2", None, is_complete=True)
    assert same_bits([pickle.loads(outcome.reply) for outcome in full], expected(SIZES, 3)[1])


def test_a_lost_block_is_missing():
    rows = tokens()
    remove("f", iter(()))
    assert not local_folder("f").exists()
    assert all(outcome.is_missing for outcome in rounds_of(rows, [], None, ("r0", Shared((walk, 1.0)))))


def test_errors_are_replies():
    first, second, third = rounds_of(tokens(), [], None, ("r0", Shared((refuse_one, 1.0))))
    assert isinstance(second.error, InvalidInputError)
    assert first.error is third.error is None
    bad = next(keep_part("f", checked_block, [("t", np.array([[np.nan]]), [1], None)]))
    (outcome,) = rounds_of([bad], [], None, ("r0", Shared((walk, 1.0))))
    assert "NaN" in str(outcome.error)


def test_the_fingerprint_of_the_block_comes_with_the_reply():
    rows = tokens()
    marks = [pickle.loads(row[0]).fingerprint for row in rows]
    assert [outcome.fingerprint for outcome in rounds_of(rows, [], None, ("r0", Shared((walk, 1.0))))] == marks
    assert len(set(marks)) == 3


def test_errors_that_cannot_be_sent_keep_their_text():
    class Local(Exception):
        pass

    assert str(portable(Local("why"))) == "Local: why"
    error = InvalidInputError("t: no.")
    assert portable(error) is error


@pytest.mark.parametrize("is_reused", [True, False])
def test_modules_are_exempt_from_garbage_collection_in_reused_workers_only(is_reused, monkeypatch):
    frozen = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(len(sys.modules)))
    monkeypatch.setattr(spark_tasks, "_modules", 0)
    monkeypatch.delenv("SPARK_REUSE_WORKER", raising=False)
    if is_reused:
        monkeypatch.setenv("SPARK_REUSE_WORKER", "1")
    rows, new = tokens()[:1], ("r0", Shared((walk, 1.0)))
    counts = []
    for _ in range(2):
        rounds_of(rows, [], None, new)
        counts.append(len(frozen))
    monkeypatch.setitem(sys.modules, "novikoff_a_new_module", types.ModuleType("novikoff_a_new_module"))
    rounds_of(rows, [], None, new)
    assert [*counts, len(frozen)] == ([1, 1, 2] if is_reused else [0, 0, 0])


@pytest.mark.parametrize("types", [[1, 1], [0, 1], [None, 1], []])
def test_vectors_are_made_again_of_plain_columns(types):
    import pyarrow as pa

    contents = {None: ([], []), 0: ([1], [5.0]), 1: ([], [3.0, 4.0])}
    batch = pa.RecordBatch.from_arrays(
        [
            pa.array(types, pa.int8()),
            pa.array([2 if kind == 0 else None for kind in types], pa.int32()),
            pa.array([contents[kind][0] for kind in types], pa.list_(pa.int32())),
            pa.array([contents[kind][1] for kind in types], pa.list_(pa.float64())),
            pa.array(np.arange(len(types))),
        ],
        names=list("01234"),
    )
    table = pa.Table.from_batches([whole_vectors(pa, batch, {"features": True, "4": False})])
    assert table.column_names == ["features", "4"]
    if None in types:
        with pytest.raises(InvalidInputError, match="row 0"):
            table_block("t", table, "4", None)
        return
    X = table_block("t", table, "4", None).X
    rows = [[0.0, 5.0] if kind == 0 else [3.0, 4.0] for kind in types]
    assert np.array_equal(X.toarray() if 0 in types else X, np.reshape(rows, (len(types), 2 if types else 0)))
