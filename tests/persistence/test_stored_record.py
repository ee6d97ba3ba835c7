"""Records as bytes: bytes that could not be read are never written."""

import pytest

import novikoff as nk
from novikoff.data.position import FileIdentity, Position
from novikoff.persistence import stored_record
from novikoff.persistence.frame import VERSION, unpack
from saved import TWO, fitted


@pytest.mark.parametrize(
    "wrong",
    [3, {"rows": -1}, {"rows": 1.5}, {"files": [{"size": 1}]}, {"options": [1]}, {"may_cut_line": 1}, {"more": 1}],
)
def test_a_position_that_is_damaged_is_refused(wrong):
    known = {
        "rows": 3,
        "files": [{"size": 1, "head": "a", "tail": "b"}],
        "options": {"x": "1"},
        "may_cut_line": True,
    }
    found = stored_record.position_of({"version": VERSION, "position": known})
    assert found == Position(3, (FileIdentity(1, "a", "b"),), {"x": "1"}, True)
    with pytest.raises(nk.InvalidInputError):
        stored_record.position_of({"version": VERSION, "position": known | wrong if isinstance(wrong, dict) else wrong})


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
    make_pieces = stored_record.pieces
    monkeypatch.setattr(stored_record, "pieces", lambda *given: [*make_pieces(*given)[:-1], b"cut"])
    with pytest.raises(nk.InvalidInputError, match="cut short"):
        model.save(path)
    assert path.read_bytes() == before


def test_claims_in_words_are_for_people_and_are_not_read():
    tree, tensors = unpack("it", stored_record.encode_model(fitted("svm", TWO).record_))
    certificate = stored_record.decode_model(dict(tree), dict(tensors)).record_.certificates[0]
    tree["claims"][0][0][1] = "0.0001, the minimum is at least 0.0001"
    again = stored_record.decode_model(dict(tree), dict(tensors)).record_.certificates[0]
    assert again.claims() == certificate.claims()
