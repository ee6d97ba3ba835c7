import apsw
import pytest

from engines import random_examples, running
from novikoff.serve.errors import ServeError
from novikoff.serve.log.store import LOG, SNAPSHOTS


def test_the_least_recently_used_model_leaves_memory_with_a_snapshot(tmp_path):
    with running(tmp_path, models_in_memory=2) as client:
        for name in "abc":
            client.create(name)
            client.learn(name, random_examples(5))
        numbers = {name: client.engine.known(name).number for name in "abc"}
        memory = client.engine._memory
        assert memory.find(numbers["a"]) is None
        assert len(list((tmp_path / SNAPSHOTS / str(numbers["a"])).iterdir())) == 1
        client.predict("b", {"x": {}})
        client.model("a")
        assert [memory.find(numbers[name]) is not None for name in "abc"] == [True, True, False]
        assert len(memory) == 2
        assert memory.loaded == 1


def test_snapshots_are_written_after_so_many_examples(tmp_path):
    with running(tmp_path, snapshot_every=10) as client:
        client.create()
        for _ in range(6):
            client.learn("m", random_examples(5))
        client.engine._memory._snapshots.submit(lambda: None).result(9)
        client.model()
    paths = sorted((tmp_path / SNAPSHOTS / "1").iterdir())
    assert len(paths) == 2


def damage(directory, sequence):
    """Change a byte of a record."""
    connection = apsw.Connection(str(directory / LOG))
    (payload,) = connection.execute("SELECT payload FROM log WHERE sequence = ?", (sequence,)).fetchone()
    changed = payload[:-1] + bytes([payload[-1] ^ 1])
    connection.execute("UPDATE log SET payload = ? WHERE sequence = ?", (changed, sequence))
    connection.close()


@pytest.mark.parametrize("has_snapshot", [True, False])
def test_a_damaged_log_stops_its_model_alone(has_snapshot, tmp_path):
    with running(tmp_path) as client:
        client.create("a")
        client.create("b")
        client.learn("a", random_examples(5))
    old = (tmp_path / SNAPSHOTS / "1").rglob("*")
    kept = [(path, path.read_bytes()) for path in old]
    with running(tmp_path) as client:
        client.learn("a", random_examples(5))
        client.learn("b", random_examples(5))
        sequence = client.engine.status()["sequence"]
    for path in (tmp_path / SNAPSHOTS).rglob("*.snapshot"):
        path.unlink()
    if has_snapshot:
        for path, content in kept:
            path.write_bytes(content)
    damage(tmp_path, sequence - 1)
    with running(tmp_path) as client:
        client.learn("b", random_examples(1))
        if has_snapshot:
            assert client.predict("a", {"x": {}})["version"] == 5
        with pytest.raises(ServeError) as refused:
            client.learn("a", random_examples(1))
        assert (refused.value.status, refused.value.code) == (503, "corrupt_log")
        assert client.learn("b", random_examples(1))[0]["version"] == 7
