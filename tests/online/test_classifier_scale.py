"""Online learners with scale="running": the same for every way of passing the rows, and checked where it claims."""

import dataclasses
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from learners import CLASSES
from novikoff.testing import online_learner_checks
from novikoff.theory.running_scale import ColumnScale
from novikoff_check import check, read_model
from oracle import decided, rows_of
from reference.perceptrons import perceptron
from reference.running_scale import divided

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

RNG = np.random.default_rng(7)
X = np.column_stack(
    [RNG.normal(40, 10, 300), RNG.normal(0, 1e-3, 300), RNG.random(300) < 0.2, RNG.lognormal(8, 1, 300)]
)
Y = np.where(X[:, 0] / 10 + 1e3 * X[:, 1] + 2 * X[:, 2] > 4.5, "yes", "no")
THREE = np.digitize(X[:, 0], [35.0, 45.0])
SCALED = [pytest.param(cls, marks=() if cls is nk.PassiveAggressiveI else pytest.mark.slow) for cls in CLASSES]


def bits(model):
    return nk.dumps(model)


@pytest.mark.parametrize(("name", "check"), online_learner_checks())
@pytest.mark.parametrize("cls", SCALED)
def test_learners_with_a_scale_pass_all_checks(cls, name, check):
    check(cls(scale="running"))
    check(cls(scale="running", normalize=True))


def test_the_perceptron_learns_what_it_learns_from_the_rows_of_ten_lines_of_numpy():
    model = nk.Perceptron(scale="running").partial_fit(X, Y)
    path, mistakes = perceptron(np.column_stack([divided(X), np.ones(len(X))]), np.where(Y == "yes", 1.0, -1.0))
    evidence = model.certificate_.evidence
    assert np.allclose([*evidence.weights, evidence.intercept], path[-1], rtol=1e-9, atol=1e-9)
    assert model.certificate_.mistakes == mistakes


@pytest.mark.parametrize("cls", CLASSES)
def test_coef_is_for_rows_as_they_are_given(cls):
    for learned in (cls(scale="running").partial_fit(X, THREE), cls(scale="running", max_iter=2).fit(X, THREE)):
        if cls is not nk.VotedPerceptron:
            assert np.allclose(learned.decision_function(X), X @ learned.coef_.T + learned.intercept_, rtol=1e-9)
        assert [learned.predict_one(x) for x in X[:20]] == learned.predict(X[:20]).tolist()


def test_units_make_no_difference():
    units = 2.0 ** np.array([-10, 3, 0, 20])
    plain, other = (nk.PassiveAggressiveI(scale="running").partial_fit(rows, Y) for rows in (X, X * units))
    assert np.array_equal(plain.decision_function(X), other.decision_function(X * units))


def test_dicts_arrays_and_sparse_rows_are_seen_alike():
    models = [nk.PassiveAggressiveI(scale="running") for _ in range(4)]
    for x, y in zip(X, Y, strict=True):
        models[0].learn_one(x, y)
        models[1].learn_one(dict(enumerate(x.tolist())), y)
        models[2].learn_one({j: value for j, value in enumerate(x.tolist()) if value}, y)
    models[3].partial_fit(sp.csr_array(X), Y)
    order = np.argsort(models[2].record_.column_names)  # a name gets its column when it is first met
    assert order.tolist() != [0, 1, 2, 3]
    places = [np.arange(4), np.arange(4), order, np.arange(4)]
    for model, own in zip(models, places, strict=True):
        factors = model.certificate_.evidence.scale.factors[own]
        assert np.array_equal(factors, models[0].certificate_.evidence.scale.factors)
        assert np.allclose(model.coef_[:, own], models[0].coef_, rtol=1e-9)


def test_repeated_indices_are_summed_before_they_are_counted():
    twice = sp.csr_array(
        (np.repeat(X.ravel() / 2, 2), np.tile(np.repeat(np.arange(4), 2), 300), 8 * np.arange(301)), X.shape
    )
    one, other = (nk.PassiveAggressiveI(scale="running").partial_fit(rows, Y) for rows in (sp.csr_array(X), twice))
    assert np.allclose(one.coef_, other.coef_, rtol=1e-9)
    assert one.certificate_.energy == pytest.approx(other.certificate_.energy)


def test_hashed_features_that_share_a_column_are_summed():
    model = nk.Perceptron(scale="running", max_features=1)
    model.learn_one({"a": 3.0, "b": 1.0}, 1)
    assert np.asarray(model.certificate_.evidence.scale.factors).tolist() == [0.25]


def test_predict_then_learn_is_predict_one_and_learn_one():
    for labels in (Y, THREE):
        together, single = nk.PassiveAggressiveI(scale="running"), nk.PassiveAggressiveI(scale="running")
        expected = []
        for x, label in zip(X, labels, strict=True):
            expected.append(single.predict_one(x))
            single.learn_one(x, label)
        assert together.predict_then_learn(X, labels, np.ones(len(X))).tolist() == expected
        assert bits(together) == bits(single)


def test_weights_are_copies_whatever_the_batches_and_many_of_them():
    weights = RNG.integers(0, 4, 300).astype(float)
    weights[7] = 5000.0  # more copies than are made at a time
    model = nk.PassiveAggressiveI(scale="running").partial_fit(X, Y, sample_weight=weights)
    kept = np.repeat(np.arange(300), weights.astype(int))
    copies = nk.PassiveAggressiveI(scale="running").partial_fit(X[kept], Y[kept])
    assert np.array_equal(model.coef_, copies.coef_)
    scores = [nk.PassiveAggressiveI(scale="running") for _ in range(2)]
    assert np.array_equal(
        scores[0].predict_then_learn(X, Y, weights),
        np.concatenate(
            [
                scores[1].predict_then_learn(X[:9], Y[:9], weights[:9]),
                scores[1].predict_then_learn(X[9:], Y[9:], weights[9:]),
            ]
        ),
    )


def test_threads_and_batches_give_the_same_bits():
    rows = np.tile(X, (20, 1))
    labels = np.tile(np.digitize(X[:, 0], [30.0, 36.0, 40.0, 44.0, 50.0]), 20)
    whole = nk.PassiveAggressiveI(scale="running", n_jobs=1).partial_fit(rows, labels)
    parts = nk.PassiveAggressiveI(scale="running", n_jobs=3)
    for begin in range(0, len(labels), 999):
        parts.partial_fit(rows[begin : begin + 999], labels[begin : begin + 999])
    assert np.array_equal(whole.coef_, parts.coef_)
    assert [c.to_json() for c in whole.certificate_] == [c.to_json() for c in parts.certificate_]


def test_a_fit_scales_by_all_rows_and_a_stream_continues():
    fitted = nk.Perceptron(scale="running", max_iter=3).fit(X, Y)
    factors = fitted.certificate_.evidence.scale.factors
    plain = nk.Perceptron(max_iter=3).fit(X * factors, Y)
    assert np.array_equal(fitted.certificate_.evidence.weights, plain.coef_[0])
    assert np.array_equal(fitted.coef_, plain.coef_ * factors)
    fitted.partial_fit(X[:1] * 1000, Y[:1])
    assert np.all(fitted.certificate_.evidence.scale.factors[[0, 3]] < factors[[0, 3]])


@pytest.mark.slow
@pytest.mark.parametrize("cls", CLASSES)
def test_streams_and_fits_are_verified_with_weights_and_classes(cls):
    weights = RNG.choice([0.0, 0.5, 1.0, 2.5], 300)
    weights[:2] = 1
    for labels in (Y, THREE):
        for model in (
            cls(scale="running").partial_fit(X, labels, sample_weight=weights),
            cls(scale="running", max_iter=2).fit(sp.csr_array(X), labels, sample_weight=weights),
        ):
            found = nk.verify(model, X, labels, sample_weight=weights)
            assert not found.failures
            assert any(c.claim.endswith("scale") and c.status == "holds" for c in found.checks)
            assert nk.verify(model, X * [2.0, 1, 1, 1], labels, sample_weight=weights).failures


def forged(certificate, **changes):
    return dataclasses.replace(certificate, evidence=dataclasses.replace(certificate.evidence, **changes))


def test_forged_scales_are_refused_by_both_checkers():
    for model in (nk.Perceptron(scale="running").partial_fit(X, Y), nk.Perceptron(scale="running").fit(X, Y)):
        certificate = model.certificate_
        scale = certificate.evidence.scale
        assert certificate.verify(X, Y)
        assert "fails" not in [status for _, status, _ in decided(certificate, X, Y)]
        other = {"running": "fixed", "fixed": "running"}[scale.kind]
        for wrong in (
            ColumnScale(scale.kind, scale.factors * [1, 1, 1.001, 1]),
            ColumnScale(other, scale.factors),
            ColumnScale("mixed", scale.factors),
            ColumnScale("none", scale.factors),
            None,
        ):
            lie = forged(certificate, scale=wrong)
            assert lie.verify(X, Y).failures
            assert "fails" in [status for _, status, _ in decided(lie, X, Y)]


def test_a_stream_after_a_fit_claims_nothing_about_its_rows():
    model = nk.Perceptron(scale="running").fit(X, Y).partial_fit(X[:5], Y[:5])
    found = nk.verify(model, X, Y)
    assert not found.failures
    assert [c.status for c in found.checks if c.claim == "scale"] == ["on trust"]


@pytest.mark.parametrize(
    "rows", [X, sp.csr_array((np.ones(300), RNG.integers(0, 2**22, 300), np.arange(301)), (300, 2**22))]
)
def test_a_saved_model_goes_on_bit_for_bit_and_the_checker_reads_it(tmp_path, rows):
    model = nk.PassiveAggressiveI(scale="running").partial_fit(rows[:150], Y[:150])
    nk.save(model, tmp_path / "m.nvk")
    again = nk.load(tmp_path / "m.nvk")
    for each in (model, again):
        each.partial_fit(rows[150:], Y[150:])
    assert bits(model) == bits(again)
    if rows is X:
        nk.save(again, tmp_path / "m.nvk")
        results = check(read_model(str(tmp_path / "m.nvk")), rows_of(X), Y.tolist())
        assert not [result for result in results if result[1] == "fails"]
        assert ("model", "holds") in [result[:2] for result in results]


def test_a_trace_follows_the_scaled_rows():
    separable = np.abs(X[:, 0] - 40) > 5
    steps = nk.trace(nk.Perceptron(scale="running", shuffle=False), X[separable], X[separable, 0] > 40, max_updates=50)
    assert steps.holds


@pytest.mark.parametrize("scale", ["max", True, 1.0, np.ones(2)])
def test_other_scales_are_refused(scale):
    for learn in (nk.Perceptron(scale=scale).partial_fit, nk.Perceptron(scale=scale).fit):
        with pytest.raises(nk.InvalidInputError, match='scale must be "running" or "centred"'):
            learn(X, Y)


def test_weights_that_stand_for_too_many_copies_are_refused():
    for learn in (
        lambda m: m.partial_fit(X, Y, sample_weight=np.full(300, 1e7)),
        lambda m: m.learn_one(X[0], "yes", 1e9),
    ):
        with pytest.raises(nk.InvalidInputError, match="every copy of a row"):
            learn(nk.Perceptron(scale="running"))


def test_rows_of_zeros_one_class_and_no_rows():
    model = nk.PassiveAggressiveI(scale="running").partial_fit(np.zeros((3, 2)), ["a", "a", "b"])
    assert np.array_equal(model.coef_, np.zeros((1, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict([[1e150, 1e-150]]).tolist() in (["a"], ["b"])


@pytest.mark.parametrize("labels", [Y, THREE], ids=["two classes", "three classes"])
def test_members_of_a_tracker_may_have_a_scale(labels):
    members = [cls(scale="running") for cls in (nk.PassiveAggressiveI, nk.AveragedPerceptron, nk.VotedPerceptron)]
    tracker = nk.Tracker([*members, nk.Perceptron(scale="running", normalize=True)]).partial_fit(X[:100], labels[:100])
    found = nk.verify(tracker, X[:100], labels[:100])
    assert not found.failures
    assert nk.verify(tracker, X[:100] * [2.0, 1, 1, 1], labels[:100]).failures
