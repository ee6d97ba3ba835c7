"""One example at a time: all the forms of an example."""

from collections import UserDict
from types import MappingProxyType

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from learners import SEVERAL_PASSES
from snapshots import learned

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


def test_a_dict_that_was_changed_is_read_again(make):
    model, fresh = make(), make()
    x = {"a": 1.0}
    for value, label in [(1.0, 1), (2.0, 0), (-3.0, 1), (0.5, 0)]:
        x["a"] = value
        x[f"only {value}"] = 1.0
        assert model.score_one(x) == pytest.approx(fresh.score_one(dict(x)))
        model.learn_one(x, label)
        fresh.learn_one(dict(x), label)
        del x[f"only {value}"]
    assert learned(model) == learned(fresh)


def test_numbers_of_every_kind_are_numbers(make):
    from decimal import Decimal
    from fractions import Fraction

    plain, odd = make(), make()
    for label in (1, 0, 1):
        plain.learn_one({"a": 1.5, "b": 1.0, "c": 2.0}, label)
        odd.learn_one({"a": Fraction(3, 2), "b": True, "c": np.float32(2)}, label)
        assert odd.score_one({"a": Decimal("1.5")}) == plain.score_one({"a": 1.5})
    assert learned(odd) == learned(plain)


@pytest.mark.parametrize("make", SEVERAL_PASSES)  # a learner with a half-life fades with every example
def test_a_zero_row_leaves_weights_unchanged_without_an_intercept(make):
    model = make(fit_intercept=False).partial_fit([[1.0, 2.0], [-1.0, 0.0]], [1, 0])
    before = model._learner.last_weights(0).tobytes()
    model.learn_one([0.0, 0.0], 1)
    model.learn_one({}, 0)
    assert model._learner.last_weights(0).tobytes() == before
    assert model.certificate_.examples == 4


def test_sequences_arrays_and_sparse_rows_are_examples(make):
    X = np.array([[1.0, 0.0, -2.0], [0.5, 1.0, 0.0]])
    forms = [
        lambda x: x.tolist(),
        tuple,
        lambda x: x,
        lambda x: x.reshape(1, -1),
        lambda x: sp.csr_matrix(x.reshape(1, -1)),
        lambda x: sp.csc_matrix(x.reshape(1, -1)),
        lambda x: sp.coo_array(x),
    ]
    expected = None
    for form in forms:
        model = make()
        for x, label in zip(X, [1, 0], strict=True):
            model.learn_one(form(x), label)
        bits = (model.coef_.tolist(), model.intercept_.tolist())
        assert expected in (None, bits)
        expected = bits


@pytest.mark.parametrize("wrap", [UserDict, MappingProxyType])
def test_any_mapping_is_an_example(wrap):
    model = nk.Perceptron()
    model.learn_one(wrap({"a": 1.0}), "x")
    model.learn_one({"b": 1.0}, "y")
    assert model.predict_one(wrap({"a": 1.0})) == "x"
    assert model.predict_many(iter([wrap({"a": 1.0}), {"b": 1.0}])) == ["x", "y"]


def test_a_dict_whose_squares_underflow_is_refused():
    with pytest.raises(nk.InvalidInputError, match="underflow"):
        nk.Perceptron().learn_one({"a": 1e-170}, True)


def test_a_key_that_changes_its_dict_is_survived():
    class Key:
        def __index__(self) -> int:
            features.update({f"late{k}": 1.0 for k in range(10_000)})
            return 7

    features = {Key(): 1.0}
    model = nk.Perceptron()
    model.learn_one(features, True)
    assert model.n_features_in_ == 1
