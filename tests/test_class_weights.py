"""Class weights of a data set and of a stream."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff._class_weights import RunningBalance, row_weights

CODES = np.array([0, 0, 0, 1], dtype=np.int32)


def test_balanced_classes_have_the_same_total_weight():
    weights = row_weights("test", "balanced", ["a", "b"], CODES, None)
    assert weights.tolist() == [4 / 6, 4 / 6, 4 / 6, 2.0]


def test_an_integer_weight_counts_as_copies():
    copies = np.array([0, 0, 0, 1, 1], dtype=np.int32)
    weighted = row_weights("test", "balanced", ["a", "b"], CODES, np.array([1.0, 1.0, 1.0, 2.0]))
    repeated = row_weights("test", "balanced", ["a", "b"], copies, None)
    np.testing.assert_allclose(weighted, [*repeated[:3], 2 * repeated[3]])


def test_weights_of_a_dict_multiply_those_of_the_rows():
    weights = row_weights("test", {"b": 3.0}, ["a", "b"], CODES, np.array([1.0, 2.0, 1.0, 2.0]))
    assert weights.tolist() == [1.0, 2.0, 1.0, 6.0]


def test_without_class_weights_the_weights_are_unchanged():
    assert row_weights("test", None, ["a", "b"], CODES, None) is None


@pytest.mark.parametrize("wrong", ["even", 3.0, {"a": -1.0}, {"a": np.inf}, {"a": "1"}])
def test_other_class_weights_are_refused(wrong):
    with pytest.raises(nk.InvalidInputError):
        row_weights("test", wrong, ["a", "b"], CODES, None)


def test_a_stream_is_balanced_by_what_was_seen_so_far():
    assert RunningBalance().weigh(CODES, None).tolist() == [1.0, 1.0, 1.0, 2.0]


def fractional_stream(seed):
    random = np.random.default_rng(seed)
    rows, classes = int(random.integers(2, 40)), int(random.integers(2, 12))
    codes = random.integers(-1, classes, rows)
    met = {code: place for place, code in enumerate(dict.fromkeys(codes[codes >= 0].tolist()))}
    codes = np.array([met.get(code, -1) for code in codes.tolist()], dtype=np.int32)
    return codes, random.random(rows) * 10.0 ** random.integers(-3, 4, rows), random


def test_every_cutting_of_a_stream_has_the_same_weights():
    for seed in range(3000):
        codes, weights, random = fractional_stream(seed)
        whole, balance = RunningBalance().weigh(codes, weights), RunningBalance()
        cuts = np.unique(random.integers(0, len(codes) + 1, int(random.integers(0, 6))))
        parts = zip(np.split(codes, cuts), np.split(weights, cuts), strict=True)
        assert np.concatenate([balance.weigh(*part) for part in parts]).tobytes() == whole.tobytes()
        assert not np.any(whole[codes < 0])


def test_the_numbering_of_classes_does_not_change_the_weights_of_a_stream():
    for seed in range(300):
        codes, weights, random = fractional_stream(seed)
        numbers = np.append(random.permutation(20), -1).astype(np.int32)
        whole = RunningBalance().weigh(codes, weights)
        assert RunningBalance().weigh(numbers[codes], weights).tobytes() == whole.tobytes()


def test_the_order_of_the_rows_does_not_change_balanced_weights():
    for seed in range(300):
        codes, weights, random = fractional_stream(seed)
        names, order = [str(code) for code in range(12)], random.permutation(len(codes))
        weights[codes < 0] = 0.0
        found = row_weights("test", "balanced", names, codes, weights)
        assert row_weights("test", "balanced", names, codes[order], weights[order]).tobytes() == found[order].tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("sparse", [False, True])
def test_balanced_learners_learn_the_same_from_every_cutting(sparse):
    for seed in range(150):
        codes, weights, random = fractional_stream(seed)
        X = random.standard_normal((len(codes), 5)) * (random.random((len(codes), 5)) < 0.6)
        X, labels = (sp.csr_array(X) if sparse else X), np.array([f"c{code}" for code in codes])
        whole = nk.Perceptron(class_weight="balanced").partial_fit(X, labels, sample_weight=weights)
        apart = nk.Perceptron(class_weight="balanced")
        cut = int(random.integers(1, len(codes)))
        apart.partial_fit(X[:cut], labels[:cut], sample_weight=weights[:cut])
        for i in range(cut, len(codes)):
            apart.learn_one(X[[i]] if sparse else X[i], labels[i], weights[i])
        for name in ("coef_", "intercept_"):
            assert np.asarray(getattr(apart, name)).tobytes() == np.asarray(getattr(whole, name)).tobytes(), seed


def test_weights_whose_sum_overflows_are_refused():
    with pytest.raises(nk.InvalidInputError):
        row_weights("test", "balanced", ["a", "b"], CODES, np.full(4, 1e308))
