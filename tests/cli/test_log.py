"""novikoff log: what its actions print, and what they refuse."""

import json

import pytest
from command import assert_refused, done, fresh, novikoff

import novikoff as nk
from engine_logs import running, written
from novikoff.serve.log.store import LOG


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """The directory of a log that no test changes, and the model file."""
    place = tmp_path_factory.mktemp("log")
    return place, written(place)[1]


def test_a_whole_log_is_verified_also_beside_a_server(tmp_path):
    written(tmp_path)
    with running(tmp_path):
        run = done("log", "verify", tmp_path, "--json")
    assert (run.json["verdict"], run.json["records"], run.json["examples"]) == ("whole", 7, 60)
    assert "verdict   whole" in done("log", "verify", tmp_path).out


def test_a_damaged_log_is_a_negative_verdict(tmp_path):
    written(tmp_path)
    content = bytearray((tmp_path / LOG).read_bytes())
    place = content.rindex(b"\x28\xb5\x2f\xfd") + 12  # in the first block that was written
    content[place] ^= 1
    (tmp_path / LOG).write_bytes(content)
    run = novikoff("log", "verify", tmp_path, "--json")
    assert (run.code, run.err, run.json["verdict"]) == (1, "", "damaged")
    assert "damaged" in run.json["reason"]


def test_models_and_the_last_records_are_shown(log):
    run = done("log", "show", log[0], "--last", "2")
    assert "default, perceptron, 60 examples, made by record 1" in run.out
    assert run.out.count("examples of default, 10 examples") == 2
    assert len(done("log", "show", log[0], "--json").json["last"]) == 7


def test_a_replay_prints_both_learners_and_saves_the_other(log, tmp_path):
    path = tmp_path / "other.nvk"
    run = done("log", "replay", log[0], "--learner", "arow", "--parameter", "r=0.5", "-o", path)
    assert "perceptron" in run.out
    assert "arow" in run.out
    assert nk.load(path).r == 0.5
    found = done("log", "replay", log[0], "--json", "-o", path).json
    assert found["original"]["mistakes"] == found["replayed"]["mistakes"]
    assert nk.load(path).coef_.tobytes() == nk.loads(log[1]).coef_.tobytes()


@pytest.mark.parametrize("learner", ["perceptron", "tracker"])
def test_the_saved_model_of_a_replay_knows_the_names_of_features(tmp_path, learner):
    rows, _ = written(tmp_path / "state", learner=learner)
    done("log", "replay", tmp_path / "state", "-o", tmp_path / "model.nvk")
    model, reference = nk.load(tmp_path / "model.nvk"), type(nk.load(tmp_path / "model.nvk"))()
    for row in rows:
        reference.learn_one(row["x"], row["y"])
    assert [model.score_one(row["x"]) for row in rows] == [reference.score_one(row["x"]) for row in rows]


@pytest.mark.parametrize("name", ["examples.ndjson", "examples.jsonl", "examples.parquet"])
def test_an_export_says_how_many_examples_it_has(log, tmp_path, name):
    path = tmp_path / name
    assert done("log", "export", log[0], "-o", path, "--json").json["examples"] == 60
    assert path.stat().st_size > 1000


def test_compaction_keeps_the_log_unless_told_otherwise(tmp_path):
    written(tmp_path)
    found = done("log", "compact", tmp_path, "--json").json
    assert (found["examples"], found["kept"]) == (60, str(tmp_path / "log.sqlite.before-compaction"))
    assert "of which 60 were removed" in done("log", "verify", tmp_path).out
    assert "60 examples, by compaction" in done("log", "show", tmp_path).out
    assert "kept" not in done("log", "compact", tmp_path, "--discard").out
    assert_refused(novikoff("log", "replay", tmp_path), "novikoff log compact")


def test_compaction_beside_a_server_is_refused(tmp_path):
    written(tmp_path)
    with running(tmp_path):
        assert_refused(novikoff("log", "compact", tmp_path), "another server")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["destroy", "STATE"], ["'destroy' is not an action", "compact"]),
        (["verify", "STATE", "--model", "a"], ["--model", "replay and export"]),
        (["show", "STATE", "--discard"], ["--discard", "compact"]),
        (["show", "STATE", "--only-examples"], ["--only-examples", "export"]),
        (["replay", "STATE", "--model", "a"], ["no model 'a'", "default"]),
        (["replay", "STATE", "--parameter", "C"], ["--parameter", "NAME=VALUE"]),
        (["replay", "STATE", "--parameter", "C=1", "--parameter", "C=2"], ["twice"]),
        (["replay", "STATE", "--learner", "linear-svm"], ["unknown", "arow"]),
        (["export", "STATE"], ["--output", ".ndjson"]),
        (["export", "STATE", "-o", "x.csv"], [".parquet"]),
        (["verify", "/"], ["there is no log"]),
    ],
)
def test_what_cannot_be_done_is_refused(log, tmp_path, arguments, words):
    given = [log[0] if word == "STATE" else word for word in arguments]
    assert_refused(novikoff("log", *given, folder=tmp_path), *words)


def test_parameters_are_numbers_lists_or_words(log):
    run = novikoff("log", "replay", log[0], "--learner", "arow", "--parameter", "r=much")
    assert_refused(run, "arow", "much")


def test_a_process_of_its_own_verifies(log):
    assert json.loads(fresh("log", "verify", log[0], "--json").out)["verdict"] == "whole"
