"""The certificate of mixed weights: honest ones verify, forged ones and other data do not."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

import novikoff as nk
from mixed import Mixed
from novikoff.testing import check_certificate
from novikoff.theory import Geometry, MixingCertificate
from novikoff.theory.certificate import Duals
from novikoff.theory.evidence import Evidence
from novikoff.theory.mixing_certificate import errors_of
from novikoff.theory.mixing_replay import MixedReplay
from novikoff.theory.online_checks import OnlineChecks

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")

rng = np.random.default_rng(21)
X = rng.normal(size=(36, 3))
APART = np.where(X @ [1.0, -2.0, 0.5] > 0, "yes", "no")
X += 0.3 * np.outer(np.where(APART == "yes", 1, -1), [1.0, -2.0, 0.5])
NOISY = np.where(rng.random(36) < 0.1, "yes", APART)
WEIGHTS = rng.choice([0.0, 0.5, 1.0, 2.0], size=36)
MODELS = {
    "perceptron": (nk.Perceptron(), APART, None),
    "perceptron, weights": (nk.Perceptron(max_iter=4), NOISY, WEIGHTS),
    "ties positive": (nk.Perceptron(tie="positive", fit_intercept=False, max_iter=4), NOISY, None),
    "unit length": (nk.Perceptron(normalize=True, max_iter=4), NOISY, None),
    "averaged": (nk.AveragedPerceptron(max_iter=4), NOISY, None),
    "PA": (nk.PassiveAggressive(), APART, None),
    "PA-I": (nk.PassiveAggressiveI(C=0.1, max_iter=4), NOISY, WEIGHTS),
    "PA-II": (nk.PassiveAggressiveII(C=0.1, shuffle=False, max_iter=4), NOISY, None),
}


def made(name):
    model, y, weights = MODELS[name]
    return Mixed(model, (3, 1, 2)).fit(X, y, weights), y, weights


@pytest.mark.parametrize("name", MODELS)
def test_honest_certificates_verify_with_and_without_exact(name):
    model, y, weights = made(name)
    certificate = model.certificate_
    assert isinstance(certificate, MixingCertificate)
    for exact in (False, True):
        found = certificate.verify(X, y, weights, exact=exact)
        assert found, str(found)
    assert nk.verify(model, X, y, weights)
    check_certificate(certificate, X, y, weights)


def with_mixing(certificate, **changes):
    return dataclasses.replace(certificate, mixing=dataclasses.replace(certificate.mixing, **changes))


def test_a_forged_count_that_is_consistent_is_found_by_the_repeated_run_alone():
    """Mistakes of two partitions are exchanged: all sums stay the same."""
    model, y, weights = made("perceptron, weights")
    certificate = model.certificate_
    assert certificate.mixing.mistakes[0, 0] != certificate.mixing.mistakes[0, 2]
    other = with_mixing(certificate, mistakes=certificate.mixing.mistakes[:, ::-1].copy())
    found = other.verify(X, y, weights)
    assert [check.claim for check in found.failures] == ["mistakes of each partition in each round"]


def test_an_altered_average_is_noticed():
    model, y, _ = made("averaged")
    record = model.record_
    (problem,) = record.problems
    altered = dataclasses.replace(problem, weights=problem.weights * (1 + 1e-9))
    forged = SimpleNamespace(record_=dataclasses.replace(record, problems=(altered,)))
    found = nk.verify(forged, X, y)
    assert "average" in {check.claim for check in found.failures}


def test_more_mistakes_than_the_theorem_allows_are_refuted():
    rows, y = np.array([[1.0], [-1.0], [2.0], [-2.0]]), np.array([1, 0, 1, 0])
    certificate = Mixed(nk.Perceptron(fit_intercept=False), 2).fit(rows, y).certificate_
    assert certificate.bound(1.0) == 4
    assert certificate.total_bound(1.0) == 8
    assert certificate.bound(0.0) == np.inf
    many = np.full((9, 2), 2.0)
    forged = with_mixing(
        dataclasses.replace(certificate, mistakes=36.0, weighted_mistakes=18.0, examples=36.0), mistakes=many
    )
    assert "bound of the theorem" in {check.claim for check in forged.verify(rows, y).failures}


LINE, SIDES = np.array([[2.0], [-1.0], [1.0], [-2.0], [1.0], [-1.0]]), np.array([1, 0, 1, 0, 1, 0])
UNIT = 2.0**-52


def on_a_line(y=SIDES, weights=None, **parameters):
    """Two rounds of two partitions of three rows. With ``SIDES`` each makes one mistake, and v = 2 separates them."""
    model = nk.Perceptron(fit_intercept=False, shuffle=False, max_iter=2, **parameters)
    return Mixed(model).fit(LINE, y, weights).certificate_


def status_of(claim, certificate, y=SIDES):
    return {check.claim: check.status for check in certificate.verify(LINE, y, exact=True).checks}.get(claim)


def with_units(claim, units, y=SIDES):
    """A certificate in which one number is a multiple of the unit of rounding larger than it should be."""
    certificate, factor = on_a_line(y), 1 + units * UNIT
    if claim == "mistakes":
        return dataclasses.replace(certificate, mistakes=certificate.mistakes * factor)
    if claim.startswith("weighted"):
        return dataclasses.replace(certificate, weighted_mistakes=certificate.weighted_mistakes * factor)
    if claim == "rows on the wrong side":
        return with_mixing(certificate, errors=certificate.mixing.errors * factor)
    if claim == "mistakes of each partition in each round":
        return with_mixing(certificate, mistakes=certificate.mixing.mistakes * [[factor, 1.0], [1.0, 1.0]])
    evidence = dataclasses.replace(certificate.evidence, weights=certificate.evidence.weights * factor)
    return dataclasses.replace(certificate, evidence=evidence)


@pytest.mark.parametrize(
    ("claim", "roundings"),
    [
        ("mistakes", 4 + 16),
        ("weighted mistakes", 4 + 16),
        ("weighted mistakes, as the steps behind the weights", 4 * 2 + 2 + 16),
        ("mistakes of each partition in each round", 2 * 12 + 4),
        ("weights", 2 * (2 + 4 * 2 * (2 + 4)) + 1 + 16),
    ],
)
def test_a_sum_may_differ_by_the_rounding_errors_of_its_terms_and_by_no_more(claim, roundings):
    """The run has 2 rounds of 2 partitions, 6 rows in each, and 2 updates."""
    assert status_of(claim, with_units(claim, roundings)) == "holds"
    assert status_of(claim, with_units(claim, roundings + 1)) == "fails"


def test_a_sum_of_weights_of_rows_on_the_wrong_side_may_differ_by_its_rounding_errors():
    y = np.array([1, 1, 1, 0, 1, 0])
    claim, certificate = "rows on the wrong side", on_a_line(y)
    assert not certificate.separates
    assert status_of(claim, with_units(claim, 6 + 4, y), y) == "holds"
    forged = with_units(claim, 6 + 5, y).verify(LINE, y)
    assert [(check.claim, check.row) for check in forged.failures] == [(claim, 1)]
    assert status_of("bound of the theorem", certificate, y) is None


@pytest.mark.parametrize(("rounding", "status"), [(1.001 * 2.0**-20, "holds"), (0.999 * 2.0**-20, "fails")])
def test_repeated_weights_may_not_differ_by_more_than_the_rounding_errors_of_the_run(rounding, status):
    certificate = on_a_line()
    found = certificate.mixing.mistakes.tolist()
    run = MixedReplay(np.array([2 + 2.0**-20]), mistakes=found, updates=2, visits=12, rounding=rounding)
    checks = {check.claim: check.status for check in certificate._compared(run)}
    assert checks == {"run": status, "mistakes of each partition in each round": "holds", "updates of the run": "holds"}


def test_the_theorem_allows_for_the_rounding_errors_of_all_updates():
    certificate = on_a_line()
    checks = OnlineChecks(certificate.evidence, LINE, np.where(SIDES, 1.0, -1.0), np.ones(6), exact=False)
    margin = (checks.smallest_margin.signed_square() / checks.squared_length).root().outer_low()
    bound = certificate.online_rule.bound(checks.squared_radius.root().outer_high(), margin)
    assert 4 < bound < 4 + 1e-13
    most = bound * (1 + (4 * (1 + 8) * (2 + 8 * 2 + 8) + 6 + 64) * UNIT)
    for claimed, status in ((most, "holds"), (np.nextafter(most, 5), "fails")):
        forged = dataclasses.replace(certificate, weighted_mistakes=claimed)
        assert status_of("bound of the theorem", forged) == status


def test_a_run_without_a_mistake_claims_no_bound():
    """Scores of 0 are positive, and so are all rows that count: they are on the plane that v = 0 is."""
    weights, certificate = np.where(SIDES, 1.0, 0.0), on_a_line(tie="positive")
    nothing = Duals(np.zeros(0, np.int64), np.zeros(0))
    evidence = dataclasses.replace(certificate.evidence, weights=np.zeros(1), duals=nothing)
    counts = {"mistakes": 0.0, "weighted_mistakes": 0.0, "updates": 0, "examples": 6.0, "energy": 12.0}
    honest = dataclasses.replace(certificate, **counts, margin_upper_bound=np.inf, evidence=evidence)
    found = with_mixing(honest, mistakes=np.zeros((2, 2)), errors=3.0).verify(LINE, SIDES, weights, exact=True)
    assert found, str(found)
    statuses = {check.claim: check.status for check in found.checks}
    assert statuses["no separator has a larger margin"] == "on trust"
    assert "bound of the theorem" not in statuses


def test_other_geometries_and_parameters_than_those_of_a_run_on_partitions_are_refused():
    certificate = on_a_line()
    private = dataclasses.replace(certificate.evidence.geometry, slack_feature=1.0)
    evidence = dataclasses.replace(certificate.evidence, geometry=private)
    (failure,) = dataclasses.replace(certificate, evidence=evidence).verify(LINE, SIDES).failures
    assert failure.claim == "weights"
    forged = dataclasses.replace(certificate, rule="passive-aggressive I", parameter=-1.0)
    assert [check.claim for check in forged.verify(LINE, SIDES).failures] == ["rule"]


def test_rows_that_floating_point_does_not_decide_are_decided_exactly():
    """With v = (1, 1): on the plane, a rounding above it, well above it by less than 1, below it, and 0."""
    rows = np.array([[np.pi, -np.pi], [1.0, 2.0**-53 - 1], [0.25, 0.25], [-0.25, -0.25], [0.0, 0.0]])
    model = Evidence(np.ones(2), 0.0, Geometry(fit_intercept=False), 1)
    found = [errors_of(OnlineChecks(model, rows, np.ones(5), np.ones(5), exact=exact)) for exact in (False, True)]
    assert [(wrong.tolist(), unsure.tolist()) for wrong, unsure in found] == [([3], [0, 1, 4]), ([0, 3, 4], [])]


def test_the_first_row_that_is_too_close_to_the_plane_is_named():
    rows = np.array([[1.0, 1.0], [-2.0, -1.0], [1.0, 2.0**-53 - 1], [np.pi, -np.pi]])
    certificate = Mixed(nk.Perceptron(fit_intercept=False)).fit(rows, [1, 0, 1, 1]).certificate_
    evidence = dataclasses.replace(certificate.evidence, weights=np.ones(2))
    found = dataclasses.replace(certificate, evidence=evidence).verify(rows, [1, 0, 1, 1])
    (check,) = (check for check in found.checks if check.claim == "rows on the wrong side")
    assert (check.status, check.row) == ("open", 2)


def test_rows_on_the_plane_are_on_the_wrong_side():
    rows, signs = np.array([[1.0, 1.0], [1.0, -1.0], [2.0, 0.0]]), np.array([1.0, 1.0, -1.0])
    model = Evidence(np.array([1.0, 1.0]), 0.0, Geometry(fit_intercept=False), 1)
    wrong, unsure = errors_of(OnlineChecks(model, rows, signs, np.ones(3), exact=True))
    assert wrong.tolist() == [1, 2]
    assert unsure.tolist() == []
    _, unsure = errors_of(OnlineChecks(model, rows * np.pi, signs, np.ones(3), exact=False))
    assert set(unsure.tolist()) <= {1}
    wrong, _ = errors_of(OnlineChecks(model, rows, signs, np.array([1.0, 0.0, 1.0]), exact=True))
    assert wrong.tolist() == [2]


def test_claims_say_both_counts():
    certificate = made("perceptron")[0].certificate_
    words = dict(certificate.claims())
    assert "of all partitions" in words["mistakes"]
    assert words["rounds"].endswith("each over 3 partitions")
    assert "every row on its side" in certificate.explain()
    assert "on the right side" in made("PA-I")[0].certificate_.explain()
    assert ("geometry", "examples scaled to unit length") in made("unit length")[0].certificate_.claims()
