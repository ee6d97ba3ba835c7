"""Reading of records: everything that is changed, missing or out of order is reported, also by reads of one model."""

import apsw
import pytest

from log_records import filled
from novikoff.serve.log.errors import CorruptRecord, StoreError
from novikoff.serve.log.store import LOG, Store

CHANGES = {
    "payload": "UPDATE log SET payload = x'00' WHERE sequence = 5",
    "count": "UPDATE log SET count = count + 1 WHERE sequence = 5",
    "type": "UPDATE log SET payload = 'text' WHERE sequence = 5",
    "kind": "UPDATE log SET kind = 'text' WHERE sequence = 5",
    "checksum": "UPDATE log SET checksum = zeroblob(16) WHERE sequence = 5",
    "removed": "DELETE FROM log WHERE sequence = 5",
    "exchanged": "UPDATE log SET sequence = 99 WHERE sequence = 5; UPDATE log SET sequence = 5 WHERE sequence = 6; "
    "UPDATE log SET sequence = 6 WHERE sequence = 99",
}


def change(directory, statement):
    with Store.open(directory, "off") as store:
        filled(store, 10)
    connection = apsw.Connection(str(directory / LOG))
    connection.execute(statement)
    connection.close()


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("model", [None, 1])
def test_a_changed_record_is_not_read(tmp_path, kind, model):
    change(tmp_path, CHANGES[kind])
    with Store.open(tmp_path, "off") as store:
        records = store.records(model=model)
        assert [next(records).sequence for _ in range(4)] == [1, 2, 3, 4]
        with pytest.raises(CorruptRecord) as refused:
            list(records)
    assert refused.value.sequence in (5, 6)


def test_a_payload_that_became_text_is_not_read(tmp_path):
    change(tmp_path, "UPDATE log SET payload = CAST(x'ff' AS TEXT) WHERE sequence = 5")
    with Store.open(tmp_path, "off") as store, pytest.raises(StoreError) as refused:
        list(store.records())
    assert refused.value.code == "corrupt"


@pytest.mark.parametrize("count", [1, 2, 11])
def test_records_that_vanish_from_the_end_are_missed(tmp_path, count):
    change(tmp_path, f"DELETE FROM log WHERE sequence > 11 - {count}")
    with pytest.raises(CorruptRecord, match="Record 11"):
        Store.open(tmp_path)


def test_a_changed_last_record_is_found_when_the_log_is_opened(tmp_path):
    change(tmp_path, "UPDATE log SET payload = x'00' WHERE sequence = 11")
    with pytest.raises(CorruptRecord, match="Record 11"):
        Store.open(tmp_path)


@pytest.mark.parametrize("statement", ["DELETE FROM head", "UPDATE head SET sequence = 'x'", "DROP TABLE head"])
def test_a_damaged_head_is_found_when_the_log_is_opened(tmp_path, statement):
    change(tmp_path, statement)
    with pytest.raises(StoreError) as refused:
        Store.open(tmp_path)
    assert refused.value.code == "corrupt"


def test_reading_after_a_record_that_is_missing_is_refused(tmp_path):
    change(tmp_path, CHANGES["removed"])
    with Store.open(tmp_path, "off") as store, pytest.raises(CorruptRecord, match="Record 5"):
        list(store.records(after=5))
