from types import SimpleNamespace

import numpy as np
import pytest

from engines import fingerprint, random_examples
from novikoff.serve.engine.arm import predictions
from novikoff.serve.engine.model import LATEST, Model
from novikoff.serve.engine.specification import Specification
from novikoff.serve.settings import Settings
from serve_examples import read


def model_of(name="perceptron", **others):
    return Model(1, Specification(name, **others), Settings())


def test_a_version_is_published_only_when_it_is_asked_for():
    model = model_of()
    model.learn(read(model, random_examples(10)))
    assert model.version.number == 0
    assert model.is_behind
    model.publish()
    assert model.version.number == 10
    before = model.version
    model.publish(at_once=True)
    assert model.version is before


@pytest.mark.parametrize(
    ("cost", "is_busy", "is_made"), [(1e3, False, False), (0.002, False, True), (0.002, True, False), (0.0, True, True)]
)
def test_versions_take_a_small_share_of_the_time_or_a_short_time_if_nothing_else_waits(
    monkeypatch, cost, is_busy, is_made
):
    monkeypatch.setattr("novikoff.serve.engine.model.SHORT", 0.003)
    monkeypatch.setattr("novikoff.serve.engine.model.time", SimpleNamespace(perf_counter=lambda: 100.0))
    model = model_of()
    model.learn(read(model, random_examples(10)))
    model._published_at, model._cost = 100.0 - cost, cost
    assert (model.new_version(is_busy=is_busy) is not None) == is_made
    assert model.is_behind != is_made
    model.publish(at_once=True)
    assert model.version.number == 10


@pytest.mark.parametrize("classes", [["a", "b"], [1, 0], [True, False], ["a", "b", "c"]])
def test_declared_classes_are_known_before_they_appear(classes):
    model = model_of(classes=classes)
    assert model.label_values() == classes
    examples = read(model, [{"x": {"u": 1.0}, "y": classes[1]}, {"x": {"u": -1.0}, "y": classes[0]}])
    model.learn(examples)
    model.publish()
    block = model.block_of(examples)
    assert (block.first_label, block.labels) == (len(classes), [])
    other = model_of(classes=classes)
    other.replay(block)
    assert fingerprint(other) == fingerprint(model)


def test_blocks_have_the_names_and_labels_that_are_new():
    model, other = model_of(), model_of()
    examples = random_examples(20, classes=("a", "b", "c"))
    for begin in range(0, 20, 5):
        own = read(model, examples[begin : begin + 5])
        model.learn(own)
        read(model, {"x": {f"later {begin}": 1}, "y": "a"})  # came in meanwhile
        other.replay(model.block_of(own))
        assert other.names.since(0) == model.names.since(0)[: len(other.names)]
    assert fingerprint(other) == fingerprint(model)


def test_a_block_that_does_not_follow_is_refused():
    model = model_of()
    own = read(model, random_examples(5))
    model.learn(own)
    block = model.block_of(own)
    other = model_of()
    other.replay(block)
    with pytest.raises(ValueError, match="names or labels are missing"):
        other.replay(block)


def test_the_latest_mistakes_are_kept_to_be_shown():
    model = model_of()
    examples = random_examples(200)
    runs = model.learn(read(model, examples))
    codes = [model.label_values().index(example["y"]) for example in examples]
    wrong = np.flatnonzero(predictions(runs) != codes)
    assert [mistake.number for mistake in model.latest_mistakes] == wrong[-LATEST:].tolist()
    last = model.latest_mistakes[-1]
    names = [model.names.name(column) for column in last.columns.tolist()]
    assert dict(zip(names, last.values.tolist(), strict=True)) == examples[last.number]["x"]


def test_a_shadow_learns_from_its_beginning_on_and_does_not_predict():
    model = model_of()
    examples = random_examples(20)
    model.learn(read(model, examples[:10]))
    model.add_shadow("s", Specification("perceptron"))
    model.learn(read(model, examples[10:]))
    assert model.arms["s"].tally.examples == 10
    alone = model_of()
    alone.learn(read(alone, examples[:10]))
    alone.learn(read(alone, examples[10:]))
    assert fingerprint(alone)[3][""] == fingerprint(model)[3][""]
    model.remove_shadow("s")
    assert list(model.arms) == [""]


def test_hashed_rows_are_those_of_hashing():
    model = model_of(hashing={"n_bits": 2})
    found = read(model, [example | {"x": example["x"] | {"word": "w", "is": True}} for example in random_examples(20)])
    rows = [example["x"] | {"word": "w", "is": True} for example in random_examples(20)]
    expected = model.hashing.transform(rows)
    assert model.width == 4
    assert (found.matrix(4).toarray() == expected.toarray()).all()
    assert found.matrix(4).nnz == expected.nnz
