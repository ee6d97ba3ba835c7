"""Bad parameters and data: a sentence that says where, what is needed and what came, and a model that is as it was."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import novikoff as nk
from bad_data import BATCHES, INF, NAN, X, Y, assert_refused, with_entry

each_class = pytest.mark.parametrize("cls", [nk.LinearSVM, nk.HardMarginSVM])
PARAMETERS = {
    "C": [0, 0.0, -1.0, NAN, INF, "1", None, True],
    "lam": [0.0, -1.0, NAN, INF, "1", False],
    "loss": ["logistic", None, 1, "Hinge"],
    "fit_intercept": [None, 1, "yes"],
    "penalized_intercept": [None, 0, "no"],
    "tol": [0.0, -1e-3, 1.5, NAN, INF, "tight", None],
    "max_iter": [0, -1, 1.5, None, "many", True],
    "max_time": [0, -1.0, NAN, INF, "long", True],
    "class_weight": ["even", [1, 2], {1: -1.0}, {1: NAN}, {0: "heavy"}, 3],
    "warm_start": [None, 1],
    "n_jobs": [0, 1.5, "all"],
    "random_state": ["seed", -1],
    "verbose": ["loud", -1],
    "probability": ["yes"],
    "multi_class": ["ovx"],
}
ONE_CLASS = {
    "one class": (X, np.ones(4), {}, "only one class, 1"),
    "one class of words": (X, ["a"] * 4, {}, "'a'"),
    "only weights of 0": (X, Y, {"sample_weight": [0, 0, 0, 0]}, "zero"),
    "one class with a weight": (X, Y, {"sample_weight": [1, 1, 0, 0]}, "only one class, 1"),
}
# rows of any length are scaled, and large weights are costs
DATA = ONE_CLASS | {name: case for name, case in BATCHES.items() if "overflows" not in name and "count" not in name}


@each_class
def test_a_bad_parameter_is_named_with_what_it_must_be(cls):
    for name, values in PARAMETERS.items():
        for value in values if name in cls().get_params() else ():
            model = cls(**{name: value})
            assert_refused(cls.__name__, name.removeprefix("class_"), model.fit, X, Y)
            assert not hasattr(model, "coef_")


def test_parameters_that_do_not_go_together_are_refused():
    for parameters, words in (
        ({"C": 2.0, "lam": 0.25}, "C=2.0 and lam=0.25"),
        ({"C": "abc"}, "must be a positive number or \"scale\", but it is 'abc'"),
        ({"class_weight": {1: 0.0}}, "zero weight"),
        ({"multi_class": "crammer_singer", "loss": "squared_hinge"}, 'hinge loss only. Use loss="hinge"'),
    ):
        assert_refused("LinearSVM", words, nk.LinearSVM(**parameters).fit, X, Y)


@each_class
def test_bad_data_are_refused_and_the_model_is_as_it_was(cls):
    unfitted, fitted = cls(), cls().fit(X, Y)
    before = dict(vars(fitted))
    for table, labels, more, words in DATA.values():
        for model in (unfitted, fitted):
            assert_refused(cls.__name__, words, model.fit, table, labels, **more)
    assert not [name for name in vars(unfitted) if name.endswith("_")]
    assert vars(fitted).keys() == before.keys()
    assert all(vars(fitted)[name] is value for name, value in before.items())


@each_class
def test_predicting_checks_its_rows_too(cls):
    with pytest.raises(NotFittedError):
        cls().predict(X)
    model = cls().fit(X, Y)
    for bad, words in [(with_entry(NAN), "NaN in row 2"), (sp.csr_matrix(with_entry(INF)), "inf"), (X[:, :1], "1")]:
        assert_refused(cls.__name__, words, model.predict, bad)
