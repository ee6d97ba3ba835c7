"""The certificate of classes that are learned together: what it claims, and what refutes it."""

import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory import Geometry, Margin, kesler_bounds
from novikoff.theory.enclosure import Enclosure
from novikoff.theory.kesler import KeslerCertificate, KeslerModel
from novikoff.theory.online_certificate import MAX_COUNT
from rational import agreeing, around

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

X = np.random.default_rng(3).standard_normal((60, 3))
U = np.random.default_rng(4).standard_normal((4, 3))
Y = np.argmax(X @ U.T + 0.3 * np.random.default_rng(5).standard_normal((60, 4)), axis=1)


def test_weights_of_rows_are_counted_and_verified():
    weights = np.linspace(0.0, 2.5, 60)
    model = nk.MulticlassPassiveAggressiveII(C=0.3).partial_fit(X, Y, sample_weight=weights)
    assert nk.verify(model, X, Y, weights)
    assert nk.verify(model, X, Y).failures


def test_the_bound_takes_a_number_and_not_the_margin_of_a_binary_problem():
    certificate = nk.MulticlassPerceptron().partial_fit(X, Y).certificate_
    assert certificate.bound(0.5) == pytest.approx(2 * (certificate.radius / 0.5) ** 2)
    assert certificate.bound(0.0) == math.inf
    with pytest.raises(nk.InvalidInputError, match="binary problem"):
        certificate.bound(Margin(0.5, intercept="penalized"))


def test_a_comparator_must_have_weights_for_all_classes():
    certificate = nk.MulticlassPerceptron().partial_fit(X, Y).certificate_
    with pytest.raises(nk.InvalidInputError, match="4 rows of 3 weights"):
        certificate.comparator_bound(X, Y, U[:2])
    again = nk.MulticlassPerceptron(warm_start=True, max_iter=2).fit(X, Y).fit(X, Y).certificate_
    with pytest.raises(nk.InvalidInputError, match="several fits"):
        again.comparator_bound(X, Y, U)


def test_the_comparator_of_length_zero_allows_every_mistake():
    certificate = nk.MulticlassPerceptron().partial_fit(X, Y).certificate_
    assert certificate.comparator_bound(X, Y, 0 * U) == pytest.approx(len(Y))


def test_before_any_update_no_bound_is_claimed():
    model = nk.MulticlassPerceptron().partial_fit(X[:3], [0, 0, 0])
    assert model.certificate_.margin_upper_bound == math.inf
    assert model.certificate_.model.length() == 0.0
    assert nk.verify(model, X[:3], [0, 0, 0])


def test_it_says_what_it_claims():
    certificate = nk.MulticlassPerceptron().partial_fit(X, Y).certificate_
    assert dict(certificate.claims())["mistakes"] == f"{certificate.mistakes:g} in 60 examples"
    assert "of 4 classes" in certificate.explain()
    nk.testing.check_certificate(nk.MulticlassPerceptron().partial_fit(X, Y > 0).certificate_, X, Y > 0)


# ---- by hand ---------------------------------------------------------------------------------------------------------

ROWS = np.array([[3.0, 0.0], [0.0, 4.0], [-1.0, -1.0], [0.0, 2.0]])
LABELS, COPIES = np.array(["a", "b", "c", "b"]), np.array([0.1, 0.2, 1.5, 0.7])


def by_hand(geometry=None, *, weights=((3.0, 0.0), (0.0, 0.0), (0.0, 0.0)), biases=(0.0, 4.0, 0.0), **fields):
    """A certificate of two passes over the rows above; the numbers that only a run shows are made up."""
    geometry = Geometry() if geometry is None else geometry
    told = {"examples": 5.0, "counts": np.array([0.2, 1.8, 3.0]), "mistakes": 2.0, "updates": 3, "radius": 17**0.5}
    told |= {"energy": 2 * (0.1 * 10 + 0.2 * 17 + 1.5 * 3 + 0.7 * 5), "margin_upper_bound": 0.5, "passes": 2}
    model = KeslerModel(np.array(weights), np.array(biases), ["a", "b", "c"], geometry)
    return KeslerCertificate("multiclass perceptron", 0.0, **(told | {"model": model} | fields))


def status(certificate, claim):
    return {check.claim: check.status for check in certificate.verify(ROWS, LABELS, COPIES).checks}.get(claim)


def test_the_length_of_all_weights_is_that_of_one_vector():
    assert 5.0 <= by_hand().model.length() <= 5.0 * (1 + 1e-14)
    only = by_hand(weights=np.zeros((3, 2)), biases=(0.0, 0.0, 5e-324)).model.length()
    assert 5e-324 <= only <= 2e-323
    assert by_hand(weights=np.full((3, 2), np.inf)).model.length() == math.inf
    assert by_hand(weights=np.zeros((3, 2)), biases=np.zeros(3)).model.length() == 0.0


def test_labels_are_indices_of_classes_and_unknown_ones_are_refused_where_they_count():
    assert by_hand().model.codes(["c", "a", "d", "b"]).tolist() == [2, 0, -1, 1]
    labels = np.array(["a", "b", "c", "d"])
    (check,) = by_hand().verify(ROWS, labels, COPIES).checks
    assert (check.claim, check.status, check.row) == ("data", "fails", 3)
    assert "'d'" in check.detail
    ignored = by_hand(examples=3.6, counts=np.array([0.2, 0.4, 3.0]), energy=17.8).verify(
        ROWS, labels, [0.1, 0.2, 1.5, 0]
    )
    assert not ignored.failures


def test_an_honest_certificate_holds_and_each_number_is_compared():
    found = by_hand().verify(ROWS, LABELS, COPIES, exact=True)
    claims = ("radius", "examples", "sum of squares", "examples of each class")
    assert [check.status for check in found.checks if check.claim in claims] == ["holds"] * 4
    for field, number, claim in (
        ("radius", 4.2, "radius"),
        ("examples", 5.1, "examples"),
        ("energy", 25.0, "sum of squares"),
        ("counts", np.array([0.2, 1.9, 2.9]), "examples of each class"),
    ):
        assert [check.claim for check in by_hand(**{field: number}).verify(ROWS, LABELS, COPIES).failures] == [claim]
    (check,) = by_hand(counts=np.array([0.2, 1.8, 3.1])).verify(ROWS, LABELS, COPIES).failures
    assert check.detail.startswith("class 'c': ")


def test_examples_of_each_class_agree_up_to_one_rounding_per_example_and_four():
    value = 2 * (Fraction(COPIES[1]) + Fraction(COPIES[3]))
    for claimed in around(value):
        certificate = by_hand(counts=np.array([0.2, claimed, 3.0]))
        expected = "holds" if agreeing(claimed, value, 2 * 4 + 4) else "fails"
        assert status(certificate, "examples of each class") == expected


def test_after_several_fits_only_the_radius_is_compared_as_a_bound():
    for radius, expected in ((4.2, "holds"), (4.1, "fails")):
        certificate = by_hand(passes=0, radius=radius)
        assert status(certificate, "radius") == expected
        assert status(certificate, "examples") == status(certificate, "sum of squares") == "on trust"
        assert status(certificate, "examples of each class") is None
    assert dict(by_hand(passes=0).claims())["radius"].startswith("at most 4.12311")
    assert dict(by_hand(passes=1).claims())["radius"] == "4.12311"
    assert not by_hand(passes=0, updates=1000).verify(ROWS, LABELS, COPIES).failures


def test_counts_that_no_run_can_have_fail_and_those_at_the_limit_do_not():
    """Two passes over rows of the weights 0.1, 0.2, 1.5 and 0.7 make at most 2 (1 + 1 + 2 + 1) updates."""
    assert status(by_hand(updates=10), "updates") == "on trust"
    assert status(by_hand(updates=11), "updates") == "fails"
    for mistakes, expected in ((0.0, "on trust"), (5.0, "on trust"), (5.000001, "fails"), (-1e-9, "fails")):
        assert status(by_hand(mistakes=mistakes), "mistakes") == expected
    assert status(by_hand(passes=0, examples=math.inf, mistakes=math.inf), "mistakes") == "fails"
    for passes in (-1, MAX_COUNT + 1, 2.0):
        assert status(by_hand(passes=passes), "passes") == status(by_hand(updates=passes), "updates") == "fails"
    assert status(by_hand(passes=0, updates=MAX_COUNT), "updates") == "on trust"
    assert "passes" not in [check.claim for check in by_hand(passes=MAX_COUNT).verify(ROWS, LABELS, COPIES).failures]
    bounds = {bound: by_hand(margin_upper_bound=bound).verify(ROWS, LABELS, COPIES).checks for bound in (0.5, math.inf)}
    details = {
        bound: next(c.detail for c in checks if c.claim == "no larger margin") for bound, checks in bounds.items()
    }
    assert details == {0.5: "at most 0.5, the least |w|/M of the run", math.inf: "no bound is claimed"}


def test_a_model_needs_weights_an_intercept_and_a_count_for_each_class():
    told = by_hand().model
    without = Geometry(fit_intercept=False)
    for words, certificate in (
        ("a weight vector", by_hand(model=replace(told, classes=[], weights=np.zeros((0, 2)), biases=np.zeros(0)))),
        ("a weight vector", by_hand(weights=(3.0, 0.0, 0.0))),
        ("a weight vector", by_hand(weights=np.ones((2, 2)))),
        ("an intercept", by_hand(biases=(0.0, 4.0))),
        ("an intercept", by_hand(counts=np.array([0.2, 1.8]))),
        ("occurs twice", by_hand(model=replace(told, classes=["a", "b", "b"]))),
        ("NaN or infinity", by_hand(weights=np.full((3, 2), np.inf))),
        ("NaN or infinity", by_hand(biases=(0.0, np.nan, 0.0))),
        ("where there is none", by_hand(without)),
        ("no private features", by_hand(Geometry(slack_feature=0.5))),
    ):
        (check,) = certificate.verify(ROWS, LABELS, COPIES).checks
        assert (check.claim, check.status) == ("model", "fails")
        assert words in check.detail
    bare = by_hand(without, biases=np.zeros(3), radius=4.0, energy=2 * (0.9 + 3.2 + 3.0 + 2.8))
    assert not bare.verify(ROWS, LABELS, COPIES).failures


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_loss_of_a_comparator_is_what_its_lead_over_the_next_class_lacks_to_one(fit_intercept):
    """Without the intercepts, the first row leads by 1.5, the second by 1, the others by 0.5."""
    coef, intercept = np.array([[0.5, 0.0], [0.0, 0.25], [-0.25, 0.0]]), np.array([0.0, 0.5, -0.25])
    biases = intercept if fit_intercept else 0 * intercept
    losses = []
    for row, label in zip(ROWS, LABELS, strict=True):
        scores = dict(zip("abc", coef @ row + biases, strict=True))
        own = scores.pop(str(label))
        losses.append(max(0.0, 1 - (own - max(scores.values()))))
    loss, squared = 2 * COPIES @ losses, 2 * COPIES @ np.square(losses)
    assert loss != pytest.approx(squared)
    length = math.sqrt(np.sum(coef**2) + np.sum(biases**2))
    told = by_hand(Geometry(fit_intercept=fit_intercept))
    expected = kesler_bounds.multiclass_perceptron_loss(told.radius, length, loss)
    assert told.comparator_bound(ROWS, LABELS, coef, intercept, COPIES) == pytest.approx(expected, rel=1e-12)
    told = replace(told, rule="multiclass passive-aggressive II", parameter=0.5)
    expected = kesler_bounds.passive_aggressive_II(told.radius, length, squared, 0.5)
    assert told.comparator_bound(ROWS, LABELS, coef, intercept, COPIES) == pytest.approx(expected, rel=1e-12)


def replayed(**fields):
    told = {"distance": lambda weights, biases: Enclosure.exactly(0.25), "rounding": 0.5, "updates": 3, "visits": 5}
    told |= {"mistaken": [1.0, 0.1, 0.2], "check_bound": lambda claim, bound: (claim, bound)}
    return SimpleNamespace(**(told | fields))


def test_a_repeated_run_must_have_the_same_weights_mistakes_and_updates():
    value = 1 + Fraction(0.1) + Fraction(0.2)
    for mistakes in around(value):
        run, mistaken, updates, bound = by_hand(mistakes=mistakes).check_replay(replayed())
        assert (run.status, updates.status, bound) == ("holds", "holds", ("bound of the run", 0.5))
        assert mistaken.status == ("holds" if agreeing(mistakes, value, 2 * 5 + 4) else "fails")
    checks = by_hand(updates=4).check_replay(replayed(rounding=math.nextafter(0.5, 0)))
    assert [check.status for check in (checks[0], checks[2])] == ["fails", "fails"]


def test_without_updates_no_bound_on_the_margin_can_be_claimed():
    idle = replayed(updates=0, mistaken=[])
    (*_, last) = by_hand(mistakes=0.0, updates=0).check_replay(idle)
    assert (last.claim, last.status) == ("bound of the run", "fails")
    assert len(by_hand(updates=0, margin_upper_bound=math.inf).check_replay(idle)) == 3
    assert len(by_hand(margin_upper_bound=math.inf).check_replay(replayed())) == 3
