"""Which columns become what: a table's rows are those of a dict for each, whatever the batches."""

import datetime
import decimal

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


def test_numbers_alone_are_a_dense_array_in_the_order_asked_for():
    table = pa.table(
        {
            "a": pa.array([1, 2], pa.int8()),
            "b": [True, False],
            "y": ["u", "v"],
            "c": pa.array([decimal.Decimal("1.5"), decimal.Decimal("-2")]),
        }
    )
    scan = nk.scan(table, target="y")
    (batch,) = scan
    assert batch.feature_names == ("a", "b", "c")
    np.testing.assert_array_equal(batch.X, [[1, 1, 1.5], [2, 0, -2]])
    assert batch.X.flags.c_contiguous
    assert batch.X.dtype == np.float64
    assert batch.y.tolist() == ["u", "v"]
    (batch,) = nk.scan(table, target="y", features=["c", "a"])
    np.testing.assert_array_equal(batch.X, [[1.5, 1], [-2, 2]])


def test_single_precision_stays_single_where_all_columns_are():
    single = pa.array([1.5, 2.5], pa.float32())
    (batch,) = nk.scan(pa.table({"a": single, "b": single, "y": [0, 1]}), target="y")
    assert batch.X.dtype == np.float32
    (batch,) = nk.scan(pa.table({"a": single, "b": [1, 2], "y": [0, 1]}), target="y")
    assert batch.X.dtype == np.float64


def test_dense_indicators_come_after_all_features_whether_or_not_anything_is_missing():
    table = pa.table({"a": [1.0, None], "b": [2.0, 3.0], "y": [0, 1]})
    (batch,) = nk.scan(table, target="y", missing="indicator")
    assert batch.feature_names == ("a", "b", "a=missing", "b=missing")
    np.testing.assert_array_equal(batch.X, [[1, 2, 0, 0], [0, 3, 1, 0]])
    (batch,) = nk.scan(table.slice(0, 1), target="y", missing="indicator")
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


@pytest.mark.parametrize(
    ("given_labels", "expected"),
    [
        (pa.array([1, 2], pa.uint8()), np.array([1, 2])),
        (pa.array([1.0, -2.0]), np.array([1, -2])),
        (pa.array([True, False]), np.array([True, False])),
        (pa.array(["a", ""]), np.array(["a", ""])),
        (pa.array(["a", "b"]).dictionary_encode(), np.array(["a", "b"])),
        (pa.array([5, 7]).dictionary_encode(), np.array([5, 7])),
        (pa.array([decimal.Decimal("3"), decimal.Decimal("4")]), np.array([3, 4])),
    ],
)
def test_labels_are_whole_numbers_booleans_or_strings(given_labels, expected):
    (batch,) = nk.scan(pa.table({"x": [1.0, 2.0], "y": given_labels}), target="y")
    assert batch.y.dtype == expected.dtype
    np.testing.assert_array_equal(batch.y, expected)


def test_weights_are_a_column_and_no_feature():
    table = pa.table({"w": [2, 0], "x": [1.0, 2.0], "y": [0, 1]})
    (batch,) = nk.scan(table, target="y", weight="w")
    *_, weights = batch
    assert batch.feature_names == ("x",)
    np.testing.assert_array_equal(weights, [2.0, 0.0])
    assert weights.dtype == np.float64


@pytest.mark.parametrize("name", ["y", "label", "target"])
def test_the_target_is_found_by_its_usual_names(name):
    (batch,) = nk.scan(pa.table({"x": [1.0], name: [7]}), target=None)
    assert batch.y.tolist() == [7]


X2 = [1.0, 2.0]
REFUSED = {
    "no target": (
        {"x": X2, "z": [0, 1]},
        {"target": None},
        r"no column is called y, label or target\. .* The columns are 'x', 'z'\.",
    ),
    "two targets": ({"x": X2, "y": [0, 1], "label": [0, 1]}, {"target": None}, "more than one column is called y"),
    "unknown target": (
        {"x": X2},
        {"target": "y"},
        r"there is no column 'y', which target= names\. The columns are 'x'\.",
    ),
    "unknown feature": (
        {"x": X2, "y": [0, 1]},
        {"features": ["q"]},
        r"there is no column 'q', which features= names\. The columns are 'x', 'y'\.",
    ),
    "unknown weight": ({"x": X2, "y": [0, 1]}, {"weight": "q"}, r"there is no column 'q', which weight= names"),
    "unknown text": ({"x": X2, "y": [0, 1]}, {"text": "q"}, r"there is no column 'q', which text= names"),
    "no feature": ({"y": [0, 1]}, {}, r"no column left for the features\. The columns are 'y'\."),
    "target as feature": (
        {"x": X2, "y": [0, 1]},
        {"features": ["y"]},
        "column 'y' cannot be both a feature and the target",
    ),
    "weight as feature": (
        {"x": X2, "y": [0, 1]},
        {"features": ["x"], "weight": "x"},
        "column 'x' cannot be both a feature and the weight",
    ),
    "feature twice": ({"x": X2, "y": [0, 1]}, {"features": ["x", "x"]}, "features lists column 'x' twice"),
    "one column for two": ({"x": X2, "y": [0, 1]}, {"weight": "y"}, "column 'y' cannot be both target and weight"),
    "features no list": (
        {"x": X2, "y": [0, 1]},
        {"features": 3},
        "features must be a list of column names, but it is 3",
    ),
    "missing unknown": ({"x": X2, "y": [0, 1]}, {"missing": "mean"}, "missing"),
    "null": (
        {"x": [1.0, None], "y": [0, 1]},
        {},
        r"^the Table, row 1: column 'x' has no value\. Use missing=\"zero\" or missing=\"indicator\"\.$",
    ),
    "NaN": ({"x": [1.0, np.nan], "y": [0, 1]}, {}, r"row 1: column 'x' has NaN"),
    "infinity": (
        {"x": [1.0, -np.inf], "y": [0, 1]},
        {"missing": "zero"},
        r"row 1: numbers in column 'x' must be finite, but there is -inf",
    ),
    "no string": ({"x": ["a", None], "y": [0, 1]}, {}, r"row 1: column 'x' has no value"),
    "no text": ({"x": ["a", None], "y": [0, 1]}, {"text": "x"}, r"row 1: column 'x' has no value"),
    "no label": (
        {"x": X2, "y": ["a", None]},
        {},
        r"row 1: every row of column 'y' must have a label, but there is no value",
    ),
    "no number as label": (
        {"x": X2, "y": [1, None]},
        {},
        r"row 1: every row of column 'y' must have a label, but there is no value",
    ),
    "NaN as label": (
        {"x": X2, "y": [1.0, np.nan]},
        {},
        r"row 1: every row of column 'y' must have a label, but there is NaN",
    ),
    "fraction as label": (
        {"x": X2, "y": [1.0, 0.5]},
        {},
        r"row 1: labels in column 'y' must be whole numbers.*but there is 0\.5",
    ),
    "infinity as label": (
        {"x": X2, "y": [1.0, np.inf]},
        {},
        r"row 1: labels in column 'y' must be whole numbers.*but there is inf",
    ),
    "large label": (
        {"x": X2, "y": pa.array([1, 2**63], pa.uint64())},
        {},
        r"below 2\*\*63, but there is 9223372036854775808",
    ),
    "date as label": (
        {"x": X2, "y": [datetime.date(2020, 1, 1)] * 2},
        {},
        r"column 'y' of labels must hold numbers, strings or booleans, but it holds date32",
    ),
    "negative weight": (
        {"x": X2, "y": [0, 1], "w": [1, -1]},
        {"weight": "w"},
        r"row 1: weights in column 'w' must be finite .* but there is -1",
    ),
    "NaN as weight": (
        {"x": X2, "y": [0, 1], "w": [1, np.nan]},
        {"weight": "w"},
        r"row 1: weights in column 'w'.* but there is NaN",
    ),
    "no weight": (
        {"x": X2, "y": [0, 1], "w": [1, None]},
        {"weight": "w"},
        r"row 1: weights in column 'w'.* but there is no value",
    ),
    "string as weight": (
        {"x": X2, "y": [0, 1], "w": ["a", "b"]},
        {"weight": "w"},
        "column 'w' of weights must hold numbers, but it holds string",
    ),
    "number as text": (
        {"x": X2, "y": [0, 1]},
        {"text": "x"},
        "column 'x' of text must hold strings, but it holds double",
    ),
    "date": (
        {"x": [datetime.date(2020, 1, 1)] * 2, "y": [0, 1]},
        {},
        r"column 'x' of features must hold .*date32.* Cast it in SQL, or leave it out with features=",
    ),
    "list": ({"x": [[1], [2]], "y": [0, 1]}, {}, r"'x' of features .*it holds list<"),
    "struct": ({"x": [{"a": 1}] * 2, "y": [0, 1]}, {}, r"'x' of features .*it holds struct<a"),
    "blob": ({"x": [b"a", b"b"], "y": [0, 1]}, {}, r"'x' of features .*it holds binary"),
    "no hashing": ({"x": X2, "y": [0, 1]}, {"hashing": 18}, "hashing must be a Hashing, but it is 18"),
    "batch size": ({"x": X2, "y": [0, 1]}, {"batch_size": 0}, "batch_size"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused_in_one_sentence(case):
    columns, options, message = REFUSED[case]
    with pytest.raises(nk.InvalidInputError, match=message) as refusal:
        list(nk.scan(pa.table(columns), **{"target": "y"} | options))
    assert "\n" not in str(refusal.value)


def test_one_column_name_for_two_columns_is_refused():
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([0])], ["a", "a", "y"])
    with pytest.raises(nk.InvalidInputError, match=r"two columns are called 'a'"):
        nk.scan(table, target="y")


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


@pytest.mark.parametrize("word", ["", "NA", "None", "n/a", "#N/A", "<NA>", "null"])
def test_what_pandas_takes_for_missing_in_a_column_of_numbers_is_missing(word):
    X, _ = nk.read(f"age,label\n31,0\n{word},1\n45,0\n".encode(), format="csv", missing="zero")
    assert X.tolist() == [[31.0], [0.0], [45.0]]


@pytest.mark.parametrize("rest", ["", ",s"])
def test_a_table_without_labels_is_read_if_that_is_said(rest):
    table = f"a,label{rest}\n1,5{rest}\n2,6{rest}\n".encode()
    labelled, bare = nk.read(table, format="csv"), nk.read(table, format="csv", features=["a"], target=False)
    assert bare.y is None
    assert bare.X.tolist() == [[1.0], [2.0]]
    assert labelled.y.tolist() == [5, 6]
    assert nk.read(table, format="csv", target=False).X.shape[1] == labelled.X.shape[1] + (rest == "")
    with pytest.raises(nk.InvalidInputError, match="a cache needs rows with labels"):
        nk.cache(table, "never-written.nvk", format="csv", target=False)
