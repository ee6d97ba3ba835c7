"""Statuses of coefficients that are not proven, or that no data can have, are refused."""

import numpy as np
import pytest

from novikoff.theory.coefficient_checks import CoefficientClaims, coefficient_misfit
from novikoff.theory.coefficients import CoefficientStatus
from novikoff.theory.exact import Examples
from novikoff.theory.recession import Recession

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


UP, DOWN, BOTH = CoefficientStatus.PLUS_INFINITY, CoefficientStatus.MINUS_INFINITY, CoefficientStatus.INFINITE
FINITE, ALIASED = CoefficientStatus.FINITE, CoefficientStatus.ALIASED
ROWS = np.array([[1.0, 0.0], [1.0, 2.0]])  # v has both on its side if v_1 >= 0 and v_1 + 2 v_2 >= 0
PROVEN = {
    "statuses": np.array([UP, BOTH], dtype=np.int8),
    "plane": [1, 0],
    "directions": [[2, -1], [0, 1]],
    "supports": (np.array([0]),),
    "dependences": [],
}


def decided(rows=ROWS, **changes):
    claims = CoefficientClaims(**(PROVEN | changes))
    check = claims.check(Recession(Examples(rows, np.ones(len(rows)), False), np.ones(len(rows), dtype=np.int8), None))
    return check.status, check.row, check.detail


def of(*statuses):
    return np.array(statuses, dtype=np.int8)


def test_what_directions_and_supports_prove_holds():
    assert decided()[0] == "holds"
    mirrored = {"plane": [-1, 0], "directions": [[-2, 1], [0, -1]]}
    assert decided(-ROWS, statuses=of(DOWN, BOTH), **mirrored)[0] == "holds"
    assert decided(plane=[1, 1], directions=[[2, -1]])[0] == "holds"  # the plane is a direction, too
    assert decided(plane=None)[0] == "holds"


@pytest.mark.parametrize(
    ("directions", "row"), [([[-1, 5]], 0), ([[3, -2]], 1), ([[2, -1], [3, -2], [-1, 5]], 1), ([[0, 1], [-1, 0]], 0)]
)
def test_a_direction_with_a_row_on_its_wrong_side_proves_nothing(directions, row):
    status, found, detail = decided(directions=directions)
    assert (status, found, "wrong side" in detail) == ("fails", row, True)


def test_a_dependence_on_which_a_row_does_not_lie_proves_nothing():
    for dependence, row in (([1, 0], 0), ([0, 1], 1), ([2, -1], 0)):
        status, found, detail = decided(dependences=[dependence])
        assert (status, found, "linear dependence" in detail) == ("fails", row, True)


@pytest.mark.parametrize(
    ("changes", "column"),
    [
        ({"directions": [[2, -1]]}, 1),  # nothing moves the second coefficient up
        ({"directions": [[0, 1]]}, 1),  # or down
        ({"directions": [[0, 1]], "plane": None}, 0),
        ({"statuses": of(DOWN, BOTH)}, 0),
        ({"statuses": of(UP, FINITE)}, 1),
        ({"statuses": of(UP, ALIASED)}, 1),
        ({"statuses": of(ALIASED, ALIASED), "supports": ()}, 0),
        ({"supports": (np.array([1]),)}, 0),
        ({"supports": (np.array([0, 1]),)}, 0),
    ],
)
def test_a_status_without_its_proof_is_refused(changes, column):
    status, _, detail = decided(**changes)
    assert (status, detail.split(" is ")[0]) == ("fails", f"coefficient {column}")


def test_a_column_of_zeros_is_aliased_and_not_infinite():
    rows = np.array([[1.0, 0.0], [2.0, 0.0]])
    free = {"plane": [1, 0], "directions": [[0, 1], [0, -1]]}
    assert decided(rows, statuses=of(UP, ALIASED), **free)[0] == "holds"
    status, _, detail = decided(rows, statuses=of(UP, BOTH), **free)
    assert (status, "coefficient 1 is not aliased" in detail) == ("fails", True)


def test_columns_of_a_linear_dependence_are_aliased():
    rows = np.array([[1.0, 2.0], [2.0, 4.0]])
    aliased = {"statuses": of(ALIASED, ALIASED), "plane": [1, 0], "directions": [], "supports": ()}
    assert decided(rows, **aliased, dependences=[[2, -1]])[0] == "holds"
    assert decided(rows, **aliased)[0] == "fails"


def test_every_row_may_be_in_a_support_and_all_statuses_may_be_unknown():
    assert coefficient_misfit(**(FINE | {"supports": (np.arange(4),)})) is None
    unknown = {"kind": "undecided", "statuses": np.zeros(2, dtype=np.int8), "supports": ()}
    assert coefficient_misfit(**(FINE | unknown)) is None
    for rows in (np.array([-1, 2]), np.array([[0, 1]]), np.array([0.0])):
        assert coefficient_misfit(**(FINE | {"supports": (rows,)})).status == "fails"
