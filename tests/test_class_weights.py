"""Class weights of a data set and of a stream."""

import numpy as np
import pytest

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


def test_batches_of_a_stream_have_the_same_weights_as_one():
    codes = np.random.default_rng(0).integers(-1, 3, 40).astype(np.int32)
    weights = np.random.default_rng(1).random(40)
    whole = RunningBalance().weigh(codes, weights)
    balance = RunningBalance()
    parts = [balance.weigh(codes[i : i + 7], weights[i : i + 7]) for i in range(0, 40, 7)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()
    assert not np.any(whole[codes < 0])
