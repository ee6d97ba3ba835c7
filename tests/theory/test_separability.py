"""What Separability.verify refuses: verdicts, planes, witnesses and data that are not what they were."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

import novikoff as nk
from novikoff.theory import Margin, separability_checks
from novikoff.theory.certificate import Duals

COMPLETE = (np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 2.0]]), np.array(["a", "a", "b", "b"]))
QUASI = (np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 1.0]]), np.array(["a", "b", "a", "b"]))
OVERLAP = (np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array(["a", "a", "b", "b"]))

WITHOUT_STATUSES = {"directions": (), "supports": (), "dependences": ()}


def statuses(found, X, y, exact):
    return {check.status for check in found.verify(X, y, exact=exact).checks}


@pytest.mark.parametrize("exact", [False, True])
def test_false_planes_and_witnesses_are_refused(exact):
    X, y = COMPLETE
    found = nk.separability(X, y)
    for false in ({"margin_lower_bound": 2.0}, {"margin_upper_bound": 1e-3}, {"kind": "overlap"}):
        assert not dataclasses.replace(found, **false).verify(X, y, exact=exact), false
    X, y = QUASI
    found = nk.separability(X, y)
    witness = Duals(found.witness.rows[:-1], found.witness.weights[:-1])
    for false in (
        {"coef": np.array([1.0, 7.0]), "intercept": -100.0},
        {"kind": "complete"},
        {"witness": None},
        {"witness": witness},
    ):
        assert not dataclasses.replace(found, **false).verify(X, y, exact=exact), false


@pytest.mark.parametrize("exact", [False, True])
def test_a_witness_that_does_not_span_proves_no_overlap(exact):
    """Two copies of a point with both labels balance, but the rest can still be separated."""
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    y = np.array([1, 0, 1, 0])
    found = nk.separability(X, y)
    assert found.kind == "quasi-complete"
    nothing = {"boundary": found.boundary[:0], **WITHOUT_STATUSES, "statuses": 0 * found.statuses}
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


@pytest.mark.parametrize("exact", [False, True])
def test_a_witness_is_not_proven_where_it_only_nearly_balances(exact):
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
        **WITHOUT_STATUSES,
        statuses=0 * found.statuses,
        margin_lower_bound=0.0,
        numerators=None,
        witness=Duals(np.array([0, 1]), np.ones(2)),
    )
    assert [check.claim for check in false.verify(X, y, exact=exact).failures][:1] == ["witness"]


@pytest.mark.parametrize("exact", [False, True])
def test_a_span_that_floating_point_takes_for_smaller_is_proven(exact):
    X, y = np.array([[1.0, -1.0], [-2.0, 1.0], [0.0, 0.0], [-2.0, 2.0]]), np.array([0, 1, 1, 0])
    verification = nk.separability(X, y).verify(X, y, exact=exact)
    assert verification, str(verification)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("weight", [5e-324, 1e-310, 1e308])
def test_weights_of_a_witness_of_any_size_are_decided(weight, exact):
    X, y = OVERLAP
    found = nk.separability(X, y)
    equal = dataclasses.replace(found, witness=Duals(np.arange(4), np.full(4, weight)))
    assert equal.verify(X, y, exact=exact)
    apart = dataclasses.replace(found, witness=Duals(np.arange(4), np.array([1e-300, 1.0, 1.0, 1e300])))
    assert [check.claim for check in apart.verify(X, y, exact=exact).failures] == ["witness"]


@pytest.mark.parametrize("exact", [False, True])
def test_coefficients_of_any_size_are_decided(exact):
    X, y = np.array([[1.0], [2.0]]), np.array([0, 1])
    found = nk.separability(X, y)
    for size in (5e-324, 1e-310, 1e307):
        plane = dataclasses.replace(
            found, coef=np.array([2 * size]), intercept=-3 * size, numerators=None, margin_lower_bound=0.0
        )
        assert plane.verify(X, y, exact=exact)
        wrong = dataclasses.replace(plane, intercept=-4 * size)
        assert "plane" in [check.claim for check in wrong.verify(X, y, exact=exact).failures]
    numbers = 2 * 10**400, -3 * 10**400
    plane = dataclasses.replace(plane, coef=np.array([2 / 3]), intercept=-1.0, numerators=numbers)
    assert plane.verify(X, y, exact=exact)
    assert not dataclasses.replace(plane, numerators=(*numbers[:1], numbers[1] + 1)).verify(X[::-1], y, exact=exact)
    assert not dataclasses.replace(plane, numerators=(2.0, -3.0)).verify(X[::-1], y, exact=exact)


@pytest.mark.parametrize("exact", [False, True])
def test_labels_that_are_not_two_or_not_the_positive_one_are_refused(exact):
    X, y = OVERLAP
    found = nk.separability(*COMPLETE)
    nothing = {"coef": np.zeros(2), "intercept": -1.0, "numerators": None, "margin_lower_bound": 0.0}
    nothing |= {**WITHOUT_STATUSES, "statuses": 0 * found.statuses, "witness": None}
    false = dataclasses.replace(found, positive="c", margin_upper_bound=np.inf, **nothing)
    assert [check.claim for check in false.verify(X, y, exact=exact).failures] == ["data"]
    true = nk.separability(*COMPLETE)
    assert not true.verify(COMPLETE[0], np.array(["a", "a", "b", "c"]), exact=exact)


@pytest.mark.parametrize("field", ["margin_lower_bound", "margin_upper_bound"])
@pytest.mark.parametrize("data", [COMPLETE, QUASI, OVERLAP], ids=["complete", "quasi-complete", "overlap"])
def test_margins_that_are_not_numbers_are_refused(data, field):
    assert dataclasses.replace(nk.separability(*data), **{field: np.nan}).verify(*data).failures


def test_what_takes_too_much_work_is_left_open_until_exact_decides(monkeypatch):
    monkeypatch.setattr(separability_checks, "SMALL_WORK", 1.0)
    for X, y in (QUASI, OVERLAP):
        found = nk.separability(X, y)
        verification = found.verify(X, y)
        assert not verification
        assert not verification.failures
        assert found.verify(X, y, exact=True)
    monkeypatch.setattr(separability_checks, "MAX_WORK", 1.0)
    assert "about a minute" in str(found.verify(X, y, exact=True))


@pytest.mark.parametrize("exact", [False, True])
def test_a_verdict_must_name_its_positive_label(exact):
    counts = np.array([[1, 1], [2, 3], [1, 0], [4, 1]])
    for X, y in (COMPLETE, QUASI, OVERLAP, (OVERLAP[0], counts)):
        found = nk.separability(X, y)
        assert found.verify(X, y, exact=exact)
        for false in (None, "c", np.zeros(2)):
            assert dataclasses.replace(found, positive=false).verify(X, y, exact=exact).failures


@pytest.mark.parametrize(
    "false", [("p",), ("p", "q", "r"), ("p", "p"), ("p", "(Intercept)"), ("p", 1), "pq", 2, ("p", None), ()]
)
def test_names_that_cannot_be_those_of_the_columns_are_refused(false):
    X, y = QUASI
    found = nk.separability(X, y)
    assert dataclasses.replace(found, names=("p", "q")).verify(X, y)
    failures = dataclasses.replace(found, names=false).verify(X, y).failures
    assert [check.claim for check in failures] == ["names"]


def test_without_an_intercept_a_column_may_have_its_name():
    X, y = QUASI
    found = dataclasses.replace(nk.separability(X, y, fit_intercept=False), names=("(Intercept)", "q"))
    assert found.verify(X, y)
    assert list(found.coefficients) == ["(Intercept)", "q"]


def test_the_margins_know_their_geometry():
    """The margin of a plane with a free intercept is not one that bounds the mistakes of a perceptron."""
    X, y = COMPLETE
    learned = nk.Perceptron().fit(X, y).certificate_
    for fit_intercept, intercept in ((True, "free"), (False, "none")):
        found = nk.separability(X, y, fit_intercept=fit_intercept)
        for margin in (found.margin_lower_bound, found.margin_upper_bound):
            assert isinstance(margin, Margin)
            assert margin.intercept == intercept
            with pytest.raises(nk.InvalidInputError, match="the margin was measured with"):
                learned.bound(margin)
        other = dataclasses.replace(found, fit_intercept=not fit_intercept).margin_lower_bound
        assert other.intercept != intercept
        assert isinstance(json.loads(found.to_json())["margin_lower_bound"], float)


def test_the_classes_are_separated_unless_they_overlap():
    for data, separated in ((COMPLETE, True), (QUASI, True), (OVERLAP, False)):
        found = nk.separability(*data)
        assert found.separated is bool(found) is separated


def test_undecided_says_why_and_what_to_do():
    found = dataclasses.replace(nk.separability(*OVERLAP), kind="undecided")
    with pytest.raises(ValueError, match=r"because the data are too large, .* Leave out columns, or round the values"):
        bool(found)


def test_proofs_of_counts_speak_of_pairs_of_row_and_outcome():
    X, y = [[1.0], [2.0], [3.0]], [[2, 3], [1, 4], [3, 1]]
    found = nk.separability(X, y)
    assert dict(found.claims())["witness"].endswith("pairs of row and outcome balance each other")
    details = {check.claim: check.detail for check in found.verify(X, y).checks}
    assert details["span"] == "the witness spans 6 pairs of row and outcome, which are all"


# ---- what it says ----------------------------------------------------------------------------------------------------


def test_claims_are_those_of_the_kind():
    complete = nk.separability(*COMPLETE)
    claims = dict(complete.claims())
    assert list(claims) == ["kind", "margin", "best margin"]
    assert claims["margin"].startswith("at least ")
    assert claims["best margin"].startswith("at most ")
    without = dataclasses.replace(complete, margin_upper_bound=np.inf)
    assert list(dict(without.claims())) == ["kind", "margin"]
    quasi = dict(nk.separability(*QUASI).claims())
    assert list(quasi) == ["kind", "witness", "on the plane", "coefficients"]
    assert quasi["witness"] == "3 of 4 rows balance each other"
    assert quasi["on the plane"] == "3 rows"
    overlap = nk.separability(*OVERLAP)
    assert overlap.claims()[1] == ("witness", "4 of 4 rows balance each other")
    assert [name for name, _ in overlap.claims()] == ["kind", "witness", "coefficients"]
    assert dataclasses.replace(overlap, kind="undecided", witness=None).claims() == [("kind", "undecided")]


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_coefficients_are_those_of_the_columns_and_of_the_intercept(fit_intercept):
    X, y = QUASI
    found = nk.separability(X, y, fit_intercept=fit_intercept)
    assert found.width == 2
    assert list(found.coefficients) == ["x0", "x1", *(["(Intercept)"] if fit_intercept else [])]
    assert list(found.coefficients.values()) == found.status.tolist()
    named = dataclasses.replace(found, names=("p", "q"))
    assert list(named.coefficients)[:2] == ["p", "q"]
    with pytest.raises(ValueError, match="zip"):
        _ = dataclasses.replace(found, names=("p",)).coefficients


def test_an_undecided_verdict_leaves_its_kind_open():
    X, y = OVERLAP
    nothing = {
        "witness": None,
        **WITHOUT_STATUSES,
        "statuses": np.zeros(3, dtype=np.int8),
        "margin_upper_bound": np.inf,
    }
    found = dataclasses.replace(nk.separability(X, y), kind="undecided", **nothing)
    assert [(check.claim, check.status) for check in found.verify(X, y).checks] == [("data", "holds"), ("kind", "open")]
    with pytest.raises(nk.InvalidInputError, match="undecided"):
        found.boundary_data(X, y)


# ---- names -----------------------------------------------------------------------------------------------------------


def frame(*names):
    return pd.DataFrame(QUASI[0], columns=list(names))


def test_what_the_data_do_not_name_is_on_trust():
    found = nk.separability(frame("p", "q"), QUASI[1])
    named = {check.claim: check.status for check in found.verify(frame("p", "q"), QUASI[1]).checks}
    assert "names" not in named
    assert named["response"] == "on trust"
    assert {check.claim: check.status for check in found.verify(*QUASI).checks}["names"] == "on trust"
    plain = nk.separability(*QUASI)
    for X in (QUASI[0], frame("p", "q")):
        assert "names" not in [check.claim for check in plain.verify(X, QUASI[1]).checks]
    counts = nk.separability([[1.0], [2.0], [3.0]], [[2, 3], [1, 4], [3, 1]])
    assert counts.response is None
    assert "response" not in [
        check.claim for check in counts.verify([[1.0], [2.0], [3.0]], [[2, 3], [1, 4], [3, 1]]).checks
    ]


def test_counts_and_numbers_of_rows_are_those_of_the_verdict():
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 0]
    counts = [[2, 3], [1, 4], [3, 1]]
    words = "only one of the verdict and the data has counts"
    labelled, counted = nk.separability(X, y), nk.separability(X, counts)
    forged = dataclasses.replace(labelled, response=None, positive=counted.positive)
    assert forged.verify(X, counts).failures[0].detail != words
    assert dataclasses.replace(counted, response="y").verify(X, counts).failures[0].detail == words
    assert labelled.verify(X[:2], y[:2]).failures[0].detail == "judged: 3 rows; given: 2"
    listed = dataclasses.replace(labelled, names=["p"])
    assert not listed.verify(X, y).failures


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("q", "p"), "the columns are those of the verdict in another order"),
        (("p", "r"), "the columns have other names: the verdict is about a column 'q'"),
        (("r", "q"), "the columns have other names: the verdict is about a column 'p'"),
    ],
)
def test_data_with_other_names_are_refused(names, words):
    found = nk.separability(frame("p", "q"), QUASI[1])
    (check,) = found.verify(frame(*names), QUASI[1]).checks
    assert (check.claim, check.status, check.detail) == ("data", "fails", words)
    further = frame("p", "q").assign(r=1.0)
    assert found.verify(further, QUASI[1]).failures[0].detail == (
        "the columns have other names: there is a further column 'r'"
    )


def test_there_is_no_limiting_model_of_a_complete_separation_or_of_other_data():
    with pytest.raises(nk.InvalidInputError, match="the separation is complete"):
        nk.separability(*COMPLETE).boundary_data(*COMPLETE)
    X, y = QUASI
    found = nk.separability(X, y)
    for false in ({"kind": "undecided"}, {"witness": None}):
        with pytest.raises(nk.InvalidInputError, match="it is undecided"):
            dataclasses.replace(found, **false).boundary_data(X, y)
    with pytest.raises(nk.InvalidInputError, match="not the data of the verdict"):
        found.boundary_data(X[::-1], y)
    assert nk.separability(*OVERLAP).plane() is None
