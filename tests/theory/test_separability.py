"""What Separability.verify refuses: verdicts, planes, witnesses and data that are not what they were."""

import dataclasses
import json

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory.certificate import Duals

COMPLETE = (np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 2.0]]), np.array(["a", "a", "b", "b"]))
QUASI = (np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 1.0]]), np.array(["a", "b", "a", "b"]))
OVERLAP = (np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array(["a", "a", "b", "b"]))


def statuses(found, X, y, exact):
    return {check.status for check in found.verify(X, y, exact=exact).checks}


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("data", [COMPLETE, QUASI, OVERLAP], ids=["complete", "quasi-complete", "overlap"])
def test_what_is_true_is_verified(data, exact):
    X, y = data
    found = nk.separability(X, y)
    assert statuses(found, X, y, exact) - {"on trust"} == {"holds"}
    assert found.kind in str(found)
    assert found.kind in found._repr_html_()
    assert json.loads(found.to_json())["kind"] in ("Separability", found.kind)


@pytest.mark.parametrize("exact", [False, True])
def test_other_data_are_refused(exact):
    for X, y in (COMPLETE, QUASI, OVERLAP):
        found = nk.separability(X, y)
        assert not found.verify(X, y[[3, 0, 1, 2]], exact=exact)
        assert not found.verify(X[:-1], y[:-1], exact=exact)
        assert not found.verify(X[:, :1], y, exact=exact)
    found = nk.separability(*QUASI)
    moved = QUASI[0].copy()
    moved[0, 0] = 1e-3
    assert not found.verify(moved, QUASI[1], exact=exact)


@pytest.mark.parametrize("exact", [False, True])
def test_false_planes_and_witnesses_are_refused(exact):
    X, y = COMPLETE
    found = nk.separability(X, y)
    for false in (
        {"coef": -found.coef},
        {"coef": found.coef * np.nan},
        {"intercept": found.intercept + 100.0},
        {"margin_lower_bound": 2.0},
        {"margin_upper_bound": 1e-3},
        {"kind": "overlap"},
        {"kind": "perfect"},
    ):
        assert not dataclasses.replace(found, **false).verify(X, y, exact=exact), false
    X, y = QUASI
    found = nk.separability(X, y)
    rows, weights = found.witness.rows, found.witness.weights
    for false in (
        {"coef": -found.coef},
        {"coef": np.array([1.0, 7.0]), "intercept": -100.0},
        {"boundary": found.boundary[:-1]},
        {"kind": "complete"},
        {"witness": None},
        {"witness": Duals(rows, -weights)},
        {"witness": Duals(rows[:-1], weights[:-1])},
        {"witness": Duals(rows[:1].repeat(len(rows)), weights)},
        {"witness": Duals(rows + 100, weights)},
    ):
        assert not dataclasses.replace(found, **false).verify(X, y, exact=exact), false


@pytest.mark.parametrize("exact", [False, True])
def test_a_witness_that_does_not_span_proves_no_overlap(exact):
    """Two copies of a point with both labels balance, but the rest can still be separated."""
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    y = np.array([1, 0, 1, 0])
    found = nk.separability(X, y)
    assert found.kind == "quasi-complete"
    nothing = {"boundary": found.boundary[:0], "divergence": 0 * found.divergence, "intercept_divergence": 0}
    false = dataclasses.replace(found, kind="overlap", coef=None, intercept=0.0, **nothing)
    verification = false.verify(X, y, exact=exact)
    assert [check.claim for check in verification.failures] == ["span"]


def test_a_plane_too_close_for_floats_is_left_open_and_then_proven():
    X = np.array([[1.0, 1.0 + 2**-52], [1.0 + 2**-52, 1.0]])
    y = np.array([1, 0])
    found = nk.separability(X, y, fit_intercept=False)
    assert found.kind == "complete"
    assert found.verify(X, y, exact=True)
    assert "fails" not in statuses(found, X, y, exact=False)


def test_a_witness_is_not_proven_where_it_only_nearly_balances():
    """Two rows that miss each other by an ulp are separable, whatever floating point says of their sum."""
    one_up = np.nextafter(1.0, 2.0)
    X = np.array([[1.0], [one_up]])
    y = np.array([0, 1])
    found = nk.separability(X, y)
    assert found.kind == "complete"
    false = dataclasses.replace(
        found,
        kind="overlap",
        coef=None,
        intercept=0.0,
        divergence=0 * found.divergence,
        intercept_divergence=0,
        margin_lower_bound=0.0,
        numerators=None,
        witness=Duals(np.array([0, 1]), np.ones(2)),
    )
    assert false.verify(X, y)  # up to rounding
    assert not false.verify(X, y, exact=True)
