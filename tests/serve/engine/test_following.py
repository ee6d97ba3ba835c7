"""Records of another log: the models get the same bits, whether they are in memory or not."""

from hashlib import sha256

import pytest

from engine_logs import describe, dump, examples, learn, running
from novikoff.serve.engine import following, marks
from novikoff.serve.errors import ServeError
from novikoff.serve.log.errors import CorruptRecord


def leader_log(directory):
    """A log with copies, shadows and a deletion; returns its records, and the model files and counts of its models."""
    with running(directory) as engine:
        engine.create("a", {"learner": "perceptron"}).result()
        engine.create("gone", {"learner": "arow"}).result()
        rows = examples(60)
        learn(engine, rows[:10], "a")
        learn(engine, rows[:5], "gone")
        engine.add_shadow("a", "s", {"learner": "arow"}).result()
        learn(engine, rows[10:20], "a")
        engine.copy("a", "b").result()
        learn(engine, rows[20:30], "a")
        learn(engine, rows[30:40], "b")
        engine.copy("gone", "c").result()
        engine.delete("gone").result()
        engine.remove_shadow("a", "s").result()
        learn(engine, rows[40:60], "b")
        return list(engine.store.records()), state_of(engine)


def state_of(engine):
    """For each model, a digest of its file, and its counts; its version may be behind for some milliseconds."""
    return {
        name: (sha256(dump(engine, name)).hexdigest(), describe(engine, name) | {"version": None})
        for name in engine.names()
    }


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("in_memory", [1, 1000])
def test_a_follower_has_the_models_of_its_leader(tmp_path, size, in_memory):
    records, state = leader_log(tmp_path / "leader")
    with running(tmp_path / "follower", follow="http://leader:1", models_in_memory=in_memory) as engine:
        for begin in range(0, len(records), size):
            last = engine.follow(records[begin : begin + size]).result()
        assert last == len(records)
        assert state_of(engine) == state
        assert engine.status()["examples"] == 65
    with running(tmp_path / "follower") as engine:  # after a restart
        assert state_of(engine) == state


def test_records_that_do_not_continue_the_log_change_nothing(tmp_path):
    records, _ = leader_log(tmp_path / "leader")
    with running(tmp_path / "follower", follow="http://leader:1") as engine:
        engine.follow(records[:3]).result()
        for wrong in (records[4:], [records[3]._replace(payload=b"x")]):
            with pytest.raises(ServeError) as refused:
                engine.follow(wrong).result()
            assert (refused.value.status, refused.value.code) == (409, "diverged")
        assert (engine.store.last, engine.status()["learning"]) == (3, "following")
        assert engine.follow(records[3:]).result() == len(records)


def test_a_follower_learns_after_it_was_promoted(tmp_path):
    records, _ = leader_log(tmp_path / "leader")
    with running(tmp_path / "follower", follow="http://leader:1") as engine:
        engine.follow(records).result()
        with pytest.raises(ServeError) as refused:
            learn(engine, examples(1), "a")
        assert (refused.value.status, refused.value.code) == (409, "follower")
        assert "http://leader:1" in refused.value.message
        assert (tmp_path / "follower" / marks.FOLLOWS).read_text() == "http://leader:1\n"
        engine.promote().result()
        assert not (tmp_path / "follower" / marks.FOLLOWS).exists()
        assert learn(engine, examples(1), "a")[0]["version"] == 31


def test_a_model_that_could_not_learn_a_record_is_read_from_the_log_again(tmp_path, monkeypatch):
    records, state = leader_log(tmp_path / "leader")
    failed = []

    def apply(model, record):
        if model.number == 1 and not failed:
            failed.append(record.sequence)
            raise CorruptRecord(record.sequence, "The memory was short.")
        original(model, record)

    original = following.apply
    monkeypatch.setattr(following, "apply", apply)
    with running(tmp_path / "follower", follow="http://leader:1") as engine:
        for record in records:
            engine.follow([record]).result()
        assert failed
        assert state_of(engine)["a"] == state["a"]


def test_all_who_ask_hear_of_new_records(tmp_path):
    heard = []
    with running(tmp_path) as engine:
        engine.on_records(lambda records: heard.extend(record.sequence for record in records))
        engine.create("default", {"learner": "perceptron"}).result()
        learn(engine, examples(3))
    assert heard == [1, 2]
