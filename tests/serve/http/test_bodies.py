"""Bodies: limits of length and time, compression, and bombs."""

import asyncio
import gzip
import tracemalloc
import zlib

import pytest
import zstandard
from asgi_calls import receiver, scope_of

from novikoff.serve.errors import ServeError
from novikoff.serve.http.bodies import DECODERS, decoder, decompressed, read_body

LIMIT = 1000


def read(chunks, headers=None, limit=LIMIT, seconds=1.0, then="disconnect"):
    scope = scope_of("POST", "/", headers)
    return asyncio.run(read_body(scope, receiver(list(chunks), then), limit, seconds))


def refused(status, *arguments, **options):
    with pytest.raises(ServeError) as caught:
        read(*arguments, **options)
    assert caught.value.status == status
    return caught.value.code


def test_chunks_are_joined():
    assert read([b"a", b"", b"bc"]) == b"abc"
    assert read([b""]) == b""


def test_a_body_of_the_limit_is_taken_and_one_byte_more_is_not():
    assert read([b"a" * LIMIT]) == b"a" * LIMIT
    assert refused(413, [b"a" * (LIMIT + 1)]) == "body_too_long"
    assert refused(413, [b"a" * LIMIT, b"a", b""]) == "body_too_long"


def test_an_announced_length_is_refused_before_the_body_comes():
    assert refused(413, [], {"content-length": str(LIMIT + 1)}, then="wait") == "body_too_long"


def test_a_body_that_does_not_end_is_refused():
    assert refused(400, [b"a"[:0]] * 0) == "incomplete_body"
    assert refused(408, [], seconds=0.02, then="wait") == "body_too_slow"


@pytest.mark.parametrize("name", ["gzip", "x-gzip", "zstd", "identity", "GZIP"])
def test_compressed_bodies_are_read_however_they_are_cut(name):
    data = bytes(range(256)) * 3
    packed = {"gzip": gzip.compress, "zstd": zstandard.compress}.get(name.lower().removeprefix("x-"), bytes)(data)
    headers = {"content-encoding": name}
    assert read([packed], headers) == data
    assert read([packed[i : i + 1] for i in range(len(packed))], headers) == data
    twice = read([packed + packed], headers, limit=10_000)
    assert twice == data + data


@pytest.mark.parametrize("name", ["br", "deflate", "gzip, gzip", "compress"])
def test_other_compressions_are_415(name):
    assert refused(415, [b"x"], {"content-encoding": name}) == "unsupported_encoding"


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("zstd", zstandard.compress)])
def test_damaged_and_cut_bodies_are_400(name, pack):
    packed = pack(b"abc" * 100)
    for body in (b"not compressed", packed[:-3], packed + b"x", packed[:12] + b"\xff\xff\xff" + packed[15:]):
        assert refused(400, [body], {"content-encoding": name}) == "bad_encoding"


def zstd_bomb(size):
    """Blocks that repeat one byte: 4 bytes for 128 KiB each."""
    return zstandard.ZstdCompressor(level=1).compress(bytes(size))


@pytest.mark.parametrize(
    ("name", "bomb"),
    [("gzip", gzip.compress(bytes(64 << 20), 9)), ("zstd", zstd_bomb(256 << 20))],
    ids=["gzip", "zstd"],
)
def test_a_bomb_is_413_and_takes_little_memory(name, bomb):
    assert len(bomb) < 100_000
    tracemalloc.start()
    try:
        assert refused(413, [bomb], {"content-encoding": name}, limit=1 << 20) == "body_too_long"
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("name", "bomb"), [(b"gzip", gzip.compress(bytes(8 << 20))), (b"zstd", zstd_bomb(32 << 20))])
def test_a_step_of_decompression_has_a_bounded_length(name, bomb):
    found = DECODERS[name]()
    assert max(map(len, found.decode(bomb))) <= 5 << 20


def test_a_window_of_zstd_that_needs_much_memory_is_refused():
    parameters = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    packing = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    packed = packing.compress(b"abc") + packing.flush()
    assert refused(400, [packed], {"content-encoding": "zstd"}) == "bad_encoding"


def test_a_long_compressed_body_is_read_in_another_thread():
    data = bytes(zlib.crc32(bytes([i % 251])) % 256 for i in range(200_000))
    packed = gzip.compress(data, 0)
    assert read([packed], {"content-encoding": "gzip"}, limit=1 << 20) == data


def test_decompression_without_a_header_leaves_the_data():
    assert decompressed(decoder(scope_of("POST", "/")), b"abc", 3) == b"abc"
