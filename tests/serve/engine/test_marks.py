"""Files that say whether a server follows another one, after a restart, too."""

import logging

import pytest

from novikoff.serve.engine.marks import COPYING, FOLLOWS, PROMOTED, Marks
from novikoff.serve.errors import ServeError

LEADER = "http://leader:1"


def found(directory):
    return sorted(path.name for path in directory.iterdir())


def test_a_promotion_holds_until_another_server_is_to_be_followed(tmp_path, caplog):
    assert Marks(tmp_path).start(LEADER, is_empty=False)
    Marks(tmp_path).promote(LEADER)
    assert found(tmp_path) == [PROMOTED]
    with caplog.at_level(logging.WARNING):
        assert not Marks(tmp_path).start(LEADER, is_empty=False)
    assert "does not follow http://leader:1 but learns, because it was promoted" in caplog.text
    assert Marks(tmp_path).start("http://other:1", is_empty=False)
    assert found(tmp_path) == [FOLLOWS]
    assert Marks(tmp_path).start(LEADER, is_empty=False)
    assert (tmp_path / FOLLOWS).read_text() == f"{LEADER}\n"


def test_a_start_without_a_server_to_follow_ends_following(tmp_path):
    Marks(tmp_path).start(LEADER, is_empty=True)
    assert found(tmp_path) == [COPYING, FOLLOWS]
    assert not Marks(tmp_path).start(None, is_empty=False)
    assert found(tmp_path) == []


def test_a_promotion_that_cannot_be_stored_is_refused(tmp_path):
    (tmp_path / PROMOTED).mkdir()
    with pytest.raises(ServeError) as refused:
        Marks(tmp_path).promote(LEADER)
    assert refused.value.code == "not_promoted"


def test_a_copy_is_complete_once_it_was_so(tmp_path):
    marks = Marks(tmp_path)
    marks.start(LEADER, is_empty=True)
    Marks(tmp_path).start(LEADER, is_empty=False)  # killed meanwhile
    assert marks.is_copying
    marks.end_copy()
    marks.start(LEADER, is_empty=False)
    assert not marks.is_copying
