"""Bad parameters and data: a sentence that says where, what is needed and what came, and a model that is as it was."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk

X = np.array([[1.0, 2.0], [3.0, -1.0], [-2.0, 0.5], [0.0, -1.0]])
Y = np.array([1, 1, 0, 0])
NAN, INF = float("nan"), float("inf")
SENTENCE = re.compile(r"\[?LinearSVM(: |\]) ?(?P<sentence>.+\.)", re.DOTALL)


def with_entry(value, row=2, column=1, dtype=np.float64):
    bad = X.astype(dtype)
    bad[row, column] = value
    return bad


def with_index(value):
    matrix = sp.csr_matrix(X)
    matrix.indices[1] = value
    return matrix


PARAMETERS = {
    "C": [0, 0.0, -1.0, NAN, INF, "1", None, True],
    "lam": [0.0, -1.0, NAN, INF, "1", False],
    "loss": ["logistic", None, 1, "Hinge"],
    "fit_intercept": [None, 1, "yes"],
    "penalized_intercept": [None, 0, "no"],
    "tol": [0.0, -1e-3, 1.5, NAN, INF, "tight", None],
    "max_iter": [0, -1, 1.5, None, "many", True],
    "max_time": [0, -1.0, np.nan, np.inf, "long", True],
    "class_weight": ["even", [1, 2], {1: -1.0}, {1: NAN}, {0: "heavy"}, 3],
    "warm_start": [None, 1],
    "n_jobs": [0, 1.5, "all"],
    "random_state": ["seed", -1],
    "verbose": ["loud"],
}
DATA = {
    "NaN": (with_entry(NAN), Y, None, "NaN in row 2, column 1"),
    "infinity": (with_entry(INF), Y, None, "inf in row 2, column 1"),
    "minus infinity in float32": (with_entry(-INF, dtype=np.float32), Y, None, "inf in row 2, column 1"),
    "NaN in a sparse row": (sp.csr_matrix(with_entry(NAN)), Y, None, "NaN in row 2, column 1"),
    "infinity in a sparse row": (sp.csr_array(with_entry(INF)), Y, None, "inf in row 2, column 1"),
    "no rows": (X[:0], Y[:0], None, "0"),
    "no rows, sparse": (sp.csr_matrix(X)[:0], Y[:0], None, "0"),
    "no columns": (X[:, :0], Y, None, "0"),
    "one dimension": (X[0], Y, None, ""),
    "three dimensions": (X[None], Y, None, ""),
    "words for numbers": (np.array([["a", "b"]] * 4), Y, None, "a"),
    "complex numbers": (X + 1j, Y, None, "omplex"),
    "one class": (X, np.ones(4), None, "only one class, 1"),
    "one class of words": (X, ["a"] * 4, None, "'a'"),
    "fewer labels than rows": (X, Y[:3], None, "3"),
    "more labels than rows": (X, np.append(Y, 1), None, "5"),
    "labels in two columns": (X, np.stack([Y, Y], axis=1), None, "(4, 2)"),
    "no labels": (X, None, None, "None"),
    "a label that is NaN": (X, np.array([1.0, 0.0, NAN, 0.0]), None, "NaN"),
    "labels that are measurements": (X, [0.5, 1.5, 0.25, 3.0], None, "0.5"),
    "a negative weight": (X, Y, [1, 1, -1, 1], "-1"),
    "a weight that is NaN": (X, Y, [1, NAN, 1, 1], "nan"),
    "too few weights": (X, Y, [1, 1], "(2,)"),
    "weights in two dimensions": (X, Y, [[1, 1], [1, 1]], "(2, 2)"),
    "only weights of 0": (X, Y, [0, 0, 0, 0], "zero"),
    "one class with a weight": (X, Y, [1, 1, 0, 0], "only one class, 1"),
    "an index beyond the columns": (with_index(7), Y, None, "7 in row 0"),
    "a negative index": (with_index(-1), Y, None, "-1 in row 0"),
}


def check_message(error, words=""):
    match = SENTENCE.fullmatch(str(error))
    assert match, str(error)
    assert words in match["sentence"]


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in PARAMETERS.items() for value in values])
def test_a_bad_parameter_is_named_with_what_it_must_be(name, value):
    model = nk.LinearSVM(**{name: value})
    with pytest.raises(nk.errors.InvalidInputError) as raised:
        model.fit(X, Y)
    check_message(raised.value)
    assert name in str(raised.value) or name.replace("_", " ") in str(raised.value).lower()
    assert not hasattr(model, "coef_")


def test_a_cost_and_a_lambda_together_are_refused():
    with pytest.raises(nk.errors.InvalidInputError) as raised:
        nk.LinearSVM(C=2.0, lam=0.25).fit(X, Y)
    check_message(raised.value, "C=2.0 and lam=0.25")


@pytest.mark.parametrize("case", DATA)
def test_bad_data_are_refused_and_the_model_is_as_it_was(case):
    table, labels, weights, words = DATA[case]
    unfitted, fitted = nk.LinearSVM(), nk.LinearSVM().fit(X, Y)
    before = {name: value for name, value in vars(fitted).items()}
    for model in (unfitted, fitted):
        with pytest.raises(nk.errors.InvalidInputError) as raised:
            model.fit(table, labels, sample_weight=weights)
        check_message(raised.value, words)
    assert not [name for name in vars(unfitted) if name.endswith("_")]
    assert vars(fitted).keys() == before.keys()
    assert all(vars(fitted)[name] is value for name, value in before.items())


def test_a_class_weight_of_0_for_a_whole_class_is_refused():
    with pytest.raises(nk.errors.InvalidInputError) as raised:
        nk.LinearSVM(class_weight={1: 0.0}).fit(X, Y)
    check_message(raised.value)


def test_predicting_checks_its_rows_too():
    model = nk.LinearSVM().fit(X, Y)
    for bad, words in [(with_entry(NAN), "NaN in row 2"), (sp.csr_matrix(with_entry(INF)), "inf"), (X[:, :1], "1")]:
        with pytest.raises(nk.errors.InvalidInputError) as raised:
            model.predict(bad)
        check_message(raised.value, words)


def test_predicting_before_fitting_is_refused():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        nk.LinearSVM().predict(X)


def test_the_error_about_c_names_both_kinds_of_values():
    with pytest.raises(nk.errors.InvalidInputError, match="must be a positive number or \"scale\", but it is 'abc'"):
        nk.LinearSVM(C="abc").fit(X, Y)
