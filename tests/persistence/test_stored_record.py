"""Records as bytes: older headers are completed, and bytes that could not be read are never written."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

import novikoff as nk
from novikoff._json import plain_to_tree
from novikoff.data.position import FileIdentity, Position
from novikoff.persistence import stored_record
from novikoff.persistence.frame import VERSION, unpack
from saved import TWO, fitted


def test_an_old_header_gets_the_fields_of_later_versions():
    added = {"sparse": {}, "multi_class": "ovr", "class_count": None, "certificates": [], "fingerprint": None}
    added |= {"position": None, "unlearned": None}
    assert stored_record.upgraded({"version": 1, "learner": "A"}, 1) == {"version": 1, "learner": "A", **added}
    newest = {"version": VERSION}
    assert stored_record.upgraded(newest, VERSION) == newest


@pytest.mark.parametrize(
    "wrong",
    [3, {"rows": -1}, {"rows": 1.5}, {"files": [{"size": 1}]}, {"options": [1]}, {"may_cut_line": 1}, {"more": 1}],
)
def test_a_position_that_is_damaged_is_refused(wrong):
    known = {"rows": 3, "files": [{"size": 1, "head": "a", "tail": "b"}], "options": {"x": "1"}, "may_cut_line": True}
    found = stored_record.position_of({"version": VERSION, "position": known})
    assert found == Position(3, (FileIdentity(1, "a", "b"),), {"x": "1"}, True)
    with pytest.raises(nk.InvalidInputError):
        stored_record.position_of({"version": VERSION, "position": known | wrong if isinstance(wrong, dict) else wrong})


def test_an_old_reading_gets_fields_that_keep_its_meaning():
    upgraded = stored_record.upgraded({"reading": {"target": "y", "kinds": ["text", "number"]}}, 1)["reading"]
    assert upgraded.items() >= {"target": "y", "exclude": [], "dialect": None, "running": None}.items()
    assert upgraded["kinds"] == ["string", "number"]
    assert stored_record.upgraded({"reading": {"kinds": ["text"]}}, 2)["reading"]["kinds"] == ["text"]


@dataclass(frozen=True)
class Inner:
    old: int
    new: float = 1.5


@dataclass(frozen=True)
class State:
    parts: tuple[Inner, ...] | None
    later: str | None = None


class Grown:
    """A learner with a parameter, and a state with fields, that older files lack."""

    state_type = State
    added_parameters: ClassVar = {"new": (1, "a")}


def test_an_old_state_gets_the_defaults_of_its_new_fields_and_old_parameters_their_old_meaning(monkeypatch):
    monkeypatch.setitem(stored_record.LEARNERS._entries, "Grown", Grown)
    old = {"learner": "Grown", "parameters": {"C": 1.0}, "state": {"parts": [{"old": 3}, {"old": 4, "new": 0.5}]}}
    new = stored_record.upgraded(old, VERSION - 1)
    assert new["state"] == {"parts": [{"old": 3, "new": 1.5}, {"old": 4, "new": 0.5}], "later": None}
    assert new["parameters"] == {"C": 1.0, "new": plain_to_tree((1, "a"))}
    assert old["state"] == {"parts": [{"old": 3}, {"old": 4, "new": 0.5}]}
    assert stored_record.upgraded(old, VERSION) == old


@pytest.mark.parametrize("damage", [{"learner": ["Grown"]}, {"state": 3}, {"state": {"parts": 3}}, {"parameters": []}])
def test_an_old_header_that_is_damaged_is_left_for_the_checks(damage, monkeypatch):
    monkeypatch.setitem(stored_record.LEARNERS._entries, "Grown", Grown)
    new = stored_record.upgraded({"learner": "Grown", "parameters": {}, "state": {"parts": None}, **damage}, 1)
    assert all(new[name] == value or new[name] == {"later": None, **value} for name, value in damage.items())


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
