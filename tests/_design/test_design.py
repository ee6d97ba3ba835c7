"""Rows, signs and names from what a user has."""

import formulaic
import numpy as np
import pandas as pd
import patsy
import polars as pl
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff._design import design_of

TABLE = pd.DataFrame({"x": [1.0, 2.0, 4.0, 5.0], "c": ["a", "b", "a", "c"]})
Y = ["no", "yes", "no", "yes"]


def dense(design):
    return design.X.toarray() if sp.issparse(design.X) else np.asarray(design.X)


def test_an_array_is_not_copied():
    X = np.arange(8.0).reshape(4, 2)
    design = design_of("f", X, Y)
    assert design.X is X
    assert design.signs.tolist() == [-1, 1, -1, 1]
    assert (design.positive, design.names, design.numbers, design.given) == (
        "yes",
        None,
        None,
        4,
    )
    assert design_of("f", X, Y, sample_weight=[1, 2, 3, 4]).X is X


@pytest.mark.parametrize(
    "frame", [TABLE, pl.DataFrame(TABLE), pl.DataFrame(TABLE).lazy(), pl.DataFrame(TABLE).to_arrow()]
)
def test_frames_of_all_packages_give_the_same_design(frame):
    design = design_of("f", frame, Y)
    assert design.names == ("x", "cb", "cc")
    assert dense(design).tolist() == [[1, 0, 0], [2, 1, 0], [4, 0, 0], [5, 0, 1]]


@pytest.mark.parametrize(
    "matrix",
    [
        formulaic.model_matrix("x + c", TABLE),
        formulaic.model_matrix("x + c", TABLE, output="numpy"),
        formulaic.model_matrix("x + c", TABLE, output="sparse"),
        patsy.dmatrix("x + c", TABLE),
        patsy.dmatrix("x + c", TABLE, return_type="dataframe"),
    ],
)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_intercept_of_a_formula_is_the_intercept(matrix, fit_intercept):
    design = design_of("f", matrix, Y, fit_intercept=fit_intercept)
    assert design.fit_intercept
    assert set(design.names) == {"x", "c[T.b]", "c[T.c]"}
    columns = dict(zip(design.names, dense(design).T.tolist(), strict=True))
    assert columns == {"x": [1, 2, 4, 5], "c[T.b]": [0, 1, 0, 0], "c[T.c]": [0, 0, 0, 1]}


@pytest.mark.parametrize("series", [TABLE["c"], pl.Series("c", TABLE["c"].tolist())])
def test_a_series_is_a_single_column(series):
    assert design_of("f", series, Y).names == ("cb", "cc")


def test_a_formula_without_an_intercept_has_none():
    design = design_of("f", formulaic.model_matrix("x + c - 1", TABLE), Y)
    assert not design.fit_intercept
    assert design.names == ("x", "c[a]", "c[b]", "c[c]")
    only = design_of("f", formulaic.model_matrix("1", TABLE), Y)
    assert (only.names, only.fit_intercept) == (("Intercept",), False)


def test_a_column_const_of_ones_is_the_intercept_as_in_statsmodels():
    table = TABLE.assign(const=1.0)
    design = design_of("f", table, Y)
    assert (design.names, design.fit_intercept) == (("x", "cb", "cc"), True)
    design = design_of("f", table, Y, fit_intercept=False)
    assert (design.names, design.fit_intercept) == (("x", "cb", "cc", "const"), False)
    assert design_of("f", TABLE.assign(const=[1, 1, 1, 2]), Y).names == ("x", "cb", "cc", "const")


@pytest.mark.parametrize("X", [TABLE, TABLE[["x"]].to_numpy(), sp.csc_array(TABLE[["x"]].to_numpy())])
def test_rows_of_weight_zero_are_absent(X):
    design = design_of("f", X, ["no", "yes", "maybe", "yes"], sample_weight=[1, 1, 0, 2])
    assert design.numbers.tolist() == [0, 1, 3]
    assert design.signs.tolist() == [-1, 1, 1]
    assert dense(design)[:, 0].tolist() == [1, 2, 5]
    assert design.given == 4


def test_levels_and_missing_values_of_absent_rows_do_not_matter():
    table = pd.DataFrame({"x": [np.nan, 1.0, 2.0], "c": ["z", "a", "b"]})
    design = design_of("f", table, [0, 0, 1], sample_weight=[0, 1, 1])
    assert design.names == ("x", "cb")


def test_labels_and_offsets_of_absent_rows_do_not_matter():
    more = {"sample_weight": [1, 1, 0, 2], "offset": [1, 2, np.nan, 3]}
    design = design_of("f", TABLE, ["no", "yes", None, "yes"], **more)
    assert (design.numbers.tolist(), design.signs.tolist()) == ([0, 1, 3], [-1, 1, 1])
    counts = design_of("f", TABLE, [0.5, 1.0, np.nan, 0.0], **more)
    assert counts.numbers.tolist() == [0, 1, 4, 7]


def test_without_an_intercept_the_first_factor_has_all_its_levels_as_in_r():
    table = TABLE.assign(d=["u", "v", "v", "u"])
    design = design_of("f", table, Y, fit_intercept=False)
    assert design.names == ("x", "ca", "cb", "cc", "dv")
    assert dense(design).tolist() == [[1, 1, 0, 0, 0], [2, 0, 1, 0, 1], [4, 1, 0, 0, 1], [5, 0, 0, 1, 0]]


def test_counts_become_up_to_two_rows():
    design = design_of("f", TABLE, [[2, 0], [1, 3], [0, 1], [0, 0]])
    assert design.numbers.tolist() == [0, 1, 5, 6]
    assert design.signs.tolist() == [1, 1, -1, -1]
    assert dense(design)[:, 0].tolist() == [1, 2, 2, 4]
    assert (design.positive, design.response, design.given) == ("success", None, 4)
    assert design.counts.tolist() == [[2, 0], [1, 3], [0, 1], [0, 0]]
    assert design.present().tolist() == [0, 1, 2]
    counts = pd.DataFrame({"grahami": [2, 1, 0, 0], "opalinus": [0, 3, 1, 0]})
    design = design_of("f", TABLE, counts, positive="opalinus")
    assert (design.positive, design.numbers.tolist()) == ("opalinus", [1, 2, 4, 5])
    assert design.counts[0].tolist() == [0, 2]


def test_counts_of_one_class_only_are_refused():
    with pytest.raises(nk.InvalidInputError, match="only one class: all counts of 'failure' are 0"):
        design_of("f", TABLE, [[1, 0]] * 4)
    with pytest.raises(nk.InvalidInputError, match="f: all counts of y are 0"):
        design_of("f", TABLE, [[0, 0]] * 4)


def test_row_numbers_go_both_ways():
    design = design_of("f", TABLE, [[2, 0], [1, 3], [0, 1], [0, 0]])
    rows = np.array([3, 0, 2])
    assert design.to_given(rows).tolist() == [6, 0, 5]
    assert design.from_given(design.to_given(rows)).tolist() == rows.tolist()
    assert design.from_given(np.array([4])) is None
    assert design.from_given(np.array([99])) is None
    assert design.from_given(np.zeros(0, dtype=np.int64)).tolist() == []
    plain = design_of("f", TABLE, Y)
    assert plain.from_given(rows) is rows
    assert plain.from_given(np.array([4])) is None
    assert plain.from_given(np.array([-1])) is None


@pytest.mark.parametrize("offset", [0.5, [1, 2, 3, 4], np.ones((4, 1)), pd.Series([1.0, 2, 3, 4])])
def test_an_offset_is_accepted(offset):
    assert design_of("f", TABLE, Y, offset=offset).signs.tolist() == design_of("f", TABLE, Y).signs.tolist()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"offset": [1, 2]}, r"X has 4 rows, but offset has shape \(2,\)"),
        ({"offset": [1, 2, 3, np.nan]}, "offset has NaN in row 3"),
        ({"offset": ["a"] * 4}, "offset must be numbers"),
        ({"sample_weight": [1, 1, 1, -1]}, "row 3 has -1.0"),
        ({"sample_weight": [1, 1, 1, np.nan]}, "row 3 has nan"),
        ({"sample_weight": [0, 0, 0, 0]}, "zero for every row"),
        ({"sample_weight": [1, 1]}, "sample_weight has shape"),
        ({"fit_intercept": 1}, "fit_intercept must be True or False"),
        ({"positive": "ja"}, "positive is 'ja', but the labels of y are 'no', 'yes'"),
    ],
)
def test_refusals(more, message):
    with pytest.raises(nk.InvalidInputError, match=message):
        design_of("f", TABLE, Y, **more)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0, 3.0, 4.0], r"X must have two dimensions, but its shape is \(4,\). Use X.reshape"),
        ([[1.0], [2.0, 3.0]], "different lengths"),
        (pd.DataFrame(index=range(4)), "X has no columns"),
        (np.zeros((0, 2)), "X has no rows"),
        (np.ones((4, 2)) * 1j, "^f: X has complex numbers. Use their real and imaginary parts as columns.$"),
        (sp.csr_array(np.ones((4, 2)) * 1j), "X has complex numbers"),
        (TABLE.rename(columns={"x": "(Intercept)"}), "has the name of the intercept"),
        (TABLE.assign(when=pd.Timestamp("2020-01-01")), "column 'when' holds dates"),
    ],
)
def test_rows_that_cannot_be_used_are_refused(X, message):
    with pytest.raises(nk.InvalidInputError, match=message):
        design_of("f", X, Y)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array])
def test_a_value_that_is_not_finite_is_refused_with_the_row_that_was_given(form):
    X = form([[np.nan, 0.0], [1.0, 2.0], [0.0, -np.inf], [3.0, np.nan]])
    with pytest.raises(nk.InvalidInputError, match="f: X has -inf in row 2, column 1"):
        design_of("f", X, Y, sample_weight=[0, 1, 1, 1])
    with pytest.raises(nk.InvalidInputError, match="f: X has NaN in row 3, column 1"):
        design_of("f", X, ["yes", "no", "no", "yes"], sample_weight=[0, 1, 0, 1])
