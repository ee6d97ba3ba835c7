"""Class labels: the classes in order, and the number of each label."""

import numpy as np
import pytest

import novikoff as nk
from novikoff._labels import declared_classes, encode


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 1, 3, 3]),
        np.array([3, 1, 2, 1]),
        np.array([True, False, True]),
        np.array(["b", "a", "c", "b"]),
        np.array(["b", "a"], dtype=object),
        np.array([2.0, -1.0, 2.0]),
        np.array([7, 7, 7]),
    ],
)
def test_classes_are_sorted_and_codes_are_places_among_them(labels):
    classes, codes = encode("test", labels)
    assert classes.tolist() == sorted(set(labels.tolist()))
    assert classes.dtype == labels.dtype
    assert classes[codes].tolist() == labels.tolist()
    assert codes.dtype == np.int32


def test_labels_that_cannot_be_ordered_are_refused():
    with pytest.raises(nk.InvalidInputError):
        encode("test", np.array(["a", 1, "b"], dtype=object))


def test_no_labels_have_no_classes():
    classes, codes = encode("test", np.zeros(0))
    assert len(classes) == len(codes) == 0


def test_declared_classes_are_sorted_and_at_least_two():
    assert declared_classes("test", ["b", "a", "b"]).tolist() == ["a", "b"]
    for wrong in (["a"], "ab", [["a", "b"]]):
        with pytest.raises(nk.InvalidInputError):
            declared_classes("test", wrong)
