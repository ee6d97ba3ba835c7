"""Factors in R's treatment coding."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff._design import coding
from novikoff._design.coding import coded
from novikoff._design.columns import NUMBER, Column, factor

AGE = Column("age", NUMBER, np.array([20, 30, 40]))


def test_the_first_level_is_the_reference_and_names_are_those_of_r():
    """R: model.matrix(~ age + colour) with factor(colour, levels = c("red", "blue", "green"))."""
    X, names = coded("f", [AGE, factor("colour", ["red", "green", "blue"], ["red", "blue", "green"])])
    assert names == ("age", "colourblue", "colourgreen")
    assert X.tolist() == [[20, 0, 0], [30, 0, 1], [40, 1, 0]]


def test_levels_that_are_numbers_are_named_by_them():
    assert coded("f", [factor("dose", [1, 2, 1])])[1] == ("dose2",)


def test_many_levels_make_a_sparse_matrix_of_the_same_values(monkeypatch):
    columns = [AGE, factor("id", ["a", "b", "c"]), factor("big", ["x", "y", "z"]), factor("far", ["p", "q", "r"])]
    many = [*columns, *(factor(f"f{j}", [f"{k}" for k in range(3)]) for j in range(3))]
    wide = [Column(c.name, c.kind, np.tile(c.values, 4), c.levels) for c in many]
    dense, names = coded("f", wide)
    monkeypatch.setattr(coding, "MAX_DENSE_ENTRIES", 0)
    levels = [str(k) for k in range(100)]
    long = factor("l", levels[:12], levels).only(np.arange(12))
    X, more = coded("f", [*wide, long])
    assert sp.issparse(X)
    assert more[: len(names)] == names
    assert np.array_equal(X.toarray()[:, : len(names)], dense)
    assert np.array_equal(
        X.toarray()[:, len(names) :],
        np.eye(12)[[levels[:12].index(v) for v in sorted(levels[:12], key=levels.index)]][:, 1:],
    )


def test_missing_values_are_refused_by_the_name_of_the_column_and_the_row():
    with pytest.raises(
        nk.InvalidInputError, match=r"f: column 'a' has no value in row 1. Leave out such rows, as R does"
    ):
        coded("f", [AGE, Column("a", NUMBER, np.array([1.0, np.nan, 2.0]))])
    with pytest.raises(nk.InvalidInputError, match="column 'c' has no value in 2 rows, the first of which is row 10"):
        coded("f", [factor("c", [None, "a", None])], np.array([10, 11, 12]))


def test_infinity_is_refused_by_the_name_of_the_column():
    with pytest.raises(nk.InvalidInputError, match="column 'a' has inf in row 7"):
        coded("f", [Column("a", NUMBER, np.array([np.inf]))], np.array([7]))


def test_a_factor_of_one_level_is_refused_as_r_does():
    with pytest.raises(nk.InvalidInputError, match=r"column 'c' has only one level, 'a'. Leave the column out"):
        coded("f", [factor("c", ["a", "a"])])


def test_two_columns_that_would_have_the_same_name_are_refused():
    with pytest.raises(nk.InvalidInputError, match="two columns of X are named 'abc'"):
        coded("f", [factor("a", ["x", "bc"], ["x", "bc"]), factor("ab", ["x", "c"], ["x", "c"])])
