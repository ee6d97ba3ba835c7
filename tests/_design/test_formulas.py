"""Matrices of formulaic and patsy."""

import formulaic
import numpy as np
import pandas as pd
import patsy
import pytest
import scipy.sparse as sp

from novikoff._design.formulas import factor_levels, formula_matrix, is_formula_matrix

TABLE = pd.DataFrame(
    {"y": ["no", "yes", "no"], "x": [1.0, 2.0, 4.0], "c": ["a", "b", "a"], "n": [1, 2, 0], "m": [0, 1, 3]}
)


@pytest.mark.parametrize("output", ["pandas", "numpy", "sparse"])
def test_matrices_of_formulaic_have_names_and_values(output):
    matrix = formulaic.model_matrix("x * c", TABLE, output=output)
    assert is_formula_matrix(matrix)
    X, names = formula_matrix(matrix)
    assert names == ["Intercept", "x", "c[T.b]", "x:c[T.b]"]
    values = X.toarray() if sp.issparse(X) else np.asarray(X)
    assert values.tolist() == [[1, 1, 0, 0], [1, 2, 1, 2], [1, 4, 0, 0]]


@pytest.mark.parametrize("kind", ["matrix", "dataframe"])
def test_matrices_of_patsy_have_names_and_values(kind):
    matrix = patsy.dmatrix("x * c", TABLE, return_type=kind)
    assert is_formula_matrix(matrix)
    X, names = formula_matrix(matrix)
    assert names == ["Intercept", "c[T.b]", "x", "x:c[T.b]"]
    assert np.asarray(X).tolist() == [[1, 0, 1, 0], [1, 1, 2, 2], [1, 0, 4, 0]]


def test_other_objects_are_not_formula_matrices():
    assert not any(map(is_formula_matrix, [TABLE, np.eye(2), sp.eye_array(2), [1]]))


def test_a_factor_on_the_left_side_has_a_name_and_levels():
    left = formulaic.model_matrix("y ~ x", TABLE).lhs
    assert factor_levels(left, formula_matrix(left)[1]) == ("y", ["no", "yes"])
    left = patsy.dmatrices("y ~ x", TABLE)[0]
    assert factor_levels(left, formula_matrix(left)[1]) == ("y", ["no", "yes"])


def test_numbers_on_the_left_side_have_no_levels():
    left = patsy.dmatrices("np.column_stack([n, m]) ~ x", TABLE)[0]
    assert factor_levels(left, formula_matrix(left)[1]) is None
    left = formulaic.model_matrix("n + m ~ x", TABLE).lhs
    assert factor_levels(left, formula_matrix(left)[1]) is None
    assert factor_levels(np.eye(2), ["y[a]", "y[b]"]) is None
