"""One-vs-rest: how several classes become binary problems, and scores become labels."""

import numpy as np
import pytest

from novikoff._multiclass import OneVsRest

TWO, THREE = OneVsRest(np.array(["no", "yes"])), OneVsRest(np.array([1, 5, 7]))


def test_two_classes_are_one_problem_and_more_are_one_per_class():
    assert TWO.is_binary
    assert TWO.positives == ["yes"]
    assert TWO.positive_codes == [1]
    assert not THREE.is_binary
    assert THREE.positives == [1, 5, 7]
    assert THREE.positive_codes == [0, 1, 2]


def test_a_score_of_zero_goes_to_the_positive_class():
    assert TWO.choose(np.array([-1.0, -0.0, 0.0, 2.0])).tolist() == ["no", "yes", "yes", "yes"]


def test_the_largest_score_decides_and_a_tie_goes_to_the_first_class():
    scores = np.array([[0.0, 1.0, -1.0], [2.0, 2.0, 1.0], [-3.0, -2.0, -2.0]])
    assert THREE.choose(scores).tolist() == [5, 1, 5]


def test_scores_of_two_classes_have_one_dimension():
    assert TWO.flatten(np.zeros((4, 1))).shape == (4,)
    assert THREE.flatten(np.zeros((4, 3))).shape == (4, 3)


def test_a_fitted_attribute_is_one_value_for_two_classes_and_a_list_for_more():
    assert TWO.per_problem(["a"]) == "a"
    assert THREE.per_problem(["a", "b", "c"]) == ["a", "b", "c"]


def test_a_fitted_attribute_becomes_a_list_with_one_entry_per_problem():
    assert TWO.as_list("a") == ["a"]
    assert THREE.as_list(["a", "b", "c"]) == ["a", "b", "c"]
    assert THREE.as_list(["a", "b"]) == ["a", "b", None]
    assert (TWO.as_list(None), THREE.as_list(None)) == ([None], [None] * 3)


@pytest.mark.parametrize("strategy", [TWO, THREE])
def test_there_is_one_positive_label_per_problem(strategy):
    assert len(strategy.positives) == len(strategy.positive_codes)
    assert strategy.classes[strategy.positive_codes].tolist() == strategy.positives
