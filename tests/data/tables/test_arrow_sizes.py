"""Sizes that Arrow files and streams state: valid ones are accepted, and what the bytes cannot hold is refused."""

import io
import random

import numpy as np
import pyarrow as pa
import pytest

from novikoff.data.tables.arrow_sizes import ArrowSizes, SizeError

TABLE = pa.table({"x": np.arange(100.0), "s": pa.array(["a", "b"] * 50).dictionary_encode()})


def written(new, compression=None):
    file = io.BytesIO()
    with new(file, TABLE.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(TABLE, max_chunksize=40)
    return file.getvalue()


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_valid_sizes_are_accepted(compression):
    sizes = ArrowSizes(io.BytesIO(written(pa.ipc.new_file, compression)))
    dictionaries, batches = sizes.blocks()
    assert (len(dictionaries), len(batches)) == (1, 3)
    for place in dictionaries + batches:
        sizes.check_block(place)
    stream = ArrowSizes(io.BytesIO(written(pa.ipc.new_stream, compression)))
    for _ in range(5):  # the last ones find the end
        stream.check_stream()


def test_data_that_compresses_well_is_accepted():
    zeros, file = pa.table({"x": np.zeros(8_000_000)}), io.BytesIO()
    with pa.ipc.new_stream(file, zeros.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(zeros)
    assert len(file.getvalue()) < 10_000
    ArrowSizes(file).check_stream()


def test_constant_columns_are_accepted_in_smaller_batches():
    zeros = pa.table({"x": np.zeros(9_000_000)})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    files = io.BytesIO(), io.BytesIO()
    for file, rows in zip(files, (9_000_000, 4_500_000), strict=True):
        with pa.ipc.new_stream(file, zeros.schema, options=options) as writer:
            writer.write_table(zeros, max_chunksize=rows)
    message = r"has 72,000,000 bytes .*, but 64 MiB plus 256 times its size are allowed\. Write smaller record batches$"
    with pytest.raises(SizeError, match=message):
        ArrowSizes(files[0]).check_stream()
    sizes = ArrowSizes(files[1])
    for _ in range(3):
        sizes.check_stream()


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
def test_changed_bytes_are_accepted_or_refused(new):
    rng, data = random.Random(0), written(new, "lz4")
    refused = 0
    for _ in range(2000):
        changed = bytearray(data)
        for _ in range(rng.choice((1, 3))):
            changed[rng.randrange(len(data))] = rng.choice((0, 1, 127, 128, 255))
        sizes = ArrowSizes(io.BytesIO(changed[: rng.randrange(len(data))] if rng.random() < 0.2 else changed))
        try:
            for place in [place for places in sizes.blocks() for place in places]:
                sizes.check_block(place)
            sizes.check_stream()
        except SizeError:
            refused += 1
    assert refused > 10
