"""Margin certificates: no claim can be bettered without being caught."""

import math

import numpy as np
import pytest

import novikoff as nk
from certified import change
from novikoff.theory import Margin
from novikoff.theory.replay import replay


def two_rows(**changes):
    """The certificate of the rows 2 and -1, and the repeated run."""
    X, y = np.array([[2.0], [-1.0]]), np.array([1.0, -1.0])
    model = nk.MarginPerceptron(margin=0.5, fit_intercept=False).partial_fit(X, y)
    rule = model.record_.problems[0].run.rule
    run = replay(X, y, np.ones(2), rule.implementation(), rule.geometry, [np.arange(2)])
    return change(model.certificate_, **changes), run


@pytest.mark.parametrize(
    ("lower", "upper", "ratio"),
    [(0.5, 2.0, 0.25), (2.0, 0.5, 4.0), (-1.0, 2.0, -0.5), (0.0, 0.0, 0.0), (-2.0, -1.0, 0.0)],
)
def test_the_ratio_is_that_of_the_bounds_and_0_if_no_plane_separates(lower, upper, ratio):
    certificate, _ = two_rows(margin_lower_bound=lower, margin_upper_bound=upper)
    assert certificate.ratio == ratio


def test_the_words_state_a_margin_and_its_share_of_the_best_where_they_are_known():
    certificate, _ = two_rows(margin_lower_bound=0.5, margin_upper_bound=2.0)
    assert "at least 25" in certificate.explain()
    assert dict(certificate.claims())["margin"].startswith("at least 0.5, which is at least 25")
    whole, _ = two_rows(margin_lower_bound=0.5, margin_upper_bound=0.5)
    assert "100" in whole.explain()
    for lower, upper in ((0.5, math.inf), (2.0, 1.0)):
        unknown, _ = two_rows(margin_lower_bound=lower, margin_upper_bound=upper)
        assert "is not known" in unknown.explain()
    for lower in (0.0, -1.0, -math.inf):
        none, _ = two_rows(margin_lower_bound=lower)
        assert none.explain().startswith("The model was not shown to separate the rows")
        assert ("margin" in dict(none.claims())) == (lower > -math.inf)


def test_bounds_know_their_geometry_unless_they_are_not_numbers():
    certificate, _ = two_rows(margin_upper_bound=math.nan)
    assert isinstance(certificate.margin_lower_bound, Margin)
    assert not isinstance(certificate.margin_upper_bound, Margin)
    assert certificate.fitted() == {"margin_": certificate.margin_lower_bound}


def test_the_band_is_the_margin_times_the_length_of_the_weights():
    certificate, _ = two_rows(margin_lower_bound=0.25, _weights=np.array([8.0]))
    assert certificate.band() == pytest.approx(2.0, rel=1e-12)
    for lower in (0.0, -1.0):
        assert change(certificate, margin_lower_bound=lower).band() is None


def test_a_missing_lower_bound_is_on_trust_and_bounds_in_the_wrong_order_fail():
    X, y = np.array([[2.0], [-1.0]]), np.array([1.0, -1.0])
    for lower, status in ((-math.inf, "on trust"), (-1.0, "holds"), (1.5, "fails")):
        found = {check.claim: check.status for check in two_rows(margin_lower_bound=lower)[0].verify(X, y).checks}
        assert found["lower bound"] == status
    for lower, upper, status in ((0.5, 0.5, "holds"), (0.5, 0.25, "fails"), (-math.inf, 0.5, "holds")):
        claimed, _ = two_rows(margin_lower_bound=lower, margin_upper_bound=upper)
        found = {check.claim: check.status for check in claimed.verify(X, y).checks}
        assert found["lower below upper bound"] == status


def test_examples_and_the_last_pass_are_those_of_the_repeated_run():
    for changes, claim, status in (
        ({}, "examples of the run", "holds"),
        ({"examples": 3.0}, "examples of the run", "fails"),
        ({"examples": 2 * (1 + 6 * 2.0**-52)}, "examples of the run", "holds"),
        ({"examples": 2 * (1 + 8 * 2.0**-52)}, "examples of the run", "fails"),
        ({"halted": False}, "halted", "holds"),
        ({"halted": True}, "halted", "fails"),
    ):
        certificate, run = two_rows(**changes)
        assert run.updates_of_pass > 0
        assert {check.claim: check.status for check in certificate.check_replay(run)}[claim] == status
    run.updates_of_pass = 0
    assert {check.claim: check.status for check in certificate.check_replay(run)}["halted"] == "holds"
