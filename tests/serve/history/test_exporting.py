"""Exports: who learns them gets the same weights."""

import json

import pyarrow.parquet
import pytest

from engine_logs import awake, dump, examples, learn, running, written
from novikoff.errors import InvalidInputError
from novikoff.serve.history.exporting import Tables, examples_of, export
from novikoff.serve.history.past import Past


def test_learning_an_export_gives_the_same_bits(tmp_path):
    _, model = written(tmp_path / "a")
    path = tmp_path / "examples.ndjson"
    with Past(tmp_path / "a") as past:
        assert export(past, "default", path, only_examples=True) == 60
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    with running(tmp_path / "b") as engine:
        engine.create("default", {"learner": "perceptron"}).result()
        learn(engine, rows)
        assert dump(engine) == model


def test_ids_weights_and_what_was_served_are_exported(tmp_path):
    with running(tmp_path) as engine:
        engine.create("default", {"learner": "perceptron"}).result()
        learn(engine, [{"x": {"a": 1.5, "kind": "red", "on": True}, "y": 3, "weight": 2.0, "id": "first"}])
        body = json.dumps({"x": {"a": 1.0}, "id": "asked"}).encode()
        awake(engine, "default", lambda: engine.predict("default", body))
        learn(engine, [{"id": "asked", "y": 4}])
    path = tmp_path / "all.jsonl"
    with Past(tmp_path) as past:
        export(past, "default", path)
        first, second = map(json.loads, path.read_text().splitlines())
        assert first == {"x": {"a": 1.5, "kind=red": 1.0, "on": 1.0}, "y": 3, "weight": 2.0, "id": "first"}
        assert second == {"x": {"a": 1.0}, "y": 4, "id": "asked", "served": 3, "version": 1}
        export(past, "default", tmp_path / "all.parquet")
        found = pyarrow.parquet.read_table(tmp_path / "all.parquet").to_pylist()
        assert found[1] == {"id": "asked", "y": 4, "weight": 1.0, "x": [("a", 1.0)], "served": 3, "version": 1}
        assert (found[0]["served"], found[0]["version"], found[0]["weight"]) == (None, None, 2.0)
        assert [example.id for part in examples_of(past, "default") for example in part] == ["first", "asked"]


@pytest.mark.parametrize("labels", [["a", "b"], [1, 2], [True, False]])
def test_parquet_has_the_same_examples_as_ndjson(tmp_path, labels):
    with running(tmp_path) as engine:
        engine.create("default", {"learner": "perceptron"}).result()
        for group in range(3):
            rows = [row | {"y": labels[row["y"] == "low"]} for row in examples(10, seed=group)]
            learn(engine, rows)
    with Past(tmp_path) as past:
        export(past, "default", tmp_path / "x.ndjson", only_examples=True)
        export(past, "default", tmp_path / "x.parquet", only_examples=True)
    lines = [json.loads(line) for line in (tmp_path / "x.ndjson").read_text().splitlines()]
    found = pyarrow.parquet.read_table(tmp_path / "x.parquet").to_pylist()
    assert [{"x": dict(row["x"]), "y": row["y"]} for row in found] == lines


def test_a_model_that_has_learned_nothing_is_an_empty_file(tmp_path):
    with running(tmp_path) as engine:
        engine.create("default", {"learner": "perceptron"}).result()
    with Past(tmp_path) as past:
        for name in ("x.ndjson", "x.parquet"):
            assert export(past, "default", tmp_path / name) == 0
    assert pyarrow.parquet.read_table(tmp_path / "x.parquet").num_rows == 0


def test_a_name_that_does_not_tell_the_format_is_refused(tmp_path):
    written(tmp_path)
    with Past(tmp_path) as past:
        with pytest.raises(InvalidInputError, match=r"must end in \.ndjson"):
            export(past, "default", tmp_path / "x.csv")
        with pytest.raises(InvalidInputError, match="no model 'other'"):
            export(past, "other", tmp_path / "x.ndjson")
    assert not (tmp_path / "x.ndjson").exists()


def test_classes_that_were_declared_are_known(tmp_path):
    rows = [{"x": {"u": 1.0}, "y": "c"}, {"x": {"v": 1.0}, "y": "b"}]
    with running(tmp_path) as engine:
        engine.create("default", {"learner": "multiclass-perceptron", "classes": ["a", "b", "c"]}).result()
        learn(engine, rows)
    with Past(tmp_path) as past:
        export(past, "default", tmp_path / "x.ndjson")
    assert [json.loads(line) for line in (tmp_path / "x.ndjson").read_text().splitlines()] == rows


def test_hashed_features_are_exported_by_their_columns():
    assert Tables(is_hashed=True).name(5) == "5"
    assert Tables(False, ["a", "b"]).name(1) == "b"
