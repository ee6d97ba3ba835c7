"""Plain data as bytes: the same bits come back, and no other bytes are read."""

import json
import math
import struct
from fractions import Fraction

import hypothesis.extra.numpy as arrays
import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings

from novikoff.distributed.codec import decode, encode
from novikoff.distributed.survey import Survey

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**200), 2**200),
    st.floats(width=64),
    st.text(),
    st.binary(max_size=9),
    st.fractions(),
    st.sampled_from([np.float64(-0.0), np.float32(1.1), np.int64(-3), np.bool_(True), np.str_("a\0b")]),
    st.sampled_from([np.dtype("f8"), np.dtype("<U3"), np.dtype(object)]),
)
ARRAYS = arrays.arrays(
    st.one_of(arrays.scalar_dtypes(), arrays.unicode_string_dtypes(max_len=4)),
    arrays.array_shapes(min_dims=0, min_side=0),
)
MATRICES = st.builds(
    lambda rows, columns, seed, kind: kind(sp.random(rows, columns, 0.4, "csr", random_state=seed)),
    st.integers(0, 5),
    st.integers(0, 5),
    st.integers(0, 99),
    st.sampled_from([sp.csr_matrix, sp.csr_array]),
)
KEYS = st.one_of(st.text(), st.integers(), st.floats(allow_nan=False), st.booleans(), st.none())
PLAIN = st.recursive(
    st.one_of(SCALARS, ARRAYS, MATRICES),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.lists(inner, max_size=3).map(tuple), st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=8,
)


def is_same(one, other):
    """Whether two values have the same types and the same bits."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float | np.generic):
        return (
            np.asarray(one).dtype == np.asarray(other).dtype
            and np.asarray(one).tobytes() == np.asarray(other).tobytes()
        )
    if isinstance(one, np.ndarray):
        if one.dtype.kind == "O":
            return one.shape == other.shape and is_same(one.ravel().tolist(), other.ravel().tolist())
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if sp.issparse(one):
        return one.shape == other.shape and all(
            is_same(getattr(one, name), getattr(other, name)) for name in ("data", "indices", "indptr")
        )
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict):
        return is_same(list(one), list(other)) and is_same(list(one.values()), list(other.values()))
    return one == other


@settings(deadline=None, max_examples=100)
@given(PLAIN)
def test_values_come_back_with_the_same_types_and_bits(value):
    data = encode(value)
    again = decode(data)
    assert is_same(value, again)
    assert encode(again) == data


@pytest.mark.parametrize("bits", ["7ff0000000000000", "fff0000000000000", "7ff8000000000123", "8000000000000000"])
def test_infinity_nan_and_negative_zero_keep_their_bits(bits):
    number = struct.unpack(">d", bytes.fromhex(bits))[0]
    assert struct.pack(">d", decode(encode([number]))[0]).hex() == bits
    assert math.isnan(decode(encode({"a": (math.nan,)}))["a"][0])


def test_order_of_memory_and_labels_of_mixed_types_are_kept():
    columns = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    again = decode(encode(columns))
    assert again.flags.f_contiguous
    assert not again.flags.c_contiguous
    assert again.tolist() == columns.tolist()
    again[0, 0] = 7  # kernels may ask for arrays that can be written to
    mixed = np.array(["a", 1, None, 2.5], dtype=object)
    assert decode(encode(mixed)).tolist() == ["a", 1, None, 2.5]


def test_dataclasses_of_novikoff_come_back():
    found = Survey([3, 0], 7, {"a": 1.5, 2: 3.0}, np.dtype("<U1"), 2.5, 21, True, {7: "part 0"}, False)
    assert decode(encode((found, Fraction(1, 3)))) == (found, Fraction(1, 3))


@pytest.mark.parametrize("value", [{1, 2}, object(), lambda: 0, 1j, np.zeros(1, [("a", int)]), sp.coo_matrix((2, 2))])
def test_what_is_not_plain_is_refused(value):
    with pytest.raises(TypeError, match="is not plain data"):
        encode([value])


def forged(tree, *memory):
    text = json.dumps({"value": tree, "sizes": [len(part) for part in memory]}).encode()
    return struct.pack("<Q", len(text)) + text + b"".join(memory)


@pytest.mark.parametrize(
    "tree",
    [
        {"object": ["os:system", {"dict": [["command", "true"]]}]},
        {"object": ["subprocess:Popen", {"dict": [["args", "true"]]}]},
        {"object": ["novikoff.distributed.checkpoint:os", {"dict": []}]},
        {"object": ["novikoff.distributed.codec:encode", {"dict": [["value", 1]]}]},
        {"object": ["novikoff.nothing:Survey", {"dict": []}]},
        {"array": [[1], "|O8", "C", 0]},
        {"array": [[3], "<f8", "C", 0]},
        {"array": [[1], "<f8", "C", 5]},
        {"fraction": ["0x1", "0x0"]},
        {"unknown": 1},
        {"int": "0x1", "float": "00"},
    ],
)
def test_forged_bytes_are_refused_and_run_nothing(tree):
    with pytest.raises(ValueError, match=r"."):
        decode(forged(tree, bytes(8)))


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_random_bytes_are_refused(data):
    with pytest.raises(ValueError, match=r"."):
        decode(data)


def test_cut_bytes_are_refused():
    data = encode({"point": np.arange(3.0), "rows": [1, 2]})
    for end in range(len(data)):
        with pytest.raises(ValueError, match=r"."):
            decode(data[:end])
    with pytest.raises(ValueError, match="sizes of the arrays"):
        decode(data + b"\0")
