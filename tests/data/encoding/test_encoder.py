"""The table encoder: as scikit-learn encodes, with named columns, and a policy for what it has not seen."""

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import novikoff as nk
from frames import IMPUTERS, SCALERS, Reference, assert_same_columns, by_name, frame, tables
from novikoff import TableEncoder
from novikoff.data.delimited import blocks as blocks_module
from share import share_of

REASONS = {
    "check_dtype_object": "arrays hold numbers; columns of strings are those of a data frame",
    "check_transformer_data_not_an_array": "a table is an array, a data frame, a path or SQL",
    "check_fit2d_1sample": "all columns of one row are constant, and the message says so",
}


@parametrize_with_checks([TableEncoder()], expected_failed_checks=lambda _: REASONS)
def test_scikit_learn_takes_it_for_a_transformer(estimator, check):
    check(estimator)


def encoded(X, encoder):
    return by_name(X, encoder.get_feature_names_out().tolist())


# ---- as scikit-learn -------------------------------------------------------------------------------------------------


def check_fit(table, scale, missing):
    columns, kinds = table
    encoder = TableEncoder(scale=scale, missing=missing, keep=True)
    X = encoder.fit_transform(frame(columns, kinds))
    assert sp.issparse(X) == ("string" in kinds.values())
    assert_same_columns(encoded(X, encoder), Reference(columns, kinds, scale, missing).rows(columns))
    assert encoder.feature_names_in_.tolist() == list(columns)
    assert encoder.n_features_in_ == len(columns)


@given(tables(), st.sampled_from(sorted(SCALERS)), st.sampled_from(sorted(IMPUTERS)))
def test_rows_are_those_of_scikit_learn(table, scale, missing):
    check_fit(table, scale, missing)


@pytest.mark.slow
@settings(max_examples=share_of(2000))
@given(tables(rows=st.integers(1, 60)), st.sampled_from(sorted(SCALERS)), st.sampled_from(sorted(IMPUTERS)))
def test_rows_of_many_tables_are_those_of_scikit_learn(table, scale, missing):
    check_fit(table, scale, missing)


@st.composite
def two_tables(draw):
    """A table, and another one with some of its columns, in another order, with other values and further columns."""
    columns, kinds = draw(tables())
    other, _ = draw(tables(rows=st.integers(1, 6)))
    count = len(next(iter(other.values())))
    kept = draw(st.lists(st.sampled_from(sorted(columns)), min_size=1, unique=True))
    cells = {"number": 7.25, "boolean": True, "date": datetime.datetime(2020, 2, 29), "string": "unheard of"}
    found = {}
    for name in kept:
        values = st.sampled_from([cells[kinds[name]], None, *columns[name]])
        found[name] = draw(st.lists(values, min_size=count, max_size=count))
    return columns, kinds, found


@pytest.mark.filterwarnings("ignore:TableEncoder")  # other tests are about what is said
@given(two_tables())
def test_other_tables_are_encoded_as_scikit_learn_does(tables):
    columns, kinds, other = tables
    assume(not any(set(values) == {None} for values in columns.values()))  # scikit-learn has no numbers for them
    encoder = TableEncoder(keep=True, missing_columns="impute").fit(frame(columns, kinds))
    X = encoder.transform(frame(other, kinds).with_columns(further=pl.lit("x")))
    assert_same_columns(encoded(X, encoder), Reference(columns, kinds).rows(other))


@given(tables(), st.integers(0, 2**32 - 1))
def test_original_units_give_the_same_scores(table, seed):
    table, rng = frame(*table), np.random.default_rng(seed)
    encoder, plain = (TableEncoder(scale=scale, keep=True).fit(table) for scale in ("standard", "none"))
    weights, intercept = rng.normal(size=len(encoder.encoding_.names)), float(rng.normal())
    changed, moved = encoder.encoding_.original_units(weights, intercept)
    raw = plain.transform(table)
    size = np.abs(raw) @ np.abs(changed) + abs(moved) + 1
    scores = encoder.transform(table) @ weights + intercept
    np.testing.assert_allclose((raw @ changed + moved) / size, scores / size, atol=1e-9)


def test_a_column_transformer_gives_the_same_scores():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(40, 10, 80), "job": rng.choice(["cook", "clerk", "smith"], 80)})
    table["pay"] = rng.lognormal(size=80)
    y = np.where(table["age"] + 10 * (table["job"] == "cook") > 42, "yes", "no")
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    peer = ColumnTransformer([("n", numbers, ["age", "pay"]), ("s", OneHotEncoder(), ["job"])], sparse_threshold=0)
    ours = nk.LinearSVM(tol=1e-8).fit(TableEncoder().fit_transform(table), y)
    theirs = nk.LinearSVM(tol=1e-8).fit(peer.fit_transform(table), y)
    found = ours.decision_function(TableEncoder().fit_transform(table))
    np.testing.assert_allclose(found, theirs.decision_function(peer.transform(table)), atol=1e-3)


# ---- names and order -------------------------------------------------------------------------------------------------


def test_names_are_in_the_order_of_the_table_and_texts_come_last():
    table = pl.DataFrame(
        {"s": ["b", None, "a"], "t": ["the word", "a word", None], "x": [1.0, None, 3.0], "b": [True, False, None]}
    )
    encoder = TableEncoder(text=["t"]).fit(table)
    names = ["s=a", "s=b", "s=missing", "x", "x=missing", "b", "b=missing", "t:the", "t:word"]
    assert encoder.get_feature_names_out().tolist() == names
    X = encoder.transform(table)
    assert X.shape == (3, len(names))
    assert X.has_canonical_format or X.has_sorted_indices


def test_columns_are_found_by_name_in_any_order():
    table = pl.DataFrame({"x": [1.0, 2.0, 4.0], "s": ["a", "b", "a"], "z": [True, False, False]})
    encoder = TableEncoder().fit(table)
    expected = encoder.transform(table).toarray()
    np.testing.assert_array_equal(encoder.transform(table.select("z", "s", "x")).toarray(), expected)
    np.testing.assert_array_equal(encoder.transform(table.to_pandas()).toarray(), expected)
    np.testing.assert_array_equal(encoder.transform(table.to_arrow()).toarray(), expected)


def test_equal_names_of_encoded_columns_are_different_columns():
    table = pl.DataFrame({"x": [1.0, None, 3.0], "x=missing": [5.0, 6.0, 7.0], "s": ["missing", None, "a"]})
    encoder = TableEncoder(scale="none").fit(table)
    assert encoder.get_feature_names_out().tolist() == ["x", "x=missing", "x=missing", "s=a", "s=missing", "s=missing"]
    expected = [[1, 0, 5, 0, 1, 0], [2, 1, 6, 0, 0, 1], [3, 0, 7, 1, 0, 0]]
    np.testing.assert_array_equal(encoder.transform(table).toarray(), expected)
    numbers = table.drop("s")
    np.testing.assert_array_equal(TableEncoder(scale="none").fit_transform(numbers), np.array(expected)[:, :3])


def test_paths_sql_and_bytes_are_tables(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"x;s\n1,5;a\n2,5;b\n4,5;?\n")
    encoder = TableEncoder().fit(path)
    expected = encoder.transform(pl.DataFrame({"x": [1.5, 2.5, 4.5], "s": ["a", "b", None]})).toarray()
    np.testing.assert_array_equal(encoder.transform(str(path)).toarray(), expected)
    np.testing.assert_array_equal(encoder.transform(path.read_bytes()).toarray(), expected)
    np.testing.assert_array_equal(encoder.transform([path]).toarray(), expected)
    (tmp_path / "t.svm").write_bytes(b"1 1:2\n")
    with pytest.raises(nk.InvalidInputError, match="the source must be a table, but it is svmlight"):
        encoder.transform(tmp_path / "t.svm")
    sql = "SELECT * FROM (VALUES (1.5, 'a'), (2.5, 'b'), (4.5, NULL)) AS t(x, s)"
    np.testing.assert_array_equal(encoder.transform(sql).toarray(), expected)


def test_arrays_have_the_names_of_scikit_learn():
    X = np.array([[3.0, 1.0, 5.0], [3.0, 2.0, np.nan], [3.0, 4.0, 7.0]])  # the first column is left out
    encoder = TableEncoder().fit(X)
    assert encoder.get_feature_names_out().tolist() == ["x1", "x2", "x2=missing"]
    np.testing.assert_allclose(encoder.transform(X)[:, :1], StandardScaler().fit_transform(X[:, 1:2]))
    whole = [[0, 1, 2], [0, 2, 5]]
    for numbers in (whole, np.array(whole, dtype=np.int8)):
        np.testing.assert_array_equal(encoder.transform(numbers), encoder.transform(np.array(whole, dtype=float)))
    with pytest.raises(nk.InvalidInputError, match="X has 2 features, but TableEncoder is expecting 3 features"):
        encoder.transform(np.ones((2, 2)))


def test_float32_stays_float32_unless_it_is_scaled():
    """Scaled numbers would be rounded, and not in the same way if a later table has fewer columns."""
    table = pl.DataFrame({"x": [1.0, 2.0, 4.0], "z": [0.1, None, 0.3]}, schema={"x": pl.Float32, "z": pl.Float32})
    assert TableEncoder(scale="none").fit_transform(table).dtype == np.float32
    assert TableEncoder(scale="none").fit_transform(table.to_numpy()).dtype == np.float32
    np.testing.assert_array_equal(
        TableEncoder().fit_transform(table), TableEncoder().fit_transform(table.cast(pl.Float64))
    )
    rows = pl.DataFrame({"x": np.float32([0.1, 0.7, 0.3] * 8), "row": range(24)})
    encoder = TableEncoder().fit(rows)
    assert encoder.encoding_.columns == ("x", "row")
    np.testing.assert_array_equal(encoder.transform(rows), TableEncoder().fit_transform(rows))


# ---- what was not seen in fit ----------------------------------------------------------------------------------------


TABLE = pl.DataFrame({"x": [1.0, 2.0, 6.0], "z": [1.0, None, 2.0], "s": ["a", "b", "a"], "t": ["a", None, "b"]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"s": ["c", "a", "d"]}, r"did not occur when the model was fitted, and have no weight: s \(2\)$"),
        ({"x": [None, 1.0, None]}, r"missing values in columns that had none when the model was fitted: x \(2\)$"),
        ({"s": ["a", None, "b"]}, r"missing values in columns that had none when the model was fitted: s \(1\)$"),
    ],
)
def test_what_is_new_is_counted_and_said(change, message):
    encoder = TableEncoder().fit(TABLE)
    changed = TABLE.with_columns(**{name: pl.Series(values) for name, values in change.items()})
    with pytest.warns(UserWarning, match=message):
        X = encoded(encoder.transform(changed), encoder)
    for name, values in change.items():
        if name == "x":
            assert X["x"].tolist() == [0.0, pytest.approx(-2 / np.std([1, 2, 6])), 0.0]
        else:
            assert X["s=a"].tolist() == [float(value == "a") for value in values]
            assert X["s=b"].tolist() == [float(value == "b") for value in values]


def test_a_column_that_is_missing_altogether_is_refused_or_has_missing_values():
    encoder = TableEncoder().fit(TABLE)
    lacking = r"the table lacks columns that the model uses: x, s, t\. Use missing_columns=\"impute\" to count"
    with pytest.raises(nk.InvalidInputError, match=lacking):
        encoder.transform(TABLE.select("z"))
    encoder.set_params(missing_columns="impute")
    lacking = r"columns of the model that the table lacks \(3\) count as missing values: x, s, t$"
    with pytest.warns(UserWarning, match=lacking):
        X = encoded(encoder.transform(TABLE.select("z")), encoder)
    assert X["x"].tolist() == X["s=a"].tolist() == X["s=b"].tolist() == [0.0] * 3
    assert X["t=missing"].tolist() == [1.0] * 3
    with pytest.raises(nk.InvalidInputError, match=r"none of the columns of the model is in the table"):
        encoder.transform(pl.DataFrame({"q": [1.0]}))


@pytest.mark.filterwarnings("ignore:TableEncoder. missing values in columns that had none")
def test_a_column_of_numbers_with_other_values_is_refused_or_has_missing_values():
    encoder = TableEncoder().fit(pl.DataFrame({"x": [float(i % 7) for i in range(200)]}))
    values = [str(i % 7) for i in range(200)]
    for wrong in (["abc"] * 3, ["abc", "def", "g"], ["abc"] * 200):
        changed = pl.DataFrame({"x": wrong + values[len(wrong) :]})
        refusal = rf"not of the kind the model was fitted to: x \({len(wrong)} of 200, such as 'abc' in .*row 0\)\. Use"
        with pytest.raises(nk.InvalidInputError, match=refusal):
            encoder.set_params(missing_columns="error").transform(changed)
        with pytest.warns(UserWarning, match=rf"count as missing: x \({len(wrong)}, such as 'abc'"):
            encoder.set_params(missing_columns="impute").transform(changed)
    with pytest.warns(UserWarning, match=r"count as missing: x \(2,"):
        encoder.set_params(missing_columns="error").transform(pl.DataFrame({"x": ["abc", "def", *values[2:]]}))
    with pytest.raises(nk.InvalidInputError, match='missing_columns must be "error" or "impute"'):
        encoder.set_params(missing_columns="no").transform(pl.DataFrame({"x": [1.0]}))


def test_missing_values_where_fit_had_some_are_not_worth_a_warning():
    encoder = TableEncoder().fit(TABLE)
    X = encoded(encoder.transform(TABLE.with_columns(z=pl.lit(None, pl.Float64), t=pl.lit(None, pl.String))), encoder)
    assert X["z=missing"].tolist() == X["t=missing"].tolist() == [1.0] * 3
    assert X["z"].tolist() == [0.0] * 3


def test_texts_without_a_known_word_are_counted():
    encoder = TableEncoder(text=["t"]).fit(pl.DataFrame({"t": ["one two", "two three"]}))
    with pytest.warns(UserWarning, match=r"have no weight: t \(1\)"):
        X = encoder.transform(pl.DataFrame({"t": ["four five", "two four", "a", None]}))
    assert X.toarray().tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_missing_error_refuses_the_first_missing_value():
    for name in ("z", "t"):
        with pytest.raises(nk.InvalidInputError, match=rf"row 1: column '{name}' has no value\. Use missing="):
            TableEncoder(missing="error").fit(TABLE.select("x", "s", name))
    TableEncoder(missing="error").fit(TABLE.select("x", "s"))


def test_a_number_may_stand_for_missing_numbers():
    encoder = TableEncoder(missing=-1.0, scale="none", indicator=False)
    X = encoder.fit_transform(TABLE.select("x", "z"))
    assert X.tolist() == [[1, 1], [2, -1], [6, 2]]
    assert encoder.get_feature_names_out().tolist() == ["x", "z"]


# ---- columns that are left out ---------------------------------------------------------------------------------------


def many(rows=40):
    return pl.DataFrame(
        {
            "x": np.arange(rows) % 7 * 1.5,
            "row": np.arange(rows) + 17,
            "id": [f"customer-{i:05}" for i in range(rows)],
            "one": [3.0] * rows,
            "word": ["same"] * rows,
            "none": pl.Series([None] * rows, dtype=pl.Float64),
            "nothing": pl.Series([None] * rows, dtype=pl.String),
            "job": ["cook", "clerk"] * (rows // 2),
        }
    )


def test_constants_identifiers_and_empty_columns_are_left_out_and_said():
    encoder = TableEncoder().fit(many())
    assert encoder.get_feature_names_out().tolist() == ["x", "job=clerk", "job=cook"]
    assert {column.name: column.reason for column in encoder.encoding_.left_out} == {
        "row": "identifier",
        "id": "identifier",
        "one": "constant",
        "word": "constant",
        "none": "empty",
        "nothing": "empty",
    }
    changed = many().with_columns(id=pl.lit("new"), one=pl.lit(4.0))
    np.testing.assert_array_equal(encoder.transform(changed).toarray(), encoder.transform(many()).toarray())


PEOPLE = pd.DataFrame(
    {
        "age": [20.0, None, 41.0, 33.0] * 6,
        "job": ["clerk", "smith", None, "cook"] * 6,
        "row": range(24),
        "same": [1] * 24,
        "void": [None] * 24,
        "mail": [f"this is the text of row {i}" for i in range(24)],
        "price": [*(f"{i}.5" for i in range(20)), "bad1", "bad2", "1.5", "2.5"],
    }
)


def test_what_was_noticed_is_one_line_for_each_kind():
    assert TableEncoder(max_categories=2).fit(PEOPLE).notes_ == [
        "missing numbers count as the mean, with an indicator column: age (6)",
        "missing strings are a category of their own: job (6)",
        "left out because they are constant: same",
        "left out because they are identifiers of rows: row",
        "left out because they are empty: void",
        "read as strings because some values are not numbers, although most are: price ('bad1')",
        "read as text: mail (20 words)",
        "more than 2 categories, so that rare ones share columns: job, price",
    ]
    assert TableEncoder(missing=5).fit(PEOPLE[["age", "job"]]).notes_[0].startswith("missing numbers count as 5,")
    assert TableEncoder().fit(PEOPLE[["age"]].dropna()).notes_ == []


@pytest.mark.parametrize("missing", ["mean", "median", "zero"])
@pytest.mark.parametrize("scale", ["standard", "none"])
def test_rows_have_at_most_as_many_entries_as_was_said(scale, missing):
    encoder = TableEncoder(scale=scale, missing=missing)
    table = PEOPLE[["age", "job"]]
    assert encoder.fit_transform(table).nnz <= encoder.entries_ <= 3 * len(table)


def test_keep_keeps_every_column():
    encoder = TableEncoder(keep=True).fit(many())
    assert encoder.encoding_.left_out == ()
    names = encoder.get_feature_names_out().tolist()
    assert {"row", "one", "none", "none=missing", "word=same", "nothing=missing", "id=customer-00007"} <= set(names)
    X = encoded(encoder.transform(many()), encoder)
    assert not X["one"].any()
    assert not X["none"].any()
    assert X["word=same"].all()


def test_few_rows_and_numbers_that_do_not_grow_by_one_make_no_identifier():
    encoder = TableEncoder().fit(many(18).select("row", "id"))
    assert "row" in encoder.get_feature_names_out()
    assert "id=customer-00003" in encoder.get_feature_names_out()
    table = pl.DataFrame({"down": np.arange(40.0)[::-1], "0 twice": [0.0, 0.0, *range(2, 40)]})
    assert TableEncoder().fit(table).get_feature_names_out().tolist() == ["down", "0 twice"]


def test_a_constant_with_missing_values_tells_which_are_missing():
    encoder = TableEncoder()
    X = encoder.fit_transform(pl.DataFrame({"x": [0.1, None, 0.1, 0.1], "y": [1.0, 2.0, 3.0, 4.5]}))
    found = encoded(X, encoder)
    assert found["x"].tolist() == [0.0] * 4
    assert found["x=missing"].tolist() == [0, 1, 0, 0]


def test_a_table_without_a_useful_column_is_refused():
    with pytest.raises(
        nk.InvalidInputError, match=r"no column can be used as a feature: 'a' \(constant\), 'b' \(empty\)"
    ):
        TableEncoder().fit(pl.DataFrame({"a": [1.0, 1.0], "b": pl.Series([None, None], dtype=pl.Float64)}))
    with pytest.raises(nk.InvalidInputError, match="the table has no rows"):
        TableEncoder().fit(pl.DataFrame({"a": pl.Series([], dtype=pl.Float64)}))


# ---- many categories -------------------------------------------------------------------------------------------------


def test_rare_categories_share_columns_beyond_the_bound():
    cities = ["Rome"] * 5 + ["Oslo"] * 4 + ["Bonn"] * 3 + ["Linz", "Metz", "Lund", None]
    table = pl.DataFrame({"city": cities})
    encoder = TableEncoder(max_categories=2).fit(table)
    names = encoder.get_feature_names_out().tolist()
    assert names[:3] == ["city=Oslo", "city=Rome", "city=missing"]
    assert names[3:] == [f"city#{j}" for j in range(1024)]
    assert encoder.notes_[-1] == "more than 2 categories, so that rare ones share columns: city"
    X = encoder.transform(table)
    assert X.sum(axis=1).tolist() == [1.0] * len(cities)
    assert X.indices[:9].tolist() == [1] * 5 + [0] * 4
    assert X.indices[-1] == 2
    assert len(set(X.indices[9:12].tolist())) == 1
    again = encoder.transform(pl.DataFrame({"city": ["Metz", "Bonn", "never seen"]}))
    np.testing.assert_array_equal(again.indices, 3 + nk.Hashing(n_bits=10).columns(["Metz", "Bonn", "never seen"]))


def test_categories_as_many_as_the_bound_have_no_buckets():
    encoder = TableEncoder(max_categories=3).fit(pl.DataFrame({"s": ["a", "b", "c", "a"]}))
    assert encoder.get_feature_names_out().tolist() == ["s=a", "s=b", "s=c"]


# ---- texts -----------------------------------------------------------------------------------------------------------

TEXTS = st.text("aAbBéÉ1_ -'.\n", max_size=20)


@given(
    st.lists(TEXTS | st.none(), min_size=1, max_size=8),
    st.fixed_dictionaries(
        {"binary": st.booleans(), "lowercase": st.booleans(), "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 2)])}
    ),
)
def test_words_are_counted_as_scikit_learn_does(texts, options):
    filled = ["" if text is None else text for text in texts]
    peer = CountVectorizer(token_pattern=r"(?u)\b\w\w+\b", **options)
    table = pl.DataFrame({"x": np.arange(len(texts)) * 1.5, "t": texts}, schema={"x": pl.Float64, "t": pl.String})
    encoder = TableEncoder(text=["t"], keep=True, **options)
    X = encoded(encoder.fit_transform(table), encoder)
    try:
        counts = peer.fit_transform(filled)
    except ValueError:  # no words
        assert list(X) == ["x"]
        return
    words = [f"t:{word}" for word in peer.get_feature_names_out()]
    assert_same_columns(X, {"x": X["x"], **by_name(counts, words)})


@given(st.lists(TEXTS.map(lambda text: text + " aa"), min_size=1, max_size=8))
def test_idf_and_norm_are_those_of_scikit_learn(texts):
    counts = CountVectorizer(token_pattern=r"(?u)\b\w\w+\b").fit(texts)
    words = [f"t:{word}" for word in counts.get_feature_names_out()]
    table = pl.DataFrame({"t": texts})
    for norm in (None, "l2"):
        for sublinear in (False, True):
            peer = TfidfTransformer(norm=norm, sublinear_tf=sublinear)
            expected = peer.fit_transform(counts.transform(texts))
            encoder = TableEncoder(text=["t"], idf=True, norm=norm, sublinear_tf=sublinear)
            assert_same_columns(encoded(encoder.fit_transform(table), encoder), by_name(expected, words))


def test_columns_that_look_like_text_are_counted_by_words_unless_others_are_named():
    rows = 30
    table = pl.DataFrame({"t": [f"the text of row number {i}" for i in range(rows)], "s": ["a", "b"] * (rows // 2)})
    encoder = TableEncoder().fit(table)
    assert "t:number" in encoder.get_feature_names_out()
    assert encoder.notes_ == ["read as text: t (25 words)"]
    assert "t:number" not in TableEncoder(text=[], keep=True).fit(table).get_feature_names_out()
    assert "s:a" not in TableEncoder(text=["s"], keep=True).fit(table).get_feature_names_out(), "a letter is not a word"


@pytest.mark.parametrize(
    ("form", "texts", "rows", "expected"),
    [
        ("the text of row {}", 20, 20, True),
        ("the text of row {}", 19, 19, False),
        ("the text of row {}", 20, 41, False),
        ("id {}", 20, 20, False),
    ],
)
def test_texts_are_many_different_values_of_several_words(form, texts, rows, expected):
    table = pl.DataFrame({"t": [form.format(i % texts) for i in range(rows)]})
    assert TableEncoder(keep=True).fit(table).get_feature_names_out()[0].startswith("t:") is expected


# ---- extreme numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", ["standard", "maxabs", "minmax", "robust"])
@pytest.mark.parametrize("unit", [1e300, 1e-300, 1e-160, 1e200, 1.0])
def test_units_do_not_matter(scale, unit):
    values = np.array([1.0, 2.5, -3.0, 0.5, 7.0])
    expected = TableEncoder(scale=scale).fit_transform(values[:, None])
    found = TableEncoder(scale=scale).fit_transform(values[:, None] * unit)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_small_deviation_around_a_large_mean_is_not_lost():
    values = 1.7e9 + 1e-3 * np.array([1.0, -1.0, 0.5, 0.25, -0.75] * 1000)
    encoder = TableEncoder()
    X = encoder.fit_transform(values[:, None])
    exact = np.std(values - 1.7e9)  # the difference is exact
    assert encoder.encoding_.numbers[0].scale == pytest.approx(exact, rel=1e-6)
    assert np.std(X) == pytest.approx(1.0, rel=1e-4)


def test_blocks_do_not_change_what_is_learned(tmp_path, monkeypatch):

    rng = np.random.default_rng(1)
    table = pd.DataFrame({"x": rng.normal(1e6, 1, 500), "s": rng.choice(["a", "b", "c"], 500)})
    table.loc[::7, ["x", "s"]] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    whole = TableEncoder().fit(tmp_path / "t.csv")
    monkeypatch.setattr(blocks_module, "BLOCK_SIZE", 256)
    parts = TableEncoder().fit(tmp_path / "t.csv")
    assert parts.encoding_.categories == whole.encoding_.categories
    assert parts.notes_ == whole.notes_
    (one,), (other,) = whole.encoding_.numbers, parts.encoding_.numbers
    assert other.scale == pytest.approx(one.scale, rel=1e-9)
    assert other.shift == pytest.approx(one.shift, rel=1e-12)


# ---- as a transformer ------------------------------------------------------------------------------------------------


def test_output_may_be_a_frame():
    table = TABLE.select("x", "z")
    encoder = TableEncoder().set_output(transform="pandas").fit(table)
    found = encoder.transform(table)
    assert list(found.columns) == ["x", "z", "z=missing"]
    assert encoder.set_output(transform="polars").transform(table).columns == ["x", "z", "z=missing"]


def test_clones_and_pickles_are_equal():
    encoder = TableEncoder(scale="minmax", text=["t"], ngram_range=(1, 2)).fit(TABLE)
    again = pickle.loads(pickle.dumps(encoder))
    assert again.encoding_ == encoder.encoding_
    expected = encoder.fit_transform(TABLE).toarray()
    np.testing.assert_array_equal(again.transform(TABLE).toarray(), expected)
    copy = clone(encoder)
    assert copy.get_params() == encoder.get_params()
    assert not hasattr(copy, "encoding_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"scale": "log"}, "scale must be"),
        ({"missing": "indicator"}, "missing must be"),
        ({"missing": np.inf}, "missing must be a finite number"),
        ({"missing": True}, "missing must be"),
        ({"indicator": 1}, "indicator must be"),
        ({"keep": "yes"}, "keep must be"),
        ({"idf": None}, "idf must be"),
        ({"max_categories": 0}, "max_categories must be"),
        *(({"ngram_range": wrong}, "ngram_range") for wrong in ((2, 1), (1,), (0, 1))),
        ({"norm": "l1"}, "norm"),
        ({"lowercase": "no"}, "lowercase"),
    ],
)
def test_parameters_that_cannot_be_used_are_refused(parameters, message):
    with pytest.raises(nk.InvalidInputError, match=message):
        TableEncoder(**parameters).fit(TABLE)


NOT_NUMBERS = "an array must hold numbers. Use a data frame"
NOT_A_TABLE = "the table must be an array, a data frame, a path or SQL, but it is "


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (sp.csr_array(np.eye(2)), "the table must be dense, but it is a sparse matrix"),
        (np.array([["a", "b"]]), NOT_NUMBERS),
        (np.array([[None]], dtype=object), NOT_NUMBERS),
        (np.array([(1, 2.5)], dtype=[("a", int), ("b", float)]), NOT_NUMBERS),
        (np.array([[1j]]), "Complex data not supported"),
        (None, f"{NOT_A_TABLE}None"),
        ({"a": [1.0]}, NOT_A_TABLE + "{"),
        (np.ones(3), "Expected 2D array"),
        (np.array([[np.inf]]), "infinity"),
        (b"1 1:2\n", "no column can be used as a feature"),
    ],
)
def test_what_is_not_a_table_is_refused(source, message):
    with pytest.raises(ValueError, match=message):
        TableEncoder().fit(source)


def test_a_data_frame_of_categories_is_dense():
    table = pd.DataFrame({"job": ["clerk", "smith", "clerk"]})
    frame = TableEncoder().set_output(transform="pandas").fit_transform(table)
    assert frame.to_dict("list") == {"job=clerk": [1.0, 0.0, 1.0], "job=smith": [0.0, 1.0, 0.0]}
    with config_context(transform_output="polars"):
        assert TableEncoder().fit(table).transform(table).columns == ["job=clerk", "job=smith"]
