"""Labels and counts."""

import formulaic
import numpy as np
import pandas as pd
import patsy
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff._design.response import modelled_label, response_of

TABLE = pd.DataFrame(
    {"y": ["no", "yes", "no"], "b": [False, True, False], "x": [1.0, 2.0, 4.0], "n": [1, 2, 0], "m": [0, 1, 3]}
)


def read(y, rows=3, has_weights=False):
    found = response_of("f", y, rows, has_weights)
    return found.name, found.levels, None if found.codes is None else found.codes.tolist()


NO_YES_NO = [
    ["no", "yes", "no"],
    np.array(["no", "yes", "no"]),
    np.array([["no"], ["yes"], ["no"]]),
    TABLE["y"],
    TABLE[["y"]],
    TABLE["y"].astype("category"),
    pd.Categorical(TABLE["y"]),
    pl.Series("y", TABLE["y"].tolist()),
    pl.DataFrame({"y": TABLE["y"].tolist()}),
    pa.array(TABLE["y"].tolist()),
    pa.table({"y": TABLE["y"].tolist()}),
    formulaic.model_matrix("y ~ x", TABLE).lhs,
    formulaic.model_matrix("y ~ x", TABLE, output="numpy").lhs,
    patsy.dmatrices("y ~ x", TABLE)[0],
    patsy.dmatrices("y ~ x", TABLE, return_type="dataframe")[0],
]


def test_labels_of_every_origin_are_the_same_and_nothing_warns():
    for y in NO_YES_NO:
        assert read(y) == ("y", ("no", "yes"), [0, 1, 0]), type(y)


@pytest.mark.parametrize(
    ("y", "levels"),
    [
        *[(y, (0, 1)) for y in ([0, 1, 0], [0.0, 1.0, 0.0], np.array([[0.0], [1.0], [0.0]]), pd.Series([0, 1, 0]))],
        *[(y, (False, True)) for y in (TABLE["b"], TABLE["b"].tolist(), TABLE["b"].astype("boolean"))],
        (patsy.dmatrices("b ~ x", TABLE)[0], (False, True)),
    ],
)
def test_numbers_and_booleans_are_labels(y, levels):
    assert read(y)[1:] == (levels, [0, 1, 0])


def test_a_formula_names_its_response():
    assert read(formulaic.model_matrix("b ~ x", TABLE).lhs) == ("b", (0, 1), [0, 1, 0])
    assert read(patsy.dmatrices("np.sqrt(n > 1) ~ x", TABLE)[0])[0] == "np.sqrt(n > 1)"


def test_a_categorical_keeps_its_order():
    y = pd.Series(pd.Categorical(["no", "yes", "no"], categories=["yes", "maybe", "no"]), name="ill")
    assert read(y) == ("ill", ("yes", "maybe", "no"), [2, 0, 2])
    assert modelled_label("f", response_of("f", y, 3, False), None, None) == "no"


def test_levels_that_are_not_text_or_numbers_become_text():
    assert read(pd.cut([0.0, 1.0, 0.2], [-1, 0.5, 2]))[1] == ("(-1.0, 0.5]", "(0.5, 2.0]")


@pytest.mark.parametrize(
    ("y", "levels"),
    [
        (TABLE[["n", "m"]], ("m", "n")),
        (TABLE[["n", "m"]].to_numpy(), ("failure", "success")),
        (TABLE[["n", "m"]].to_numpy().tolist(), ("failure", "success")),
        (pl.DataFrame(TABLE[["n", "m"]]), ("m", "n")),
        (sp.csr_array(TABLE[["n", "m"]].to_numpy()), ("failure", "success")),
        (formulaic.model_matrix("n + m ~ x", TABLE).lhs, ("m", "n")),
        (
            patsy.dmatrices("np.column_stack([n, m]) ~ x", TABLE)[0],
            ("np.column_stack([n, m])[1]", "np.column_stack([n, m])[0]"),
        ),
    ],
)
def test_two_columns_are_counts_of_successes_and_failures(y, levels):
    found = response_of("f", y, 3, False)
    assert (found.name, found.levels, found.codes) == (None, levels, None)
    assert found.counts.tolist() == [[0, 1], [1, 2], [3, 0]]


@pytest.mark.parametrize(
    "form",
    [
        np.array,
        pd.Series,
        pl.Series,
        pa.array,
        lambda y: pd.DataFrame({"p": y}),
        lambda y: pl.DataFrame({"p": y}),
        lambda y: pa.table({"p": y}),
        lambda y: np.array(y)[:, np.newaxis],
    ],
)
def test_proportions_of_every_origin_are_counts(form):
    found = response_of("f", form([0.0, 0.25, 1.0]), 3, True)
    assert (found.name, found.levels, found.codes) == (None, ("failure", "success"), None)
    assert found.counts.tolist() == [[1, 0], [0.75, 0.25], [0, 1]]
    with pytest.raises(nk.InvalidInputError, match=r"y has 1\.25 in row 1. Proportions of successes are from 0 to 1"):
        response_of("f", form([0.0, 1.25, 0.5]), 3, True)


def test_proportions_need_weights():
    with pytest.raises(nk.InvalidInputError, match=r"it has 0\.25 in row 1. If y has proportions, .* as sample_weight"):
        response_of("f", [0.0, 0.25, 1.0], 3, False)
    assert read([0.0, 1.0, 1.0], has_weights=True) == ("y", (0, 1), [0, 1, 1])


NONE_IN_ROW_2 = [
    ["no", "yes", None],
    ["no", "yes", np.nan],
    [0.0, 1.0, np.nan],
    pd.Series(["no", "yes", None]),
    pd.Series([False, True, None], dtype="boolean"),
    pd.Series(pd.Categorical(["no", "yes", None])),
    pl.Series([0, 1, None]),
    [[0, 1], [2, 1], [np.nan, -1]],
    pd.DataFrame({"a": [0, 1, np.nan], "b": [1, 2, 3]}),
    pd.Series([0.0, 0.5, np.nan]),
]


def test_a_missing_label_matters_only_in_rows_that_count():
    for y in NONE_IN_ROW_2:
        found = response_of("f", y, 3, True, np.array([True, True, False]))
        if found.counts is None:
            assert (len(found.levels), found.codes.tolist()[:2]) == (2, [0, 1])
        else:
            assert found.counts[2].tolist() == [0, 0]
        with pytest.raises(nk.InvalidInputError, match=r"row 2") as error:
            response_of("f", y, 3, True)
        assert "infinity" not in str(error.value)
        with pytest.raises(nk.InvalidInputError, match=r"row 2"):
            response_of("f", y, 3, True, np.array([False, True, True]))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1], "X has 3 rows, but y has 2"),
        (pd.Series(["a", "b"]), "X has 3 rows, but y has 2"),
        (np.ones((2, 2)), "X has 3 rows, but y has 2"),
        (np.ones((3, 3)), r"two columns of counts \(successes, failures\), but its shape is \(3, 3\)"),
        ([[1, -1], [0, 1], [1, 0]], "row 0 of y has 1.0, -1.0"),
        ([[1, 1], [0, np.nan], [1, 0]], "row 1 of y has 0.0, nan"),
        ([["a", "b"]] * 3, "must be counts"),
        (pd.Series(["a", None, "b"]), "y has no value in row 1"),
        (pd.Series([1.0, None, 2.0]), "y has no value in row 1"),
        (pd.DataFrame({"a": ["x"] * 3, "b": [1] * 3}), "two columns of counts"),
        (None, "y"),
    ],
)
def test_refusals(y, message):
    with pytest.raises(nk.InvalidInputError, match=message):
        response_of("f", y, 3, False)


def test_the_modelled_class_is_the_second_unless_it_is_named():
    response = response_of("f", ["yes", "no", "yes"], 3, False)
    assert modelled_label("f", response, None, None) == "yes"
    assert modelled_label("f", response, None, "no") == "no"
    with pytest.raises(nk.InvalidInputError, match=r"f: positive is 'ja', but the labels of y are 'no', 'yes'."):
        modelled_label("f", response, None, "ja")


def test_only_labels_of_rows_that_count_are_classes():
    response = response_of("f", ["a", "b", "c"], 3, False)
    with pytest.raises(nk.InvalidInputError, match="y must have two classes, but it has 3: 'a', 'b', 'c'"):
        modelled_label("f", response, None, None)
    assert modelled_label("f", response, np.array([True, False, True]), None) == "c"
    with pytest.raises(nk.InvalidInputError, match="y has only one class, 'b'"):
        modelled_label("f", response, np.array([False, True, False]), None)
