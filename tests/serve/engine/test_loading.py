import pytest

from engines import fingerprint, random_examples, running
from novikoff.serve.engine.loading import Loader, apply
from novikoff.serve.engine.registry import Registry
from novikoff.serve.errors import ServeError
from novikoff.serve.log.errors import CorruptRecord
from novikoff.serve.log.store import SNAPSHOTS, Store
from novikoff.serve.settings import Settings


@pytest.fixture
def state(tmp_path):
    """A state directory, and what its model was after each of its records."""
    seen = {}
    with running(tmp_path, snapshot_every=20) as client:
        client.create()
        for place, begin in enumerate(range(0, 50, 10)):
            if place == 2:
                client.engine.add_shadow("m", "s", {"learner": "arow"}).result(9)
            if place == 4:
                client.engine.remove_shadow("m", "s").result(9)
            client.learn("m", random_examples(50)[begin : begin + 10])
            seen[client.engine.status()["sequence"]] = fingerprint(client.model())
        client.engine.copy("m", "n").result(9)
    return tmp_path, seen


def loader_of(directory, store):
    registry = Registry()
    for record in store.commands():
        registry.apply(record)
    return Loader(store, directory / SNAPSHOTS, registry, Settings())


@pytest.mark.parametrize("has_snapshots", [True, False])
def test_a_model_is_loaded_as_it_was_at_each_record(state, has_snapshots):
    directory, seen = state
    if not has_snapshots:
        for path in (directory / SNAPSHOTS).rglob("*.snapshot"):
            path.unlink()
    with Store.open(directory, read_only=True) as store:
        loader = loader_of(directory, store)
        for sequence, expected in seen.items():
            assert fingerprint(loader.load(1, sequence)) == expected
        model = loader.load(1)
        assert fingerprint(model) == expected
        assert model.version.number == 50
        assert fingerprint(loader.load(store.last)) == expected
        loader.check_alive(1)


def test_a_model_that_was_deleted_is_not_alive(tmp_path):
    with running(tmp_path) as client:
        client.create("m")
        number = client.engine.known("m").number
        client.engine.delete("m").result(9)
    with Store.open(tmp_path, read_only=True) as store, pytest.raises(ServeError, match="'m' was deleted") as refused:
        loader_of(tmp_path, store).check_alive(number)
    assert (refused.value.status, refused.value.code) == (404, "unknown_model")


def test_records_that_do_not_fit_are_damage(state):
    directory, _ = state
    with Store.open(directory, read_only=True) as store:
        model = loader_of(directory, store).load(1)
        records = [record for record in store.records() if record.model == 1]
        for record in records[1:3]:
            with pytest.raises(CorruptRecord, match=f"Record {record.sequence} of the log cannot be learned"):
                apply(model, record)
        following = records[1]._replace(first=50, count=3)
        with pytest.raises(CorruptRecord, match="number of examples is wrong"):
            apply(model, following)
