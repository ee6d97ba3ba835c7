"""Margins know their geometry: docs/theory.md, H."""

import copy
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import novikoff as nk
from novikoff.theory import Geometry, Margin, bounds
from novikoff.theory.margin_value import margin_number
from strategies import few, make_separable, seeds

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

FREE, PENALIZED, NONE = (Margin(0.25, intercept=word) for word in ("free", "penalized", "none"))
UNIT = Margin(0.25, intercept="penalized", normalize=True)
SLACK = Margin(0.25, intercept="penalized", slack_feature=2.0)
ALL = (FREE, PENALIZED, NONE, UNIT, SLACK)

ROWS = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [3.0, 1.0]]
LABELS = ["no", "no", "yes", "yes"]


@pytest.mark.parametrize("margin", ALL, ids=repr)
def test_a_margin_is_restored_with_its_geometry(margin):
    for other in (copy.copy(margin), copy.deepcopy(margin), pickle.loads(pickle.dumps(margin)), eval(repr(margin))):
        assert type(other) is Margin
        assert other == margin
        assert repr(other) == repr(margin)


@pytest.mark.parametrize("margin", ALL, ids=repr)
def test_arithmetic_gives_plain_floats(margin):
    for value in (margin * 2, margin / margin, margin - 1, 1 + margin, -margin, +margin, abs(margin), margin**2):
        assert type(value) is float
    assert type(round(margin, 1)) is float
    assert margin * 2 == 0.5
    assert np.array([margin]).dtype == np.float64
    assert np.array([1.0, 2.0]) * margin == pytest.approx([0.25, 0.5])


@pytest.mark.parametrize("margin", ALL, ids=repr)
def test_a_margin_is_written_as_its_number(margin):
    assert json.dumps({"margin": margin}) == '{"margin": 0.25}'
    assert str(margin) == f"{margin}" == "0.25"
    assert f"{margin:.1f}" == "0.2"


def test_repr_says_the_geometry():
    assert repr(FREE) == "Margin(0.25, intercept='free')"
    assert repr(UNIT) == "Margin(0.25, intercept='penalized', normalize=True)"
    assert repr(SLACK) == "Margin(0.25, intercept='penalized', slack_feature=2.0)"


def test_a_margin_cannot_be_changed():
    with pytest.raises(AttributeError, match="cannot be changed, but intercept was to be set"):
        FREE.intercept = "none"
    with pytest.raises(AttributeError, match="cannot be changed, but intercept was to be deleted"):
        del FREE.intercept
    with pytest.raises(AttributeError):
        FREE.other = 1


def test_a_geometry_that_does_not_exist_is_refused():
    with pytest.raises(nk.InvalidInputError, match='must be "free", "penalized" or "none", but it is \'some\''):
        Margin(1.0, intercept="some")
    with pytest.raises(nk.InvalidInputError, match="it is NaN"):
        Margin(math.nan, intercept="free")


def test_margins_of_two_geometries_differ_and_are_not_ordered():
    for one in ALL:
        for other in ALL:
            same = one is other
            assert (one == other) is same
            assert (one != other) is not same
            for compare in (float.__lt__, float.__ge__):
                assert compare(one, 1.0) in (True, False)
            if not same:
                for ordered in (lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b):
                    with pytest.raises(nk.InvalidInputError, match=r"cannot be compared\. Measure both in"):
                        ordered(one, other)


def test_a_margin_is_compared_with_numbers_and_with_margins_of_its_geometry():
    larger = Margin(0.5, intercept="free")
    assert larger > FREE
    assert FREE <= 0.25 <= FREE
    assert larger > FREE >= 0
    assert max((FREE, larger)) is larger
    assert FREE == 0.25
    assert 0.25 == FREE  # noqa: SIM300  # both orders are the test
    assert FREE != "0.25"
    assert hash(FREE) == hash(0.25)


@pytest.mark.parametrize(
    "margin", [0.5, np.float32(0.5), np.array([0.5]), np.array(0.5), [0.5], (Margin(0.5, intercept="penalized"),)]
)
def test_one_number_is_a_margin_in_many_forms(margin):
    number = margin_number("here", margin, Geometry())
    assert number == 0.5
    assert type(number) is float


@pytest.mark.parametrize(
    ("margin", "message"),
    [
        ("wide", "must be a number, but it is 'wide'"),
        (True, "must be a number, but it is True"),
        (None, "must be a number, but it is None"),
        (math.nan, "must be a number, but it is nan"),
        ([0.5, 0.25], "must be one number, but there are 2. Choose that of one class"),
        (np.array([]), "must be one number, but there are 0"),
        (np.array(["x"]), "must be a number, but it is 'x'"),
    ],
)
def test_what_is_not_one_number_is_refused(margin, message):
    with pytest.raises(nk.InvalidInputError, match=f"here: margin {message}"):
        margin_number("here", margin, Geometry())


@pytest.mark.parametrize(
    ("geometry", "own", "remedy"),
    [
        (Geometry(), PENALIZED, r"Use margin_ of HardMarginSVM\(penalized_intercept=True\)\.$"),
        (Geometry(fit_intercept=False), NONE, r"Use margin_ of HardMarginSVM\(fit_intercept=False\)\.$"),
        (Geometry(normalize=True), UNIT, r"Use margin_ of MarginPerceptron\(normalize=True\)\.$"),
        (Geometry(slack_feature=2.0), SLACK, r"objective_\) of LinearSVM\(C=0.125, penalized_intercept=True\), as a "),
    ],
)
def test_another_geometry_is_refused_with_the_remedy(geometry, own, remedy):
    assert margin_number("here", own, geometry) == 0.25
    for margin in ALL:
        if margin is not own:
            with pytest.raises(nk.InvalidInputError, match=remedy):
                margin_number("here", margin, geometry)


@pytest.mark.parametrize(
    "bound",
    [
        lambda margin: bounds.novikoff(1.0, margin),
        lambda margin: bounds.margin_perceptron(1.0, margin, 0.5),
        lambda margin: bounds.passive_aggressive_I(1.0, margin, 1.0),
        lambda margin: bounds.passive_aggressive_II(1.0, margin, 1.0),
    ],
)
def test_no_mistake_bound_follows_from_a_margin_with_a_free_intercept(bound):
    assert bound(PENALIZED) == bound(NONE) == bound(UNIT) == bound(0.25) == bound(np.array([0.25]))
    with pytest.raises(nk.InvalidInputError, match="measured with a free intercept"):
        bound(FREE)


# ---- learners ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [nk.Perceptron(), nk.AveragedPerceptron(), nk.PassiveAggressiveI()])
def test_the_margin_of_a_free_intercept_bounds_no_mistakes(learner):
    certificate = learner.fit(ROWS, LABELS).certificate_
    free, own = (nk.HardMarginSVM(penalized_intercept=value).fit(ROWS, LABELS) for value in (False, True))
    for margin in (free.margin_, free.certificate_.margin_lower_bound, free.certificate_.margin_upper_bound):
        with pytest.raises(
            nk.InvalidInputError, match=r"bound: the margin was measured with a free .* Use margin_ of "
        ):
            certificate.bound(margin)
    assert certificate.mistakes <= certificate.bound(own.margin_) == certificate.bound(float(own.margin_))
    assert certificate.bound(np.array([own.margin_])) == certificate.bound(own.margin_)


def test_far_from_0_the_margins_of_the_two_geometries_differ_by_any_factor():
    X = np.add([[0.0], [1.0], [3.0], [4.0]], 1e4)
    free, own = (nk.HardMarginSVM(penalized_intercept=value).fit(X, LABELS).margin_ for value in (False, True))
    assert free / own > 1e3
    certificate = nk.Perceptron(max_iter=100, n_iter_no_change=None).fit(X, LABELS).certificate_
    assert (certificate.radius / free) ** 2 < certificate.bound(own) / 1e6


def _apart(seed, intercept, far):
    """Rows of two classes with a gap between them; with an intercept, far from 0."""
    data = make_separable(np.random.default_rng(seed), 20, 3, 0.3, intercept=intercept)
    return (data.X + far if intercept else data.X), data.y


@pytest.mark.parametrize("fit_intercept", [False, True])
@few
@given(seed=seeds, far=st.sampled_from([0.0, 3.0, 30.0]))
def test_novikoffs_bound_holds_for_margins_of_the_learners_geometry(fit_intercept, seed, far):
    X, y = _apart(seed, fit_intercept, far)
    learner = nk.Perceptron(fit_intercept=fit_intercept, max_iter=50, n_iter_no_change=None, shuffle=False)
    certificate = learner.fit(X, y).certificate_
    own = nk.HardMarginSVM(tol=1e-3, fit_intercept=fit_intercept, penalized_intercept=fit_intercept).fit(X, y).margin_
    assert certificate.mistakes <= certificate.bound(own)
    assert own <= certificate.margin_upper_bound  # the same geometry, so they can be compared
    free = nk.HardMarginSVM(tol=1e-3).fit(X, y).margin_
    with pytest.raises(nk.InvalidInputError, match="cannot be compared"):
        assert free <= certificate.margin_upper_bound
    with pytest.raises(nk.InvalidInputError, match="measured with a free intercept"):
        certificate.bound(free)


@pytest.mark.parametrize("fit_intercept", [False, True])
@few
@given(seed=seeds, far=st.sampled_from([0.0, 3.0]))
def test_novikoffs_bound_holds_for_margins_of_rows_of_unit_length(fit_intercept, seed, far):
    X, y = _apart(seed, fit_intercept, far)
    wide = nk.MarginPerceptron(normalize=True, fit_intercept=fit_intercept, max_iter=10_000).fit(X, y)
    assert wide.margin_ == Margin(wide.margin_, intercept="penalized" if fit_intercept else "none", normalize=True)
    U = np.hstack([X, np.ones((len(X), 1))]) if fit_intercept else X
    U = U / np.linalg.norm(U, axis=1)[:, None]
    unit = nk.Perceptron(max_iter=50, n_iter_no_change=None, fit_intercept=False).fit(U, y).certificate_
    assert unit.mistakes <= unit.bound(float(wide.margin_)) * (1 + 1e-9)
    with pytest.raises(nk.InvalidInputError, match="scaled to unit length"):
        unit.bound(wide.margin_)


@few
@given(seed=seeds, delta=st.sampled_from([0.5, 1.0, 2.0]))
def test_the_remedy_for_private_features_is_their_largest_margin(seed, delta):
    """D3: the largest margin with private features is 1 / sqrt(2 P) of the squared hinge with C = 1 / (2 delta^2)."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(15, 2)), np.where(rng.random(15) < 0.5, "a", "b")
    y[:2] = "a", "b"
    certificate = nk.Perceptron(slack_feature=delta, max_iter=10).fit(X, y).certificate_
    soft = nk.LinearSVM(C=1 / (2 * delta**2), penalized_intercept=True).fit(X, y)
    margin = Margin(1 / math.sqrt(2 * soft.objective_[0]), intercept="penalized", slack_feature=delta)
    assert certificate.mistakes <= certificate.bound(margin)
    assert certificate.bound(margin) == certificate.bound(float(margin))


def test_a_margin_is_a_parameter():
    margin = nk.HardMarginSVM(penalized_intercept=True).fit(ROWS, LABELS).margin_
    learner = nk.MarginPerceptron(margin=margin, epsilon=0.1)
    assert learner.get_params()["margin"] is margin
    copied = clone(learner)
    assert copied.margin == margin
    assert copied.margin.intercept == "penalized"
    assert "margin=Margin(0.7" in repr(copied)
    fitted = copied.fit(ROWS, LABELS)
    assert 0.9 * margin * (1 - 1e-9) <= fitted.margin_ <= margin * (1 + 1e-5)
    plain = nk.MarginPerceptron(margin=np.array([float(margin)]), epsilon=0.1).fit(ROWS, LABELS)
    assert np.array_equal(plain.coef_, fitted.coef_)


@pytest.mark.parametrize("parameters", [{}, {"normalize": True}, {"fit_intercept": False}])
def test_a_margin_perceptron_refuses_the_margin_of_a_free_intercept(parameters):
    margin = nk.HardMarginSVM().fit(ROWS, LABELS).margin_
    with pytest.raises(nk.InvalidInputError, match="MarginPerceptron: the margin was measured with a free intercept"):
        nk.MarginPerceptron(margin=margin, **parameters).fit(ROWS, LABELS)


def test_several_margins_are_not_one():
    y = [0, 0, 1, 2]
    margins = nk.HardMarginSVM(penalized_intercept=True).fit(ROWS, y).margin_
    assert [type(margin) for margin in margins] == [Margin] * 3
    with pytest.raises(nk.InvalidInputError, match=r"there are 3\. Choose that of one class, or the smallest"):
        nk.MarginPerceptron(margin=margins).fit(ROWS, y)
    learned = nk.MarginPerceptron(margin=min(margins)).fit(ROWS, y)
    assert [margin.intercept for margin in learned.margin_] == ["penalized"] * 3


def test_models_with_margins_are_saved_and_verified(tmp_path):
    margin = nk.HardMarginSVM(penalized_intercept=True).fit(ROWS, LABELS).margin_
    for y in (LABELS, [0, 0, 1, 2]):
        for model in (nk.HardMarginSVM(), nk.MarginPerceptron(margin=margin / 4), nk.MarginPerceptron(normalize=True)):
            nk.save(model.fit(ROWS, y), tmp_path / "model.nvk")
            loaded = nk.load(tmp_path / "model.nvk")
            assert repr(loaded.margin_) == repr(model.margin_)
            assert nk.verify(loaded, ROWS, y)
    nk.save(nk.MarginPerceptron(margin=margin).fit(ROWS, LABELS), tmp_path / "model.nvk")
    assert nk.load(tmp_path / "model.nvk").margin == margin


def test_a_margin_of_another_geometry_is_noticed():
    model = nk.HardMarginSVM().fit(ROWS, LABELS)
    assert nk.verify(model, ROWS, LABELS)
    model.margin_ = Margin(float(model.margin_), intercept="none")
    assert [check.claim for check in nk.verify(model, ROWS, LABELS).failures] == ["attributes: margin_"]


def test_the_margin_of_a_run_that_did_not_halt_is_not_known():
    model = nk.MarginPerceptron(epsilon=0.01, max_iter=1).fit(ROWS, LABELS)
    assert model.margin_ == -math.inf
    with pytest.raises(AttributeError, match="no margin_: it is not fitted"):
        nk.MarginPerceptron().margin_  # noqa: B018  # that it is asked for is the test
