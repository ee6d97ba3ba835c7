"""Faults of the disk under the engine: learning stops and goes on, predictions go on, and damage is never learned."""

import json
import os
import random
import shutil
import time
from contextlib import contextmanager, suppress

import pytest

import novikoff as nk
from faulty_files import FaultyFiles
from novikoff.persistence import dumps
from novikoff.serve.engine import writer
from novikoff.serve.engine.engine import Engine
from novikoff.serve.engine.snapshots import Draft
from novikoff.serve.errors import Asleep, ServeError
from novikoff.serve.log.errors import StoreError
from novikoff.serve.log.store import LOG, Store
from novikoff.serve.settings import Settings
from server_process import LoggedModel, replayed

# What Python raises in a file while SQLite handles another error has nowhere to go.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
SECONDS = 30
QUESTION = {"x": {"word 1": 1.0, "word 2": -1.0, "unlearned": 5.0}}
open_store = Store.open


@pytest.fixture
def files():
    made = FaultyFiles(f"engine-{os.getpid()}")
    yield made
    made.unregister()


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    """Let the engine try the store again at once."""
    monkeypatch.setattr(writer, "RETRY", 0.0)


@contextmanager
def running(state, monkeypatch=None, files=None, **settings):
    """An engine with the model ``default``, whose store may be one on faulty files."""
    if files is not None:
        monkeypatch.setattr(Store, "open", lambda *given: open_store(*given, vfs=files.name))
    engine = Engine(state, Settings(state=str(state), **settings))
    engine.start()
    if files is not None:
        monkeypatch.setattr(Store, "open", open_store)
    try:
        if "default" not in engine.names():
            engine.create("default", {"learner": "perceptron"}).result(SECONDS)
        yield engine
    finally:
        engine.stop()


def example(number):
    return {"x": {"number": number / 64, f"word {number % 5}": 1.0}, "y": "even" if number % 2 else "odd"}


def awake(engine, call):
    """Return what a call returns, after its model was loaded if it is not in memory."""
    try:
        return call()
    except Asleep:
        engine.wake("default").result(SECONDS)
        return call()


def learn(engine, numbers, **more):
    body = json.dumps([example(number) | more for number in numbers]).encode()
    return json.loads(awake(engine, lambda: engine.learn("default", body)).result(SECONDS))


def predict(engine):
    return engine.predict("default", json.dumps(QUESTION).encode())


def numbers_in(state):
    found = LoggedModel()
    found.read(state)
    return [round(logged["number"] * 64) for logged in found.examples]


def refusal(engine, numbers):
    with pytest.raises(ServeError) as refused:
        learn(engine, numbers)
    assert refused.value.status == 503
    assert "Traceback" not in refused.value.message
    return refused.value.message


# ---- the disk fails ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "words"), [("sync", "disk"), ("full", "full"), ("torn", "full")])
def test_learning_stops_while_the_disk_fails_and_predictions_go_on(tmp_path, monkeypatch, files, kind, words):
    state = tmp_path / "state"
    with running(state, monkeypatch, files) as engine:
        learn(engine, range(10))
        before = predict(engine)
        files.fails_always = kind
        for _ in range(3):
            message = refusal(engine, range(100, 120))
            assert words in message
            assert "predictions go on" in message
            assert predict(engine) == before  # also without waking the model
        assert engine.status()["learning"] == "stopped"
        assert words in engine.status()["reason"]
        files.fails_always = None
        assert [answer["version"] for answer in learn(engine, range(10, 20))] == list(range(11, 21))
        assert engine.status()["learning"] == "on"
        assert predict(engine) != before
        model = engine.dump("default")
    assert numbers_in(state) == list(range(20))
    assert model == dumps(replayed(state, nk.Perceptron()))


def test_a_flush_that_fails_once_costs_only_its_own_examples(tmp_path, monkeypatch, files):
    state, acknowledged = tmp_path / "state", []
    with running(state, monkeypatch, files) as engine:
        for number in range(40):
            files.fails_next = "sync" if number % 3 == 0 else None
            with suppress(ServeError):
                learn(engine, [number])
                acknowledged.append(number)
        files.fails_next = None
        learn(engine, [999])
        model = engine.dump("default")
    assert 20 <= len(acknowledged) < 40
    assert numbers_in(state) == [*acknowledged, 999]
    assert model == dumps(replayed(state, nk.Perceptron()))


def test_an_id_that_was_not_stored_is_learned_when_it_comes_again(tmp_path, monkeypatch, files):
    state = tmp_path / "state"
    with running(state, monkeypatch, files) as engine:
        files.fails_always = "full"
        with pytest.raises(ServeError):
            learn(engine, [1], id="one")
        files.fails_always = None
        assert "repeated" not in learn(engine, [1], id="one")[0]
        assert learn(engine, [1], id="one")[0]["repeated"]
    assert numbers_in(state) == [1]


def test_a_failure_of_the_learner_itself_is_not_stored(tmp_path, monkeypatch):
    state = tmp_path / "state"
    with running(state) as engine:
        learn(engine, range(4))
        before = predict(engine)
        monkeypatch.setattr(engine.store, "append", _raise(RuntimeError("unexpected")))
        with pytest.raises(ServeError) as refused:
            learn(engine, [7])
        assert (refused.value.status, refused.value.code) == (503, "internal")
        assert "unexpected" not in refused.value.message
        assert predict(engine) == before
        monkeypatch.undo()
        learn(engine, [5])
    assert numbers_in(state) == [0, 1, 2, 3, 5]


def _raise(error):
    def fail(*arguments):
        raise error

    return fail


def test_models_and_commands_are_refused_while_the_disk_fails(tmp_path, monkeypatch, files):
    with running(tmp_path / "state", monkeypatch, files) as engine:
        learn(engine, range(4))
        files.fails_always = "full"
        for call in (
            lambda: engine.create("other", {"learner": "perceptron"}),
            lambda: engine.copy("default", "other"),
            lambda: engine.delete("default"),
            lambda: engine.add_shadow("default", "shadow", {"learner": "arow"}),
        ):
            with pytest.raises(ServeError) as refused:
                call().result(SECONDS)
            assert refused.value.status == 503
        files.fails_always = None
        engine.create("other", {"learner": "perceptron"}).result(SECONDS)
        assert engine.names() == ["default", "other"]
        assert engine.describe("default")["shadows"] == []


def test_snapshots_that_cannot_be_written_do_not_stop_learning(tmp_path, monkeypatch):
    state = tmp_path / "state"
    with running(state, snapshot_every=2, models_in_memory=1) as engine:
        monkeypatch.setattr(Draft, "write", _raise(OSError(28, "No space left")))
        monkeypatch.setattr(engine.store, "checksum_at", _raise(StoreError("io", "The disk reports an error.")))
        for number in range(20):
            learn(engine, [number])
        engine.create("other", {"learner": "perceptron"}).result(SECONDS)  # drops the first one from memory
        assert engine.status()["snapshot_error"] in ("[Errno 28] No space left", "The disk reports an error.")
        learn(engine, range(20, 30))
    assert numbers_in(state) == list(range(30))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere (run the tests as another user)")
def test_a_directory_that_cannot_be_written_is_refused(tmp_path):
    state = tmp_path / "state"
    state.mkdir(0o500)
    with pytest.raises(StoreError) as refused, running(state):
        pass
    assert refused.value.code == "read_only"


def test_several_models_that_do_not_fit_in_memory_learn_in_one_group(tmp_path):
    state = tmp_path / "state"
    with running(state, models_in_memory=1) as engine:
        engine.create("other", {"learner": "perceptron"}).result(SECONDS)
        engine.wake("default").result(SECONDS)
        streams = [engine.open_stream("default", "ndjson")]
        engine.wake("other").result(SECONDS)
        streams.append(engine.open_stream("other", "ndjson"))
        line = json.dumps(example(1)).encode() + b"\n"
        for _ in range(20):
            answers = [stream.feed(line, False) for stream in streams]
            for answer in answers:
                assert b"mistake" in answer.result(SECONDS)
    assert numbers_in(state) == [1] * 20


def test_a_stream_to_a_model_that_was_deleted_is_refused(tmp_path):
    state = tmp_path / "state"
    with running(state) as engine:
        stream = engine.open_stream("default", "ndjson")
        line = json.dumps(example(1)).encode() + b"\n"
        stream.feed(line, False).result(SECONDS)
        engine.delete("default").result(SECONDS)
        with pytest.raises(ServeError) as refused:
            stream.feed(line, False).result(SECONDS)
        assert refused.value.status == 404
    assert numbers_in(state) == [1]


# ---- damage on the disk --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A state directory with a log, snapshots, and the model that belongs to it."""
    state = tmp_path_factory.mktemp("written") / "state"
    with running(state, snapshot_every=40) as engine:
        for begin in range(0, 120, 10):
            learn(engine, range(begin, begin + 10))
            while engine._memory._writing:  # the next snapshot begins after the one before has been written
                time.sleep(0.001)
        model = engine.dump("default")
    return state, model


def test_damaged_snapshots_are_not_used(tmp_path, written):
    rng = random.Random(1)
    for damage in range(8):
        state = tmp_path / str(damage)
        shutil.copytree(written[0], state)
        for path in (state / "snapshots").rglob("*.snapshot"):
            data = bytearray(path.read_bytes())
            if damage % 2:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            path.write_bytes(data if damage % 2 else data[: rng.randrange(len(data))])
        with running(state) as engine:
            assert engine.dump("default") == written[1]


@pytest.mark.slow
def test_bits_that_flip_in_the_log_are_never_learned(tmp_path, written):
    """The log is opened with the right content, opened without learning, or not opened."""
    rng, found = random.Random(2), set()
    for damage in range(40):
        state = tmp_path / str(damage)
        shutil.copytree(written[0], state)
        shutil.rmtree(state / "snapshots")
        data = bytearray((state / LOG).read_bytes())
        for _ in range(1 + damage % 3):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        (state / LOG).write_bytes(data)
        found.add(_outcome(state, written[1]))
    assert "refused" in found or "stopped" in found


def _outcome(state, model):
    engine = Engine(state, Settings(state=str(state)))
    try:
        engine.start()
    except StoreError:
        return "refused"
    try:
        assert "default" in engine.names()
        assert awake(engine, lambda: engine.dump("default")) == model
    except ServeError:
        assert refusal(engine, [1])
        return "stopped"
    finally:
        engine.stop()
    return "right"


def test_a_torn_last_block_is_not_learned(tmp_path, written):
    state = tmp_path / "state"
    shutil.copytree(written[0], state)
    with running(state) as engine:
        learn(engine, range(120, 130))
        copy = tmp_path / "copy"
        shutil.copytree(state, copy)
    wal = copy / f"{LOG}-wal"
    wal.write_bytes(wal.read_bytes()[:-1000])
    with running(copy) as engine:
        assert engine.dump("default") == written[1]
        learn(engine, range(120, 130))
    assert numbers_in(copy) == list(range(130))
