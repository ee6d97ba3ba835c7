"""What users pass in is checked once: rows, labels, weights and parameters."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning

import novikoff as nk
from novikoff._validation import (
    check_choice,
    check_flag,
    check_integer,
    check_labels,
    check_number,
    check_rows,
    check_weights,
    thread_count,
)


def refused(call, *words):
    with pytest.raises(nk.InvalidInputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_floats_are_not_copied(make, dtype):
    X = make(np.array([[1.0, 2.0], [3.0, 4.0]], dtype=dtype))
    checked = check_rows(BaseEstimator(), "test", X, reset=True)
    assert checked.dtype == dtype
    assert np.shares_memory(checked.data if sp.issparse(X) else checked, X.data if sp.issparse(X) else X)


@pytest.mark.parametrize("X", [np.eye(3), np.eye(3, dtype=np.float32), sp.csr_array(np.eye(3))])
def test_rows_without_names_set_their_number_and_remove_earlier_names(X):
    estimator = BaseEstimator()
    check_rows(estimator, "test", pd.DataFrame({"a": [1.0], "b": [2.0]}), reset=True)
    assert estimator.feature_names_in_.tolist() == ["a", "b"]
    check_rows(estimator, "test", X, reset=True)
    assert estimator.n_features_in_ == 3
    assert not hasattr(estimator, "feature_names_in_")


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_rows_of_another_width_or_without_the_names_of_the_fit_are_noticed(make):
    estimator = BaseEstimator()
    check_rows(estimator, "test", np.eye(3), reset=True)
    assert check_rows(estimator, "test", make(np.eye(3)), reset=False).shape == (3, 3)
    refused(lambda: check_rows(estimator, "test", make(np.eye(2)), reset=False), "2 features")
    check_rows(estimator, "test", pd.DataFrame({"a": [1.0], "b": [2.0]}), reset=True)
    with pytest.warns(UserWarning, match="valid feature names"):
        check_rows(estimator, "test", make(np.eye(2)), reset=False)


@pytest.mark.parametrize("X", [[1.0, 2.0], [["a"], ["b"]], np.zeros((2, 2, 2)), np.array([[1j]])])
def test_what_is_not_a_table_of_numbers_is_refused(X):
    refused(lambda: check_rows(BaseEstimator(), "test", X, reset=True))


@pytest.mark.parametrize("y", [[0, 1], ["a", "b"], [True, False], [1.0, 2.0], np.array(["a", 1], dtype=object)])
def test_labels_may_be_numbers_text_or_bools(y):
    assert check_labels("test", y, 2).tolist() == np.asarray(y).tolist()


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ([0], "inconsistent numbers of samples"),
        ([0.5, 1.0], "Unknown label type"),
        ([np.nan, 1.0], "NaN"),
        (np.array([None, "a"], dtype=object), "row 0"),
        ([[0, 1], [1, 0]], ""),
        (sp.csr_array([[1], [0]]), ""),
    ],
)
def test_other_labels_are_refused(y, words):
    refused(lambda: check_labels("test", y, 2), words)


def test_weights_that_are_all_one_are_none():
    assert check_weights("test", None, 2) is None
    assert check_weights("test", [1.0, 1.0], 2) is None
    assert check_weights("test", 2, 2).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("weights", [[1.0], [-1.0, 1.0], [np.nan, 1.0], [np.inf, 1.0], [1e-40, 1.0], ["a", "b"]])
def test_other_weights_are_refused(weights):
    refused(lambda: check_weights("test", weights, 2))


def test_parameters_are_checked():
    assert check_number("test", "C", np.float32(2.0), above=0) == 2.0
    assert check_integer("test", "max_iter", np.int64(3), at_least=1) == 3
    assert check_flag("test", "shuffle", np.bool_(True)) is True
    assert check_choice("test", "loss", "hinge", ("hinge", "squared_hinge")) == "hinge"
    for value in (0, -1.0, math.nan, math.inf, "1", True, None):
        refused(lambda value=value: check_number("test", "C", value, above=0), "test", "C")
    for value in (0, 2.0, True, "3"):
        refused(lambda value=value: check_integer("test", "max_iter", value, at_least=1), "max_iter")
    for value in (1, "yes", None):
        refused(lambda value=value: check_flag("test", "shuffle", value), "shuffle")
    for value in ("log", 3, None):
        refused(lambda value=value: check_choice("test", "loss", value, ("hinge", "squared_hinge")), "loss", "hinge")


def test_n_jobs_counts_threads_from_either_end():
    assert thread_count("test", None) == 1
    assert thread_count("test", 3) == 3
    assert thread_count("test", -1) >= thread_count("test", -2) >= 1
    refused(lambda: thread_count("test", 0), "n_jobs")


class FormulaColumn(np.ndarray):
    """An array of its own class, as the matrices of formulas are."""


@pytest.mark.parametrize("cells", [["a", "b"], [0, 1]])
@pytest.mark.parametrize(
    "column",
    [
        lambda cells: pd.DataFrame({"y": cells}),
        lambda cells: pl.DataFrame({"y": cells}),
        lambda cells: np.array(cells)[:, None].view(FormulaColumn),
    ],
    ids=["pandas", "polars", "formula"],
)
def test_labels_may_be_a_frame_of_one_column_or_the_matrix_of_a_formula(column, cells):
    assert check_labels("test", column(cells), 2).tolist() == cells


@pytest.mark.parametrize("y", [np.array([[0], [1]]), [[0], [1]]])
def test_labels_of_two_dimensions_without_a_name_are_warned_about_as_in_scikit_learn(y):
    with pytest.warns(DataConversionWarning, match="column-vector"):
        assert check_labels("test", y, 2).tolist() == [0, 1]


@pytest.mark.parametrize("y", [pd.DataFrame({"y": [0, 1], "z": [0, 1]}), np.zeros((2, 2)).view(FormulaColumn)])
def test_labels_of_two_columns_are_refused(y):
    refused(lambda: check_labels("test", y, 2), "y cannot be used")


@pytest.mark.parametrize("make", [nk.Perceptron, nk.MarginPerceptron, nk.LinearSVM, nk.HardMarginSVM])
def test_every_learner_takes_labels_from_a_frame_of_one_column(make):
    X, y = [[0.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]], pd.DataFrame({"y": [0, 0, 1, 1]})
    model = make().fit(X, y)
    assert model.score(X, y["y"]) == 1
    if hasattr(model, "partial_fit"):
        assert make().partial_fit(X, y).classes_.tolist() == [0, 1]
