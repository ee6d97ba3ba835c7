"""The past of a log: models with all that made them what they are, also beside a running server."""

import pytest

from engine_logs import examples, learn, running, written
from novikoff.errors import InvalidInputError
from novikoff.serve.history.past import Past, overview
from novikoff.serve.log.errors import StoreError


def copied(directory):
    """A model, a copy of it, and a copy of that, each of which goes on learning but the last."""
    with running(directory) as engine:
        engine.create("a", {"learner": "perceptron"}).result()
        learn(engine, examples(10), "a")
        engine.copy("a", "b").result()
        learn(engine, examples(5, seed=2), "a")
        learn(engine, examples(7, seed=3), "b")
        engine.copy("b", "c").result()
        engine.delete("a").result()


def test_a_copy_has_the_past_of_its_source(tmp_path):
    copied(tmp_path)
    with Past(tmp_path) as past:
        for name, sizes in (("b", [10, 7]), ("c", [10, 7])):
            blocks = [len(block) for _, block in past.blocks_of(past.model(name).number)]
            assert blocks == sizes
        with pytest.raises(InvalidInputError, match=r"no model 'a'\. The models are: b, c"):
            past.model("a")


def test_the_overview_lists_models_and_the_last_records(tmp_path):
    copied(tmp_path)
    with Past(tmp_path) as past:
        found = overview(past, 2)
    assert [(model["name"], model["examples"]) for model in found["models"]] == [("b", 17), ("c", 17)]
    assert [(record["kind"], record["model"]) for record in found["last"]] == [("copy", "c"), ("delete", "a")]
    assert (found["records"], found["removed_examples"]) == (7, 0)


def test_a_log_is_read_while_a_server_writes_it(tmp_path):
    with running(tmp_path) as engine:
        engine.create("default", {"learner": "perceptron"}).result()
        learn(engine, examples(5))
        with Past(tmp_path) as past:
            assert overview(past, 0)["models"][0]["examples"] == 5


def test_a_directory_without_a_log_is_refused(tmp_path):
    with pytest.raises(StoreError, match="there is no log"):
        Past(tmp_path)
    assert list(tmp_path.iterdir()) == []
    written(tmp_path)
