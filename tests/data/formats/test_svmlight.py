"""svmlight files: every number to the last bit, every bad line by its number, and nothing half-read."""

import gzip
import io
import itertools
import logging
import os
import re
import signal
import sys
import threading
import time
import tracemalloc
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import novikoff as nk
import novikoff._core as _core
from novikoff.data.formats import svmlight
from novikoff.errors import NoRowsError
from strategies import decimals, sparse_rows

DATA = Path(os.environ.get("NOVIKOFF_DATA", Path(__file__).parents[3] / "../shared/data"))
FILES = sorted(DATA.glob("*.svm.gz"))
GOOD = b"+1 1:0.5 3:2  # first\n\n-1 2:1e-3\n"


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def assert_same(X, y, Z, z):
    """The same matrix and labels, bit for bit."""
    assert X.shape == Z.shape
    assert X.dtype == Z.dtype
    np.testing.assert_array_equal(X.indptr, Z.indptr)
    np.testing.assert_array_equal(X.indices, Z.indices)
    np.testing.assert_array_equal(bits(X.data), bits(Z.data))
    np.testing.assert_array_equal(y, z)
    assert y.dtype == z.dtype


def written(X, y, **options):
    file = io.BytesIO()
    nk.write_svmlight(X, y, file, **options)
    return file.getvalue()


def random_text(seed, size):
    """Lines with comments, blank lines, features out of order."""
    rng = np.random.default_rng(seed)
    lines = [b"# made by chance\n"]
    length = 0
    while length < size:
        columns = rng.choice(1000, rng.integers(12), replace=False) + 1
        features = b" ".join(b"%d:%.*g" % (j, int(rng.integers(1, 18)), rng.normal()) for j in columns)
        lines.append(b"%d %s%s\n" % (rng.integers(3), features, rng.choice([b"", b"", b" ", b"\r", b" # none", b"\n"])))
        length += len(lines[-1])
    return b"".join(lines)


def refusal(source, **options):
    with pytest.raises(nk.InvalidInputError) as caught:
        nk.read_svmlight(source, **options)
    return str(caught.value)


# ---- numbers ---------------------------------------------------------------------------------------------------------


def nearest_float32(text):
    """The float32 nearest to what is written, by exact arithmetic: the even one of two; infinity beyond them all."""
    exact = abs(Fraction(text))
    if exact >= Fraction(2) ** 128 - Fraction(2) ** 103:
        return np.float32(np.inf)
    below = max(exact.numerator.bit_length() - exact.denominator.bit_length() - 24, -149)
    unit = Fraction(2) ** (below if exact / Fraction(2) ** below < 2**24 else below + 1)
    value = np.float32(float(round(exact / unit) * unit))  # Python rounds fractions to even
    return -value if text.startswith("-") else value


@given(decimals)
@example("10000000000000001")
def test_every_number_is_the_double_that_python_reads(text):
    value = float(text)
    if np.isinf(value):
        assert "values must be finite" in refusal(f"1 1:{text}\n".encode())
        assert "the label must be a finite number" in refusal(f"{text} 1:1\n".encode())
        return
    X, _ = nk.read_svmlight(f"1 1:{text}\n".encode())
    np.testing.assert_array_equal(bits(X.data), bits(np.array([value])))
    label = f"{text}.0" if text.lstrip("+-").isdigit() else text  # whole labels are refused if float64 changes them
    _, y = nk.read_svmlight(f"{label}\n0.5\n".encode())
    np.testing.assert_array_equal(bits(y), bits(np.array([value, 0.5])))


@given(decimals)
def test_every_number_is_the_nearest_float32(text):
    value = nearest_float32(text)
    line = f"1 1:{text}\n".encode()
    if np.isinf(value):
        assert "values must be finite as float32" in refusal(line, dtype=np.float32)
    else:
        X, _ = nk.read_svmlight(line, dtype=np.float32)
        np.testing.assert_array_equal(bits(X.data), bits(np.array([value])))


def test_a_number_near_the_middle_of_two_float32_is_not_rounded_by_way_of_a_double():
    above = "1.000000059604644775390625000000001"  # the middle of 1 and its neighbour, and a little more
    X, _ = nk.read_svmlight(f"1 1:{above} 2:{above[:26]}\n".encode(), dtype=np.float32)
    assert X.data.tolist() == [np.nextafter(np.float32(1), np.float32(2)), 1.0]


def test_a_float32_that_overflows_is_refused_and_a_double_is_not():
    text = b"1 1:1\n1 2:1e39\n"
    message = "<bytes>, line 2: values must be finite as float32, but there is '2:1e39'."
    assert refusal(text, dtype="float32") == message
    assert nk.read_svmlight(text).X[1, 1] == 1e39


def test_a_number_of_a_million_digits_is_read():
    many = 1_000_000
    X, _ = nk.read_svmlight(b"1 1:0." + b"0" * many + b"25e%d 2:%s5\n" % (many, b"0" * many))
    assert X.data.tolist() == [0.25, 5.0]
    assert refusal(b"1 1:" + b"7" * many) == f"<bytes>, line 1: values must be finite, but there is '1:{'7' * 38}'...."


# ---- round trips and peers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(st.data(), st.sampled_from([0, 1]), st.sampled_from([1, 2]))
def test_what_was_written_reads_back_to_the_same_bits(dtype, data, base, jobs):
    X, y = data.draw(sparse_rows(dtype))
    text = written(X, y, index_base=base, n_jobs=jobs)
    Z, z = nk.read_svmlight(text, n_features=X.shape[1], index_base=base, dtype=dtype, n_jobs=jobs)
    assert_same(Z, z, X, svmlight.whole_labels(y))
    assert written(Z, y, index_base=base) == text


@given(sparse_rows(), st.booleans())
def test_scikit_learn_reads_what_was_written_to_the_same_bits(rows, zero_based):
    X, y = rows
    text = written(X, y, index_base=0 if zero_based else 1)
    Z, z = load_svmlight_file(io.BytesIO(text), n_features=X.shape[1], zero_based=zero_based)
    np.testing.assert_array_equal(bits(Z.data), bits(X.data))
    np.testing.assert_array_equal(Z.indices, X.indices)
    np.testing.assert_array_equal(bits(z), bits(y))


@given(sparse_rows(), st.booleans())
def test_what_scikit_learn_wrote_is_read_as_scikit_learn_reads_it(rows, zero_based):
    X, y = rows
    file = io.BytesIO()
    with np.errstate(invalid="ignore"):
        dump_svmlight_file(X, y, file, zero_based=zero_based, comment="of a peer")
    text = file.getvalue()
    Z, z = load_svmlight_file(io.BytesIO(text), n_features=X.shape[1], zero_based=zero_based)
    assume(np.all(np.isfinite(Z.data)) and np.all(np.isfinite(z)))  # it rounds to 16 digits, the largest doubles up
    mine, labels = nk.read_svmlight(text, n_features=X.shape[1], index_base=0 if zero_based else 1)
    assert_same(mine, labels, sp.csr_array(Z), svmlight.whole_labels(z))


@pytest.mark.skipif(not FILES, reason=f"no *.svm.gz in {DATA} (NOVIKOFF_DATA=/path/to/data make test)")
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name, marks=[] if path.stat().st_size < 100_000 else pytest.mark.slow)
        for path in FILES
    ],
)
def test_real_files_are_read_as_scikit_learn_reads_them(path):
    Z, z = load_svmlight_file(path)
    X, y = nk.read_svmlight(path)
    assert_same(X, y, sp.csr_array(Z), svmlight.whole_labels(z))
    batch = nk.read_svmlight(path, index_base="auto", dtype=np.float32, n_jobs=2)
    assert batch.index_base == 1
    np.testing.assert_array_equal(batch.X.data, Z.data.astype(np.float32))  # all of them are short


def test_threads_never_change_a_bit(tmp_path):
    path = tmp_path / "large.svm"
    path.write_bytes(random_text(1, 600_000))
    X, y = nk.read_svmlight(path, n_jobs=1)
    assert X.shape[0] > 2_000
    for jobs in (None, 3, 1000, -1):
        assert_same(*nk.read_svmlight(path, n_jobs=jobs), X, y)
    assert written(X, y, n_jobs=1) == written(X, y, n_jobs=3) == written(X, y, n_jobs=100_000)


def test_blocks_never_change_a_bit(monkeypatch):
    text = random_text(2, 100_000)
    X, y = nk.read_svmlight(text)
    for size in (1, 100, 9_999):
        monkeypatch.setattr(svmlight, "BLOCK_SIZE", size)
        assert_same(*nk.read_svmlight(text), X, y)


# ---- layout ----------------------------------------------------------------------------------------------------------


def test_rows_are_sparse_canonical_and_of_32_bits():
    X, y = nk.read_svmlight(GOOD)
    assert isinstance(X, sp.csr_array)
    assert X.has_canonical_format
    assert X.indices.dtype == X.indptr.dtype == np.int32
    assert X.toarray().tolist() == [[0.5, 0.0, 2.0], [0.0, 0.001, 0.0]]
    assert y.tolist() == [1, -1]


def test_features_in_any_order_are_sorted():
    X, _ = nk.read_svmlight(b"1 9:90 2:20 5:50\n")
    assert X.indices.tolist() == [1, 4, 8]
    assert X.data.tolist() == [20, 50, 90]


def test_labels_are_integers_if_all_of_them_are_whole():
    assert nk.read_svmlight(b"1\n-2.0\n3e2\n").y.dtype == np.int64
    assert nk.read_svmlight(b"1\n-2.0\n3e2\n").y.tolist() == [1, -2, 300]
    assert nk.read_svmlight(b"1\n0.5\n").y.tolist() == [1.0, 0.5]
    assert nk.read_svmlight(b"9007199254740992\n").y.dtype == np.int64
    assert nk.read_svmlight(b"9007199254740994\n").y.dtype == np.float64
    with pytest.raises(nk.InvalidInputError, match=r"line 1: a whole label must be at most 2\^53.*'-9007199254740993'"):
        nk.read_svmlight(b"-9007199254740993\n")


def test_queries_are_passed_over():
    X, y = nk.read_svmlight(b"1 qid:3 1:5\n2\tqid:-1\n3 qid:007 2:6 # q\n")
    assert X.toarray().tolist() == [[5, 0], [0, 0], [0, 6]]
    assert y.tolist() == [1, 2, 3]


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n\n", b" ", b"#", b"\n# end"])
def test_a_file_may_end_in_any_way(end):
    assert nk.read_svmlight(b"1 1:2\n-1 2:3" + end).X.toarray().tolist() == [[2, 0], [0, 3]]


def test_a_mark_before_the_text_is_passed_over_and_nowhere_else():
    mark = b"\xef\xbb\xbf"
    assert_same(*nk.read_svmlight(mark + GOOD), *nk.read_svmlight(GOOD))
    assert "<bytes>, line 4:" in refusal(GOOD + mark + GOOD)


def test_rows_may_be_empty_and_a_matrix_without_columns():
    X, y = nk.read_svmlight(b"1\n2 # none\n")
    assert X.shape == (2, 0)
    assert y.tolist() == [1, 2]


def test_n_features_is_the_width_and_the_limit():
    assert nk.read_svmlight(GOOD, n_features=7).X.shape == (2, 7)
    assert nk.read_svmlight(GOOD, n_features=3).X.shape == (2, 3)
    message = "<bytes>, line 1: indices must be at most 2 for {} features, but there is '{}'."
    assert refusal(GOOD, n_features=2) == message.format(2, "3:2")
    assert refusal(b"1 3:1\n", n_features=3, index_base=0) == message.format(3, "3:1")


def test_the_widest_file_has_two_thousand_million_columns():
    assert nk.read_svmlight(b"1 2147483647:5\n").X.shape == (1, 2**31 - 1)
    X, _ = nk.read_svmlight(b"1 0:1 2147483646:5\n", index_base=0)
    assert X.shape == (1, 2**31 - 1)
    assert X[0, 2**31 - 2] == 5
    text = b"1 0:1 2147483647:5\n"
    message = "indices must be at most 2147483646, but"
    assert refusal(text, index_base=0) == f"<bytes>, line 1: {message} there is '2147483647:5'."
    assert refusal(text, index_base="auto") == f"<bytes>: {message} 2147483647 occurs."
    assert nk.read_svmlight(b"1 2147483647:5\n", index_base="auto", n_features=2**31 - 1).X.nnz == 1


def test_index_base_auto_looks_for_index_0(caplog):
    with caplog.at_level(logging.INFO, "novikoff"):
        assert nk.read_svmlight(b"1 1:5\n", index_base="auto").index_base == 1
        assert nk.read_svmlight(b"1 0:5\n", index_base="auto").index_base == 0
        assert nk.read_svmlight(b"1\n", index_base="auto").index_base == 1
    assert [record.getMessage() for record in caplog.records][:2] == [
        'read_svmlight: index_base="auto" is 1, because index 0 does not occur.',
        'read_svmlight: index_base="auto" is 0, because index 0 occurs.',
    ]
    X, _ = nk.read_svmlight(b"1 1:5 3:6\n", index_base="auto")
    assert X.toarray().tolist() == [[5, 0, 6]]
    X, _ = nk.read_svmlight(b"1 2:6 0:5\n", index_base="auto")
    assert X.toarray().tolist() == [[5, 0, 6]]


def test_index_base_auto_keeps_to_n_features():
    assert nk.read_svmlight(b"1 3:1\n", index_base="auto", n_features=3).X.toarray().tolist() == [[0, 0, 1]]
    assert nk.read_svmlight(b"1 0:1 2:1\n", index_base="auto", n_features=3).X.toarray().tolist() == [[1, 0, 1]]
    message = "<bytes>, line 1: indices must be at most 3 for 3 features, but there is '4:1'."
    assert refusal(b"1 4:1\n", index_base="auto", n_features=3) == message
    message = "<bytes>: indices must be at most 2 for 3 features, but 3 occurs."
    assert refusal(b"1 0:1 3:1\n", index_base="auto", n_features=3) == message


def test_a_list_of_sources_shares_its_width_and_its_index_base():
    batches = nk.read_svmlight([b"1 1:1\n", b"2 5:1\n2\n", b"3 0:1\n"], index_base="auto")
    assert [batch.X.shape for batch in batches] == [(1, 6), (2, 6), (1, 6)]
    assert [batch.index_base for batch in batches] == [0, 0, 0]
    assert [batch.X.indices.tolist() for batch in batches] == [[1], [5], [0]]
    train, test = nk.read_svmlight((b"1 1:1\n", b"2 5:1\n"))
    assert train.X.shape == test.X.shape == (1, 5)
    assert len(nk.read_svmlight([GOOD])) == 1


# ---- what is refused -------------------------------------------------------------------------------------------------

FORM = "features must have the form index:value"
LABEL = "the label must be a finite number"
BAD_LINES = [
    ("1 3", FORM, "'3'"),
    ("1 3: 5", FORM, "'3:'"),
    ("1 3:", FORM, "'3:'"),
    ("1 :5", FORM, "':5'"),
    ("1 3:5:6", FORM, "'3:5:6'"),
    ("1 3:5,6", FORM, "'3:5,6'"),
    ("1 3:1_0", FORM, "'3:1_0'"),
    ("1 3:0x1p3", FORM, "'3:0x1p3'"),
    ("1 +3:5", FORM, "'+3:5'"),
    ("1 3.0:5", FORM, "'3.0:5'"),
    ("1 word:5", FORM, "'word:5'"),
    ("1 qid:x 3:5", FORM, "'qid:x'"),
    ("1 3:5 qid:1", FORM, "'qid:1'"),
    ("1 3:٣", FORM, r"'3:\u0663'"),  # a digit of another script
    ("1 3:5\u00a0", FORM, r"'3:5\xa0'"),
    ("1 3:5\0", FORM, r"'3:5\x00'"),
    ("1 3:nan", "values must be finite", "'3:nan'"),
    ("1 3:-Infinity", "values must be finite", "'3:-Infinity'"),
    ("1 3:1e309", "values must be finite", "'3:1e309'"),
    ("1 0:5", "indices must be at least 1 (use index_base=0 if the first feature is 0)", "'0:5'"),
    ("1 -1:5", "indices must be at least 1", "'-1:5'"),
    ("1 2147483648:5", "indices must be at most 2147483647", "'2147483648:5'"),
    ("1 18446744073709551617:5", "indices must be at most 2147483647", "'18446744073709551617:5'"),
    ("1 3:5 4:6 3:7", "a feature must occur only once per line", "'3:'"),
    ("3:5 4:6", "a line must begin with the label", "'3:5'"),
    ("1,2 3:5", "a line must have one label (write one file per label if examples have several)", "'1,2'"),
    ("x 3:5", LABEL, "'x'"),
    ("nan 3:5", LABEL, "'nan'"),
    ("1e309", LABEL, "'1e309'"),
    ("1.5.2", LABEL, "'1.5.2'"),
    ("True", LABEL, "'True'"),
]


@pytest.mark.parametrize(("line", "message", "word"), BAD_LINES, ids=[case[0] for case in BAD_LINES])
def test_the_error_of_a_malformed_line_has_its_file_and_number(tmp_path, line, message, word):
    path = tmp_path / "bad.svm"
    path.write_bytes(GOOD + line.encode() + b"\n2 7:x\n")
    for source, name in ((path, str(path)), (path.read_bytes(), "<bytes>"), (io.BytesIO(path.read_bytes()), "<file>")):
        assert refusal(source) == f"{name}, line 4: {message}, but there is {word}."
    with path.open("rb") as file:
        assert refusal(file) == f"{path}, line 4: {message}, but there is {word}."


@given(st.binary(max_size=60))
def test_any_bytes_are_rows_or_an_error_of_one_sentence(text):
    batch = error = None
    try:
        batch = nk.read_svmlight(text)
    except nk.InvalidInputError as refused:
        error = str(refused)
    if error is not None:
        assert re.fullmatch(r"<bytes>(, line \d+)?: .+\.", error, re.DOTALL)
    else:
        assert batch.X.shape[0] == len(batch.y) > 0


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_malformed_line_far_on_is_reported_with_its_number(tmp_path, jobs):
    path = tmp_path / "large.svm"
    text = random_text(3, 600_000)
    path.write_bytes(text + b"1 5:x\n" + text)
    line = text.count(b"\n") + 1
    assert refusal(path, n_jobs=jobs) == f"{path}, line {line}: {FORM}, but there is '5:x'."


def test_nothing_is_half_read():
    for _ in range(3):
        with pytest.raises(nk.InvalidInputError):
            nk.read_svmlight([GOOD, GOOD + b"x\n"])
        assert nk.read_svmlight(GOOD).X.shape == (2, 3)


@pytest.mark.parametrize("text", [b"", b"\n", b"# none\n \n", b"\xef\xbb\xbf"])
def test_a_file_without_examples_is_refused(tmp_path, text):
    path = tmp_path / "empty.svm"
    path.write_bytes(text)
    assert refusal(path) == f"{path}: the file has no examples."
    assert refusal([GOOD, path]) == f"{path}: the file has no examples."


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"n_features": 0}, "n_features"),
        ({"n_features": 2**31}, "n_features must be at most 2147483647"),
        ({"n_features": 2.5}, "n_features"),
        ({"index_base": 2}, 'index_base must be 0, 1 or "auto"'),
        ({"index_base": True}, 'index_base must be 0, 1 or "auto"'),
        ({"index_base": "1"}, 'index_base must be 0, 1 or "auto"'),
        ({"dtype": np.int64}, "dtype must be float64 or float32"),
        ({"dtype": "nonsense"}, "dtype must be float64 or float32"),
        ({"dtype": ">f8"}, "dtype must be float64 or float32"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"n_jobs": 1.5}, "n_jobs"),
    ],
)
def test_bad_parameters_are_refused(options, expected):
    assert expected in refusal(GOOD, **options)


@pytest.mark.parametrize("source", [None, 3, {"a": 1}, [], np.zeros(3), [None]])
def test_what_is_no_source_is_refused(source):
    assert re.match(r"read_svmlight: the (source must be a path, bytes|list of files is empty)", refusal(source))


def test_a_file_of_zero_bytes_is_refused_before_it_fills_the_memory(tmp_path):
    path = tmp_path / "zeros"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    tracemalloc.start()
    try:
        assert refusal(path) == f"{path}, line 1: the file is not text: it has a zero byte."
        assert tracemalloc.get_traced_memory()[1] < 1 << 27
    finally:
        tracemalloc.stop()


def test_of_a_long_bad_word_little_is_kept():
    assert refusal(b"1 1:1\n1 " + b"x" * 3_000_000) == f"<bytes>, line 2: {FORM}, but there is '{'x' * 40}'...."


# ---- changes under way -----------------------------------------------------------------------------------------------


@pytest.fixture
def during_reading(monkeypatch):
    """Does something to a file once it is open and before its bytes are read."""

    def arrange(action):
        read_at = _core.read_at

        def disturbed(*arguments):
            action()
            monkeypatch.setattr(_core, "read_at", read_at)
            return read_at(*arguments)

        monkeypatch.setattr(_core, "read_at", disturbed)

    return arrange


def test_a_file_that_shrinks_or_grows_is_refused(tmp_path, during_reading):
    path = tmp_path / "changing.svm"
    message = (
        "the file changed while it was read, from 13 to {} bytes. Use scan(..., follow=True) for a file that grows."
    )
    path.write_bytes(b"1 1:2\n-1 2:3\n")
    during_reading(lambda: os.truncate(path, 9))
    assert refusal(path) == f"{path}: {message.format(9)}"
    path.write_bytes(b"1 1:2\n-1 2:3\n")
    during_reading(lambda: path.write_bytes(b"1 1:2\n-1 2:3\n1"))
    assert refusal(path) == f"{path}: {message.format(14)}"
    assert nk.read_svmlight(path).X.shape == (3, 2)


def test_a_file_that_is_removed_while_it_is_read_is_read_to_its_end(tmp_path, during_reading):
    path = tmp_path / "vanishing.svm"
    path.write_bytes(GOOD)
    during_reading(path.unlink)
    assert nk.read_svmlight(path).X.shape == (2, 3)
    assert not path.exists()


def test_an_error_of_the_system_is_reported(tmp_path, monkeypatch):
    path = tmp_path / "broken.svm"
    path.write_bytes(GOOD)

    def fail(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(_core, "read_at", fail)
    assert refusal(path) == f"{path}: the file cannot be read: Input/output error."


class Endless(io.RawIOBase):
    """Lines without an end."""

    def __init__(self, chunk):
        self.chunks = itertools.repeat(chunk)

    def readable(self):
        return True

    def read(self, size=-1):
        return next(self.chunks)


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_an_interrupt_in_the_middle_of_a_read_leaves_no_thread_behind(packed):
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals reach the main thread only (make test)")
    chunk = random_text(4, 300_000)
    source = Endless(gzip.compress(chunk) if packed else chunk)
    nk.read_svmlight(chunk)  # libraries have started their threads
    before = len(os.listdir("/proc/self/task"))
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.4, signal.raise_signal, [signal.SIGINT])
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            nk.read_svmlight(source)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, previous)
    patience = time.monotonic() + 5
    while len(os.listdir("/proc/self/task")) > before and time.monotonic() < patience:
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/task")) <= before
    assert nk.read_svmlight(GOOD).X.shape == (2, 3)


def test_standard_input_is_a_source(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD)))
    assert_same(*nk.read_svmlight("-"), *nk.read_svmlight(GOOD))


# ---- writing ---------------------------------------------------------------------------------------------------------


def test_text_is_the_shortest():
    X = sp.csr_array(np.array([[0.1, 0, 1e300], [0, 0, 0], [-0.0, 5e-324, 100.0]]))
    assert written(X, [1, -1.5, 0]) == b"1 1:0.1 3:1e+300\n-1.5\n0 2:5e-324 3:100\n"
    assert written(np.float32([[0.1]]), [True], index_base=0) == b"1 0:0.1\n"


def test_the_largest_numbers_of_both_signs_are_written():
    X = np.full((1, 32), np.finfo(np.float64).max)
    X[:, 1::2] *= -1
    assert written(X, [1]).startswith(b"1 1:1.7976931348623157e+308 2:-1.7976931348623157e+308 ")


def test_zeros_that_a_sparse_matrix_stores_are_written_and_repeated_entries_summed():
    X = sp.csr_array((np.array([0.0, 1.0, 2.0]), np.array([2, 1, 1]), np.array([0, 3])), shape=(1, 3))
    assert written(X, [1]) == b"1 2:3 3:0\n"
    assert X.nnz == 3  # and X is as it was


@pytest.mark.parametrize("make", [sp.csc_array, sp.coo_array, sp.csr_matrix, np.asfortranarray, lambda X: X.tolist()])
def test_any_layout_gives_the_same_text(make):
    X = np.array([[0, 1.5, 0], [2, 0, 0]])
    assert written(make(X), [1, 2]) == b"1 2:1.5\n2 1:2\n"


def test_wide_rows_are_written_a_few_at_a_time(monkeypatch):
    asked = []
    text = _core.svmlight_text

    def watched(rows, labels, base, begin, end, threads):
        asked.append(end - begin)
        return text(rows, labels, base, begin, end, threads)

    monkeypatch.setattr(_core, "svmlight_text", watched)
    X = np.ones((6, 300_000))
    assert nk.read_svmlight(written(X, np.ones(6))).X.nnz == X.size
    assert max(asked) == 3


def broken(**arrays):
    X = sp.csr_array(np.eye(2))
    for name, array in arrays.items():
        setattr(X, name, np.array(array, dtype=getattr(X, name).dtype))
    return X


@pytest.mark.parametrize(
    ("X", "y", "found"),
    [
        ([[1.0], [np.nan]], [1, 2], "NaN"),
        ([[1.0], [np.inf]], [1, 2], "infinity"),
        ([["a"], ["b"]], [1, 2], "could not convert"),
        ([1.0, 2.0], [1, 2], "1D array"),
        ([[1.0], [2.0]], [1], "its shape is (1,)"),
        ([[1.0], [2.0]], [[1], [2]], "its shape is (2, 1)"),
        ([[1.0], [2.0]], [1, [2]], "parts of different lengths"),
        ([[1.0], [2.0]], ["a", "b"], "['a']"),
        ([[1.0], [2.0]], [1, np.nan], "float64: [1.0]"),
        ([[1.0], [2.0]], [1, 2**53 + 1], "int64: [1]"),
        ([[1.0], [2.0]], [-(2**63), 1], "int64: [-9223372036854775808]"),
        ([[1.0], [2.0]], np.array([1, 2**63], dtype=np.uint64), "uint64: [1]"),
        ([[1.0], [2.0]], np.array([1, 2], dtype=np.longdouble), str(np.dtype(np.longdouble))),
        (broken(indices=[0, 7]), [1, 2], "from 0 to 7"),
        (broken(indices=[-1, 1]), [1, 2], "from -1 to 1"),
        (broken(indptr=[0, 900, 2]), [1, 2], "the sparse matrix is not valid"),
        (broken(indptr=[0, 1, 900]), [1, 2], "the sparse matrix is not valid"),
        (broken(indptr=[-1, 1, 2]), [1, 2], "the sparse matrix is not valid"),
    ],
)
def test_what_cannot_be_written_is_refused_and_nothing_written(tmp_path, X, y, found):
    path = tmp_path / "none.svm"
    with pytest.raises(nk.InvalidInputError) as caught:
        nk.write_svmlight(X, y, path)
    assert re.fullmatch(r"write_svmlight: .+\.", str(caught.value))
    assert found in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_matrix_without_rows_is_an_empty_file(tmp_path):
    nk.write_svmlight(np.zeros((0, 3)), [], tmp_path / "empty.svm")
    assert (tmp_path / "empty.svm").read_bytes() == b""


@pytest.mark.parametrize("base", [2, True, "auto", None])
def test_a_bad_index_base_is_refused_by_the_writer(base):
    with pytest.raises(nk.InvalidInputError, match="index_base must be 0 or 1"):
        written([[1.0]], [1], index_base=base)


def test_a_compressed_line_is_limited_and_a_plain_one_is_not(monkeypatch):
    """A small compressed file must not ask for memory without a bound."""
    monkeypatch.setattr(svmlight, "BLOCK_SIZE", 1 << 10)
    monkeypatch.setattr(svmlight, "MAX_LINE_LENGTH", 1 << 12)
    text = b"+1 1:1\n#" + b"x" * (1 << 14) + b"\n-1 2:1\n"
    assert nk.read_svmlight(text)[1].tolist() == [1, -1]
    with pytest.raises(nk.InvalidInputError, match="line 2: the line is longer than 4096 bytes"):
        nk.read_svmlight(gzip.compress(text))


def test_lines_without_rows_are_a_matrix_without_rows():
    for text in (b"", b"\n\n", b"# a comment\n"):
        batch = svmlight.read_lines("test", io.BytesIO(text), None, 1, np.float64)
        assert (batch.X.shape, batch.y.tolist()) == ((0, 0), [])
    assert svmlight.read_lines("test", io.BytesIO(b"1 2:1\n"), None, 0, np.float32).X.toarray().tolist() == [[0, 0, 1]]
    assert svmlight.read_lines("test", b"1 2:1\n", 4, 1, np.float64).X.shape == (1, 4)
    with pytest.raises(NoRowsError, match="no examples"):
        nk.read_svmlight(b"\n")
