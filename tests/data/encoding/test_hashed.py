"""Tables as rows: a row is that of a dict, whatever the batches."""

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.hashing import Hashing
from reference.tables import hashed, keys_of

BITS = 6  # few enough that keys meet


finite = st.floats(-100, 100, width=32)


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5)


CELLS = {
    "double": (finite, pa.float64()),
    "single": (finite, pa.float32()),
    "integer": (st.integers(-(2**40), 2**40), pa.int64()),
    "boolean": (st.booleans(), pa.bool_()),
    "string": (words, pa.string()),
    "category": (words, pa.dictionary(pa.int32(), pa.string())),
}


def whole(batches):
    """All batches as one: X, y and the weights, if any."""
    batches = list(batches)
    stack = sp.vstack if sp.issparse(batches[0].X) else np.vstack
    parts = [np.concatenate([batch[i] for batch in batches]) for i in range(1, len(batches[0]))]
    return stack([batch.X for batch in batches]), *parts


def as_dense(X):
    return X.toarray() if sp.issparse(X) else X


@st.composite
def tables(draw, kinds=tuple(CELLS), missing=True):
    """A table of one to four columns beside its labels, as Arrow and as a list of dicts."""
    rows = draw(st.integers(1, 12))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    columns = {}
    for i, kind in enumerate(chosen):
        cells, type_ = CELLS[kind]
        cells = st.one_of(cells, st.none()) if missing else cells
        columns[f"{kind}{i}"] = pa.array(draw(st.lists(cells, min_size=rows, max_size=rows)), type_)
    records = pa.table(columns).to_pylist()
    y = draw(st.lists(st.integers(-2, 2), min_size=rows, max_size=rows))
    return pa.table({**columns, "y": pa.array(y)}), records, y


@given(tables(), st.sampled_from(["zero", "indicator"]), st.integers(1, 13))
def test_a_table_gives_the_rows_of_its_dicts_in_batches_of_any_size(table, missing, batch_size):
    frame, records, labels = table
    scan = nk.scan(frame, target="y", missing=missing, hashing=Hashing(n_bits=BITS), batch_size=batch_size)
    batches = list(scan)
    X, y = whole(batches)
    dicts = [keys_of(record, missing) for record in records]
    assert all(len(batch.y) == batch_size for batch in batches[:-1])
    assert len(batches[-1].y) <= batch_size
    np.testing.assert_array_equal(y, labels)
    names = batches[0].feature_names
    if names is None:
        assert X.shape[1] == 2**BITS
        np.testing.assert_allclose(X.toarray(), hashed(dicts, BITS), rtol=1e-12)
    else:
        np.testing.assert_array_equal(X, [[d.get(name, 0.0) for name in names] for d in dicts])
        assert all(batch.feature_names == names for batch in batches)


@given(tables(kinds=("string", "category", "double")))
def test_hashed_rows_are_canonical(table):
    (batch, *_) = nk.scan(table[0], target="y", missing="zero", hashing=Hashing(n_bits=BITS))
    X = batch.X
    assume(sp.issparse(X))
    assert X.indices.dtype == X.indptr.dtype == np.int32
    assert X.data.dtype == np.float64
    for row in range(X.shape[0]):
        assert np.all(np.diff(X.indices[X.indptr[row] : X.indptr[row + 1]]) > 0)


def test_learn_one_of_a_dict_stands_in_the_same_columns():
    table = pa.table({"age": [39.0, 17.0], "job": ["clerk", "none"], "new": [True, False], "y": [1, 0]})
    X, y = whole(nk.scan(table, target="y", hashing=Hashing(n_bits=10)))
    one = nk.Perceptron(max_features=2**10)
    one.learn_one({"age": 39.0, "job=clerk": 1.0, "new": 1.0}, 1)
    one.learn_one({"age": 17.0, "job=none": 1.0, "new": 0.0}, 0)
    batch = nk.Perceptron().partial_fit(X, y)
    np.testing.assert_array_equal(one.coef_, batch.coef_)


def test_single_precision_stays_single_where_all_columns_are():
    single = pa.array([1.5, 2.5], pa.float32())
    (batch,) = nk.scan(pa.table({"a": single, "b": single, "y": [0, 1]}), target="y")
    assert batch.X.dtype == np.float32
    (batch,) = nk.scan(pa.table({"a": single, "b": [1, 2], "y": [0, 1]}), target="y")
    assert batch.X.dtype == np.float64


def test_dense_indicators_come_after_all_features_whether_or_not_anything_is_missing():
    table = pa.table({"a": [1.0, None], "b": [2.0, 3.0], "y": [0, 1]})
    (batch,) = nk.scan(table, target="y", missing="indicator", hashing=Hashing())
    assert batch.feature_names == ("a", "b", "a=missing", "b=missing")
    np.testing.assert_array_equal(batch.X, [[1, 2, 0, 0], [0, 3, 1, 0]])
    (batch,) = nk.scan(table.slice(0, 1), target="y", missing="indicator", hashing=Hashing())
    np.testing.assert_array_equal(batch.X, [[1, 2, 0, 0]])


def test_texts_count_their_words_beside_the_other_columns():
    hashing = Hashing(n_bits=12)
    table = pa.table({"age": [3.0, 4.0], "body": ["free money free", None], "title": ["hello", "free"], "y": [1, 0]})
    X, _ = whole(nk.scan(table, target="y", text=["body", "title"], missing="indicator", hashing=hashing))
    expected = hashed(
        [{"age": 3, "free": 2, "money": 1, "hello": 1}, {"age": 4, "free": 1, "body=missing": 1}], hashing.n_bits
    )
    np.testing.assert_array_equal(X.toarray(), expected)
    X, _ = whole(nk.scan(table, target="y", features=["age"], text="title", hashing=hashing))
    np.testing.assert_array_equal(X.toarray(), hashed([{"age": 3, "hello": 1}, {"age": 4, "free": 1}], hashing.n_bits))


def test_the_norm_and_the_dtype_of_the_hashing_are_those_of_whole_rows():
    table = pa.table({"age": [3.0, 0.0], "body": ["free " * 4, ""], "y": [1, 0]})
    hashing = Hashing(n_bits=12, norm="l2", dtype=np.float32)
    X, _ = whole(nk.scan(table, target="y", text="body", hashing=hashing))
    assert X.dtype == np.float32
    np.testing.assert_allclose(X.toarray(), hashed([{"age": 0.6, "free": 0.8}, {}], 12), rtol=1e-6)


def test_bytes_that_are_no_utf8_are_refused_with_their_row():
    binary = pa.array([b"fine", b"caf\xe9"])
    broken = pa.Array.from_buffers(pa.string(), 2, binary.buffers())
    for text in (None, "x"):
        with pytest.raises(
            nk.InvalidInputError, match=r"the Table, row 1: strings in column 'x' must be UTF-8, .* b'caf\\xe9'"
        ):
            list(nk.scan(pa.table({"x": broken, "y": [0, 1]}), target="y", text=text))


def test_rows_are_counted_from_the_beginning_of_the_table():
    table = pa.table({"x": [0.0] * 9 + [np.inf], "y": [0] * 10})
    with pytest.raises(nk.InvalidInputError, match="the Table, row 9"):
        list(nk.scan(table, target="y", batch_size=4))


def test_a_category_is_a_name_also_where_it_is_a_number():
    frame = pa.table({"zip": pa.array([3, 5, 3]).dictionary_encode(), "label": [0, 1, 0]})
    X, _ = whole(nk.scan(frame, target=None, hashing=Hashing(n_bits=BITS)))
    columns = Hashing(n_bits=BITS).columns(["zip=3", "zip=5"])
    np.testing.assert_array_equal(X.toarray()[:, columns], [[1, 0], [0, 1], [1, 0]])
