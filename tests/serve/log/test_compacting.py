"""Compaction of the store: the chain stays checkable, and what was emptied without a record is found."""

import apsw
import pytest

from log_records import create, examples, filled
from novikoff.serve.log.compacting import Digest, last_dropped
from novikoff.serve.log.errors import CorruptRecord, StoreError
from novikoff.serve.log.records import COMPACT, Entry, chain
from novikoff.serve.log.store import LOG, Store


def two_models(store):
    """Records 1 to 6 of model 1, and then those of model 7."""
    filled(store, 5, count=3)
    store.append([create("b"), examples(0, 2, model=7), examples(2, 2, model=7)])


def test_a_compacted_log_is_whole_and_says_what_is_missing(tmp_path):
    with Store.open(tmp_path, "off") as store:
        two_models(store)
        before = [store.checksum_at(number) for number in range(1, 10)]
        dropped = store.compact({1: 4, 7: 8})
        found = store.verify()
        assert (found.examples, found.removed_examples, found.models) == (19, 11, 2)
        assert (dropped.records, dropped.examples, dropped.last) == (4, 11, 8)
        assert [store.checksum_at(number) for number in range(1, 10)] == before
        assert [r.sequence for r in store.records(after=8)] == [9, 10]
        assert [r.sequence for r in store.records(after=4, model=1)] == [5, 6]
        assert len(list(store.records(with_removed=True))) == 10
        with pytest.raises(CorruptRecord, match="record 2 were removed"):
            list(store.records())
        with pytest.raises(CorruptRecord, match="record 8 were removed"):
            list(store.records(model=7))
    with Store.open(tmp_path, "off") as store:
        assert (store.last, store.dropped()) == (10, dropped)


def test_a_second_compaction_states_all_that_is_missing(tmp_path):
    with Store.open(tmp_path, "off") as store:
        two_models(store)
        store.compact({1: 3})
        dropped = store.compact({1: 2, 7: 9})
        assert dropped.models == {1: 3, 7: 9}
        assert store.verify().removed_examples == dropped.examples == 10


def test_the_log_as_it_was_can_be_kept(tmp_path):
    copy = tmp_path / "copies" / LOG
    copy.parent.mkdir()
    with Store.open(tmp_path, "off") as store:
        two_models(store)
        everything = list(store.records())
        store.compact({1: 6}, copy)
    with Store.open(copy.parent, "off") as kept:
        assert list(kept.records()) == everything
        kept.append([examples(15, 1)])
        assert kept.verify().records == 10


def test_a_copy_that_cannot_be_written_leaves_the_log_as_it_was(tmp_path):
    with Store.open(tmp_path, "off") as store:
        two_models(store)
        with pytest.raises(StoreError):
            store.compact({1: 6}, tmp_path / "missing" / "copy")
        assert (store.last, store.dropped(), store.verify().removed_examples) == (9, None, 0)


@pytest.mark.parametrize(
    "statement", ["payload = x'' WHERE sequence = 6", "checksum = zeroblob(16) WHERE sequence = 3"]
)
def test_rows_that_were_changed_besides_compaction_are_found(tmp_path, statement):
    with Store.open(tmp_path, "off") as store:
        two_models(store)
        store.compact({1: 4})
    connection = apsw.Connection(str(tmp_path / LOG))
    connection.execute(f"UPDATE log SET {statement}")
    connection.close()
    with Store.open(tmp_path, "off") as store, pytest.raises(CorruptRecord):
        store.verify()


def test_a_digest_depends_on_every_number_and_the_order():
    first, second = chain([create(), examples(0, 2)], 0, bytes(16))
    found = set()
    for records in ([first, second], [second, first], [first], [first._replace(count=1), second]):
        digest = Digest()
        for record in records:
            digest.add(record)
        found.add(digest.hex())
    assert len(found) == 4


def test_a_statement_that_cannot_be_read_is_damage():
    assert last_dropped([]) is None
    records = chain([Entry(0, COMPACT, 0, 0, b'{"models": 5}')], 0, bytes(16))
    with pytest.raises(CorruptRecord, match="Record 1"):
        last_dropped(records)
