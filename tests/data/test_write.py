"""Rows that are written are read back: to the same bits, with labels of the same kind, as a whole or not at all."""

import gzip
import io
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from memory import run_alone
from novikoff.data.batch import Batch
from strategies import finite_floats, sparse_rows

X = np.array([[0.1, -0.0, 5e-324], [1e22, 2.0, -1.7976931348623157e308], [0.0, 1 / 3, 123456789.125]])
LABELS = {"int": [3, -1, 3], "str": ["dog", 'a "cat", ü', "line\nend"], "bool": [True, False, True]}
TABLES = ["csv", "tsv", "ndjson", "parquet", "arrow"]
ENDINGS = [*TABLES, "csv.gz", "tsv.xz", "ndjson.zst", "jsonl.bz2", "feather", "ipc"]


def assert_bits(one, other):
    assert one.dtype == other.dtype
    assert one.tobytes() == other.tobytes()


def words_for(path, labels):
    """TSV has no quotes, and so no line ends in its fields."""
    return [label.replace("\n", " ") for label in labels] if ".tsv" in path.name else labels


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", LABELS)
def test_a_table_is_read_back_to_the_same_bits(ending, kind, tmp_path):
    path = tmp_path / f"rows.{ending}"
    y = np.array(words_for(path, LABELS[kind]) if kind == "str" else LABELS[kind])
    assert nk.write((X, y), path) == 3
    batch = nk.read(path)
    assert_bits(batch.X, X)
    assert batch.y.tolist() == y.tolist()
    assert batch.y.dtype.kind == y.dtype.kind
    assert batch.feature_names == ("x1", "x2", "x3")


@pytest.mark.parametrize("ending", ["svm", "svm.gz"])
def test_so_is_svmlight(ending, tmp_path):
    path = tmp_path / f"rows.{ending}"
    assert nk.write((sp.csr_array(X), [3, -1, 3]), path) == 3
    batch = nk.read(path)
    assert batch.X.toarray().tolist() == X.tolist()
    assert batch.y.tolist() == [3, -1, 3]
    assert batch.index_base == 1


tables = st.tuples(st.integers(1, 5), st.integers(1, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(finite_floats(np.float64), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)
texts = st.text(st.characters(codec="utf-8"), max_size=8)


@given(tables, st.sampled_from(TABLES), st.data())
def test_any_finite_numbers_and_any_labels_come_back(tmp_path_factory, table, format, data):
    rows = np.array(table)
    count = len(rows)
    kinds = [st.integers(-(2**63), 2**63 - 1), st.booleans(), texts]
    y = np.array(data.draw(st.one_of([st.lists(kind, min_size=count, max_size=count) for kind in kinds])))
    weights = np.array(data.draw(st.lists(st.floats(0, 1e300), min_size=count, max_size=count)))
    path = tmp_path_factory.mktemp("write") / f"rows.{format}"
    try:
        nk.write((rows, y, weights), path)
    except nk.InvalidInputError as error:
        assume("labels" not in str(error))
        raise
    batch = nk.read(path, weight="weight")
    assert_bits(batch.X, rows)
    assert batch.y.tolist() == y.tolist()
    assert batch.y.dtype.kind == y.dtype.kind
    assert_bits(batch.weights, weights)


@given(texts.filter(lambda text: text not in ("", "second")), st.sampled_from(TABLES))
def test_names_of_columns_come_back_or_are_refused(tmp_path_factory, name, format):
    path = tmp_path_factory.mktemp("write") / f"rows.{format}"
    frame = pd.DataFrame({name: [1.5], "second": [2.5]})
    try:
        nk.write((frame, [1]), path)
    except nk.InvalidInputError:
        assert name == "label" or (format in ("csv", "tsv") and not name.isalpha())
        return
    batch = nk.read(path, target="label")
    assert batch.feature_names == (name, "second")
    assert batch.X.tolist() == [[1.5, 2.5]]


@given(sparse_rows())
def test_sparse_rows_come_back_from_svmlight(tmp_path_factory, data):
    rows, y = data
    path = tmp_path_factory.mktemp("write") / "rows.svm"
    nk.write((rows, y), path)
    batch = nk.read(path, n_features=rows.shape[1])
    assert_bits(batch.X.data, rows.data)
    assert batch.X.indices.tolist() == rows.indices.tolist()
    assert batch.X.indptr.tolist() == rows.indptr.tolist()
    assert batch.y.tolist() == y.tolist()


@pytest.mark.parametrize("ending", TABLES)
def test_sparse_rows_in_a_table_come_back_dense(ending, tmp_path):
    rows = X * np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    path = tmp_path / f"rows.{ending}"
    nk.write((sp.csr_array(rows), [1, 2, 3]), path)
    missing = {"missing": "zero"} if ending == "ndjson" else {}
    assert nk.read(path, **missing).X.tolist() == rows.tolist()


def test_very_wide_rows_are_refused_by_tables_but_not_by_ndjson(tmp_path):
    wide = sp.csr_array(([1.5], ([0], [10_000])), shape=(1, 10_001))
    for ending in ("csv", "tsv", "parquet", "arrow"):
        with pytest.raises(nk.InvalidInputError, match=r"at most 10000 columns, but these have 10001\. Use svmlight"):
            nk.write((wide, [1]), tmp_path / f"rows.{ending}")
    nk.write((wide, [1]), tmp_path / "rows.ndjson")
    assert json.loads((tmp_path / "rows.ndjson").read_text()) == {"label": 1, "x10001": 1.5}
    assert os.listdir(tmp_path) == ["rows.ndjson"]


def test_numbers_of_features_stay_those_of_the_source(tmp_path):
    (tmp_path / "zero.svm").write_bytes(b"1 0:2 2:3\n-1 1:1\n")
    nk.write(tmp_path / "zero.svm", tmp_path / "rows.csv", index_base=0)
    assert (tmp_path / "rows.csv").read_text() == "label,x0,x1,x2\n1,2,0,3\n-1,0,1,0\n"
    nk.write(tmp_path / "zero.svm", tmp_path / "again.svm", index_base=0)
    assert (tmp_path / "again.svm").read_bytes() == b"1 0:2 2:3\n-1 1:1\n"


def test_names_and_weights_of_a_table_stay(tmp_path):
    text = b"height,width,w,y\n1.5,2,0.5,dog\n0.5,1,1,cat\n"
    nk.write(nk.scan(text, format="csv", weight="w"), tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text() == "label,weight,height,width\ndog,0.5,1.5,2\ncat,1,0.5,1\n"


def test_rows_without_labels_have_no_such_column(tmp_path):
    nk.write(nk.scan(b"a,b\n1,2\n", format="csv", target=False), tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text() == "a,b\n1,2\n"
    with pytest.raises(nk.InvalidInputError, match="needs rows with labels"):
        nk.write((X, None), tmp_path / "rows.svm")


def test_hashed_rows_go_into_svmlight_only(tmp_path):
    def stream():
        return nk.scan(b"job,label\nclerk,1\ncook,0\n", format="csv", hashing=nk.Hashing(n_bits=8))

    whole = nk.read(b"job,label\nclerk,1\ncook,0\n", format="csv", hashing=nk.Hashing(n_bits=8))
    nk.write(stream(), tmp_path / "rows.svm")
    assert (nk.read(tmp_path / "rows.svm", n_features=256).X != whole.X).nnz == 0
    for ending in TABLES:
        for source in (stream(), whole):
            with pytest.raises(
                nk.InvalidInputError, match="needs columns with names or numbers, which hashed rows do not have"
            ):
                nk.write(source, tmp_path / f"rows.{ending}")


def test_any_source_will_do(tmp_path):
    nk.write((X, [1, 2, 3]), tmp_path / "a.csv")
    sources = [
        nk.scan(tmp_path / "a.csv"),
        nk.read(tmp_path / "a.csv"),
        tmp_path / "a.csv",
        [tmp_path / "a.csv"],
        pd.DataFrame(X, columns=["x1", "x2", "x3"]).assign(y=[1, 2, 3]),
        f"SELECT * FROM '{tmp_path}/a.csv'",
        (X.tolist(), [1, 2, 3]),
        ((X[i : i + 1], [i + 1]) for i in range(3)),
        iter([Batch(X[:2], [1, 2]), Batch(X[:0], []), Batch(X[2:], [3])]),
    ]
    for source in sources:
        nk.write(source, tmp_path / "b.csv")
        assert (tmp_path / "b.csv").read_bytes() == (tmp_path / "a.csv").read_bytes()


def test_a_file_may_be_written_over_its_source(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_bytes(b"1 1:0.50 # first\n-1 2:1\n")
    nk.write(path, path)
    assert path.read_bytes() == b"1 1:0.5\n-1 2:1\n"


def test_compression_goes_by_the_name(tmp_path):
    nk.write((X, [1, 2, 3]), tmp_path / "rows.csv")
    nk.write((X, [1, 2, 3]), tmp_path / "rows.csv.gz")
    assert gzip.decompress((tmp_path / "rows.csv.gz").read_bytes()) == (tmp_path / "rows.csv").read_bytes()


def test_a_file_object_takes_what_format_says():
    file = io.BytesIO()
    nk.write((X, [1, 2, 3]), file, format="parquet")
    assert pa.parquet.read_table(io.BytesIO(file.getvalue())).column_names == ["label", "x1", "x2", "x3"]


@pytest.mark.parametrize(
    ("label", "formats"),
    [
        ("1", "csv tsv"),
        ("", "csv tsv"),
        ("NA", "csv tsv"),
        ("true", "csv tsv"),
        ("2020-01-01", "csv tsv ndjson"),
        ("a\tb", "tsv"),
        ("a\nb", "tsv"),
        ("\ud800", "csv tsv ndjson parquet arrow"),
    ],
    ids=ascii,
)
def test_a_word_that_would_not_come_back_is_refused(label, formats, tmp_path):
    for format in TABLES:
        path = tmp_path / f"rows.{format}"
        if format in formats.split():
            with pytest.raises(nk.InvalidInputError, match=r"^write: labels "):
                nk.write((X[:2], ["dog", label]), path)
            assert not path.exists()
        else:
            nk.write((X[:2], ["dog", label]), path)
            assert nk.read(path).y.tolist() == ["dog", label]


def refused(source, path, match, **options):
    with pytest.raises(nk.InvalidInputError, match=match) as caught:
        nk.write(source, path, **options)
    assert "\n" not in str(caught.value)


def test_what_a_format_cannot_hold_is_refused(tmp_path):
    rows = X[:2]
    refused((rows, ["a", "b"]), tmp_path / "a.svm", "write: labels must be finite numbers")
    refused((rows, [1, 2], [1.0, 2.0]), tmp_path / "a.svm", "write: svmlight cannot hold weights")
    refused(
        (rows, [0.5, 1.0]),
        tmp_path / "a.csv",
        "labels must be whole numbers, strings or booleans, but they are float64",
    )
    refused((rows, [1, None]), tmp_path / "a.csv", "labels must be whole numbers")
    refused((rows, np.array([1, 2**63], np.uint64)), tmp_path / "a.csv", "labels must be whole numbers")
    refused((rows, [1]), tmp_path / "a.csv", "one label per row, 2 in all")
    refused((rows * np.nan, [1, 2]), tmp_path / "a.csv", "X must be a table of finite numbers")
    refused(
        (rows, [1, 2], [1, -1]), tmp_path / "a.csv", "weights must be one finite number of at least 0 per row, 2 in all"
    )
    refused((rows, [1, 2], ["a", "b"]), tmp_path / "a.csv", "weights must be one finite number")
    refused((rows[:, :0], [1, 2]), tmp_path / "a.csv", "a table needs at least one feature")
    refused((rows[:0], []), tmp_path / "a.csv", "write: the source has no rows")
    refused(iter([]), tmp_path / "a.csv", "the source has no rows")
    refused(iter([1]), tmp_path / "a.csv", "the source must consist of batches or tuples")
    refused(
        (pd.DataFrame({"label": [1.0]}), [1]),
        tmp_path / "a.csv",
        "the names of features must differ, but 'label' is a reserved name",
    )
    refused(Batch(rows, [1, 2], feature_names=["a"]), tmp_path / "a.csv", "there must be one name per column, 3 in all")
    refused(
        Batch(rows, [1, 2], feature_names=["a", "a", "b"]),
        tmp_path / "a.csv",
        "the names of features must differ, but 'a' occurs twice",
    )
    assert os.listdir(tmp_path) == []


def test_a_place_that_cannot_be_is_refused(tmp_path):
    refused((X, [1, 2, 3]), tmp_path / "a.xlsx", "excel cannot be written")
    refused(
        (X, [1, 2, 3]),
        tmp_path / "a.csv",
        "format must be one of svmlight, csv, tsv, ndjson, parquet, arrow, but it is 'excel'",
        format="excel",
    )
    refused(
        (X, [1, 2, 3]), tmp_path / "a.parquet.gz", r"parquet cannot be compressed as a whole\. Use a name without \.gz"
    )
    refused((X, [1, 2, 3]), None, "the target must be a path or a binary file object")
    refused((X, [1, 2, 3]), tmp_path / "no" / "a.csv", "the file cannot be written")
    refused((X, [1, 2, 3]), tmp_path / "a.csv", r"options of scan \(target\) need a source that scan opens", target="y")
    (tmp_path / "a.svm").write_bytes(b"1 1:1\n")
    refused(tmp_path / "a.svm", tmp_path / "b.svm", "follow=True is not possible", follow=True)


def test_batches_that_do_not_fit_together_are_refused(tmp_path):
    def parts(*second):
        return iter([(X, [1, 2, 3]), second])

    path = tmp_path / "a.csv"
    refused(
        parts(X[:, :2], [1, 2, 3]),
        path,
        "all batches must have the same number of columns .* the first has 3 and a later one 2",
    )
    refused(
        parts(X, ["a", "b", "c"]),
        path,
        "the same kind of labels, but the first has 'numbers' and a later one 'strings'",
    )
    refused(parts(X, [1, 2, 3], [1, 1, 1]), path, "the same weights")
    refused(parts(pd.DataFrame(X, columns=list("abc")), [1, 2, 3]), path, "the same names")
    assert os.listdir(tmp_path) == []


def test_a_pipe_that_grows_wider_goes_into_svmlight_but_not_into_a_table(tmp_path):
    text = b"1 1:1\n" * 3 + b"1 5:1\n"

    def stream():
        return nk.scan(io.BytesIO(text), batch_size=2)

    nk.write(stream(), tmp_path / "rows.svm")
    assert (tmp_path / "rows.svm").read_bytes() == text
    nk.write(nk.scan(text, batch_size=2), tmp_path / "rows.csv")  # bytes can be looked through for their width
    assert nk.read(tmp_path / "rows.csv").X.shape == (4, 5)


class WentWrongError(Exception):
    pass


@pytest.mark.parametrize("ending", [*ENDINGS, "svm", "svm.gz"])
@pytest.mark.parametrize("there", [True, False], ids=["replaced", "new"])
def test_a_source_that_fails_half_way_leaves_what_was_there(ending, there, tmp_path):
    path = tmp_path / f"rows.{ending}"
    if there:
        path.write_bytes(b"old")

    def batches():
        yield X, [1, 2, 3]
        raise WentWrongError

    with pytest.raises(WentWrongError):
        nk.write(batches(), path)
    assert os.listdir(tmp_path) == ([path.name] if there else [])
    assert not there or path.read_bytes() == b"old"


def test_a_bad_line_half_way_leaves_nothing(tmp_path):
    text = b"1 1:1\n" * 200_000 + b"1 1:x\n"
    with pytest.raises(nk.InvalidInputError, match=r"line 200001: "):
        nk.write(nk.scan(text), tmp_path / "rows.parquet")
    assert os.listdir(tmp_path) == []


FULL = """
import resource, sys
import numpy as np
import novikoff as nk
rows = np.random.default_rng(0).normal(size=(1_000, 40))
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))
for path in sys.argv[1:]:
    try:
        nk.write(((rows, np.zeros(len(rows), int)) for _ in range(3)), path)
    except nk.FileError as error:
        print(error)
"""


@pytest.mark.slow
def test_a_full_disk_leaves_nothing_and_is_reported(tmp_path):
    paths = [tmp_path / f"rows.{ending}" for ending in (*TABLES, "csv.gz", "svm", "svm.zst")]
    done = subprocess.run([sys.executable, "-c", FULL, *paths], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == [f"{path}: the file cannot be written: File too large." for path in paths]
    assert done.stderr == ""
    assert os.listdir(tmp_path) == []


BOUNDED = """
import sys
import numpy as np
import novikoff as nk
from novikoff.data.formats import svmlight
from novikoff.data.formats import writing
if int(sys.argv[1]) < 20:
    svmlight.ENTRIES_PER_WRITE = writing.MAX_ENTRIES = writing.MAX_TEXT_ENTRIES = 1 << 16
rng = np.random.default_rng(0)
rows, count = rng.normal(size=(5_000, 50)), int(sys.argv[1])
grown = []
for path in sys.argv[2:]:
    nk.write((rows[:10], np.zeros(10, int)), path)
    before = peak()
    nk.write(((rows.copy(), np.zeros(5_000, int)) for _ in range(count)), path)
    grown.append(peak() - before)
print(*grown)
"""


@pytest.mark.slow
@pytest.mark.parametrize("count", [18, pytest.param(80, marks=pytest.mark.slow)])
def test_memory_does_not_grow_with_the_rows(count, tmp_path):
    paths = [tmp_path / f"rows.{ending}" for ending in ("csv", "svm", "parquet")]
    grown = run_alone(BOUNDED, count, *paths)  # 2 MB per batch
    assert max(grown) < 0.7 * min(80e6, 2e6 * count)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        nk.InvalidInputError, match=r"tables need the package pyarrow.*pip install 'novikoff\[tables\]'"
    ):
        nk.write((X, [1, 2, 3]), tmp_path / "rows.csv")
    nk.write((X, [1, 2, 3]), tmp_path / "rows.ndjson")
    assert os.listdir(tmp_path) == ["rows.ndjson"]
