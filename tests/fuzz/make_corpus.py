"""Write the inputs of the binary formats, and texts that are easier to write as a program. Inputs of findings stay.

python tests/fuzz/make_corpus.py
"""

import bz2
import datetime
import gzip
import io
import json
import lzma
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

CORPUS = Path(__file__).parent / "corpus"
LABELS = ["yes", "no", "yes", "no", "yes", "no"]
DAY = datetime.date(2024, 2, 29)


def columns() -> dict[str, Any]:
    """Return columns of every type that a table file may have, six rows each."""
    words = ["a", "bc", "", "ünï", None, "a"]
    numbers = [0.5, -1.0, 0.0, 1e300, None, 3.0]
    return {
        "numbers": pa.array(numbers),
        "small": pa.array([1, 2, 3, 4, 5, 6], pa.int8()),
        "large": pa.array([2**63 - 1, 0, 1, 2, 3, 4], pa.int64()),
        "unsigned": pa.array([2**64 - 1, 0, 1, 2, 3, 4], pa.uint64()),
        "half": pa.array(np.array([1, 2, 3, 4, 5, 6], np.float16)),
        "flags": pa.array([True, False, None, True, False, True]),
        "words": pa.array(words),
        "large_words": pa.array(words, pa.large_string()),
        "views": pa.array([*words[:3], "longer than twelve bytes", None, "b"], pa.string_view()),
        "bytes": pa.array([b"a", b"\xff", b"", b"b", None, b"c"]),
        "fixed": pa.array([b"ab"] * 6, pa.binary(2)),
        "dictionary": pa.array(words).dictionary_encode(),
        "number_dictionary": pa.array(numbers).dictionary_encode(),
        "nothing": pa.nulls(6),
        "date": pa.array([DAY] * 5 + [None]),
        "time": pa.array([datetime.time(1, 2, 3)] * 6),
        "moment": pa.array([datetime.datetime(2024, 2, 29, 1)] * 6, pa.timestamp("ns", tz="Europe/Berlin")),
        "length": pa.array([datetime.timedelta(1)] * 6),
        "decimal": pa.array([Decimal("1.50")] * 6),
        "list": pa.array([[1, 2], [], None, [3], [4], [5]]),
        "fixed_list": pa.array([[1.0, 2.0]] * 6, pa.list_(pa.float64(), 2)),
        "struct": pa.array([{"a": 1, "b": "x"}] * 6),
        "map": pa.array([[("a", 1)]] * 6, pa.map_(pa.string(), pa.int64())),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array([2, 6], pa.int32()), pa.array(["a", "b"])),
        "union": pa.UnionArray.from_sparse(pa.array([0, 1] * 3, pa.int8()), [pa.array(range(6)), pa.array(words)]),
    }


def write(name: str, data: bytes) -> None:
    """Write an input unless it is there."""
    path = CORPUS / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_bytes(data)


def arrow(table: pa.Table, new: Any = pa.ipc.new_file, **options: Any) -> bytes:
    """Return an Arrow file or stream with batches of four rows."""
    out = io.BytesIO()
    with new(out, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=4)
    return out.getvalue()


def parquet(table: pa.Table, **options: Any) -> bytes:
    """Return a Parquet file."""
    out = io.BytesIO()
    pq.write_table(table, out, row_group_size=4, **options)
    return out.getvalue()


def write_tables() -> None:
    """Write a file for each type of column, and some with all that are usual."""
    found = columns()
    labels = pa.array(LABELS)
    usual = pa.table({name: found[name] for name in ("small", "words", "flags", "date")} | {"label": labels})
    for name, column in found.items():
        table = pa.table({"x": column, "label": labels})
        write(f"arrow/{name}", arrow(table))
        if name not in ("runs", "union", "views", "half"):
            write(f"parquet/{name}", parquet(table))
    write("arrow/usual_stream", arrow(usual, pa.ipc.new_stream))
    write("arrow/dictionary_stream", arrow(pa.table({"x": found["dictionary"], "label": labels}), pa.ipc.new_stream))
    write("arrow/lz4", arrow(usual, compression="lz4"))
    write("arrow/zstd", arrow(usual, compression="zstd"))
    write("arrow/names_with_escapes", arrow(usual.rename_columns(["a\n", "\x1b[31m", "", "é", "label"])))
    write("arrow/no_rows", arrow(usual.slice(0, 0)))
    for compression in ("snappy", "gzip", "zstd", "lz4", "brotli"):
        write(f"parquet/{compression}", parquet(usual, compression=compression))
    write("parquet/plain", parquet(usual, use_dictionary=False, write_statistics=False, compression="none"))
    write("parquet/version_2", parquet(usual, version="2.6", data_page_version="2.0", write_page_checksum=True))
    encodings = {
        "small": "DELTA_BINARY_PACKED",
        "words": "DELTA_BYTE_ARRAY",
        "date": "BYTE_STREAM_SPLIT",
        "label": "DELTA_LENGTH_BYTE_ARRAY",
    }
    write("parquet/delta", parquet(usual, use_dictionary=False, column_encoding=encodings))


def write_texts() -> None:
    """Write tables as NDJSON and delimited text."""
    records = [
        {"x": 1.5, "word": "a b", "flag": True, "label": "yes"},
        {"x": -2, "word": "é", "flag": None, "label": "no"},
    ]
    nested = [{"x": [1, 2], "y": {"a": 1}, "label": 1}, {"x": [], "y": {"a": 2}, "label": 0}]
    for name, rows in {
        "records": records * 2,
        "nested": nested,
        "numbers": [{"a": k, "label": k % 2} for k in range(4)],
    }.items():
        write(f"ndjson/{name}", b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    write("ndjson/absent_keys", b'{"a": 1, "label": "x"}\n\n{"b": "2024-01-01", "label": "y"}\n{"label": "x"}')
    write(
        "ndjson/escapes",
        rb'{"a\u0000": "\ud83d\ude00\n", "label": "\u001b[31m"}' + b"\n" + b'{"a": null, "label": "\x7f"}\n',
    )
    rows = b'20,5;clerk;free lunch;2024-01-02;no\n;smith;"no; offer";03.04.2024;yes\n41;smith;;2024-05-06;yes\n'
    write("delimited/semicolons_and_dates", b"age;job;note;when;y\n" + rows)
    write("delimited/header_and_names", b'a,b,label\n1,x y z,yes\n2,"q""q",no\n3,NA,yes\n')
    write("delimited/latin_1", "größe,label\n1,ä\n2,ö\n".encode("latin-1"))
    write("delimited/utf_16", "a,label\n1,x\n2,y\n".encode("utf-16"))
    write("delimited/tabs", b"\ta\tlabel\n1\t2\tx\n2\t3\ty\n")
    write("delimited/numbers_alone", b"1,2,0\n3,4,1\n5,6,0\n")
    write("svmlight/wide", b"1 1:1 2147483647:1\n-1 2:1\n")


def write_models() -> None:
    """Write models of LIBLINEAR."""
    start = b"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n"
    write("liblinear/two_classes", start + b"0.5 \n-2 \n")
    write("liblinear/bias", start.replace(b"bias -1", b"bias 1") + b"0.5 \n-2 \n1e-3 \n")
    three = b"solver_type MCSVM_CS\nnr_class 3\nlabel 3 1 2\nnr_feature 2\nbias 0.5\nw\n1 2 3 \n4 5 6 \n-0 1e300 7 \n"
    write("liblinear/three_classes", three)
    write("liblinear/many_features_claimed", start.replace(b"nr_feature 2", b"nr_feature 2147483647") + b"0.5 \n")
    write("liblinear/many_classes_claimed", start.replace(b"nr_class 2", b"nr_class 2147483647") + b"0.5 \n")


def write_compressed() -> None:
    """Write compressed svmlight text, and an Excel file."""
    text = b"".join(b"%d 1:%d 3:0.5\n" % (k % 2, k) for k in range(40))
    for name, compress in {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}.items():
        write(f"compressed/{name}", compress(text))
    import zstandard

    write("compressed/zstd", zstandard.compress(text))
    write("compressed/gzip_of_zeros", gzip.compress(b"1 1:1\n" + b"\n" * (1 << 20)))
    import pandas as pd

    out = io.BytesIO()
    pd.DataFrame({"a": [1.5, 2, 3], "job": ["x", "y", "x"], "label": ["p", "q", "p"]}).to_excel(out, index=False)
    write("excel/usual", out.getvalue())


if __name__ == "__main__":
    write_tables()
    write_texts()
    write_models()
    write_compressed()
    print(sum(path.is_file() for path in CORPUS.rglob("*")), "inputs")
    sys.exit(0)
