"""Files as partitions: what they stand for, one layout for all of them, and what is refused, with its place."""

import gzip
import itertools
import os
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from command import done

import novikoff as nk
from gathered_fits import gathered, gathering
from memory import run_alone
from novikoff.data.hashing import Hashing
from novikoff.distributed.engines.local import LocalEngine
from novikoff.distributed.files import files_data, files_of, is_files
from novikoff.distributed.survey import survey
from novikoff.errors import FileError, InvalidInputError

RNG = np.random.default_rng(0)
ROWS = 60
NUMBERS = RNG.normal(size=(ROWS, 2)).round(3)
JOBS = [f"job {k}" for k in RNG.integers(0, 5, ROWS)]
LABELS = np.where(NUMBERS @ [1.0, -2.0] > 0, "yes", "no")


@pytest.fixture(autouse=True)
def plan():
    with gathering():
        yield


def table(begin=0, end=ROWS, *, job=True, **more):
    columns = {"age": NUMBERS[begin:end, 0], "height": NUMBERS[begin:end, 1], "label": LABELS[begin:end]}
    return pa.table(columns | ({"job": JOBS[begin:end]} if job else {}) | more)


def write_parquet(folder, cuts=(0, 25, 25, 60), **options):
    """Files of the same table, with row groups of 10 rows."""
    for number, (begin, end) in enumerate(itertools.pairwise(cuts)):
        pq.write_table(table(begin, end, **options), folder / f"part-{number}.parquet", row_group_size=10)
    return f"{folder}/*.parquet"


def write_csv(folder, count=3):
    lines = [f"{a},{b},{job},{y}" for (a, b), job, y in zip(NUMBERS, JOBS, LABELS, strict=True)]
    for number, part in enumerate(np.array_split(lines, count)):
        (folder / f"part-{number}.csv").write_text("\n".join(["age,height,job,label", *part]) + "\n")
    return [folder / f"part-{number}.csv" for number in range(count)]


def write_svmlight(folder, count=3):
    X = sp.random(ROWS, 9, 0.4, "csr", random_state=0)
    y = np.where(LABELS == "yes", 1, -1)
    for number, rows in enumerate(np.array_split(np.arange(ROWS), count)):
        nk.write_svmlight(X[rows], y[rows], folder / f"part-{number}.svm")
    return X, y


def read(paths, *, threads=2, **options):
    """The rows, labels and weights of all partitions, and the data."""
    data = files_data("test", paths, **options)
    with LocalEngine(threads).open(data) as rounds:
        found = survey("test", rounds)
        return *gathered(rounds, found.columns), data


def refused(message, paths, error=InvalidInputError, **options):
    with pytest.raises(error, match=re.escape(message)):
        read(paths, **options)


# ---- which files ---------------------------------------------------------------------------------------------------


def test_paths_are_told_from_rows():
    assert is_files("a/*.csv")
    assert is_files(["a.csv", "b.csv"])
    assert not is_files([])
    assert not is_files([[1.0]])
    assert not is_files(np.zeros((2, 2)))


def test_files_of_a_directory_are_those_of_data_formats_in_order(tmp_path):
    for name in ("b.svm", "a.libsvm.gz", "c.csv", "_SUCCESS", ".d.csv", "e.txt", "_f.csv"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "g.csv").mkdir()
    assert files_of("test", tmp_path) == [str(tmp_path / name) for name in ("a.libsvm.gz", "b.svm", "c.csv")]


def test_patterns_are_sorted_and_lists_keep_their_order(tmp_path):
    for name in ("b.svm", "a.svm", "c.svm"):
        (tmp_path / name).write_bytes(b"")
    a, b, c = (str(tmp_path / name) for name in ("a.svm", "b.svm", "c.svm"))
    assert files_of("test", f"{tmp_path}/*.svm") == [a, b, c]
    assert files_of("test", [c, a]) == [c, a]


def test_directory_without_data_files_is_refused(tmp_path):
    refused(f"{tmp_path}: the directory has no files of Parquet", tmp_path)


def test_missing_file_is_refused(tmp_path):
    write_svmlight(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"gone\.svm: the file cannot be read"):
        read([tmp_path / "part-0.svm", tmp_path / "gone.svm"])


def test_mixed_formats_are_refused_with_two_files(tmp_path):
    write_svmlight(tmp_path)
    write_csv(tmp_path)
    message = f"{tmp_path}/part-0.csv is csv, but {tmp_path}/part-0.svm is svmlight. All files must have one format."
    refused(message, tmp_path)


def test_options_of_another_format_are_refused(tmp_path):
    write_svmlight(tmp_path)
    refused("target='label' is not an option of svmlight", tmp_path, y="label")
    refused("there is no option taget", tmp_path, taget="label")
    refused("index_base=0 is not an option of csv", write_csv(tmp_path), index_base=0)
    refused("y must be the name of a column", tmp_path, y=np.ones(3))


# ---- Parquet -------------------------------------------------------------------------------------------------------


def test_each_row_group_is_a_partition_and_rows_keep_their_order(tmp_path):
    X, y, weights, data = read(write_parquet(tmp_path, job=False), y="label")
    np.testing.assert_array_equal(X, NUMBERS)
    assert y.tolist() == LABELS.tolist()
    assert weights is None
    assert len(data.parts) == 3 + 1 + 4  # of 25, 0 and 35 rows
    assert data.feature_names == ("age", "height")


def test_columns_in_another_order_are_found_by_name(tmp_path):
    pq.write_table(table(0, 30, job=False), tmp_path / "a.parquet")
    pq.write_table(table(30, 60, job=False).select(["label", "height", "age"]), tmp_path / "b.parquet")
    np.testing.assert_array_equal(read(tmp_path)[0], NUMBERS)


def test_other_columns_are_refused_with_the_file(tmp_path):
    pq.write_table(table(0, 30, job=False), tmp_path / "a.parquet")
    pq.write_table(table(30, 60, job=False).drop_columns("age"), tmp_path / "b.parquet")
    refused("b.parquet, row group 0: there is no column 'age', but", tmp_path)
    pq.write_table(table(30, 60, job=False, extra=np.ones(30)), tmp_path / "b.parquet")
    refused("b.parquet, row group 0: column 'extra' is not in", tmp_path)
    np.testing.assert_array_equal(read(tmp_path, features=["age", "height"])[0], NUMBERS)
    nested = table(30, 60, job=False).set_column(0, "age", pa.array([[1.0]] * 30))
    pq.write_table(nested, tmp_path / "b.parquet")
    refused("b.parquet, row group 0: column 'age' holds list<", tmp_path)


def test_missing_number_is_refused_with_file_row_group_and_row(tmp_path):
    age = NUMBERS[:, 0].copy()
    age[17] = np.nan
    pq.write_table(table(job=False).set_column(0, "age", pa.array(age)), tmp_path / "a.parquet", row_group_size=10)
    refused(f"{tmp_path}/a.parquet, row group 1, row 7: column 'age' has no value. Use missing=", tmp_path)
    X = read(tmp_path, missing="zero")[0]
    np.testing.assert_array_equal(X, np.column_stack([np.where(np.isnan(age), 0, age), NUMBERS[:, 1]]))
    refused('missing must be "error", "zero" or "indicator"', tmp_path, missing="mean")


def test_infinite_number_is_refused_with_its_row(tmp_path):
    age = NUMBERS[:, 0].copy()
    age[25] = np.inf
    pq.write_table(table(job=False).set_column(0, "age", pa.array(age)), tmp_path / "a.parquet", row_group_size=10)
    refused(f"{tmp_path}/a.parquet, row group 2, row 5: numbers in column 'age' must be finite", tmp_path)


def test_damaged_parquet_file_is_refused_with_its_name(tmp_path):
    write_parquet(tmp_path, job=False)
    whole = (tmp_path / "part-2.parquet").read_bytes()
    (tmp_path / "part-2.parquet").write_bytes(whole[: len(whole) // 2])
    refused(f"{tmp_path}/part-2.parquet: the file is not a readable Parquet file", tmp_path)


def test_weights_are_read_from_their_column(tmp_path):
    weights = np.arange(ROWS, dtype=float)
    pq.write_table(table(job=False, amount=weights), tmp_path / "a.parquet", row_group_size=7)
    X, _, found, _ = read(tmp_path, y="label", sample_weight="amount")
    assert X.shape == (ROWS, 2)
    assert found.tolist() == weights.tolist()


# ---- strings and hashing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_hashed_columns_are_those_of_scan(tmp_path, format):
    write_parquet(tmp_path) if format == "parquet" else write_csv(tmp_path)
    hashing = Hashing(n_bits=8, norm="l2")
    paths = sorted(tmp_path.iterdir())
    X, y, _, _ = read(tmp_path, hashing=hashing, y="label")
    expected = [nk.scan(path, hashing=hashing, target="label").read("scan") for path in paths if path.stem != "part-1"]
    if format == "csv":
        expected.insert(1, nk.scan(paths[1], hashing=hashing, target="label").read("scan"))
    whole = sp.vstack([batch.X for batch in expected])
    assert X.shape == (ROWS, 256)
    assert (whole != X).nnz == 0
    assert y.tolist() == np.concatenate([batch.y for batch in expected]).tolist() == LABELS.tolist()


def test_texts_are_hashed_by_their_words(tmp_path):
    hashing = Hashing(n_bits=10)
    pq.write_table(table(), tmp_path / "a.parquet", row_group_size=10)
    expected = nk.scan(tmp_path / "a.parquet", hashing=hashing, text="job").read("scan")
    assert (read(tmp_path, hashing=hashing, text="job")[0] != expected.X).nnz == 0


def test_strings_without_hashing_are_refused_with_the_remedy(tmp_path):
    write_parquet(tmp_path)
    refused("part-0.parquet: column 'job' holds strings", tmp_path)
    refused("Use hashing=Hashing(n_bits=20), or exclude='job'.", tmp_path)
    np.testing.assert_array_equal(read(tmp_path, exclude="job")[0], NUMBERS)
    refused("hashing must be a Hashing", tmp_path, hashing=20)


def test_kinds_and_labels_are_those_of_the_first_file(tmp_path):
    (tmp_path / "a.csv").write_text("code,y\n" + "1,0\n2,1\n" * 5)
    (tmp_path / "b.csv").write_text("code,y\n" + "3,0\nx,1\n" * 5)
    refused(f"{tmp_path}/b.csv, line 3: column 'code' must hold numbers, but there is 'x'", tmp_path)
    (tmp_path / "b.csv").write_text("code,y\n" + "3,0\n4,no\n" * 5)
    refused(f"{tmp_path}/b.csv, line 3: labels in column 'y'", tmp_path)


# ---- text ----------------------------------------------------------------------------------------------------------


def test_files_without_rows_are_ordinary(tmp_path):
    paths = write_csv(tmp_path)
    (tmp_path / "a.csv").write_text("")
    (tmp_path / "b.csv").write_text("age,height,job,label\n")
    (tmp_path / "z.csv.gz").write_bytes(gzip.compress(b""))
    X, y, _, data = read(tmp_path, exclude="job")
    np.testing.assert_array_equal(X, NUMBERS)
    assert y.tolist() == LABELS.tolist()
    assert len(data.parts) == len(paths) + 3


def test_files_without_any_rows_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("age,label\n")
    refused("test: the files have no rows.", tmp_path)
    (tmp_path / "a.csv").unlink()
    (tmp_path / "a.svm").write_bytes(b"")
    with LocalEngine(1).open(files_data("test", tmp_path)) as rounds, pytest.raises(InvalidInputError, match="no rows"):
        survey("test", rounds).classes("test")


def test_delimited_text_is_read_as_the_options_say(tmp_path):
    (tmp_path / "a.csv").write_text("1;2,5;yes\n2;3,5;no\n3;4,5;no\n")
    (tmp_path / "b.csv").write_text("3;4,5;yes\n")
    X, y, _, _ = read(tmp_path, y="last", delimiter=";", decimal=",", header=False)
    assert X.tolist() == [[1, 2.5], [2, 3.5], [3, 4.5], [3, 4.5]]
    assert y.tolist() == ["yes", "no", "no", "yes"]


@pytest.mark.parametrize("suffix", ["csv", "svm", "ndjson"])
def test_truncated_gzip_is_refused_with_file_and_line(tmp_path, suffix):
    line = {"csv": "1.5,2.5,yes", "svm": "1 1:0.5", "ndjson": '{"age": 1.5, "label": "yes"}'}[suffix]
    text = ("age,height,label\n" if suffix == "csv" else "") + f"{line}\n" * 5000
    (tmp_path / f"a.{suffix}").write_text(text)
    (tmp_path / f"b.{suffix}.gz").write_bytes(gzip.compress(text.encode())[:-30])
    with pytest.raises(InvalidInputError, match=rf"b\.{suffix}\.gz, line \d+: the gzip data ends too early"):
        read(tmp_path)


def test_tab_separated_and_ndjson_files_are_tables(tmp_path):
    for folder, name in (("t", "tsv"), ("n", "ndjson")):
        (tmp_path / folder).mkdir()
        nk.write((NUMBERS[:20], LABELS[:20]), tmp_path / folder / f"a.{name}")
        nk.write((NUMBERS[20:], LABELS[20:]), tmp_path / folder / f"b.{name}.gz")
        X, y, _, _ = read(tmp_path / folder)
        np.testing.assert_array_equal(X, NUMBERS)
        assert y.tolist() == LABELS.tolist()


# ---- svmlight ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slice_bytes", [7, 100, 1000, 2000])
def test_ranges_of_lines_have_all_rows_in_order(tmp_path, slice_bytes):
    X, y = write_svmlight(tmp_path)
    found, labels, _, data = read(tmp_path, slice_bytes=slice_bytes)
    assert (found != X).nnz == 0
    assert labels.tolist() == y.tolist()
    assert (len(data.parts) > 3) == (slice_bytes < 2000)


def test_width_is_the_largest_over_all_files_or_given(tmp_path):
    (tmp_path / "a.svm").write_text("1 2:1\n-1 1:1\n")
    (tmp_path / "b.svm").write_text("1 7:1\n-1 1:1\n")
    assert read(tmp_path)[0].shape == (4, 7)
    assert read(tmp_path, n_features=9)[0].shape == (4, 9)
    refused("b.svm, line 1: indices must be at most 5", tmp_path, n_features=5)


def test_index_base_is_one_for_all_files(tmp_path):
    (tmp_path / "a.svm").write_text("1 0:1 2:5\n-1 1:1\n")
    (tmp_path / "b.svm").write_text("1 1:2\n")
    refused("a.svm, line 1: indices must be at least 1", tmp_path)
    expected = [[1, 0, 5], [0, 1, 0], [0, 2, 0]]
    for base in (0, "auto"):
        X, _, _, data = read(tmp_path, index_base=base)
        assert X.toarray().tolist() == expected
        assert data.reading.index_base == 0
    refused("a.svm, line 1: indices must be at least 1", [tmp_path / "b.svm", tmp_path / "a.svm"], index_base="auto")


@pytest.mark.parametrize("slice_bytes", [None, 20, 100])
def test_bad_line_is_refused_with_its_number_in_the_file(tmp_path, slice_bytes):
    write_svmlight(tmp_path)
    lines = (tmp_path / "part-1.svm").read_text().splitlines()
    lines[13] = "1 3:x"
    (tmp_path / "part-1.svm").write_text("\n".join(lines) + "\n")
    refused(f"{tmp_path}/part-1.svm, line 14: ", tmp_path, slice_bytes=slice_bytes)


# ---- memory and changes --------------------------------------------------------------------------------------------


def test_rows_are_kept_if_they_fit_half_of_the_memory(tmp_path):
    pattern = write_parquet(tmp_path, job=False)
    assert files_data("test", pattern).is_kept
    assert files_data("test", pattern, memory=1 << 20).is_kept
    assert not files_data("test", pattern, memory=1000).is_kept
    kept, read_anew = (read(pattern, memory=memory)[:2] for memory in (None, 0))
    assert kept[0].tobytes() == read_anew[0].tobytes()
    assert kept[1].tolist() == read_anew[1].tolist()


@pytest.mark.parametrize(("write", "own"), [(write_svmlight, {}), (write_parquet, {"exclude": "job"})])
def test_file_that_is_written_again_between_rounds_is_refused(tmp_path, write, own):
    write(tmp_path)
    data = files_data("test", tmp_path, memory=0, **own)
    with LocalEngine(1).open(data) as rounds:
        survey("test", rounds)
        for path in tmp_path.iterdir():
            os.utime(path, ns=(0, 1))
        with pytest.raises(InvalidInputError, match=r"part-0\.\w+: the file changed during the fit"):
            survey("test", rounds)


def test_file_that_changes_between_rounds_is_refused(tmp_path):
    write_svmlight(tmp_path)
    data = files_data("test", tmp_path, memory=0)
    with LocalEngine(1).open(data) as rounds:
        survey("test", rounds)
        with open(tmp_path / "part-1.svm", "a") as file:
            file.write("1 1:1\n")
        with pytest.raises(InvalidInputError, match=r"part-1\.svm: the file changed during the fit"):
            survey("test", rounds)
        (tmp_path / "part-1.svm").unlink()
        with pytest.raises(FileError, match=r"part-1\.svm: the file cannot be read"):
            survey("test", rounds)


BOUNDED = """
import sys
import novikoff as nk
from novikoff.distributed.engines.local import LocalEngine
from novikoff.distributed.files import files_data
from novikoff.distributed.survey import survey

for path, memory in ((sys.argv[2], None), (sys.argv[1], 1)):
    with LocalEngine(1).open(files_data("test", path, memory=memory)) as rounds:
        rows = [survey("test", rounds).count for _ in range(2)]
    print(*rows, peak())
"""


@pytest.mark.slow
def test_files_larger_than_the_memory_are_read_anew_in_each_round(tmp_path):
    rows = np.random.default_rng(0).normal(size=(20_000, 100))
    columns = {f"x{j}": rows[:, j] for j in range(100)} | {"label": np.arange(20_000) % 2}
    for number in range(12):  # 16 MB each
        pq.write_table(pa.table(columns), tmp_path / f"{number}.parquet", row_group_size=5000)
    small, _, before, large, _, after = run_alone(BOUNDED, tmp_path, tmp_path / "0.parquet")
    assert (small, large) == (20_000, 240_000)
    assert after - before < 40e6  # of 192 MB


# ---- fit and predict: the tests of the command line have Parquet and hashed text -----------------------------------


def test_model_of_svmlight_files_predicts_a_new_file_and_forgets_them_in_the_next_fit(tmp_path):
    X, y = write_svmlight(tmp_path)
    model = nk.distributed.fit(nk.AROW(), tmp_path, on="local:2", slice_bytes=200)
    nk.save(model, tmp_path / "model.nvk")
    expected = nk.AROW().fit(X, y)
    assert model.coef_.tobytes() == expected.coef_.tobytes()
    found = done("predict", tmp_path / "model.nvk", tmp_path / "part-1.svm").out.split()
    assert found == [str(label) for label in expected.predict(X[20:40])]
    assert model.reading_ is not None
    nk.distributed.fit(model, NUMBERS, LABELS, on="local")
    assert not hasattr(model, "reading_")
