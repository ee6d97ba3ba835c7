"""Saves of a stream: when they happen, what they hold, and what happens if they fail."""

import os

import pytest
import sets

import novikoff as nk
from novikoff.cli._stream_save import (
    Prepared,
    Saver,
    parse_interval,
)
from novikoff.data.late_rows import LateRows
from novikoff.data.position import SourceFiles
from novikoff.errors import FileError, InvalidInputError
from novikoff.persistence.model_file import load_position, load_stream


@pytest.mark.parametrize(("text", "seconds"), [("60s", 60), ("60", 60), ("5m", 300), ("1h", 3600), ("0.05s", 0.05)])
def test_intervals_have_units(text, seconds):
    assert parse_interval(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "0s", "-1s", "1d", "1 s", "nan", "inf", "1e3s", "60s5m", "9999999999s"])
def test_other_intervals_are_refused(text):
    with pytest.raises(InvalidInputError, match="--save-every"):
        parse_interval(text)


class Setting:
    """A saver with a clock that tests set, and a model that has learned some rows."""

    def __init__(self, folder, **options):
        self.path, self.data, self.now = folder / "m.nvk", folder / "data.svm", 0.0
        self.data.write_bytes(sets.svmlight(sets.X, sets.TWO))
        self.model, self.prepared = nk.Perceptron(), Prepared()
        self.saver = Saver(
            self.model,
            str(self.path),
            SourceFiles(str(self.data)),
            0,
            {"learner": '"perceptron"'},
            lambda: self.prepared,
            clock=lambda: self.now,
            **options,
        )

    def learn(self, rows=5):
        self.saver.learning()
        self.model.partial_fit(sets.X[:rows], sets.TWO[:rows])
        self.saver.learned(rows)

    def save_at(self, now):
        """Whether there is a save at this time."""
        self.now = now
        before = self.saver.saved_at
        self.saver.save_if_due()
        return self.saver.saved_at != before


@pytest.fixture
def setting(tmp_path):
    made = Setting(tmp_path, seconds=60.0)
    yield made
    made.saver.close()


def test_a_save_is_due_after_the_time_if_something_was_learned(setting):
    assert not setting.save_at(100)  # there is nothing to save yet
    setting.learn()
    assert setting.save_at(101)
    assert load_position(setting.path)[1].rows == 5
    assert not setting.save_at(200)
    setting.learn()
    assert not setting.save_at(160)
    assert setting.save_at(161)
    assert load_position(setting.path)[1].rows == 10


def test_nothing_is_saved_while_a_batch_is_learned(setting):
    setting.learn()
    setting.saver.learning()
    assert not setting.save_at(100)
    setting.saver.learned(3)
    assert setting.save_at(100)


def test_a_batch_that_failed_leaves_no_position(setting):
    setting.learn()
    setting.saver.learning()
    assert setting.saver.save()
    assert load_position(setting.path)[1] is None


def test_rows_that_wait_for_their_labels_are_saved_with_the_position(setting):
    setting.learn()
    setting.prepared = Prepared(None, LateRows.of(sets.X[:2], sets.TWO[:2], None))
    assert setting.saver.save()
    assert load_stream(setting.path).unlearned.rows().tolist() == sets.X[:2].tolist()
    setting.saver.learning()  # of a batch that fails
    setting.saver.learned(0)
    setting.saver.learning()
    assert setting.saver.save()
    assert load_stream(setting.path).unlearned is None  # nobody can go on


def test_a_model_that_must_not_be_saved_now_is_not(setting):
    setting.learn()
    setting.prepared = None
    assert not setting.save_at(100)
    assert not setting.saver.save()
    assert not setting.path.exists()


def test_a_file_that_was_replaced_before_it_was_read_leaves_no_position(setting):
    os.replace(setting.data, setting.data.with_suffix(".1"))
    setting.data.write_bytes(b"1 1:1\n")
    setting.learn()
    assert setting.saver.save()
    assert load_position(setting.path)[1] is None


def test_another_file_begins_with_its_first_row(setting):
    setting.learn()
    assert setting.saver.save()
    os.replace(setting.data, setting.data.with_suffix(".1"))
    setting.data.write_bytes(b"1 1:1\n")
    setting.saver.begin(SourceFiles(str(setting.data)))
    assert setting.saver.save()
    assert load_position(setting.path)[1].rows == 0
    assert load_position(setting.path)[1].files[0].size == 6


def test_a_save_that_fails_meanwhile_is_told_and_tried_again(setting, monkeypatch, capsys):
    def full(*_, **__):
        raise FileError("m.nvk: no space left on device.")

    setting.learn()
    with monkeypatch.context() as patch:
        patch.setattr("novikoff.persistence.model_file.save_position", full)
        assert not setting.save_at(60)
        assert "not saved, and tried again later" in capsys.readouterr().err
        assert not setting.save_at(100)  # not at once
        assert capsys.readouterr().err == ""
        with pytest.raises(FileError):  # the last one decides
            setting.saver.save()
    assert setting.save_at(120)
