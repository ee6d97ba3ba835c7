"""Gap certificates, docs/theory.md E: true ones are accepted, and no claim can be bettered without being caught."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from certified import change, failed, separable_data
from novikoff.theory import GapCertificate, SvmModel, enclosed_sums, gap_values, geometry
from novikoff.theory.certificate import Duals
from novikoff.theory.enclosed_sums import Rows
from novikoff.theory.gap_checks import state_bounds
from novikoff.theory.gap_values import Point, SoftMargin
from reference import soft_margin
from strategies import fractional_weights, laid_out, seeds, streams, ties

LOSSES = ("hinge", "squared_hinge")
INTERCEPTS = ("free", "penalized", "none")
problems = pytest.mark.parametrize(("loss", "intercept"), [(loss, kind) for loss in LOSSES for kind in INTERCEPTS])
# Every loss and every kind of intercept, for tests with further parameters.
some_problems = pytest.mark.parametrize(
    ("loss", "intercept"), [("hinge", "free"), ("squared_hinge", "penalized"), ("hinge", "none")]
)
any_problem = {"loss": st.sampled_from(LOSSES), "intercept": st.sampled_from(INTERCEPTS)}


def noisy_data(seed=0):
    """Data that a plane divides with errors: the machine has rows on both of its margins and beyond."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 4))
    y = np.where(X @ [1.0, -2.0, 0.5, 1.0] + 0.7 + 2 * rng.normal(size=50) > 0, 1.0, -1.0)
    return X, y


def state(w, b, a, X, y, *, C=1.0, weights=None, loss="hinge", intercept="free", tol=1e-6):
    """The certificate that is true of (w, b) and a, except that a dual above its cost by rounding is lowered to it."""
    costs = np.full(len(y), C) if weights is None else C * weights
    if loss == "hinge":
        a = np.where((a > costs) & (a <= costs * (1 + 1e-12)), costs, a)
    problem = SoftMargin(X, y, costs, loss, intercept)
    primal, dual = state_bounds(problem, Point(w, b, a), Rows(X), tol)
    return GapCertificate(
        loss=loss,
        intercept=intercept,
        C=C,
        tol=tol,
        primal=primal,
        dual=dual,
        iterations=7,
        examples=int(np.count_nonzero(costs)),
        model=SvmModel(w, b, 1.0, Duals.of(a), None if weights is None else costs),
    )


def certify(X, y, *, C=1.0, weights=None, loss="hinge", intercept="free", tol=1e-6):
    """The certificate of the optimum."""
    costs = np.full(len(y), C) if weights is None else C * weights
    w, b, a = soft_margin.solve(X, y, costs, loss, intercept)
    return state(w, b, a, X, y, C=C, weights=weights, loss=loss, intercept=intercept, tol=tol)


def dual_of(certificate, row, value):
    """The certificate with another weight of one of the rows behind it."""
    weights = certificate.model.duals.weights.copy()
    weights[row] = value
    return change(certificate, _duals=Duals(certificate.model.duals.rows, weights))


# ---- the reference --------------------------------------------------------------------------------------------------


@given(data=streams(2), C=st.sampled_from([0.01, 1.0, 100.0]), **any_problem)
def test_the_reference_finds_the_optimum(data, C, loss, intercept):
    X, y = data[0], np.where(data[1] > 0, 1.0, -1.0)
    certificate = certify(X, y, C=C, loss=loss, intercept=intercept)
    assert -1e-11 <= certificate.relative_gap <= 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_the_reference_agrees_with_libsvm(seed):
    rng = np.random.default_rng(seed)
    X, y = noisy_data(seed)
    costs = 0.5 * rng.choice([0.5, 1.0, 3.0], size=len(y))
    w, b, _ = soft_margin.solve(X, y, costs)
    peer = SVC(kernel="linear", tol=1e-8).fit(X, y, sample_weight=costs)
    np.testing.assert_allclose(peer.coef_[0], w, atol=1e-6)
    ours, theirs = (soft_margin.primal(*model, X, y, costs) for model in ((w, b), (peer.coef_[0], peer.intercept_[0])))
    assert ours <= theirs * (1 + 1e-12)
    assert ours == pytest.approx(theirs, rel=1e-7)


# ---- the statements -------------------------------------------------------------------------------------------------


def test_E1_E5_with_a_large_C_the_margin_is_one_over_the_length_and_both_classes_are_that_far():
    X, y = separable_data(gap=0.5)
    model = certify(X, y, C=1e5).model
    distances = y * (X @ model.weights + model.bias) / np.linalg.norm(model.weights)
    assert distances[y > 0].min() == pytest.approx(1 / np.linalg.norm(model.weights), rel=1e-8)
    assert distances[y < 0].min() == pytest.approx(1 / np.linalg.norm(model.weights), rel=1e-8)


def test_E2_half_the_distance_between_the_hulls_is_the_margin():
    X, y = separable_data(gap=0.5)
    model = certify(X, y, C=1e5).model
    a = model.duals.dense(len(y))
    nearest = [(a[y == side] / a[y == side].sum()) @ X[y == side] for side in (1.0, -1.0)]
    assert np.linalg.norm(nearest[0] - nearest[1]) / 2 == pytest.approx(1 / np.linalg.norm(model.weights), rel=1e-8)


@given(seed=seeds, weighted=st.booleans(), **any_problem)
def test_E3_no_model_is_below_a_feasible_dual(seed, weighted, loss, intercept):
    rng = np.random.default_rng(seed)
    X, y = noisy_data(seed)
    costs = rng.choice([0.5, 2.0], size=len(y)) if weighted else np.ones(len(y))
    a = costs * rng.random(len(y))
    if intercept == "free":
        a[y > 0] *= min(1.0, a[y < 0].sum() / a[y > 0].sum())
        a[y < 0] *= min(1.0, a[y > 0].sum() / a[y < 0].sum())
    w, b = rng.normal(size=4), 0.0 if intercept == "none" else float(rng.normal())
    penalized = intercept == "penalized"
    below = soft_margin.dual(a, X, y, costs, loss, penalized)
    assert below <= soft_margin.primal(w, b, X, y, costs, loss, penalized)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("share", [4e-10, 1e-8, 1e-7])
def test_E4_duals_out_of_balance_are_balanced_before_they_bound_anything(share, exact):
    """At an uncentred optimum the bias is large, and what is out of balance would raise the bound by that times it."""
    X, y = noisy_data()
    X = X + 1e4
    certificate = certify(X, y)
    assert abs(certificate.model.bias) > 100
    a = certificate.model.duals.dense(len(y))
    a[y == -np.sign(certificate.model.bias)] *= 1 - share
    unbalanced = soft_margin.dual(a, X, y, np.ones(len(y)))
    assert unbalanced > certificate.primal * (1 + 1e-8)
    moved = state(certificate.model.weights, certificate.model.bias, a, X, y)
    assert moved.dual < certificate.primal
    assert moved.verify(X, y, exact=exact)
    found = failed(change(moved, dual=float(unbalanced)).verify(X, y, exact=exact))
    assert found >= {"dual", "gap"}


def test_E5_the_objective_tends_to_that_of_the_hard_margin():
    X, y = separable_data(gap=0.5)
    objectives = [certify(X, y, C=C).primal for C in (0.01, 0.1, 1.0, 10.0, 1e3, 1e5)]
    assert np.all(np.diff(objectives) > -1e-9 * objectives[-1])
    assert objectives[-1] == pytest.approx(objectives[-2], rel=1e-7)


# ---- true certificates ----------------------------------------------------------------------------------------------


@given(data=st.one_of(streams(2), ties()), C=st.sampled_from([1e-3, 1.0, 1e3]), **any_problem)
def test_verify_accepts_the_optimum_of_any_data(data, C, loss, intercept):
    X, y = data[0], np.where(data[1] > 0, 1.0, -1.0)
    verification = certify(X, y, C=C, loss=loss, intercept=intercept).verify(X, y)
    assert verification, str(verification)


@given(seed=seeds, scale=st.sampled_from([1e-3, 1.0, 1e3]), **any_problem)
def test_verify_accepts_what_is_true_far_from_the_optimum(seed, scale, loss, intercept):
    rng = np.random.default_rng(seed)
    X, y = noisy_data(seed)
    a = rng.random(len(y)) * (rng.random(len(y)) < 0.5)
    if intercept == "free":
        a[y > 0] *= np.divide(a[y < 0].sum(), a[y > 0].sum()) if a[y > 0].sum() > a[y < 0].sum() else 1.0
        a[y < 0] *= np.divide(a[y > 0].sum(), a[y < 0].sum()) if a[y < 0].sum() > a[y > 0].sum() else 1.0
    b = 0.0 if intercept == "none" else scale
    certificate = state(scale * rng.normal(size=4), b, a, X, y, loss=loss, intercept=intercept)
    assert not certificate.converged
    verification = certificate.verify(X, y)
    assert verification, str(verification)


def test_verify_takes_labels_of_any_kind():
    X, y = noisy_data()
    certificate = change(certify(X, y), _positive="yes")
    assert certificate.verify(X, np.where(y > 0, "yes", "no"))
    assert failed(certificate.verify(X, np.where(y > 0, "oui", "non"))) == {"data"}


@pytest.mark.parametrize("block", [1, 7, 64])
@pytest.mark.parametrize("layout", ["C", "csr"])
def test_blocks_change_nothing(block, layout, monkeypatch):
    X, y = noisy_data()
    certificate = certify(X, y)
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", block)
    monkeypatch.setattr(enclosed_sums, "CACHED_ENTRIES", block)
    assert certificate.verify(laid_out(X, layout), y)
    assert not change(certificate, dual=certificate.dual * (1 + 1e-6)).verify(laid_out(X, layout), y)


def test_the_model_of_a_single_class_has_no_gap():
    X, y = noisy_data()[0], np.ones(50)
    certificate = state(np.zeros(4), 1.0, np.zeros(50), X, y)
    assert certificate.primal == certificate.relative_gap == 0.0
    assert certificate.verify(X, y)


# ---- costs ----------------------------------------------------------------------------------------------------------


@given(data=st.data(), **any_problem)
def test_verify_accepts_weighted_rows_with_and_without_being_told_the_weights(data, loss, intercept):
    X, y = data.draw(streams(2))
    y = np.where(y > 0, 1.0, -1.0)
    weights = data.draw(fractional_weights(len(y)))
    weights[[np.argmax(y < 0), np.argmax(y > 0)]] = 1.7
    certificate = certify(X, y, C=0.3, weights=weights, loss=loss, intercept=intercept)
    assert certificate.verify(X, y, sample_weight=weights)
    (costs,) = (check for check in certificate.verify(X, y).checks if check.claim == "costs")
    assert certificate.verify(X, y)
    assert costs.status == "on trust"


def test_weights_that_are_not_those_of_the_certificate_are_refused_and_the_row_is_named():
    X, y = noisy_data()
    weights = np.random.default_rng(1).choice([0.5, 2.0], size=len(y))
    certificate = certify(X, y, weights=weights)
    other = weights.copy()
    other[17] *= 1 + 1e-6
    (failure,) = certificate.verify(X, y, sample_weight=other).failures
    assert (failure.claim, failure.row) == ("costs", 17)
    assert not change(certificate, C=2.0).verify(X, y, sample_weight=weights)
    assert not change(certificate, _costs=None).verify(X, y, sample_weight=weights)
    assert not change(certificate, _costs=None).verify(X, y)
    assert not change(certificate, _costs=certificate.model.costs[:-1]).verify(X, y)
    assert not change(certificate, _costs=-certificate.model.costs).verify(X, y)
    for bad in (np.nan, -1.0):
        other[17] = bad
        assert not certificate.verify(X, y, sample_weight=other)


def test_a_certificate_of_equal_rows_is_not_one_of_weighted_rows():
    X, y = noisy_data()
    certificate = certify(X, y)
    assert certificate.verify(X, y, sample_weight=np.ones(len(y)))
    assert certificate.verify(X, y, sample_weight=1.0)
    assert failed(certificate.verify(X, y, sample_weight=np.full(len(y), 2.0))) == {"costs"}


def test_a_row_that_costs_nothing_may_be_anything_but_has_no_weight():
    X, y = noisy_data()
    weights = np.ones(len(y))
    weights[3] = 0.0
    for loss in LOSSES:
        certificate = certify(X, y, weights=weights, loss=loss, intercept="none")
        other = X.copy()
        other[3] = 100.0
        assert certificate.examples == 49
        assert certificate.verify(other, y, sample_weight=weights)
        a = certificate.model.duals.dense(len(y))
        a[3] = 1e-3
        (failure,) = change(certificate, _duals=Duals.of(a)).verify(X, y).failures
        assert (failure.claim, failure.row) == ("feasible duals", 3)


# ---- lies -----------------------------------------------------------------------------------------------------------

LIES = (
    lambda c: change(c, primal=c.primal * (1 - 1e-6)),
    lambda c: change(c, dual=c.dual * (1 + 1e-6)),
)


def test_a_dual_above_its_cost_by_one_unit_in_the_last_place_is_refused():
    X, y = noisy_data()
    w, b, a = soft_margin.solve(X, y, np.full(len(y), 1e-3), intercept="none")
    top = int(np.argmax(a))
    a[top] = 1e-3
    certificate = state(w, b, a, X, y, C=1e-3, intercept="none")
    assert certificate.verify(X, y)
    top = int(np.searchsorted(certificate.model.duals.rows, top))
    assert failed(dual_of(certificate, top, np.nextafter(1e-3, 1)).verify(X, y)) == {"feasible duals"}


def test_a_claim_to_have_converged_is_checked_by_itself():
    """Bounds that are true and far apart cannot be called close."""
    X, y = noisy_data()
    w, b, a = soft_margin.solve(X, y, np.ones(len(y)))
    true = state(w, b, 0.9 * a, X, y)
    assert not true.converged
    assert true.verify(X, y)
    assert failed(change(true, primal=true.dual * (1 + 1e-7)).verify(X, y)) == {"primal", "gap", "converged"}
    assert failed(change(true, dual=true.primal * (1 - 1e-7)).verify(X, y)) == {"dual", "gap", "converged"}


@given(seed=seeds, share=st.floats(0, 1), lift=st.floats(-1e-3, 1e-3), drop=st.floats(-1e-3, 1e-3), **any_problem)
def test_no_accepted_bound_is_on_the_wrong_side_of_the_optimum(seed, share, lift, drop, loss, intercept):
    """Whatever model and duals stand behind it: here anything between the optimum and a random point."""
    rng = np.random.default_rng(seed)
    X, y = noisy_data(seed)
    w, b, a = soft_margin.solve(X, y, np.ones(len(y)), loss, intercept)
    optimum = soft_margin.dual(a, X, y, np.ones(len(y)), loss, intercept == "penalized")
    w, a = w + 1e-3 * share * rng.normal(size=4), (1 - 1e-3 * share) * a
    moved = state(w, b, a, X, y, loss=loss, intercept=intercept)
    claimed = change(moved, primal=moved.primal * (1 - drop), dual=moved.dual * (1 + lift))
    if claimed.verify(X, y):
        assert claimed.primal >= optimum * (1 - 1e-8)
        assert claimed.dual <= optimum * (1 + 1e-8)
    else:
        assert drop > 0 or lift > 0


# ---- numbers of all sizes -------------------------------------------------------------------------------------------


def scaled(certificate, scale):
    """The same machine on the data times ``scale``: w falls by it, and all that is squared by its square."""
    model, squared = certificate.model, scale * scale
    return change(
        certificate,
        C=certificate.C / squared,
        primal=certificate.primal / squared,
        dual=certificate.dual / squared,
        _weights=model.weights / scale,
        _duals=Duals(model.duals.rows, model.duals.weights / squared),
        _costs=None if model.costs is None else model.costs / squared,
    )


@pytest.mark.parametrize(("loss", "intercept", "layout"), [("hinge", "free", "C"), ("squared_hinge", "none", "csr")])
@pytest.mark.parametrize("scale", [1e-150, 1e-100, 1e-30, 1e30, 1e100, 1e150])
def test_verify_judges_tiny_and_huge_data_as_any(scale, loss, intercept, layout):
    X, y = noisy_data()
    certificate = scaled(certify(X, y, loss=loss, intercept=intercept), scale)
    X = laid_out(scale * X, layout)
    verification = certificate.verify(X, y)
    assert verification, str(verification)
    for lie in (*LIES, lambda c: dual_of(c, 0, c.model.duals.weights[0] / 3)):
        assert not lie(certificate).verify(X, y)


def test_huge_data_that_can_be_separated_need_a_margin_beyond_rounding():
    """C is 1e300 times the objective, so that the last digit of a score outweighs it; a little room makes it sure."""
    X, y = separable_data(gap=0.5)
    w, b, a = soft_margin.solve(X, y, np.full(len(y), 1e5))
    bare, roomy = (
        change(scaled(state((1 + room) * w, (1 + room) * b, a, X, y, C=1e5), 1e150), C=1.0) for room in (0.0, 1e-8)
    )
    assert not bare.verify(1e150 * X, y)
    verification = roomy.verify(1e150 * X, y)
    assert verification, str(verification)
    for lie in LIES:
        assert failed(lie(roomy).verify(1e150 * X, y))


def test_what_overflows_is_refused():
    X, y = noisy_data()
    certificate = certify(X, y)
    assert {"primal", "dual"} <= failed(change(certificate, _weights=np.full(4, 1e300)).verify(1e200 * X, y))


def test_rounding_that_hides_the_answer_leaves_it_open_unless_fractions_decide(monkeypatch):
    """The scores are differences of numbers so large that nothing of them is left."""
    X, y = noisy_data()
    X = np.hstack([X, np.full((50, 2), 1e12)])
    w, b, a = soft_margin.solve(X[:, :4], y, np.ones(50))
    certificate = state(np.append(w, [1e3, -1e3]), b, a, X, y)
    assert certificate.verify(X, y)  # because the data are small
    monkeypatch.setattr(gap_values, "SMALL_WORK", 0)
    assert certificate.verify(X, y, exact=True)
    verification = certificate.verify(X, y)
    assert not verification
    assert {check.claim for check in verification.checks if check.status == "open"} >= {"primal"}


@pytest.mark.parametrize("loss", LOSSES)
def test_rounding_in_many_rows_hides_no_lie_of_a_millionth(loss):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(100_000, 20)) + 3).astype(np.float32)
    y = np.where(X[:, 0] + rng.normal(size=len(X)) > 3, 1.0, -1.0)
    a = rng.choice([0.0, 1.0], size=len(y))
    certificate = state(rng.normal(size=20), 0.0, 1e-5 * a, X.astype(np.float64), y, loss=loss, intercept="none")
    assert certificate.verify(X, y)
    for lie in LIES:
        assert failed(lie(certificate).verify(X, y))


# ---- what it looks like ---------------------------------------------------------------------------------------------


def test_it_says_whether_the_gap_is_as_small_as_was_asked_for():
    X, y = noisy_data()
    w, b, a = soft_margin.solve(X, y, np.ones(len(y)))
    assert "within the requested 1e-06" in str(state(w, b, a, X, y))
    assert "above the requested 1e-06" in str(state(w, b, 0.9 * a, X, y))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("bias", [1e17, -1e17, 2.0**53 + 2, 1e300])
def test_a_huge_bias_does_not_hide_a_loss(bias, loss):
    X, y = noisy_data()
    nothing = Duals(np.zeros(0, np.int64), np.zeros(0))
    model = SvmModel(np.zeros(X.shape[1]), bias, y[0], nothing)
    forged = GapCertificate(loss, "free", 1.0, 1e-3, 0.0, 0.0, 1, len(y), model)
    for exact in (False, True):
        assert not forged.verify(X, y, exact=exact)
        assert not forged.verify(np.zeros_like(X), y, exact=exact)


def test_products_that_underflow_do_not_hide_a_loss():
    X, y, nothing = np.full((4, 1), 1e-200), np.ones(4), Duals(np.zeros(0, np.int64), np.zeros(0))
    model = SvmModel(np.array([-1e-200]), 1.0, 1.0, nothing)
    forged = GapCertificate("hinge", "free", 1e308, 1e-3, 0.0, 0.0, 1, 4, model)
    assert "primal" in failed(forged.verify(X, y, exact=True))
    assert not forged.verify(X, y)


def test_the_failures_of_a_pair_name_rows_of_all_data():
    X, y = noisy_data()
    apart = np.insert(np.arange(len(y)), 5, -1)  # the sixth row has a third label
    wide, labels = X[apart], np.where(apart < 0, 7, y[apart])
    weights = np.ones(len(y))
    alone = certify(X, y, weights=weights)
    duals = Duals(np.flatnonzero(apart >= 0)[alone.model.duals.rows], alone.model.duals.weights)
    negative = next(label for label in y.tolist() if label != alone.model.positive)
    pair = change(alone, _duals=duals, _negative=negative)
    weights = np.ones(len(labels))
    assert pair.verify(wide, labels, weights)
    weights[20] = 2.0
    (check,) = pair.verify(wide, labels, weights).failures
    assert (check.row, check.claim) == (20, "costs")
    assert check.detail.startswith("row 20 costs")
    high = Duals(duals.rows, np.where(duals.rows == duals.rows[-1], 99.0, duals.weights))
    (check,) = change(pair, _duals=high).verify(wide, labels).failures
    assert check.row == duals.rows[-1]
    assert check.detail.startswith(f"row {duals.rows[-1]} has 99")


def one_column(weight=1.0, primal=0.5, dual=0.5, intercept="free", bias=0.0, costs=None):
    """The machine of the rows 1 and -1, and of a third one at 0.25, whose first two duals are 1/2, so that v = 1."""
    X, y = np.array([[1.0], [-1.0], [0.25]]), np.array([1.0, -1.0, -1.0])
    model = SvmModel(np.array([weight]), bias, 1.0, Duals(np.array([0, 1]), np.array([0.5, 0.5])), costs)
    return GapCertificate("hinge", intercept, 1.0, 1.0, primal, dual, 1, 3, model), X, y


@pytest.mark.parametrize(
    ("weight", "gap", "is_sum"),
    [
        (1.0, 0.0, True),
        (1 + 1.9e-6, 0.0, True),  # rounding: 1e-6 of |v| + |w|
        (1 + 2.1e-6, 0.0, False),
        (1.2, 0.0, False),
        (1.2, 0.0201, True),  # |v - w|^2 <= 2 g
        (1.2, 0.0199, False),
        (0.8, 0.0201, True),
        (1.2, -1.0, False),
        (-1.0, 1.9, False),
        (-1.0, 2.1, True),
    ],
)
def test_weights_are_a_sum_of_support_vectors_if_the_gap_allows_their_distance(weight, gap, is_sum):
    certificate, X, y = one_column(weight, primal=0.5 + gap)
    assert certificate.support(X, y).rows.tolist() == ([0, 1] if is_sum else [])


def test_a_penalised_intercept_is_part_of_the_sum_and_a_free_one_is_not():
    for intercept, is_sum in (("free", True), ("penalized", False)):
        certificate, X, y = one_column(bias=0.1, intercept=intercept)
        assert len(certificate.support(X, y).rows) == (2 if is_sum else 0)
    assert len(certificate.support(X[:1], y[:1]).rows) == 0  # a row of a dual is missing


def test_rows_without_cost_have_no_slack_and_coefficients_have_the_signs_of_the_labels():
    certificate, X, y = one_column(0.5)
    assert certificate.fitted_from_rows(X, y)["slack_"].tolist() == [0.5, 0.5, 1.125]
    weighted, X, y = one_column(0.5, costs=np.array([0.5, 1.0, 0.0]))
    assert weighted.fitted_from_rows(X, y)["slack_"].tolist() == [0.5, 0.5, 0.0]
    rows, coefficients = certificate.row_coefficients(y)
    assert (rows.tolist(), coefficients.tolist()) == ([0, 1], [[0.5, -0.5]])
    assert certificate.band() == 1.0
    assert certificate.fitted() == {"objective_": 0.5, "n_iter_": 1, "C_": 1.0}
