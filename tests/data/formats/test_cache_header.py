"""The header of a row cache."""

import pytest

from novikoff.data.formats.cache_header import Header, StoredArray, decoded, encoded

HEADER = Header(
    rows=2,
    columns=3,
    sparse=False,
    index_base=None,
    feature_names=None,
    classes=None,
    source=None,
    arrays={"values": StoredArray("<f8", [2, 3], ["00"])},
)


def test_a_header_is_read_as_it_was_written():
    assert decoded(encoded(HEADER)) == HEADER
    assert HEADER.arrays["values"].size == 2 * 3 * 8


@pytest.mark.parametrize("text", [b"{}", b"[", encoded(HEADER).replace(b'"rows":2', b'"rows":0')])
def test_a_malformed_header_is_a_value_error(text):
    with pytest.raises(ValueError, match=r"."):
        decoded(text)
