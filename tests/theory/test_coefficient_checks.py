"""Statuses of coefficients that no data can have are refused."""

import numpy as np
import pytest

from novikoff.theory.coefficient_checks import coefficient_misfit
from novikoff.theory.coefficients import CoefficientStatus

FINE = {
    "kind": "quasi-complete",
    "statuses": np.array([CoefficientStatus.PLUS_INFINITY, CoefficientStatus.FINITE], dtype=np.int8),
    "directions": ((1, 0),),
    "supports": (np.array([3]),),
    "dependences": ((0, 0),),
    "examples": 4,
}


def test_what_may_be_true_fits():
    assert coefficient_misfit(**FINE) is None


@pytest.mark.parametrize(
    "false",
    [
        {"statuses": np.array([2, 6], dtype=np.int8)},
        {"statuses": np.array([2, -1], dtype=np.int8)},
        {"statuses": np.array([2.0, 1.0])},
        {"directions": ((1, 0, 0),)},
        {"directions": ((1.0, 0),)},
        {"directions": (np.array([1, 0]),)},
        {"dependences": ((0,),)},
        {"supports": ()},
        {"supports": (np.array([3]), np.array([3]))},
        {"supports": (np.array([4]),)},
        {"supports": (np.array([3, 3]),)},
        {"supports": (np.array([], dtype=np.int64),)},
        {"supports": (np.array([3.0]),)},
        {"supports": ((3,),)},
        {"kind": "undecided"},
    ],
)
def test_other_structures_are_refused(false):
    check = coefficient_misfit(**(FINE | false))
    assert (check.claim, check.status) == ("coefficients", "fails")
