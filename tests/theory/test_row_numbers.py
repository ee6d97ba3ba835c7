"""Row numbers of a verdict: of the rows that count, and of those that the user gave."""

import dataclasses

import numpy as np
import pytest

from novikoff import separability
from novikoff._design import design_of
from novikoff.theory.certificate import Duals
from novikoff.theory.row_numbers import numbers_for_user, numbers_in_design
from novikoff.theory.verification import Check

X = np.array([[0.0], [1.0], [1.0], [2.0], [5.0]])


def verdict(**fields):
    return dataclasses.replace(separability([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]), **fields)


def test_rows_that_all_count_keep_their_numbers():
    design = design_of("f", X, [0, 0, 1, 1, 1])
    assert numbers_for_user(verdict(), design) == {"examples": 5}
    assert numbers_in_design(verdict(), design) == {}


def test_numbers_go_to_the_user_and_back():
    design = design_of("f", X, [0, 0, 1, 1, 1], sample_weight=[0, 1, 1, 2, 0])
    own = verdict(
        boundary=np.array([0, 1]), witness=Duals(np.array([0, 1]), np.array([1.0, 2.0])), supports=(np.array([2]),)
    )
    told = numbers_for_user(own, design)
    assert told["examples"] == 5
    assert told["boundary"].tolist() == [1, 2]
    assert (told["witness"].rows.tolist(), told["witness"].weights.tolist()) == ([1, 2], [1.0, 2.0])
    assert [rows.tolist() for rows in told["supports"]] == [[3]]
    back = numbers_in_design(dataclasses.replace(own, **told), design)
    assert (back["boundary"].tolist(), back["witness"].rows.tolist(), back["supports"][0].tolist()) == (
        [0, 1],
        [0, 1],
        [2],
    )


def test_failures_of_counts_have_numbers_of_their_own_except_on_the_boundary():
    design = design_of("f", X, [[0, 1], [1, 1], [0, 0], [1, 0], [2, 0]])
    assert design.numbers.tolist() == [1, 3, 4, 5, 6]
    own = verdict(boundary=np.array([0, 4]), witness=Duals(np.array([0, 4]), np.array([1.0, 2.0])))
    told = numbers_for_user(own, design)
    assert told["boundary"].tolist() == [1]
    assert told["witness"].rows.tolist() == [1, 6]
    back = numbers_in_design(dataclasses.replace(own, **told), design)
    assert (back["boundary"].tolist(), back["witness"].rows.tolist()) == ([0, 4], [0, 4])


@pytest.mark.parametrize(
    ("field", "value", "claim"),
    [
        ("boundary", np.array([0]), "boundary"),  # of weight 0
        ("boundary", np.array([1, 1]), "boundary"),
        ("boundary", np.array([7]), "boundary"),
        ("witness", Duals(np.array([0]), np.ones(1)), "witness"),
        ("supports", (np.array([4]),), "coefficients"),
    ],
)
def test_rows_that_do_not_count_make_a_check_fail(field, value, claim):
    design = design_of("f", X, [0, 0, 1, 1, 1], sample_weight=[0, 1, 1, 2, 0])
    clean = {"boundary": np.array([1]), "witness": None, "supports": ()}
    found = numbers_in_design(verdict(**{**clean, field: value}), design)
    assert isinstance(found, Check)
    assert (found.claim, found.status) == (claim, "fails")


def test_numbers_that_are_not_integers_are_left_to_other_checks():
    design = design_of("f", X, [0, 0, 1, 1, 1], sample_weight=[0, 1, 1, 2, 0])
    found = numbers_in_design(verdict(boundary=np.array([0.5]), witness=None, supports=()), design)
    assert "boundary" not in found
