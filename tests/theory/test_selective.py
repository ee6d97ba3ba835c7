"""The certificate of labels that are asked for: honest ones verify, forged ones do not."""

import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory.enclosed_sums import EPS
from novikoff.theory.enclosure import Enclosure
from novikoff.theory.forgetting import LARGEST_WEIGHT
from novikoff.theory.selective_bounds import selective_perceptron

rng = np.random.default_rng(61)
X = rng.normal(size=(120, 3))
Y = np.where(X @ [1.0, 0.5, -1.0] + 0.5 * rng.normal(size=120) > 0, "yes", "no")
WEIGHTS = rng.choice([0.0, 0.5, 1.0, 2.0], size=120)
MODELS = {
    "all asked": (nk.SelectivePerceptron(b=1e6), None),
    "some asked": (nk.SelectivePerceptron(b=0.5), None),
    "weights": (nk.SelectivePerceptron(b=0.5, random_state=4), WEIGHTS),
    "budget": (nk.SelectivePerceptron(b=0.5, budget=15), None),
    "budget and weights": (nk.SelectivePerceptron(b=0.5, budget=15), WEIGHTS),
    "unit length": (nk.SelectivePerceptron(b=0.5, normalize=True), None),
    "running scale": (nk.SelectivePerceptron(b=0.5, scale="running", fit_intercept=False), WEIGHTS),
}
FORGED = {
    "asked": [1.0, -1.0, 0.5],
    "unanswered": [1.0],
    "complete": [-1.0, 1.0],
    "missing_weight": [1.0],
    "positives": [1.0, -1.0],
    "mistakes": [1.0, -1.0],
    "estimate": [1.0, -1.0, 1e-6],
    "updates": [1, -1],
    "examples": [1.0],
    "radius": [0.01],
    "energy": [1.0],
    "b": [0.1, 1e-9],
    "seed": [1],
    "margin_upper_bound": [-0.01],
}


def made(name):
    model, weights = MODELS[name]
    return model.fit(X, Y, weights), weights


def forged(model, **values):
    """A model whose certificate states other numbers."""
    certificate = dataclasses.replace(model.certificate_, **values)

    class Forged(type(model)):
        def _certify(self, problem):
            return certificate

    other = Forged(**model.get_params())
    other.__dict__.update(vars(model))
    return other


@pytest.mark.parametrize("name", MODELS)
def test_honest_certificates_verify(name):
    model, weights = made(name)
    found = nk.verify(model, X, Y, sample_weight=weights)
    assert found, found
    assert "open" not in {check.status for check in found.checks}
    assert "estimate of the run" in {check.claim for check in found.checks}


@pytest.mark.parametrize("field", FORGED)
@pytest.mark.parametrize("name", MODELS)
def test_forged_certificates_do_not_verify(name, field):
    model, weights = made(name)
    for change in FORGED[field]:
        value = getattr(model.certificate_, field) + change
        assert not nk.verify(forged(model, **{field: value}), X, Y, sample_weight=weights), (field, change)
        certificate = dataclasses.replace(model.certificate_, **{field: value})
        if field not in ("b", "seed"):  # others may make the same decisions, and the run record shows which they were
            assert not certificate.verify(X, Y, weights), (field, change)


def test_another_budget_does_not_verify():
    model, _ = made("budget")
    assert not nk.verify(forged(model, budget=16), X, Y)
    assert not nk.verify(forged(model, budget=None), X, Y)


def test_labels_that_were_not_asked_for_may_be_any():
    model, asked = nk.SelectivePerceptron(b=0.5), np.zeros(120, dtype=bool)
    for t in range(120):
        asked[t] = model.wants_label(X[t])
        model.learn_one(X[t], Y[t])
    other = np.where(Y == "yes", "no", "yes")
    assert 20 < asked.sum() < 100
    assert nk.verify(model, X, np.where(asked, Y, other))
    assert not nk.verify(model, X, np.where(asked, other, Y))


def test_coins_of_another_seed_do_not_verify():
    model, _ = made("some asked")
    other = nk.SelectivePerceptron(b=0.5, random_state=1).fit(X, Y)
    assert not nk.verify(forged(model, **{name: getattr(other.certificate_, name) for name in FORGED}), X, Y)


@pytest.mark.parametrize(
    "values",
    [
        {"mistakes": 200.0},
        {"asked": -1.0},
        {"asked": math.nan},
        {"b": 0.0},
        {"b": math.inf},
        {"estimate": -1.0},
        {"estimate": math.nan},
        {"unanswered": 500.0},
        {"complete": 3.0},
        {"missing_weight": 1.0},  # without a label that was not given
        {"missing_weight": -1.0, "unanswered": 1.0},
        {"missing_weight": math.nan, "unanswered": 1.0},
        {"unanswered": 1.0},  # without a reason
        {"positives": 130.0},
        {"budget": 2},
    ],
)
def test_impossible_numbers_are_refuted_without_a_replay(values):
    model, _ = made("some asked")
    certificate = dataclasses.replace(model.certificate_, **values)
    assert certificate.verify(X, Y).failures
    assert not model.certificate_.verify(X, Y).failures


def test_an_estimate_below_the_mistakes_that_were_seen_is_refuted():
    certificate = made("some asked")[0].certificate_
    assert dataclasses.replace(certificate, estimate=certificate.mistakes - 0.5).verify(X, Y).failures


def test_the_bound_is_that_of_the_theorem():
    found = made("some asked")[0].certificate_
    assert found.bound(0.5) == pytest.approx(selective_perceptron(found.radius, 0.5, 1.0, 0.5, 0.0))
    assert found.bound(1.0, loss=7.0, length=3.0) == pytest.approx(
        selective_perceptron(found.radius, 0.5, 3.0, 1.0, 7.0)
    )
    assert found.bound(0.0) == found.bound(-1.0) == math.inf


def test_words_say_what_was_asked_and_where_the_estimate_ends():
    claims = dict(made("some asked")[0].certificate_.claims())
    assert "of 120 examples" in claims["labels asked for"]
    assert "mistakes, asked for or not, in all examples" in claims["estimate"]
    budget = made("budget")[0].certificate_
    assert dict(budget.claims())["labels asked for"].startswith("15 of 120 examples, 12.5 percent, budget 15")
    assert f"the first {budget.complete:.0f} examples, up to the last label of the budget" in budget.explain()
    assert "budget was used up" in budget.explain()
    assert "both numbers have the same expectation" in budget.explain()
    missing = dataclasses.replace(budget, missing_weight=3.5, estimate=10.0)
    assert "were not given or came after the budget was used up" in missing.explain()
    assert "what the missing label would add to it, 3.5" in missing.explain()
    assert dict(missing.claims())["estimate"].startswith(
        f"10 to 13.5 mistakes, asked for or not, in the first {budget.complete:.0f} examples, up to the first label"
    )
    assert "budget" not in made("all asked")[0].certificate_.explain()


POSSIBLE = {
    "b": 1.0,
    "examples": 10.0,
    "asked": 5.0,
    "mistakes": 5.0,
    "positives": 5.0,
    "unanswered": 0.0,
    "complete": 10.0,
    "estimate": 5.0,
    "updates": 0,
    "missing_weight": 0.0,
    "budget": None,
}


@pytest.mark.parametrize(
    ("values", "claims"),
    [
        ({}, []),
        ({"asked": 10.0, "estimate": 5.0}, []),
        ({"asked": 10.5}, ["labels asked for"]),
        ({"mistakes": 0.0, "positives": 0.0, "estimate": 0.0, "asked": 0.0}, []),
        ({"mistakes": 5.5, "estimate": 6.0}, ["mistakes"]),
        ({"positives": 5.5}, ["positives"]),
        ({"positives": -0.5}, ["positives"]),
        ({"b": 5e-324}, []),
        ({"b": 0.0}, ["b"]),
        ({"b": math.inf}, ["b"]),
        ({"budget": 4}, []),  # the last label may have had a weight
        ({"budget": 3}, ["labels asked for"]),
        ({"budget": 5, "unanswered": 10.0, "complete": 0.0}, []),
        ({"budget": 5, "unanswered": 10.5}, ["labels not given"]),
        ({"budget": 6, "unanswered": 1.0}, ["labels not given"]),
        ({"budget": 6, "complete": 9.0}, ["complete examples"]),
        ({"budget": 5, "complete": 10.5}, ["complete examples"]),
        ({"budget": 5, "complete": -0.5}, ["complete examples"]),
        ({"unanswered": 1.0}, ["labels not given"]),
        ({"unanswered": 1.0, "missing_weight": 1.5, "complete": 3.0, "estimate": 0.0}, []),
        ({"missing_weight": 1.5, "complete": 3.0}, ["labels not given"]),
        ({"missing_weight": -1.5}, ["weight of a missing label"]),
        ({"estimate": -1.0, "unanswered": 1.0, "missing_weight": 1.5}, ["estimate"]),
        ({"mistakes": 1 + 32 * EPS, "estimate": 1.0}, []),
        ({"mistakes": 1 + 33 * EPS, "estimate": 1.0}, ["estimate"]),
        ({"mistakes": 1 + 36 * EPS, "estimate": 1.0, "updates": 1}, []),
    ],
)
def test_counts_are_refuted_just_beyond_what_a_run_can_have(values, claims):
    certificate = dataclasses.replace(made("some asked")[0].certificate_, **{**POSSIBLE, **values})
    assert [check.claim for check in certificate._check_counts()] == claims


def test_the_bound_is_rounded_up():
    found = made("some asked")[0].certificate_
    exact = selective_perceptron(found.radius, 0.5, 1.0, 0.5, 0.0)
    assert exact * (1 + 14 * EPS) <= found.bound(0.5) <= exact * (1 + 18 * EPS)


def run_of(**asking):
    """A repeated run of two examples of weight 1, both of which were mistakes."""
    known = {"asked": [1.0, 1.0], "unanswered": [], "complete": [1.0, 1.0], "positives": [1.0], "estimate": [1.0, 2.0]}
    return SimpleNamespace(
        asking=SimpleNamespace(estimate_error=0.0, **{**known, **asking}),
        visits=2,
        updates=2,
        rounding=0.0,
        mistaken=[1.0, 1.0],
        distance=lambda weights, intercept: Enclosure.exactly(0),
        check_bound=lambda claim, claimed: claim,
    )


def test_sums_agree_up_to_the_roundings_of_a_run():
    """2 * 2 + 4 roundings of each sum, and 2 * 2 + 16 of the estimate, which is 3."""
    honest = dataclasses.replace(
        made("some asked")[0].certificate_,
        **{**POSSIBLE, "asked": 2.0, "mistakes": 2.0, "positives": 1.0, "complete": 2.0, "estimate": 3.0, "updates": 2},
    )

    def statuses(**values):
        *checks, last = dataclasses.replace(honest, **values).check_replay(run_of())
        return {check.claim: check.status for check in checks}, last

    assert set(statuses()[0].values()) == {"holds"}
    assert statuses()[1] == "bound of the run"
    for field, claim, total, limit in (
        ("asked", "labels asked for by the run", 2.0, 16),
        ("complete", "complete examples of the run", 2.0, 16),
        ("positives", "positive labels of the run", 1.0, 8),
        ("estimate", "estimate of the run", 3.0, 60),
    ):
        assert statuses(**{field: total + limit * EPS})[0][claim] == "holds"
        assert statuses(**{field: total + (limit + 2) * EPS})[0][claim] == "fails"
        assert statuses(**{field: total - (limit + 2) * EPS})[0][claim] == "fails"
    assert statuses(unanswered=0.5)[0]["labels asked for and not given"] == "fails"
    unbounded = dataclasses.replace(honest, margin_upper_bound=math.inf).check_replay(run_of())
    assert "bound of the run" not in unbounded


def test_an_estimate_is_infinite_if_that_of_the_run_is():
    certificate = made("some asked")[0].certificate_
    for claimed, found, status in (
        (math.inf, [1.0, math.inf], "holds"),
        (1.0, [1.0, math.inf], "fails"),
        (math.inf, [1.0], "fails"),
        (math.nan, [1.0], "fails"),
        (1.25, [1.0], "holds"),  # within the error of the run
        (1.5, [1.0], "fails"),
    ):
        run = run_of(estimate=found)
        run.asking.estimate_error = 0.25
        assert dataclasses.replace(certificate, estimate=claimed)._check_estimate(run).status == status


def test_a_run_is_repeated_if_no_label_is_missing_and_all_weights_are_possible():
    certificate = made("some asked")[0].certificate_
    assert not certificate.needs_replay
    missing = dataclasses.replace(certificate, missing_weight=1.0)
    checks = SimpleNamespace(copies=np.ones(1))
    assert [check.status for check in missing._check_run(checks)] == ["open"]
    large = SimpleNamespace(copies=np.array([LARGEST_WEIGHT * 2.0]))
    assert [check.status for check in missing._check_run(large)] == ["fails"]
    largest = SimpleNamespace(copies=np.array([float(LARGEST_WEIGHT)]))
    assert [check.status for check in missing._check_run(largest)] == ["open"]
    impossible = dataclasses.replace(missing, b=-1.0)
    assert [check.status for check in impossible._check_run(checks)] == ["fails"]


def test_a_certificate_without_examples_asked_for_no_share_of_them():
    certificate = dataclasses.replace(made("some asked")[0].certificate_, examples=0.0, asked=0.0, complete=0.0)
    assert "0 percent" in dict(certificate.claims())["labels asked for"]
    unit = made("unit length")[0].certificate_
    assert dict(unit.claims())["geometry"] == "examples scaled to unit length"
    assert "geometry" not in dict(certificate.claims())
    running = made("running scale")[0].certificate_
    assert dict(running.claims())["geometry"] == "columns scaled by what was seen of them"
    assert math.isnan(dataclasses.replace(certificate, margin_upper_bound=math.nan).margin_upper_bound)
