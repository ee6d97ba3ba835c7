"""The same small table in every format, and the rows that are read back."""

import io
import json
from contextlib import nullcontext

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.data.formats import table as tables
from novikoff.data.hashing import Hashing
from novikoff.data.source import Joined

RECORDS = [
    {"age": 39.0, "job": "clerk", "new": True, "label": "yes"},
    {"age": 17.5, "job": 'pipe, 5" wide', "new": False, "label": "no"},
    {"age": -3.0, "job": "two\nlines", "new": True, "label": "no"},
    {"age": 0.0, "job": "ünïcode", "new": False, "label": "yes"},
    {"age": 1e6, "job": "clerk", "new": True, "label": "yes"},
]
FRAME = pa.Table.from_pylist(RECORDS)
NUMBERS = FRAME.select(["age", "new", "label"])
HASHING = Hashing(n_bits=10)


def rows(source, **options):
    """X, y and the weights of all batches, X dense."""
    batches = list(nk.scan(source, **{"target": "label", "hashing": HASHING} | options))
    X = np.vstack([b.X.toarray() if sp.issparse(b.X) else b.X for b in batches])
    return X, *(np.concatenate([b[i] for b in batches]) for i in range(1, len(batches[0])))


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype.kind == b.dtype.kind


def write(folder, format, frame=FRAME):
    """Write a table in a format, and return its path."""
    path = folder / f"table.{format}"
    if format.startswith(("csv", "tsv")):
        with pa.output_stream(path) as stream:
            pyarrow.csv.write_csv(frame, stream, pyarrow.csv.WriteOptions(delimiter="\t" if "tsv" in format else ","))
    elif format.startswith(("ndjson", "json")):
        with pa.output_stream(path) as stream:
            stream.write("".join(json.dumps(record) + "\n" for record in frame.to_pylist()).encode())
    elif format == "parquet":
        pyarrow.parquet.write_table(frame, path, row_group_size=2)
    elif format == "feather":
        pyarrow.feather.write_feather(frame, path, chunksize=2)
    else:
        new = pa.ipc.new_stream if format == "ipc" else pa.ipc.new_file
        with new(path, frame.schema) as writer:
            writer.write_table(frame, max_chunksize=2)
    return path


def whole(batches):
    batches = list(batches)
    X = np.vstack([b.X.toarray() if sp.issparse(b.X) else b.X for b in batches])
    return X, np.concatenate([b.y for b in batches])


def lines(chunks, format="csv", **options):
    """Batches of text that arrives in chunks, as from a pipe."""
    chunks = [chunks] if isinstance(chunks, bytes) else chunks
    options = {"target": "label", "hashing": Hashing(n_bits=8)} | options
    with pytest.MonkeyPatch.context() as patch:
        fill = Joined(chunk for part in chunks for chunk in (part, b"")).fill
        patch.setattr(tables, "opened", lambda *_, **__: nullcontext(fill))
        patch.setattr(tables, "name_of", lambda _: "it")
        yield from nk.scan(io.BytesIO(), format=format, **options)
