"""Stratified folds."""

import numpy as np
import pytest

import novikoff as nk
from binary_problems import training_set
from novikoff.svm._folds import stratified_folds, subset


def test_folds_hold_every_row_out_once_and_a_fair_part_of_each_class():
    codes = np.repeat(np.arange(3), [50, 23, 7]).astype(np.int32)
    splits = stratified_folds("test", codes, None, 5, seed=0)
    assert sorted(np.concatenate([held_out for _, held_out in splits]).tolist()) == list(range(80))
    for learned, held_out in splits:
        assert len(np.intersect1d(learned, held_out)) == 0
        assert len(learned) + len(held_out) == 80
        counts = np.bincount(codes[held_out], minlength=3)
        assert np.all(np.abs(counts - np.array([10, 4.6, 1.4])) < 1)


def test_rows_of_weight_0_are_in_no_fold():
    codes, weights = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32), np.array([1.0, 1, 0, 1, 1, 0])
    for learned, held_out in stratified_folds("test", codes, weights, 2, seed=0):
        assert not {2, 5} & {*learned.tolist(), *held_out.tolist()}


def test_balanced_weights_are_computed_from_the_rows_of_the_subset():
    data = training_set(np.eye(4), [0, 0, 1, 1])
    part = subset("test", data, np.array([0, 1, 2]), None, "balanced")
    np.testing.assert_allclose(part.weights, [0.75, 0.75, 1.5])


def test_a_subset_without_a_class_is_refused():
    with pytest.raises(nk.InvalidInputError, match="test: a fold has no rows of class 1"):
        subset("test", training_set(np.eye(4), [0, 0, 1, 1]), np.array([0, 1]), None, None)
