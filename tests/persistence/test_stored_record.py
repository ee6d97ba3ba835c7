"""Records as bytes: older headers are completed, and bytes that could not be read are never written."""

import pytest

import novikoff as nk
from novikoff.persistence import stored_record
from novikoff.persistence.frame import VERSION, unpack
from saved import TWO, fitted


def test_an_old_header_gets_the_fields_of_later_versions():
    assert stored_record.upgraded({"version": 1, "learner": "A"}, 1) == {"version": 1, "learner": "A", "sparse": {}}
    newest = {"version": VERSION}
    assert stored_record.upgraded(newest, VERSION) == newest


def test_an_old_reading_gets_fields_that_keep_its_meaning():
    upgraded = stored_record.upgraded({"reading": {"target": "y"}}, 1)["reading"]
    assert upgraded == {
        "target": "y",
        "exclude": [],
        "dialect": None,
        "columns": None,
        "encoding": None,
        "encoder": None,
        "running": None,
    }


def test_bytes_give_the_model_that_they_were_made_from():
    model = fitted("svm", TWO)
    again = stored_record.decode_model(*unpack("it", stored_record.encode_model(model.record_)))
    assert again.coef_.tolist() == model.coef_.tolist()
    assert again.get_params() == model.get_params()


def test_a_file_that_could_not_be_read_is_never_written(tmp_path, monkeypatch):
    path = tmp_path / "model.nvk"
    model = fitted("svm", TWO)
    model.save(path)
    before = path.read_bytes()
    monkeypatch.setattr(stored_record, "encode_model", lambda *_: before[:-1])
    with pytest.raises(nk.InvalidInputError, match="cut short"):
        model.save(path)
    assert path.read_bytes() == before
