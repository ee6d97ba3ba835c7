import hashlib

import pytest

from engines import fingerprint, random_examples
from novikoff._learner_names import ONLINE
from novikoff.serve.engine import snapshots
from novikoff.serve.engine.model import Model
from novikoff.serve.engine.specification import Specification
from novikoff.serve.log.errors import CorruptRecord
from novikoff.serve.settings import Settings
from serve_examples import read


def model_of(name="perceptron", examples=30, classes=("a", "b", "c"), **others):
    model = Model(5, Specification(name, **others), Settings())
    if examples:
        own = read(
            model, [own | {"id": str(place)} for place, own in enumerate(random_examples(examples, classes=classes))]
        )
        model.learn(own)
        model.block_of(own)
    model.sequence = 7
    return model


@pytest.mark.parametrize("name", list(ONLINE))
def test_a_restored_model_goes_on_as_the_saved_one(name, tmp_path):
    classes = ("a", "b", "c")
    model = model_of(name, classes=classes)
    path = snapshots.freeze(model, b"sum").write(tmp_path, {})
    restored = snapshots.restore(snapshots.read(path), Settings())
    assert fingerprint(restored) == fingerprint(model)
    assert (restored.number, restored.sequence, restored.width) == (5, 7, model.width)
    for own in (model, restored):
        later = read(own, random_examples(20, seed=1, classes=classes))
        own.learn(later)
        own.block_of(later)
    assert fingerprint(restored) == fingerprint(model)


def test_a_frozen_model_does_not_change(tmp_path):
    model = model_of()
    before, frozen = fingerprint(model), snapshots.freeze(model, b"")
    model.learn(read(model, random_examples(20, seed=1)))
    assert fingerprint(snapshots.restore(frozen.finished(), Settings())) == before


@pytest.mark.parametrize("classes", [None, ["a", "b", "c"], ["c", "b", "a", "d"]])
def test_empty_models_and_declared_classes_are_restored(classes, tmp_path):
    for examples in (0, 5):
        model = model_of(examples=examples, **({} if classes is None else {"classes": classes}))
        model.add_shadow("s", Specification("arow"))
        path = snapshots.freeze(model, b"").write(tmp_path, {})
        assert fingerprint(snapshots.restore(snapshots.read(path), Settings())) == fingerprint(model)


def test_the_two_newest_are_kept(tmp_path):
    model = model_of()
    for sequence in (8, 10, 9, 100):
        model.sequence = sequence
        snapshots.freeze(model, b"").write(tmp_path, {})
    assert [int(path.stem) for path in snapshots.paths(tmp_path, 5)] == [100, 10]
    snapshots.remove(tmp_path, 5)
    snapshots.remove(tmp_path, 5)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_not_read(tmp_path):
    path = snapshots.freeze(model_of(), b"").write(tmp_path, {})
    data = path.read_bytes()
    content = snapshots.MAGIC + b"\x93\x01\x02\x03"
    valid_sum = content + hashlib.blake2b(content, digest_size=snapshots.DIGEST).digest()
    for damaged in (b"", data[:-1], data[: len(data) // 2], data[:40] + bytes([data[40] ^ 1]) + data[41:], valid_sum):
        path.write_bytes(damaged)
        assert snapshots.read(path) is None
    path.unlink()
    assert snapshots.read(path) is None


def test_only_snapshots_of_the_same_log_are_used(tmp_path):
    model = model_of()
    for sequence in (7, 9):
        model.sequence = sequence
        snapshots.freeze(model, bytes([sequence])).write(tmp_path, {})

    def checksum_at(sequence):
        if sequence > 8:
            raise CorruptRecord(sequence, "Record 9 of the log is missing.")
        return bytes([sequence])

    assert [saved.sequence for saved in snapshots.newest(tmp_path, 5, checksum_at)] == [7]
    assert list(snapshots.newest(tmp_path, 5, lambda sequence: b"other")) == []
    found = snapshots.newest(tmp_path, 5, lambda sequence: bytes([sequence]), before=8)
    assert [saved.sequence for saved in found] == [7]
    assert list(snapshots.newest(tmp_path, 6, checksum_at)) == []
