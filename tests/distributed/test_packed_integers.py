import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.distributed.packed_integers import packed, unpacked


@given(st.lists(st.integers() | st.integers(-(2**2000), 2**2000)))
def test_integers_of_any_length_remain(vector):
    assert unpacked(packed(vector)) == vector


@pytest.mark.parametrize("vector", [[127, -128], [128], [-129], [2**63 - 1, -(2**63)], [0], []])
def test_integers_at_the_ends_of_a_byte_remain(vector):
    assert unpacked(packed(vector)) == vector


def test_short_integers_take_one_byte():
    assert packed([1, -1, 127, -127]).nbytes == 4
