"""Records: each checksum depends on every record before it."""

import hashlib
import struct

import pytest

from log_records import create, examples
from novikoff.serve.log.records import (
    EXAMPLES,
    FIRST_CHECKSUM,
    KINDS,
    Entry,
    chain,
    checksum,
    follows,
)


def test_the_checksum_is_the_one_that_is_documented():
    packed = struct.pack("<qqqqq", 3, 1, EXAMPLES, 10, 2)
    expected = hashlib.sha256(FIRST_CHECKSUM + packed + b"payload").digest()[:16]
    assert checksum(FIRST_CHECKSUM, 3, 1, EXAMPLES, 10, 2, b"payload") == expected


def test_records_are_numbered_and_linked():
    records = chain([create(), create("b"), examples(0, model=2)], 0, FIRST_CHECKSUM)
    assert [record.sequence for record in records] == [1, 2, 3]
    assert [record.model for record in records] == [1, 2, 2]
    previous = FIRST_CHECKSUM
    for record in records:
        assert follows(record, record.sequence, previous)
        previous = record.checksum


def test_any_other_number_or_payload_breaks_the_chain():
    record = chain([examples(4)], 7, b"p" * 16)[0]
    assert follows(record, 8, b"p" * 16)
    assert not follows(record, 9, b"p" * 16)
    assert not follows(record, 8, b"q" * 16)
    for field in ("sequence", "model", "kind", "first", "count"):
        assert not follows(record._replace(**{field: getattr(record, field) + 1}), 8, b"p" * 16)
    assert not follows(record._replace(payload=record.payload + b"x"), 8, b"p" * 16)


def test_an_entry_without_model_or_of_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="number of its model"):
        chain([Entry(None, EXAMPLES, 0, 0, b"")], 0, FIRST_CHECKSUM)
    with pytest.raises(ValueError, match="no such kind"):
        chain([Entry(1, len(KINDS) + 1, 0, 0, b"")], 0, FIRST_CHECKSUM)
