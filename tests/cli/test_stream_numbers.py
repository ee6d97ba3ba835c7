"""The numbers of a stream by name, as alarms, metrics and JSON know them."""

import json

import pytest
import sets
from command import done, novikoff

import novikoff as nk
from novikoff.cli._stream_numbers import NAMES, WINDOW_NAMES, as_json, numbers_of


def records(**options):
    return list(nk.evaluate.progressive(nk.Perceptron(), [(sets.X, sets.TWO)], **options))


def test_every_name_has_a_number():
    (*_, last) = records(window=10)
    assert numbers_of(last).keys() == NAMES.keys() | WINDOW_NAMES.keys()
    assert numbers_of(records()[-1]).keys() == NAMES.keys()
    assert numbers_of(last)["window_min_recall"] == min(last.window.recall.values())


def test_jsonl_has_the_numbers_of_progressive_evaluation(tmp_path):
    (tmp_path / "two.svm").write_bytes(sets.svmlight(sets.X, sets.TWO))
    run = done("stream", tmp_path / "two.svm", "--jsonl", "--window", 8, "--every", 5)
    *lines, summary = [json.loads(line) for line in run.out.splitlines()]
    expected = list(nk.evaluate.progressive(nk.Tracker(), nk.scan(tmp_path / "two.svm"), window=8, every=5))
    assert lines == [json.loads(json.dumps(as_json(record))) for record in expected]
    assert [line["record"] for line in lines] == ["progress"] * 8
    assert summary["record"] == "summary"
    assert summary["mistakes"] == expected[-1].mistakes
    assert summary["last_label_baseline"] == expected[-1].last_label_baseline


def test_json_and_jsonl_exclude_each_other(tmp_path):
    (tmp_path / "two.svm").write_bytes(sets.svmlight(sets.X, sets.TWO))
    run = novikoff("stream", tmp_path / "two.svm", "--jsonl", "--json")
    assert run.code == 2
    assert "--jsonl" in run.err


@pytest.mark.parametrize("delay", [0, 3, 1000])
def test_a_delay_is_that_of_progressive_evaluation(tmp_path, delay):
    (tmp_path / "two.svm").write_bytes(sets.svmlight(sets.X, sets.TWO))
    found = done("stream", tmp_path / "two.svm", "--json", "--delay", delay, "-o", tmp_path / "m.nvk").json
    progress = nk.evaluate.progressive(nk.Tracker(), nk.scan(tmp_path / "two.svm"), delay=delay)
    list(progress)
    assert (found["mistakes"], found["mistakes_at_learning"]) == (progress.wrong, progress.mistakes_at_learning)
    assert nk.load(tmp_path / "m.nvk").certificate_.mistakes == progress.mistakes_at_learning
    assert done("certify", tmp_path / "m.nvk", tmp_path / "two.svm").code == 0


def test_late_labels_change_nothing_that_a_single_learner_learns(tmp_path):
    (tmp_path / "two.svm").write_bytes(sets.svmlight(sets.X, sets.TWO))
    own = ("stream", tmp_path / "two.svm", "--learner", "perceptron")
    found = done(*own, "--json", "--delay", 3, "-o", tmp_path / "m.nvk").json
    late = found["served_mistakes"]
    assert (late["served"], late["delay"]) == (found["mistakes"], 3)
    assert late["served"] <= late["bound"] == late["at_learning"] + 3 * (late["updates"] + late["labels"])
    words = done(*own, "--delay", 3).out
    assert f"{late['served']} wrong predictions served, {late['at_learning']} when learned" in words
    done(*own, "-q", "-o", tmp_path / "prompt.nvk")
    assert sets.same_model(tmp_path / "m.nvk", tmp_path / "prompt.nvk")
