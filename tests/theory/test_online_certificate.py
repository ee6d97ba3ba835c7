"""What all certificates of online learners have in common: their checks against rows and against a repeated run."""

import math
from dataclasses import replace

import numpy as np
import pytest

import novikoff as nk
from certified import change, failed, with_certificate
from novikoff.theory.certificate import Duals
from novikoff.theory.enclosure import Enclosure

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

X = np.random.default_rng(3).standard_normal((60, 3))
Y = np.where(X @ [1.0, -1.0, 0.5] + 0.3 * np.random.default_rng(4).standard_normal(60) > 0, 1, 0)


@pytest.mark.parametrize("slack", [0.0, 0.5])
@pytest.mark.parametrize("weights", [None, "fractions", "copies"])
def test_the_bound_of_a_stream_is_confirmed(weights, slack):
    weights = {None: None, "fractions": np.linspace(0.1, 2.3, 60), "copies": np.arange(60) % 4}[weights]
    model = nk.Perceptron(slack_feature=slack).partial_fit(X, Y, sample_weight=weights)
    found = {check.claim: check.status for check in nk.verify(model, X, Y, weights).checks}
    assert found["bound of the run"] == found["run"] == found["updates of the run"] == "holds"


def test_support_is_named_for_its_own_data_only():
    certificate = nk.Perceptron(max_iter=5).fit(X, Y).certificate_
    support = certificate.support(X, Y)
    assert support.name == "examples with an update"
    assert support.rows.tolist() == certificate.evidence.duals.rows.tolist()
    for other in (2.0 * X, X[:, :1], X[:1]):
        assert len(certificate.support(other, Y[: len(other)]).rows) == 0
    assert len(change(certificate, _duals=None).support(X, Y).rows) == 0


@pytest.mark.parametrize("stream", [False, True])
def test_the_rule_and_the_passes_are_those_of_the_run(stream):
    model = nk.PassiveAggressiveI(C=0.5, max_iter=3)
    model = model.partial_fit(X, Y) if stream else model.fit(X, Y)
    assert nk.verify(model, X, Y)
    for fields in ({"rule": "passive-aggressive"}, {"rule": "other"}, {"parameter": 0.6}):
        forged = with_certificate(model, replace(model.certificate_, **fields))
        assert "run record" in failed(nk.verify(forged, X, Y))


def test_after_several_fits_the_radius_is_an_upper_bound():
    model = nk.Perceptron().fit(X, Y).partial_fit(X, Y)
    longest = 1 + np.max(np.einsum("ij,ij->i", X, X))
    assert longest <= model.certificate_.radius**2 <= longest * (1 + 1e-12)
    assert {c.claim: c.status for c in model.certificate_.verify(X, Y).checks}["radius"] == "holds"
    forged = replace(model.certificate_, radius=np.sqrt(longest) * (1 - 1e-15))
    assert {c.claim: c.status for c in forged.verify(X, Y, exact=True).checks}["radius"] == "fails"


def test_duals_of_rows_of_weight_0_prove_nothing():
    X, y, weights = np.array([[1.0], [-1.0], [5.0], [5.0]]), np.array([1, 0, 1, 0]), np.array([1.0, 1.0, 0.0, 0.0])
    honest = nk.PassiveAggressive().fit(X, y, sample_weight=weights).certificate_
    assert honest.verify(X, y, weights)
    duals = honest.evidence.duals
    more = Duals(np.append(duals.rows, [2, 3]), np.append(duals.weights, [1e6, 1e6]))
    forged = replace(honest, margin_upper_bound=1e-4, evidence=replace(honest.evidence, duals=more))
    for exact in (False, True):
        assert "weight 0" in forged.verify(X, y, weights, exact=exact).failures[0].detail


def test_weights_of_zero_have_no_margin():
    X, y = np.array([[1.0], [-1.0], [2.0]]), np.array([1, 0, 1])
    honest = nk.MarginPerceptron().fit(X, y).certificate_
    nothing = replace(honest.evidence, weights=np.zeros(1), intercept=0.0, duals=None)
    forged = replace(honest, margin_lower_bound=0.1, evidence=nothing)
    assert "lower bound" in [check.claim for check in forged.verify(X, y).failures]


def test_the_largest_counts_that_a_run_can_have_are_those_of_all_copies():
    certificate, copies = nk.Perceptron().fit(X, Y).certificate_, np.array([1.0, 0.5, 0.0, 2.25])  # 1, 1 and 3 examples
    for passes, updates, claim in (
        (2, 10, None),
        (2, 11, "updates"),
        (0, 2**40, None),
        (0, 2**40 + 1, "updates"),
        (0, 0, None),
        (0, -1, "updates"),
        (2**40, 0, None),
        (2**40 + 1, 0, "passes"),
    ):
        found = replace(certificate, passes=passes, updates=updates)._misfit_of_counts(copies)
        assert (found.claim if found else None) == claim


def test_nothing_may_be_claimed_about_rows_that_were_scaled_in_two_ways():
    model = nk.Perceptron(scale="running").fit(X, Y).partial_fit(X, Y)
    certificate = model.certificate_
    (check,) = certificate.verify(X, Y).checks
    assert (check.claim, check.status) == ("scale", "on trust")
    duals = Duals(np.array([0]), np.ones(1))
    for other in (
        replace(certificate, passes=1),
        replace(certificate, separates=True),
        replace(certificate, evidence=replace(certificate.evidence, duals=duals)),
    ):
        assert [check.status for check in other.verify(X, Y).checks] == ["fails"]


def test_an_infinite_bound_claims_nothing():
    fitted, stream = nk.Perceptron(max_iter=5).fit(X, Y), nk.Perceptron().partial_fit(X, Y)
    for model, words in ((fitted, None), (stream, "the least |v|/M of the run")):
        for bound in (model.certificate_.margin_upper_bound, math.inf):
            certificate = replace(model.certificate_, margin_upper_bound=bound)
            found = {check.claim: check for check in certificate.verify(X, Y).checks}
            (check,) = [check for check in found.values() if "margin" in check.claim or "bound" in check.claim]
            if bound == math.inf:
                assert (check.status, check.detail) == ("on trust", "no bound is claimed")
            else:
                assert (check.status == "on trust") == (words is not None)
                assert words is None or words in check.detail
    infinite = with_certificate(stream, replace(stream.certificate_, margin_upper_bound=math.inf))
    repeated = nk.verify(infinite, X, Y)
    assert "bound of the run" not in [check.claim for check in repeated.checks]
    assert "bound of the run" in [check.claim for check in nk.verify(stream, X, Y).checks]
    assert "bound of the run" not in [check.claim for check in nk.verify(fitted, X, Y).checks]


def test_weights_as_far_from_the_repeated_ones_as_rounding_allows_are_those_of_the_run():
    class Run:
        rounding, mistaken, visits, updates = 0.25, [1.0, 0.5], 8, 3

        def __init__(self, distance):
            self._distance = distance

        def distance(self, weights, intercept):
            return Enclosure.exactly(self._distance)

    certificate = replace(nk.Perceptron(max_iter=5).fit(X, Y).certificate_, mistakes=1.5, updates=3)
    for squared, status in ((0.0625, "holds"), (math.nextafter(0.0625, 1.0), "fails")):
        found = certificate.check_replay(Run(squared))
        assert [check.status for check in found] == [status, "holds", "holds"]
    for units, status in ((30, "holds"), (31, "fails")):  # 2 * 8 + 4 roundings of 1.5
        near = replace(certificate, mistakes=1.5 + units * 2.0**-52)
        assert near.check_replay(Run(0.0))[1].status == status
    assert replace(certificate, updates=4).check_replay(Run(0.0))[2].status == "fails"
