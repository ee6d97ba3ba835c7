"""scan and read: all sources of the same rows give the same batches."""

import gc
import gzip
import io
import os
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
from novikoff.data.delimited import blocks as blocks_module
from novikoff.data.formats import FORMATS, file_formats, svmlight
from share import share_of
from snapshots import plain
from table_files import FRAME as TABLE
from table_files import HASHING, write

TEXT = b"+1 1:0.5 3:2  # first\n\n-1 2:1e-3\n+1\n-1 5:1\n-1 1:-0.25 4:1e9\n"
FRAME = TABLE.append_column("w", pa.array([1.0, 0.0, 0.5, 2.0, 1.0]))
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


def put(folder, name, data):
    (folder / name).write_bytes(data)
    return folder / name


HALF = TEXT.index(b"+1\n")
LINES = {
    "path": lambda folder: put(folder, "t.svm", TEXT),
    "string": lambda folder: str(put(folder, "t.svm", TEXT)),
    "gzip": lambda folder: put(folder, "t.gz", gzip.compress(TEXT)),
    "two files": lambda folder: [put(folder, "1", TEXT[:HALF]), put(folder, "2", gzip.compress(TEXT[HALF:]))],
    "a file and bytes": lambda folder: (put(folder, "t.svm", TEXT[:HALF]), TEXT[HALF:]),
    "bytes": lambda _: TEXT,
    "bytearray": lambda _: bytearray(TEXT),
    "memoryview": lambda _: memoryview(TEXT),
    "packed bytes": lambda _: gzip.compress(TEXT),
    "file object": lambda _: io.BytesIO(TEXT),
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("batch_size", [1, 3, 8192])
def test_every_source_of_svmlight_gives_the_same_rows(tmp_path, name, batch_size):
    source = LINES[name](tmp_path)
    expected = as_one([nk.read_svmlight(TEXT)])
    stream = nk.scan(source, batch_size=batch_size)
    batches = list(stream)
    assert as_one(batches) == expected
    assert max(len(batch.y) for batch in batches) <= batch_size
    if name != "file object":
        assert {batch.X.shape[1] for batch in batches} == {5}
        assert as_one(stream) == as_one(stream.widening()) == expected
        assert as_one([nk.read(source)]) == expected


ENDINGS = [
    *("csv", "tsv", "csv.gz", "csv.zst", "csv.bz2", "ndjson", "jsonl", "json", "ndjson.gz", "jsonl.zst"),
    *("parquet", "arrow", "feather", "ipc"),
]
TABLES = {ending: lambda folder, ending=ending: write(folder, ending, FRAME) for ending in ENDINGS}
TABLES |= {
    "string": lambda folder: str(write(folder, "csv", FRAME)),
    "two files": lambda folder: [
        write(folder, "parquet", FRAME.slice(k, 3)).rename(folder / f"part{k}.parquet") for k in (0, 3)
    ],
    "pattern": lambda folder: TABLES["two files"](folder) and str(folder / "part*.parquet"),
    "bytes": lambda folder: write(folder, "csv", FRAME).read_bytes(),
    "packed bytes": lambda folder: write(folder, "csv.gz", FRAME).read_bytes(),
    "sql": lambda folder: f"SELECT * FROM '{write(folder, 'parquet', FRAME)}'",
    "pandas": lambda _: FRAME.to_pandas(),
    "polars": lambda _: pl.from_arrow(FRAME),
    "pyarrow": lambda _: FRAME,
    "duckdb": lambda _: duckdb.from_arrow(FRAME),
    "file object": lambda folder: io.BytesIO(write(folder, "csv", FRAME).read_bytes()),
    "reader": lambda _: FRAME.to_reader(),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("batch_size", [1, 2, 8192])
def test_every_source_of_a_table_gives_the_same_rows(tmp_path, name, batch_size):
    source = TABLES[name](tmp_path)
    options = {"target": "label", "weight": "w", "hashing": HASHING}
    expected = as_one([nk.read(FRAME, **options)])
    stream = nk.scan(source, batch_size=batch_size, format="csv" if name == "file object" else None, **options)
    batches = list(stream)
    assert as_one(batches) == expected
    assert max(len(batch.y) for batch in batches) <= batch_size
    if name not in ("file object", "reader"):
        assert as_one(stream) == as_one(stream.widening()) == as_one([nk.read(source, **options)]) == expected


def test_a_second_pass_over_a_source_that_can_be_read_once_is_refused():
    for source, options in ((FRAME.to_reader(), {"target": "label"}), (io.BytesIO(TEXT), {})):
        stream = nk.scan(source, hashing=HASHING, **options) if options else nk.scan(source)
        list(stream)
        message = refusal(list, stream)
    assert message == "<file>: the file has no examples."


def test_hashed_rows_are_the_same_in_batches_and_as_a_whole(tmp_path):
    options = {"features": ["a", "job"], "hashing": nk.Hashing(n_bits=8), "missing": "indicator"}
    frame = pd.DataFrame({"a": [1.0, None, 3.0], "job": ["x", "y", None], "label": [1, 0, 1]})
    whole = as_one([nk.read(frame, **options)])
    frame.to_csv(tmp_path / "t.csv", index=False)
    for source in (frame, tmp_path / "t.csv"):
        for batch_size in (1, 2, 3):
            assert as_one(nk.scan(source, batch_size=batch_size, **options)) == whole


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(("text", "format"), [(TEXT, "svmlight"), (CSV, "csv")])
def test_standard_input_is_a_stream(monkeypatch, text, format, pack):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(text))))
    assert as_one(nk.scan("-", batch_size=2)) == as_one([nk.read(text, format=format)])


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


OPTIONS = (  # and the formats that take them
    ("svmlight", {"n_features": 3}),
    ("svmlight", {"index_base": 0}),
    ("svmlight", {"dtype": np.float32}),
    ("svmlight", {"n_jobs": 2}),
    ("csv, tsv, ndjson, parquet, arrow, excel, numpy, sql, frame", {"target": "y"}),
    ("csv, tsv, ndjson, parquet, arrow, excel, numpy, sql, frame", {"hashing": nk.Hashing()}),
    ("csv, tsv, ndjson, parquet, arrow, excel, numpy, sql, frame", {"missing": "zero"}),
    ("csv, tsv, ndjson, parquet, arrow, excel, numpy, sql, frame", {"features": np.array(["a", "b"])}),
    ("sql", {"attach": {"a": "b"}}),
)
QUERY = "SELECT 1 AS y, 2 AS a"
SOURCES = {"svmlight": TEXT, "csv": CSV, "parquet": "a.parquet", "frame": FRAME, "sql": QUERY}


@pytest.mark.parametrize(("formats", "option"), OPTIONS, ids=[name for _, (name,) in OPTIONS])
def test_options_of_other_formats_are_refused_at_once(formats, option):
    for format, source in SOURCES.items():
        if format not in formats.split(", "):
            for act in (nk.scan, nk.read):
                assert f" is an option of {formats}, but the source is {format}." in refusal(act, source, **option)


PATH = "follow=True needs the path of one file, but the source is "
LINES_ONLY = "follow=True needs text by lines, but the source is "
FILE_FORMATS = "format must be one of svmlight, csv, tsv, ndjson, parquet, arrow, excel, numpy, but it is "
SEVERAL = "all files must have one format, but these have several: "
WRONG = {
    "format of a frame": (FRAME, {"format": "csv"}, "format='csv' is for files, but the source is a Table."),
    "format of SQL": (QUERY, {"format": "csv"}, "format='csv' is for files, but the source is a query."),
    "an unknown format": (TEXT, {"format": "xml"}, f"{FILE_FORMATS}'xml'."),
    "a format that is not a word": (TEXT, {"format": 3}, f"{FILE_FORMATS}3."),
    "a format of no file": (TEXT, {"format": "frame"}, f"{FILE_FORMATS}'frame'."),
    "no files": ([], {}, "the list of files is empty."),
    "no files of a format": ([], {"format": "csv"}, "the list of files is empty."),
    "files of two formats": (["a.csv", "a.parquet"], {}, f"{SEVERAL}a.csv, a.parquet."),
    "a table and lines": (["a.csv", "a.svm"], {}, f"{SEVERAL}a.csv, a.svm."),
    "a missing file": ("none.csv", {}, "none.csv: the file cannot be read: No such file"),
    "a missing pattern": ("none*.csv", {}, "none*.csv: the file cannot be read: No such file"),
    "a directory": ("/tmp", {"format": "csv"}, "/tmp: this is a directory."),
    "an option that is not there": (TEXT, {"batchsize": 3}, "there is no option batchsize. "),
}
ONLY_SCAN = {
    "a batch size of 0": (TEXT, {"batch_size": 0}, "batch_size"),
    "half a batch": (TEXT, {"batch_size": 1.5}, "batch_size"),
    "follow of bytes": (TEXT, {"follow": True}, f"{PATH}<bytes>."),
    "follow of standard input": ("-", {"follow": True}, f"{PATH}<stdin>."),
    "follow of several": (["a", "b"], {"follow": True}, f"{PATH}2 files."),
    "follow of several tables": (["a.csv"], {"follow": True}, f"{PATH}1 files."),
    "follow of parquet": ("a.parquet", {"follow": True}, f"{LINES_ONLY}parquet."),
    "follow of a frame": (FRAME, {"follow": True}, f"{LINES_ONLY}frame."),
}


@pytest.mark.parametrize("case", WRONG | ONLY_SCAN)
def test_options_that_do_not_fit_are_refused_at_once(case):
    source, options, message = (WRONG | ONLY_SCAN)[case]
    for act in (nk.scan, nk.read) if case in WRONG else (nk.scan,):
        assert message in refusal(act, source, **options)


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
@pytest.mark.parametrize("way", ["close", "drop", "raise", "leave unread"])
@pytest.mark.parametrize("follow", [False, True])
def test_a_stream_that_is_left_leaves_no_thread_and_no_file(long, monkeypatch, name, way, follow):
    monkeypatch.setattr(svmlight, "BLOCK_SIZE", 1 << 12)
    monkeypatch.setattr(blocks_module, "BLOCK_SIZE", 1 << 12)
    batches = iter(nk.scan(long[0] / name, batch_size=100, follow=follow).widening())
    if way != "leave unread":
        next(batches)
        next(batches)
    if way == "close":
        batches.close()
    elif way == "raise":
        with pytest.raises(RuntimeError):
            batches.throw(RuntimeError("stop"))
    del batches
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
