"""scan and read: all sources of the same rows give the same batches."""

import gc
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from memory import run_alone
from novikoff.data import source as sources
from novikoff.data.delimited import blocks as blocks_module
from novikoff.data.formats import FORMATS, file_formats, svmlight
from share import share_of
from snapshots import plain
from table_files import write

TEXT = b"+1 1:0.5 3:2  # first\n\n-1 2:1e-3\n+1\n-1 5:1\n-1 1:-0.25 4:1e9\n"
FRAME = pa.table(
    {
        "a": [1.0, 2.5, -3.0, 0.0, 1e6],
        "b": [0.1, 0.2, 0.3, 0.4, 0.5],
        "w": [1.0, 0.0, 0.5, 2.0, 1.0],
        "label": ["yes", "no", "no", "maybe", "yes"],
    }
)
CSV = b"a,b,label\n1,0.5,yes\n2,0.25,no\n"


def as_one(batches):
    """The rows of all batches: dense, labels, weights."""
    batches = list(batches)
    width = max(batch.X.shape[1] for batch in batches)
    X = np.vstack([padded(batch.X, width) for batch in batches])
    y = np.concatenate([batch.y for batch in batches])
    weights = None if batches[0].weights is None else np.concatenate([batch.weights for batch in batches])
    return plain((X, y.tolist(), weights, batches[0].feature_names, batches[0].index_base))


def padded(X, width):
    X = X.toarray() if sp.issparse(X) else X
    return np.pad(X, ((0, 0), (0, width - X.shape[1])))


def refusal(act, *beside, error=nk.InvalidInputError, **options):
    """What is said, in one sentence."""
    with pytest.raises(error) as caught:
        act(*beside, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


def helpers():
    """The threads that read ahead."""
    return [thread for thread in threading.enumerate() if thread.name == "novikoff-prefetch"]


def assert_nothing_is_left(folder):
    """No thread that reads ahead, and no open file of a folder."""
    gc.collect()
    until = time.monotonic() + 5
    while helpers() and time.monotonic() < until:
        time.sleep(0.01)
    assert helpers() == []
    if sys.platform == "linux":
        assert open_files(folder) == []


def open_files(folder):
    """The files of a folder that this process has open."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # that of the listing itself is closed
            found.append(os.readlink(f"/proc/self/fd/{number}"))
    return [path for path in found if path.startswith(str(folder))]


# ---- all sources give the same rows ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """Sources of svmlight text: name, function that returns the source, options, and whether it can be read again."""
    path = tmp_path_factory.mktemp("lines") / "t.svm"
    path.write_bytes(TEXT)
    packed = path.with_suffix(".gz")
    packed.write_bytes(gzip.compress(TEXT))
    half = TEXT.index(b"+1\n")
    first, second = path.with_suffix(".1"), path.with_suffix(".2")
    first.write_bytes(TEXT[:half])
    second.write_bytes(gzip.compress(TEXT[half:]))
    sources = {
        "path": (path, {}, True),
        "string": (str(path), {}, True),
        "format": (path, {"format": "svmlight"}, True),
        "gzip": (packed, {}, True),
        "two files": ([first, second], {}, True),
        "a file and bytes": ((first, TEXT[half:]), {}, True),
        "bytes": (TEXT, {}, True),
        "bytearray": (bytearray(TEXT), {}, True),
        "memoryview": (memoryview(TEXT), {}, True),
        "packed bytes": (gzip.compress(TEXT), {}, True),
        "one thread": (path, {"n_jobs": 1}, True),
    }
    return {name: (lambda source=source: source, *rest) for name, (source, *rest) in sources.items()} | {
        "file object": (lambda: io.BytesIO(TEXT), {}, False)
    }


LINES = (
    *("path", "string", "format", "gzip", "two files", "a file and bytes", "bytes", "bytearray", "memoryview"),
    *("packed bytes", "file object", "one thread"),
)


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("batch_size", [1, 3, 8192])
def test_every_source_of_svmlight_gives_the_same_rows(lines, name, batch_size):
    new, options, lasts = lines[name]
    source = new()
    expected = as_one([nk.read_svmlight(TEXT)])
    stream = nk.scan(source, batch_size=batch_size, **options)
    batches = list(stream)
    assert as_one(batches) == expected
    assert max(len(batch.y) for batch in batches) <= batch_size
    if lasts:
        assert {batch.X.shape[1] for batch in batches} == {5}
        assert as_one(stream) == as_one(stream.widening()) == expected
        assert as_one([nk.read(source, **options)]) == expected


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The same table in every form: name, function that returns it, options, and whether it can be read again."""
    folder = tmp_path_factory.mktemp("tables")
    frame = FRAME.to_pandas()
    every = {format: (write(folder, format, FRAME), {}) for format in ("csv", "ndjson", "jsonl", "json", "parquet")}
    every |= {format: (write(folder, format, FRAME), {}) for format in ("arrow", "feather", "ipc", "csv.gz")}
    frame.to_csv(folder / "table.tsv", sep="\t", index=False)
    parts = [write(folder, "parquet", FRAME.slice(k, 3)).rename(folder / f"part{k}.parquet") for k in (0, 3)]
    write(folder, "parquet", FRAME)
    csv = (folder / "table.csv").read_bytes()
    every |= {
        "tsv": (folder / "table.tsv", {}),
        "string": (str(folder / "table.csv"), {}),
        "two files": (parts, {}),
        "pattern": (str(folder / "part*.parquet"), {}),
        "bytes": (csv, {"format": "csv"}),
        "packed bytes": (gzip.compress(csv), {"format": "csv"}),
        "sql": (f"SELECT * FROM '{folder / 'table.parquet'}'", {}),
        "pandas": (frame, {}),
        "polars": (pl.from_arrow(FRAME), {}),
        "pyarrow": (FRAME, {}),
        "duckdb": (duckdb.sql(f"SELECT * FROM '{folder / 'table.parquet'}'"), {}),
    }
    every = {name: (lambda source=source: source, options, True) for name, (source, options) in every.items()}
    return every | {
        "file object": (lambda: io.BytesIO(csv), {"format": "csv"}, False),
        "reader": (FRAME.to_reader, {}, False),
    }


TABLES = (
    *("csv", "ndjson", "jsonl", "json", "parquet", "arrow", "feather", "ipc", "csv.gz", "tsv", "string", "two files"),
    *("pattern", "bytes", "packed bytes", "sql", "pandas", "polars", "pyarrow", "duckdb", "file object", "reader"),
)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("batch_size", [2, 8192])
def test_every_source_of_a_table_gives_the_same_rows(tables, name, batch_size):
    new, options, lasts = tables[name]
    source = new()
    X = np.array([FRAME["a"].to_pylist(), FRAME["b"].to_pylist()]).T
    y, weights = FRAME["label"].to_pylist(), np.array(FRAME["w"].to_pylist())
    expected = plain((X, y, weights, ("a", "b"), None))
    stream = nk.scan(source, weight="w", batch_size=batch_size, **options)
    batches = list(stream)
    assert as_one(batches) == expected
    assert max(len(batch.y) for batch in batches) <= batch_size
    if lasts:
        assert as_one(stream) == as_one(stream.widening()) == expected
        assert as_one([nk.read(source, weight="w", **options)]) == expected


@pytest.mark.parametrize("name", ["file object", "reader"])
def test_a_second_pass_over_a_source_that_can_be_read_once_is_refused(tables, name):
    new, options, _ = tables[name]
    stream = nk.scan(new(), **options)
    list(stream)
    assert refusal(list, stream)
    lines = nk.scan(io.BytesIO(TEXT))
    list(lines)
    assert refusal(list, lines) == "<file>: the file has no examples."


def test_hashed_rows_are_the_same_in_batches_and_as_a_whole(tmp_path):
    options = {"features": ["a", "job"], "hashing": nk.Hashing(n_bits=8), "missing": "indicator"}
    frame = pd.DataFrame({"a": [1.0, None, 3.0], "job": ["x", "y", None], "label": [1, 0, 1]})
    whole = as_one([nk.read(frame, **options)])
    frame.to_csv(tmp_path / "t.csv", index=False)
    for source in (frame, tmp_path / "t.csv"):
        for batch_size in (1, 2, 3):
            assert as_one(nk.scan(source, batch_size=batch_size, **options)) == whole


PROGRAM = """
import sys, json, novikoff as nk
options = json.loads(sys.argv[1])
for X, y in nk.scan("-", **options):
    print(X.shape[1], *y.tolist(), flush=True)
"""


@pytest.mark.parametrize(
    ("text", "options", "printed"),
    [
        (TEXT, '{"batch_size": 2}', ["5 1 -1", "5 1 -1", "5 -1"]),
        (gzip.compress(TEXT), '{"n_features": 9}', ["9 1 -1 1 -1 -1"]),
        (CSV, '{"format": "csv"}', ["2 yes no"]),
        (gzip.compress(CSV), '{"format": "csv", "batch_size": 1}', ["2 yes", "2 no"]),
    ],
    ids=["svmlight", "gzip", "csv", "csv.gz"],
)
def test_standard_input_is_a_stream(monkeypatch, text, options, printed):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    batches = list(nk.scan("-", **json.loads(options)))
    assert [" ".join(map(str, [X.shape[1], *y])) for X, y in batches] == printed


@pytest.mark.slow
def test_standard_input_of_another_process_is_a_stream():
    text, options, printed = gzip.compress(TEXT), '{"batch_size": 2}', ["5 1 -1", "5 1 -1", "5 -1"]
    done = subprocess.run([sys.executable, "-c", PROGRAM, options], input=text, capture_output=True, timeout=60)
    assert done.stderr == b""
    assert done.stdout.decode().splitlines() == printed


# ---- batches of any size from blocks of any size --------------------------------------------------------------------


@given(
    rows=st.lists(st.dictionaries(st.integers(1, 30), st.floats(-9, 9), max_size=4), min_size=1, max_size=20),
    labels=st.lists(st.sampled_from(["1", "-1", "0.5", "7"]), min_size=20, max_size=20),
    batch_size=st.integers(1, 25),
    block=st.sampled_from([8, 32, 1 << 16]),
)
def test_batches_are_the_whole_whatever_their_size(rows, labels, batch_size, block):
    text = "".join(
        f"{label} {' '.join(f'{index}:{value!r}' for index, value in row.items())}\n"
        for label, row in zip(labels, rows, strict=False)
    ).encode()
    whole = nk.read_svmlight(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(svmlight, "BLOCK_SIZE", block)
        stream = nk.scan(text, batch_size=batch_size)
        batches, widening = list(stream), list(stream.widening())
    assert as_one(batches)[1:] == as_one(widening)[1:] == as_one([whole])[1:]
    np.testing.assert_array_equal(np.vstack([batch.X.toarray() for batch in batches]), whole.X.toarray())
    assert {batch.X.shape[1] for batch in batches} == {whole.X.shape[1]}
    widths = [batch.X.shape[1] for batch in widening]
    assert widths == sorted(widths)
    assert widths[-1] == whole.X.shape[1]


def test_a_stream_that_widens_is_as_wide_as_the_features_so_far(monkeypatch):
    monkeypatch.setattr(svmlight, "BLOCK_SIZE", 8)
    stream = nk.scan(b"1 1:1\n0 2:1\n1 1:1\n0 9:1\n")
    assert [X.shape[1] for X, _ in stream] == [9, 9, 9, 9]
    assert [X.shape[1] for X, _ in stream.widening()] == [1, 2, 2, 9]
    piped = nk.scan(io.BytesIO(b"1 1:1\n0 2:1\n1 1:1\n0 9:1\n"))
    assert [X.shape[1] for X, _ in piped] == [1, 2, 2, 9]


def test_the_number_of_features_is_the_width_and_the_limit(monkeypatch):
    monkeypatch.setattr(svmlight, "BLOCK_SIZE", 8)
    stream = nk.scan(TEXT, n_features=7)
    assert {X.shape[1] for X, _ in stream} == {X.shape[1] for X, _ in stream.widening()} == {7}
    assert nk.read([TEXT, TEXT], n_features=7).X.shape == (10, 7)
    assert "<bytes>, line 5" in refusal(lambda: list(nk.scan(TEXT, n_features=4)))


def test_the_index_base_shifts_the_columns():
    ((X, _),), ((shifted, _),) = nk.scan(TEXT), nk.scan(TEXT, index_base=0)
    np.testing.assert_array_equal(X.toarray(), shifted.toarray()[:, 1:])
    assert next(iter(nk.scan(b"1 0:1\n", index_base=0))).index_base == 0
    assert "<bytes>, line 1" in refusal(lambda: list(nk.scan(b"1 0:1\n")))
    assert nk.read(b"1 0:1\n", index_base="auto").index_base == 0
    assert "Use index_base=0 or index_base=1" in refusal(nk.scan, TEXT, index_base="auto")


def test_values_have_the_type_asked_for():
    assert {X.dtype for X, _ in nk.scan(TEXT, dtype=np.float32, batch_size=2)} == {np.dtype(np.float32)}
    assert nk.read([TEXT], dtype="float32").X.dtype == np.float32


# ---- what a source is -----------------------------------------------------------------------------------------------


def test_the_name_says_the_format_and_format_overrules_it(tmp_path):
    for name in ("t.csv", "t.CSV", "t.Csv.gz"):
        (tmp_path / name).write_bytes(gzip.compress(CSV) if name.endswith("gz") else CSV)
        assert nk.read(tmp_path / name).y.tolist() == ["yes", "no"]
    for name in ("t", "t.txt", "t.svm"):
        (tmp_path / name).write_bytes(CSV)
        assert nk.read(tmp_path / name).y.tolist() == nk.read(tmp_path / name, format="csv").y.tolist() == ["yes", "no"]
        assert "t, line 1" in refusal(nk.read, tmp_path / "t", format="svmlight")
    (tmp_path / "lines.csv").write_bytes(TEXT)
    assert as_one([nk.read(tmp_path / "lines.csv", format="svmlight")]) == as_one([nk.read(TEXT)])


def test_looking_for_a_format_takes_nothing_from_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    for scan in (lambda path: list(nk.scan(path)), lambda path: [nk.read(path)]):
        writer = threading.Thread(target=path.write_bytes, args=(TEXT,))
        writer.start()
        assert as_one(scan(path)) == as_one([nk.read(TEXT)])
        writer.join()


WRONG = {
    "target of svmlight": (
        TEXT,
        {"target": "y"},
        "target='y' is an option of csv, tsv, ndjson, parquet, arrow, excel, sql, frame, but the source is",
    ),
    "hashing of svmlight": (TEXT, {"hashing": nk.Hashing()}, "is an option of csv"),
    "missing of svmlight": (TEXT, {"missing": "zero"}, "missing='zero' is an option of csv"),
    "an array of features": (TEXT, {"features": np.array(["a", "b"])}, "is an option of csv"),
    "attach of svmlight": (TEXT, {"attach": {"a": "b"}}, "is an option of sql, but the source is "),
    "attach of a table": (CSV, {"format": "csv", "attach": {"a": "b"}}, "is an option of sql, but the source is "),
    "attach of a frame": (FRAME, {"attach": {"a": "b"}}, "is an option of sql, but the source is "),
    "n_features of a table": (
        CSV,
        {"format": "csv", "n_features": 3},
        "n_features=3 is an option of svmlight, but the source is csv.",
    ),
    "index_base of a frame": (
        FRAME,
        {"index_base": 0},
        "index_base=0 is an option of svmlight, but the source is frame.",
    ),
    "dtype of SQL": (
        "SELECT 1 AS y, 2 AS a",
        {"dtype": np.float32},
        "is an option of svmlight, but the source is sql.",
    ),
    "n_jobs of a frame": (FRAME, {"n_jobs": 2}, "n_jobs=2 is an option of svmlight"),
    "format of a frame": (FRAME, {"format": "csv"}, "format='csv' is for files, but the source is a Table."),
    "format of SQL": (
        "SELECT 1 AS y, 2 AS a",
        {"format": "csv"},
        "format='csv' is for files, but the source is a query.",
    ),
    "an unknown format": (
        TEXT,
        {"format": "xml"},
        "format must be one of svmlight, csv, tsv, ndjson, parquet, arrow, excel, but it is 'xml'.",
    ),
    "a format that is not a word": (TEXT, {"format": 3}, "format must be one of svmlight, csv"),
    "a format of no file": (TEXT, {"format": "frame"}, "format must be one of svmlight, csv"),
    "no files": ([], {}, "the list of files is empty."),
    "no files of a format": ([], {"format": "csv"}, "the list of files is empty."),
    "files of two formats": (
        ["a.csv", "a.parquet"],
        {},
        "all files must have one format, but these have several: a.csv, a.parquet.",
    ),
    "a table and lines": (
        ["a.csv", "a.svm"],
        {},
        "all files must have one format, but these have several: a.csv, a.svm.",
    ),
    "a missing file": ("none.csv", {}, "none.csv: the file cannot be read: No such file"),
    "a missing pattern": ("none*.csv", {}, "none*.csv: the file cannot be read: No such file"),
    "a directory": ("/tmp", {"format": "csv"}, "/tmp: this is a directory."),
}
ONLY_SCAN = {
    "a batch size of 0": (TEXT, {"batch_size": 0}, "batch_size"),
    "half a batch": (TEXT, {"batch_size": 1.5}, "batch_size"),
    "a number of follow": (TEXT, {"follow": 1}, "follow"),
    "follow of bytes": (TEXT, {"follow": True}, "follow=True needs the path of one file, but the source is <bytes>."),
    "follow of standard input": (
        "-",
        {"follow": True},
        "follow=True needs the path of one file, but the source is <stdin>.",
    ),
    "follow of several": (
        ["a", "b"],
        {"follow": True},
        "follow=True needs the path of one file, but the source is 2 files.",
    ),
    "follow of several tables": (
        ["a.csv"],
        {"follow": True},
        "follow=True needs the path of one file, but the source is 1 files.",
    ),
    "follow of parquet": ("a.parquet", {"follow": True}, "follow=True needs text by lines, but the source is parquet."),
    "follow of a frame": (FRAME, {"follow": True}, "follow=True needs text by lines, but the source is frame."),
}


@pytest.mark.parametrize("case", [*WRONG.values(), *ONLY_SCAN.values()], ids=[*WRONG, *ONLY_SCAN])
def test_options_that_do_not_fit_are_refused_at_once(case):
    source, options, message = case
    assert message in refusal(nk.scan, source, **options)


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_options_that_do_not_fit_are_refused_by_read_too(case):
    source, options, message = case
    assert message in refusal(nk.read, source, **options)


def test_read_takes_no_batch_size():
    message = refusal(nk.read, TEXT, batch_size=3)
    assert message.startswith("read: there is no option batch_size. The options are target, features")
    assert "there is no option follow" in refusal(nk.read, TEXT, follow=True)


@pytest.mark.parametrize(
    "format", [name for name in file_formats() if FORMATS[name].is_table and not FORMATS[name].is_text]
)
def test_formats_that_are_not_text_need_a_path(format):
    for source in (b"PAR1", io.BytesIO(b"ARROW1")):
        message = refusal(lambda source=source: list(nk.scan(source, format=format)))
        assert f"scan: {format} can only be read from a file, but the source is" in message


@pytest.mark.parametrize(
    "source", [7, None, {"a": 1}, object(), [7], [None, TEXT], io.StringIO("1 1:1\n")], ids=range(7)
)
def test_other_objects_are_refused_as_sources(source):
    refusal(lambda: list(nk.scan(source)))
    refusal(nk.read, source)


def test_a_name_with_a_zero_byte_is_refused():
    for source in ("a\0b", "a\0b.csv", ["a\0b"]):
        refusal(lambda source=source: list(nk.scan(source)))


# ---- bad lines ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, -1])
def test_batches_before_the_block_of_a_bad_line_come_first(tmp_path, monkeypatch, n_jobs):
    monkeypatch.setattr(svmlight, "BLOCK_SIZE", 64)
    path = tmp_path / "t.svm"
    path.write_bytes(b"+1 1:1\n" * 100 + b"+1 1:what\n" + b"+1 1:1\n")
    seen = []

    def collect(batches):
        seen.extend(label for batch in batches for label in batch.y)

    assert f"{path}, line 101: features must have the form index:value, but there is '1:what'." in refusal(
        collect, nk.scan(path, n_jobs=n_jobs, n_features=1, batch_size=4)
    )
    assert 90 <= len(seen) <= 100
    assert f"{path}, line 101: features must have the form index:value, but there is '1:what'." in refusal(
        collect, nk.scan(path, n_jobs=n_jobs).widening()
    )
    seen.clear()
    assert f"{path}, line 101: features must have the form index:value, but there is '1:what'." in refusal(
        collect, nk.scan(path, n_jobs=n_jobs)
    )
    assert seen == []  # it was looked through for its width
    assert_nothing_is_left(tmp_path)


def test_a_bad_record_is_refused_with_its_line_after_the_batches_before(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks_module, "BLOCK_SIZE", 64)
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,label\n" + b"1,yes\n" * 100 + b"what,no\n")
    for source, options in ((path, {}), (io.BytesIO(path.read_bytes()), {"format": "csv"})):
        seen = []
        stream = nk.scan(source, batch_size=4, **options)
        message = refusal(lambda stream=stream, seen=seen: seen.extend(stream))
        assert "line 102: column 'a' must hold numbers, but there is 'what'." in message
        assert 80 <= sum(len(batch.y) for batch in seen) <= 100


def test_the_error_of_a_bad_line_names_its_file(tmp_path):
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_bytes(TEXT)
    bad.write_bytes(b"1 1:1\nwhat\n")
    for act in (lambda files: list(nk.scan(files).widening()), nk.read):
        assert f"{bad}, line 2" in refusal(act, [good, bad])


def test_an_empty_source_is_refused(tmp_path):
    for source, options in (
        (b"", {}),
        (b"# nothing\n", {}),
        (b"", {"format": "csv"}),
        (b"a,label\n", {"format": "csv"}),
    ):
        for act in (lambda source, **options: list(nk.scan(source, **options)), nk.read):
            message = refusal(act, source, **options)
            assert message.endswith(("has no examples.", "has no rows.", "is empty."))


# ---- threads and generators -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A file of many blocks, plain and packed, as svmlight and as CSV; with the labels."""
    folder = tmp_path_factory.mktemp("long")
    labels = np.arange(40_000) % 7
    text = b"".join(b"%d 1:1 2:0.5 3:0.25\n" % label for label in labels)
    (folder / "t.svm").write_bytes(text)
    (folder / "t.svm.gz").write_bytes(gzip.compress(text, 1))
    table = b"a,label\n" + b"".join(b"0.5,%d\n" % label for label in labels)
    (folder / "t.csv").write_bytes(table)
    (folder / "t.csv.gz").write_bytes(gzip.compress(table, 1))
    return folder, labels


LONG = ("t.svm", "t.svm.gz", "t.csv", "t.csv.gz")


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("way", ["close", "drop", "raise"])
def test_a_stream_that_is_left_half_way_leaves_no_thread_and_no_file(long, monkeypatch, name, way):
    monkeypatch.setattr(svmlight, "BLOCK_SIZE", 1 << 12)
    monkeypatch.setattr(blocks_module, "BLOCK_SIZE", 1 << 12)
    batches = iter(nk.scan(long[0] / name, batch_size=100).widening())
    next(batches)
    next(batches)
    if way == "close":
        batches.close()
    elif way == "raise":
        with pytest.raises(RuntimeError):
            batches.throw(RuntimeError("stop"))
    del batches
    assert_nothing_is_left(long[0])


@pytest.mark.parametrize("name", LONG)
def test_a_stream_that_is_never_read_leaves_no_thread_and_no_file(long, name):
    stream = nk.scan(long[0] / name)
    batches = iter(stream.widening())
    del stream, batches
    assert_nothing_is_left(long[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_two_scans_of_one_file_at_once(long, monkeypatch, name):
    monkeypatch.setattr(svmlight, "BLOCK_SIZE", 1 << 16)
    monkeypatch.setattr(blocks_module, "BLOCK_SIZE", 1 << 16)
    folder, labels = long
    shared = nk.scan(folder / name, batch_size=1000)
    found = {}

    def read(number, stream):
        found[number] = np.concatenate([y for _, y in stream])

    streams = [nk.scan(folder / name, batch_size=777), nk.scan(folder / name, batch_size=1000), shared, shared]
    threads = [threading.Thread(target=read, args=(k, stream)) for k, stream in enumerate(streams)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(found) == [0, 1, 2, 3]
    for y in found.values():
        np.testing.assert_array_equal(y, labels)
    assert_nothing_is_left(folder)


def test_two_loops_over_one_stream_do_not_meet(tmp_path):
    (tmp_path / "t.csv").write_bytes(CSV)
    (tmp_path / "t.svm").write_bytes(TEXT)
    for name in os.listdir(tmp_path):
        stream = nk.scan(tmp_path / name, batch_size=1)
        once = [y[0] for _, y in stream]
        assert [(a[0], b[0]) for _, a in stream for _, b in stream] == [(a, b) for a in once for b in once]


# ---- slow writers ---------------------------------------------------------------------------------------------------

SLOW = {
    "svmlight": ({}, [b"+1 1:1\n-1 2", b":1\n+1 3:1\n", b"-1 9:1"], [[1], [-1, 1], [-1]]),
    "csv": ({"format": "csv"}, [b"a,label\n1,2\n5", b",3\n6,4\n", b"7,5"], [[2], [3, 4], [5]]),
    "ndjson": (
        {"format": "ndjson"},
        [b'{"a": 1, "y": 2}\n{"a"', b': 1, "y": 3}\n', b'{"a": 1, "y": 5}'],
        [[2], [3], [5]],
    ),
}


@pytest.mark.parametrize("case", SLOW.values(), ids=SLOW)
@pytest.mark.parametrize("way", ["descriptor", "path"])
def test_a_pipe_whose_writer_is_slow_gives_what_is_there(tmp_path, case, way):
    options, chunks, expected = case
    if way == "path":
        os.mkfifo(tmp_path / "pipe")
        keep = os.open(tmp_path / "pipe", os.O_RDWR)  # so that neither end waits for the other
        reader, writer = os.open(tmp_path / "pipe", os.O_RDONLY), os.open(tmp_path / "pipe", os.O_WRONLY)
        os.close(reader)
        source = tmp_path / "pipe"
    else:
        reader, writer = os.pipe()
        keep, source = None, os.fdopen(reader, "rb")
    batches = iter(nk.scan(source, **options))
    os.write(writer, chunks[0])
    assert next(batches).y.tolist() == expected[0]
    os.write(writer, chunks[1])
    assert next(batches).y.tolist() == expected[1]
    os.write(writer, chunks[2])
    os.close(writer)
    if keep is not None:
        os.close(keep)
    assert [batch.y.tolist() for batch in batches] == expected[2:]
    if way == "descriptor":
        source.close()


# ---- files that grow ------------------------------------------------------------------------------------------------


@pytest.fixture
def growing(tmp_path, monkeypatch):
    """A file that others append to, and what was read of it by another thread."""
    monkeypatch.setattr(sources, "POLL_SECONDS", 0.002)

    class Growing:
        def __init__(self, name, begin=b"", **options):
            self.path, self.labels, self.error = tmp_path / name, [], None
            self.path.write_bytes(begin)
            self.stream = iter(nk.scan(self.path, follow=True, **options))
            self.thread = threading.Thread(target=self.read, daemon=True)
            self.thread.start()

        def read(self):
            try:
                for _, y in self.stream:
                    self.labels.extend(y.tolist())
            except nk.InvalidInputError as error:
                self.error = error
            self.stream = None

        def append(self, data):
            with open(self.path, "ab", buffering=0) as file:
                file.write(data)

        def wait(self, count):
            until = time.monotonic() + 10
            while len(self.labels) < count and self.thread.is_alive() and time.monotonic() < until:
                time.sleep(0.001)
            time.sleep(0.01)
            return self.labels

        def end(self, change):
            change(self.path)
            self.thread.join(10)
            assert not self.thread.is_alive()
            return str(self.error)

    return Growing


GROWING = {
    "svmlight": ("t.svm", b"", [b"1 1:1\n", b"2 1:", b"1 9:1\n3", b" 1:1\n4 1:1\n5\n"]),
    "begun": ("t.svm", b"1 1:1\n2", [b"", b" 1:1", b"\n3 1:1\n", b"4\n5\n"]),
    "csv": ("t.csv", b"", [b"a,lab", b"el\n1,1\n2,", b"2\n", b'"3",3\n4,4\n5,5\n']),
    "tsv": ("t.tsv", b"a\tlabel\n", [b"1\t1\n2\t2", b"\n3\t", b"3\n", b"4\t4\n5\t5\n"]),
    "ndjson": (
        "t.ndjson",
        b"",
        [b'{"a": 1, "y": 1}\n{"a"', b': 2, "y": 2}\n', b'{"a": 1, "y": 3}\n', b'{"a": 4, "y": 4}\n{"a": 4, "y": 5}\n'],
    ),
}


@pytest.mark.parametrize("case", GROWING.values(), ids=GROWING)
def test_lines_that_are_appended_come_as_soon_as_they_are_whole(growing, case):
    name, begin, chunks = case
    file = growing(name, begin)
    text = begin
    for chunk in chunks:
        file.append(chunk)
        text += chunk
        whole = text.count(b"\n") - (name.endswith("sv") and b"\n" in text)
        assert file.wait(whole) == list(range(1, whole + 1))
    assert "the file was removed or replaced while it was followed" in file.end(os.unlink)
    assert file.labels == [1, 2, 3, 4, 5]


def test_a_growing_file_widens(growing):
    file = growing("t.svm", b"1 1:1\n")
    file.wait(1)
    file.append(b"2 7:1\n")
    assert file.wait(2) == [1, 2]
    file.end(os.unlink)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.svm", "t.csv"])
def test_a_growing_file_that_is_cut_removed_or_replaced_ends_with_a_sentence(growing, tmp_path, name):
    begin = b"a,label\n1,1\n2,2\n" if name == "t.csv" else b"1 1:1\n2 1:1\n"

    def replace(path):
        (tmp_path / "other").write_bytes(begin * 9)
        os.replace(tmp_path / "other", path)

    for change, message in (
        (lambda path: os.truncate(path, 3), f"the file was cut from {len(begin)} to 3 bytes while it was followed."),
        (os.unlink, "the file was removed or replaced while it was followed."),
        (replace, "the file was removed or replaced while it was followed."),
    ):
        file = growing(name, begin)
        assert file.wait(2) == [1, 2]
        assert file.end(change) == f"{tmp_path / name}: {message}"
        file.error = None
        assert_nothing_is_left(tmp_path)


@pytest.mark.parametrize("name", ["t.svm", "t.csv", "t.svm.gz", "t.csv.gz"])
def test_a_growing_file_that_is_left_leaves_no_thread_and_no_file(tmp_path, name):
    data = b"a,label\n1,1\n2,2\n" if ".csv" in name else b"1 1:1\n2 1:1\n"
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    batches = iter(nk.scan(tmp_path / name, follow=True))
    assert next(batches).y.tolist() == [1, 2]
    batches.close()
    del batches
    assert_nothing_is_left(tmp_path)


FOLLOWER = """
import sys, threading, novikoff as nk
try:
    for X, y in nk.scan(sys.argv[1], follow=True):
        print(*y, flush=True)
except KeyboardInterrupt:
    print("stopped", threading.active_count(), flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.svm.gz", *(pytest.param(n, marks=pytest.mark.slow) for n in ("t.svm", "t.csv"))])
def test_an_interrupt_ends_a_growing_file(tmp_path, name):
    data = b"a,label\n1,1\n2,2\n" if ".csv" in name else b"1 1:1\n2 1:1\n"
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    command = [sys.executable, "-c", FOLLOWER, tmp_path / name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"1 2\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (out, err) == (b"stopped 1\n", b"")


def test_a_growing_file_must_be_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    keep = os.open(tmp_path / "pipe", os.O_RDWR)
    assert "follow=True needs a regular file" in refusal(lambda: next(iter(nk.scan(tmp_path / "pipe", follow=True))))
    os.close(keep)
    refusal(lambda: next(iter(nk.scan(tmp_path, follow=True))))
    assert refusal(lambda: next(iter(nk.scan(tmp_path / "none", follow=True))), error=nk.MissingFileError)


def test_a_bad_line_of_a_growing_file_is_refused_with_its_number(growing):
    file = growing("t.svm", b"1 1:1\n")
    file.wait(1)
    file.append(b"2 1:1\n")
    file.wait(2)
    assert f"{file.path}, line 3:" in file.end(lambda _: file.append(b"what\n"))


# ---- bounded memory ----

SIZE = max(600_000_000, share_of(2_000_000_000))


MEMORY_LIMIT = 300_000_000


PASS = """
import sys
import novikoff as nk
before = peak()
progress = nk.evaluate.progressive(nk.Perceptron(), nk.scan(sys.argv[1]))
for record in progress: pass
print(peak() - before, progress.examples)
"""


@pytest.fixture(scope="module")
def large_lines():
    X = sp.random_array((20_000, 50_000), density=57 / 50_000, format="csr", rng=np.random.default_rng(0))
    y = np.where(X @ np.random.default_rng(1).normal(size=50_000) > 0, 1, -1)
    path = []
    nk.write_svmlight(X, y, Writer(path))
    return b"".join(path), len(y)


class Writer:
    def __init__(self, parts):
        self.write = parts.append


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_progressive_pass_over_two_gigabytes_stays_below_300_megabytes(large_lines, packed, tmp_path):
    text, rows = large_lines
    times = SIZE // len(text) + 1
    part = gzip.compress(text, 1) if packed else text  # files that were joined end to end are one
    path = tmp_path / "large.svm"
    with path.open("wb") as file:
        for _ in range(times):
            file.write(part)
    beyond, examples = run_alone(PASS, path)
    path.unlink()
    assert examples == times * rows
    assert beyond < MEMORY_LIMIT
