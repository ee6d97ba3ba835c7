"""Online learners with a scale: the rows that they learn, and that both checkers accept no other scale."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from bad_data import assert_refused
from learners import CLASSES
from novikoff.testing import online_learner_checks
from novikoff.theory.running_scale import ColumnScale
from novikoff_check import check, read_model
from oracle import decided, rows_of
from reference.centred_scale import centred
from reference.running_scale import divided

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

RNG = np.random.default_rng(7)
X = np.column_stack([RNG.normal(40, 3, 200), RNG.normal(0, 1e-3, 200), RNG.random(200) < 0.2, RNG.lognormal(8, 1, 200)])
X *= RNG.random(X.shape) < [1, 1, 1, 0.7]
Y = np.where((X[:, 0] - 40) / 3 + 1e3 * X[:, 1] + X[:, 2] + RNG.normal(0, 0.3, 200) > 0, "yes", "no")
THREE = np.digitize(X[:, 0], [38.0, 42.0])
SCALED = [pytest.param(cls, marks=() if cls is nk.PassiveAggressiveI else pytest.mark.slow) for cls in CLASSES]
REFERENCES = {"running": divided, "centred": centred}
each_scale = pytest.mark.parametrize("scale", REFERENCES)
each_class = pytest.mark.parametrize("cls", CLASSES)


@pytest.mark.parametrize(("name", "check"), online_learner_checks())
@pytest.mark.parametrize("cls", SCALED)
def test_learners_with_a_scale_pass_all_checks(cls, name, check):
    check(cls(scale="running"))
    check(cls(scale="running", normalize=True))


def stated(model):
    """The weights and the intercepts for the rows as they were seen."""
    if model.__class__.__name__.startswith("Multiclass"):
        return np.append(model.certificate_.model.weights, model.certificate_.model.biases)
    return np.append(model.certificate_.evidence.weights, model.certificate_.evidence.intercept)


@each_class
@each_scale
def test_rows_are_learned_as_those_that_plain_numpy_has_scaled(cls, scale):
    model, plain = cls(scale=scale).partial_fit(X, Y), cls().partial_fit(REFERENCES[scale](X), Y)
    assert np.allclose(stated(model), stated(plain), rtol=1e-9, atol=1e-9)
    assert model.certificate_.mistakes == plain.certificate_.mistakes


@each_class
@each_scale
def test_coef_and_intercept_are_for_rows_as_they_are_given(cls, scale):
    models = [cls(scale=scale).partial_fit(X, labels) for labels in (Y, THREE)]
    if scale == "running":
        models.append(cls(scale=scale, max_iter=2).fit(X, THREE))
    for model in models:
        scores = (X @ model.coef_.T + model.intercept_).squeeze()
        for rows in (X, sp.csr_array(X)) if cls is not nk.VotedPerceptron else ():
            assert np.allclose(model.decision_function(rows), scores, rtol=1e-9, atol=1e-8)
        assert [model.predict_one(x) for x in X[:20]] == model.predict(X[:20]).tolist()


def test_units_make_no_difference():
    units = 2.0 ** np.array([-10, 3, 0, 20])
    plain, other = (nk.PassiveAggressiveI(scale="running").partial_fit(rows, Y) for rows in (X, X * units))
    assert np.array_equal(plain.decision_function(X), other.decision_function(X * units))


@each_scale
def test_dicts_and_sparse_rows_are_seen_alike(scale):
    rows, dicts = nk.PassiveAggressiveI(scale=scale).partial_fit(sp.csr_array(X), Y), nk.PassiveAggressiveI(scale=scale)
    for x, y in zip(X, Y, strict=True):
        dicts.learn_one({j: value for j, value in reversed([*enumerate(x.tolist())]) if value}, y)
    order = np.argsort(dicts.record_.column_names)  # a name gets its column when it is first met
    assert order.tolist() != [0, 1, 2, 3]
    assert np.allclose(dicts.coef_[:, order], rows.coef_, rtol=1e-9)
    found, expected = (np.asarray(model.certificate_.evidence.scale.factors) for model in (dicts, rows))
    assert np.array_equal(found[order], expected)


def test_hashed_features_that_share_a_column_are_summed():
    model = nk.Perceptron(scale="running", max_features=1)
    model.learn_one({"a": 3.0, "b": 1.0}, 1)
    assert np.asarray(model.certificate_.evidence.scale.factors).tolist() == [0.25]


@each_scale
def test_a_weight_may_stand_for_more_copies_than_are_made_at_a_time(scale):
    weights = np.where(np.arange(200) == 7, 5000.0, 1.0)
    model = nk.PassiveAggressiveI(scale=scale).partial_fit(X, Y, sample_weight=weights)
    kept = np.repeat(np.arange(200), weights.astype(int))
    assert np.array_equal(model.coef_, nk.PassiveAggressiveI(scale=scale).partial_fit(X[kept], Y[kept]).coef_)


def test_a_fit_scales_by_all_rows_and_a_stream_continues():
    fitted = nk.Perceptron(scale="running", max_iter=3).fit(X, Y)
    factors = fitted.certificate_.evidence.scale.factors
    plain = nk.Perceptron(max_iter=3).fit(X * factors, Y)
    assert np.array_equal(fitted.certificate_.evidence.weights, plain.coef_[0])
    assert np.array_equal(fitted.coef_, plain.coef_ * factors)
    found = nk.verify(fitted.partial_fit(X[:1] * 1000, Y[:1]), X, Y)
    assert np.all(fitted.certificate_.evidence.scale.factors[[0, 3]] < factors[[0, 3]])
    assert not found.failures
    assert [c.status for c in found.checks if c.claim == "scale"] == ["on trust"]


@each_class
@each_scale
def test_streams_and_fits_are_verified_with_weights_and_classes(cls, scale):
    weights = RNG.choice([0.0, 0.5, 1.0, 2.5], 60)
    weights[:2] = 1
    for labels in (Y[:60], THREE[:60]):
        models = [cls(scale=scale).partial_fit(X[:60], labels, sample_weight=weights)]
        if scale == "running":
            models.append(cls(scale=scale, max_iter=2).fit(sp.csr_array(X[:60]), labels, sample_weight=weights))
        for model in models:
            found = nk.verify(model, X[:60], labels, sample_weight=weights)
            assert not found.failures
            assert any(c.claim.endswith("scale") and c.status == "holds" for c in found.checks)
            for other in (X[:60] * [2.0, 1, 1, 1], X[:60] + np.eye(4)[0]):
                assert nk.verify(model, other, labels, sample_weight=weights).failures


@pytest.mark.parametrize(
    ("model", "learn"),
    [
        (nk.Perceptron(scale="running"), "partial_fit"),
        (nk.Perceptron(scale="running"), "fit"),
        (nk.MulticlassAROW(scale="running"), "partial_fit"),
        (nk.AROW(scale="centred"), "partial_fit"),
        (nk.MulticlassAROW(scale="centred"), "partial_fit"),
    ],
    ids=str,
)
def test_forged_scales_are_refused_by_both_checkers(model, learn):
    rows, y = X[:60], Y[:60]
    certificate = getattr(model, learn)(rows, y).certificate_
    part = "model" if isinstance(model, nk.MulticlassAROW) else "evidence"
    about = getattr(certificate, part)
    kind, factors, shifts = about.scale.kind, about.scale.factors, about.scale.shifts
    lies = [None, ColumnScale("mixed", factors), ColumnScale("none", factors)]
    if kind == "centred":
        lies.append(ColumnScale(kind, factors, shifts + 1e-9 * np.eye(4)[0]))
    else:
        lies.append(ColumnScale({"running": "fixed", "fixed": "running"}[kind], factors))
    lies.append(ColumnScale(kind, factors * [1, 1, 1.001, 1], shifts))
    assert not certificate.verify(rows, y).failures
    assert "fails" not in [status for _, status, _ in decided(certificate, rows, y)]
    for scale in lies:
        lie = replace(certificate, **{part: replace(about, scale=scale)})
        assert lie.verify(rows, y).failures
        assert "fails" in [status for _, status, _ in decided(lie, rows, y)]


@each_class
@each_scale
def test_a_file_continues_with_the_same_bits_and_the_independent_checker_agrees(cls, scale, tmp_path):
    model = cls(scale=scale).partial_fit(X[:60], Y[:60])
    nk.save(model, tmp_path / "model.nvk")
    results = check(read_model(tmp_path / "model.nvk"), rows_of(X[:60]), Y[:60].tolist())
    assert not [result for result in results if result[1] == "fails"]
    if cls not in (nk.AveragedPerceptron, nk.VotedPerceptron):  # whose last weights are not those that predict
        assert ("model", "holds") in [result[:2] for result in results]
    again = nk.load(tmp_path / "model.nvk").partial_fit(X[60:], Y[60:])
    assert nk.dumps(again) == nk.dumps(model.partial_fit(X[60:], Y[60:]))


@each_scale
def test_numbered_columns_are_saved_with_their_scale(scale):
    rows = sp.csr_array((np.ones(200), RNG.integers(0, 2**22, 200), np.arange(201)), (200, 2**22))
    model = nk.PassiveAggressiveI(scale=scale).partial_fit(rows[:150], Y[:150])
    again = nk.loads(nk.dumps(model))
    assert nk.dumps(again.partial_fit(rows[150:], Y[150:])) == nk.dumps(model.partial_fit(rows[150:], Y[150:]))


def test_a_trace_follows_the_scaled_rows():
    separable = np.abs(X[:, 0] - 40) > 2
    steps = nk.trace(nk.Perceptron(scale="running", shuffle=False), X[separable], X[separable, 0] > 40, max_updates=50)
    assert steps.holds


def test_what_has_no_scale_is_refused():
    for scale in ("max", "centered", True, 1.0, np.ones(2)):
        for learn in (nk.Perceptron(scale=scale).partial_fit, nk.Perceptron(scale=scale).fit):
            assert_refused("Perceptron", 'scale must be "running" or "centred"', learn, X, Y)
    assert_refused("Perceptron", "is for streams", nk.Perceptron(scale="centred").fit, X, Y)
    without = nk.Perceptron(scale="centred", fit_intercept=False)
    assert_refused("Perceptron", "needs an intercept", without.partial_fit, X, Y)
    scaled = nk.Perceptron(scale="running")
    assert_refused("Perceptron", "every copy of a row", scaled.partial_fit, X, Y, None, np.full(200, 1e7))
    assert_refused("Perceptron", "every copy of a row", scaled.learn_one, X[0], "yes", 1e9)


def test_rows_of_zeros_have_no_scale():
    model = nk.PassiveAggressiveI(scale="running").partial_fit(np.zeros((3, 2)), ["a", "a", "b"])
    assert np.array_equal(model.coef_, np.zeros((1, 2)))
    assert model.predict([[1e150, 1e-150]]).tolist() in (["a"], ["b"])


@pytest.mark.parametrize("labels", [Y, THREE], ids=["two classes", "three classes"])
def test_members_of_a_tracker_may_have_a_scale(labels):
    members = [cls(scale="running") for cls in (nk.PassiveAggressiveI, nk.AveragedPerceptron, nk.VotedPerceptron)]
    tracker = nk.Tracker([*members, nk.Perceptron(scale="running", normalize=True)]).partial_fit(X[:100], labels[:100])
    found = nk.verify(tracker, X[:100], labels[:100])
    assert not found.failures
    assert nk.verify(tracker, X[:100] * [2.0, 1, 1, 1], labels[:100]).failures
