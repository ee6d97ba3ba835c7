"""Blocks: what is decoded is what was encoded, and damaged bytes raise CorruptBlock and nothing else."""

import struct
import tracemalloc

import msgspec
import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from log_records import blocks as any_blocks
from log_records import random_block, same
from novikoff.serve.log import blocks
from novikoff.serve.log.blocks import Block, CorruptBlock, decode, encode

FULL = random_block(np.random.default_rng(0), 6, is_full=True)
DECIMALS = random_block(np.random.default_rng(0), 300)
DECIMALS.values = np.round(DECIMALS.values, 3)


def content_of(payload):
    return zstandard.decompress(payload[1:])


def payload_of(content):
    return bytes(blocks.VERSIONS[-1:]) + zstandard.compress(content)


def with_header(block, **changes):
    """The payload of a block whose header was changed."""
    content = content_of(encode(block))
    length, _ = struct.unpack_from("<II", content)
    header = msgspec.msgpack.decode(content[8 : 8 + length], type=blocks.Header)
    packed = msgspec.msgpack.encode(msgspec.structs.replace(header, **changes))
    arrays = content[8 + length + -length % 8 :]
    return payload_of(struct.pack("<II", len(packed), 0) + packed + bytes(-len(packed) % 8) + arrays)


@given(block=any_blocks())
def test_decode_inverts_encode(block):
    assert same(block, decode(encode(block)))


def test_the_arrays_are_aligned_views_with_the_types_of_the_kernels():
    block = decode(encode(FULL))
    assert block.indptr.dtype == np.int64
    assert block.columns.dtype == block.codes.dtype == block.served[0].dtype == np.int32
    assert block.values.dtype == block.weights.dtype == np.float64
    for array in (block.columns, block.values, block.codes, block.weights, *block.served):
        assert array.flags.aligned
        assert not array.flags.owndata


def test_values_of_few_decimals_need_little_room_and_are_given_back():
    assert same(decode(encode(DECIMALS)), DECIMALS)
    plain = random_block(np.random.default_rng(0), 300)
    assert len(encode(DECIMALS)) < 0.6 * len(encode(plain))
    assert same(decode(encode(plain)), plain)


def test_labels_keep_their_kind():
    block = random_block(np.random.default_rng(1))
    block.labels = [True, 1, "1", -(2**63), 2**63 - 1]
    assert [type(label) for label in decode(encode(block)).labels] == [bool, int, str, int, int]


def test_repeated_names_and_columns_need_little_room():
    n, features = 512, 57
    columns = np.tile(np.arange(features, dtype=np.int32), n)
    values = np.ones(n * features)
    block = Block(0, [], 0, [], np.arange(n + 1) * features, columns, values, np.zeros(n, dtype=np.int32))
    assert len(encode(block)) < 2000


def test_arrays_of_different_lengths_are_not_encoded():
    block = random_block(np.random.default_rng(2))
    block.weights = np.ones(len(block) + 1)
    with pytest.raises(ValueError, match="different numbers"):
        encode(block)


def test_a_block_that_no_reader_would_accept_is_not_encoded(monkeypatch):
    monkeypatch.setattr(blocks, "MAX_CONTENT", 100)
    with pytest.raises(ValueError, match="too large"):
        encode(FULL)


# ---- damage --------------------------------------------------------------------------------------------------------


@st.composite
def mutated(draw, original):
    """Some bytes of a text replaced, removed or added."""
    content = bytearray(original)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(0, len(content) - 1)))
        kind = draw(st.sampled_from(("flip", "set", "cut", "remove", "insert")))
        if kind == "flip" and content:
            content[place] ^= 1 << draw(st.integers(0, 7))
        elif kind == "set" and content:
            content[place : place + 4] = draw(st.sampled_from((b"\xff" * 4, bytes(4), b"\xdd\xff\xff\xff")))
        elif kind == "cut":
            del content[place:]
        elif kind == "remove":
            del content[place : place + draw(st.integers(1, 9))]
        else:
            content[place:place] = draw(st.binary(max_size=9))
    return bytes(content)


def decoded_or_refused(payload):
    tracemalloc.start()
    try:
        block = decode(payload)
    except CorruptBlock:
        pass
    else:
        assert block.indptr[0] == 0
        assert block.indptr[-1] == len(block.columns) == len(block.values)
        assert (np.diff(block.indptr) >= 0).all()
        assert np.isfinite(block.values).all()
        assert (block.columns >= 0).all()
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 10**6 + blocks.MAX_RATIO * len(payload)


@given(payload=mutated(encode(FULL)))
def test_a_damaged_payload_is_refused(payload):
    decoded_or_refused(payload)


@given(content=mutated(content_of(encode(FULL))))
def test_a_damaged_content_is_refused(content):
    decoded_or_refused(payload_of(content))


@pytest.mark.slow
@pytest.mark.parametrize("is_content", [True, False])
def test_any_changed_byte_of_a_payload_is_refused_or_harmless(is_content):
    whole = content_of(encode(FULL)) if is_content else encode(FULL)
    for place in range(len(whole)):
        for bit in range(8):
            changed = bytearray(whole)
            changed[place] ^= 1 << bit
            decoded_or_refused(payload_of(bytes(changed)) if is_content else bytes(changed))


@given(payload=st.binary(max_size=200))
def test_bytes_that_are_not_a_block_are_refused(payload):
    with pytest.raises(CorruptBlock):
        decode(payload)


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"", "empty"),
        (b"\x03" + encode(FULL)[1:], "version is 3"),
        (encode(FULL)[:-1], "decompressed"),
        (encode(FULL) + b"x", "decompressed"),
        (encode(FULL) + encode(FULL)[1:], "decompressed"),
        (b"\x01" + zstandard.ZstdCompressor(write_content_size=False).compress(bytes(100)), "size"),
        (b"\x01\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 2**40), "size"),
        (payload_of(bytes(4)), "size"),
        (payload_of(content_of(encode(FULL)) + b"x"), "length"),
        (with_header(FULL, examples=-1), "number"),
        (with_header(FULL, examples=2**31 - 1), "shorter"),
        (with_header(FULL, features=2**31 - 1), "shorter"),
        (with_header(FULL, features=2**40), "number"),
        (with_header(FULL, id_bytes=3), "length"),
        (with_header(FULL, labels=[2**63]), "64 bits"),
        (with_header(FULL, first_name=-1), "number"),
        (with_header(FULL, exponent=-2), "exponent"),
        (with_header(FULL, exponent=10), "exponent"),
        (b"\x01" + with_header(DECIMALS)[1:], "exponent"),
    ],
)
def test_a_payload_that_states_what_is_not_there_is_refused(payload, reason):
    with pytest.raises(CorruptBlock, match=reason):
        decode(payload)


@pytest.mark.parametrize(
    ("part", "value", "reason"),
    [
        ("values", np.nan, "finite"),
        ("values", np.inf, "finite"),
        ("columns", -1, "negative"),
        ("codes", -2, "code"),
        ("weights", -1.0, "weight"),
        ("weights", np.nan, "weight"),
    ],
)
def test_a_number_that_no_example_has_is_refused(part, value, reason):
    block = random_block(np.random.default_rng(0), 6, is_full=True)
    getattr(block, part)[-1] = value
    with pytest.raises(CorruptBlock, match=reason):
        decode(encode(block))


def test_row_lengths_that_do_not_add_up_are_refused():
    block = random_block(np.random.default_rng(0), 6)
    block.indptr = block.indptr.copy()
    block.indptr[-1] += 1
    with pytest.raises(CorruptBlock, match="rows"):
        decode(encode(block))
    block.indptr[2] = block.indptr[1] - 1
    with pytest.raises(CorruptBlock, match="rows"):
        decode(encode(block))


def test_a_bomb_is_not_decompressed(monkeypatch):
    bomb = payload_of(bytes(2**24))
    assert len(bomb) < 2000
    monkeypatch.setattr(blocks, "MAX_CONTENT", 2**20)
    decoded_or_refused(bomb)
    with pytest.raises(CorruptBlock, match="size"):
        decode(bomb)
