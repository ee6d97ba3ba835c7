"""Classes of learners that refuse a third one."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.online._two_classes import TwoClasses


def test_two_classes_may_be_declared_or_appear():
    assert TwoClasses.of(np.array([0, 1])).labels == [0, 1]
    found = TwoClasses.of(None).codes("here", np.array(["b", "a", "b"]), None)
    assert found.tolist() == [0, 1, 0]


def test_a_third_class_is_refused_wherever_it_appears():
    with pytest.raises(nk.InvalidInputError, match=r"Only binary classification is supported\. The labels are"):
        TwoClasses.of(np.array([0, 1, 2]))
    with pytest.raises(nk.InvalidInputError, match=r"^here: Only binary classification.*\['a', 'b', 'c'\]"):
        TwoClasses(["a", "b"]).codes("here", np.array(["a", "c"]), None)
    with pytest.raises(nk.InvalidInputError, match="Only binary"):
        TwoClasses(["a"]).check_sortable("here", ["b", "c"])
    with pytest.raises(nk.InvalidInputError, match="labels must be of one type"):
        TwoClasses(["a"]).check_sortable("here", [1])
