"""The check of a whole log: it counts what is there, and finds damage that a single read would not see."""

import apsw
import pytest

from log_records import create, examples, filled
from novikoff.serve.log.errors import CorruptRecord, StoreError
from novikoff.serve.log.records import DELETE, EXAMPLES, Entry
from novikoff.serve.log.store import LOG, Store


def test_a_whole_log_is_counted(tmp_path):
    with Store.open(tmp_path, "off") as store:
        appended = filled(store, 5, count=3)
        appended += store.append([create("b"), examples(0, 2, model=7), Entry(7, DELETE, 0, 0, b"")])
        found = store.verify()
    assert (found.records, found.examples, found.models) == (9, 17, 2)
    assert (found.last, found.checksum) == (9, appended[-1].checksum)
    assert found.payload_bytes == sum(len(record.payload) for record in appended)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (Entry(1, EXAMPLES, 4, 2, b"nonsense"), "Record 4 cannot be read. A block of examples is damaged"),
        (examples(4)._replace(count=3), "Record 4 cannot be read"),
        (examples(5), "repeats or omits"),
        (Entry(1, DELETE, 0, 0, b"{"), "Record 4 cannot be read"),
    ],
)
def test_a_record_whose_content_cannot_be_is_found(tmp_path, entry, words):
    with Store.open(tmp_path, "off") as store:
        filled(store, 2)
        store.append([entry])
        with pytest.raises(CorruptRecord, match=words) as refused:
            store.verify()
    assert refused.value.sequence == 4


def test_an_index_that_lacks_a_record_is_found(tmp_path):
    with Store.open(tmp_path, "off") as store:
        filled(store, 2)
    connection = apsw.Connection(str(tmp_path / LOG))
    connection.execute(
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema "
        "SET sql = 'CREATE INDEX log_by_model ON log(first, sequence)' WHERE name = 'log_by_model'"
    )
    connection.close()
    with Store.open(tmp_path, "off") as store, pytest.raises(StoreError, match="damaged"):
        store.verify()
