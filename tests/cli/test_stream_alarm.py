"""Alarms of a stream: what a condition may be, when it is told, and the exit code."""

import pytest
import sets
from command import assert_refused, novikoff

from novikoff.cli._stream_alarm import Alarms, parse_condition
from novikoff.errors import InvalidInputError
from novikoff.evaluate import Record, WindowScores

LINES = sets.svmlight(sets.X, sets.TWO).splitlines(keepends=True)


def record(examples, mistakes, window=None):
    return Record(examples, mistakes, 1 - mistakes / examples, 0.5, 1, 0, "a", "b", 0.5, 0.5, mistakes, window)


@pytest.mark.parametrize("text", ["loss>0.2", " loss >= .2 ", "window_kappa<-1e-3", "majority_loss<=1."])
def test_conditions_are_a_name_an_operator_and_a_number(text):
    assert parse_condition(text, has_window=True).text == text.strip()


@pytest.mark.parametrize("text", ["", "loss", "loss>", "loss>x", "loss=1", "loss>1;loss>2", "__import__>0", "loss>nan"])
def test_other_conditions_are_refused(text):
    with pytest.raises(InvalidInputError, match="--alarm"):
        parse_condition(text, has_window=True)


def test_conditions_about_a_window_need_one():
    with pytest.raises(InvalidInputError, match="--window"):
        parse_condition("window_loss>0.2", has_window=False)


def test_an_alarm_is_told_when_it_begins_and_when_it_ends():
    alarms = Alarms(["loss>0.2"], None)
    told = [alarms.judge(record(10 * k, wrong)) for k, wrong in enumerate((1, 5, 7, 7), start=1)]
    assert [len(sentences) for sentences in told] == [0, 1, 0, 1]
    assert told[1] == ["alarm: loss>0.2, loss is 0.25 after 20 examples"]
    assert told[3][0].startswith("alarm ended: ")
    assert alarms.raised == 1


def test_a_window_is_judged_when_it_is_full():
    alarms = Alarms(["window_loss>0.2"], 4)
    assert alarms.judge(record(3, 3, WindowScores(3, 3, {"a": 0.0}, 1))) == []
    assert len(alarms.judge(record(4, 4, WindowScores(4, 4, {"a": 0.0}, 1)))) == 1


def test_an_alarm_is_exit_code_1_at_the_end(tmp_path):
    (tmp_path / "two.svm").write_bytes(b"".join(LINES))
    run = novikoff("stream", tmp_path / "two.svm", "--alarm", "loss>0.01", "-q", "-o", tmp_path / "m.nvk")
    assert run.code == 1
    assert run.err.startswith("alarm: loss>0.01, loss is ")
    assert (tmp_path / "m.nvk").exists()
    assert novikoff("stream", tmp_path / "two.svm", "--alarm", "loss>1", "-q").code == 0
    assert_refused(novikoff("stream", tmp_path / "two.svm", "--alarm", "window_loss>1"), "--window")
